import {
  type CheckRequest,
  CheckResponse,
  type CreateRequest,
  CreateResponse,
  type DiffRequest,
  DiffResponse,
  type ReadRequest,
  ReadResponse,
  type UpdateRequest,
  UpdateResponse,
} from "@pulumi/pulumi/proto/provider_pb";
import { Empty } from "google-protobuf/google/protobuf/empty_pb";
import { readinessId } from "../../cluster/readiness";
import { UNKNOWN } from "../../core";
import { fromStruct, toStruct } from "./messages";
import { inContext } from "./operations";
import type { Session } from "./session";

/** The wait for all clusters of a fleet. It is nothing at the service, so a refresh and a deletion send nothing. */
export const readinessType = "gpucluster:index:FleetReadiness";

const unknown = toStruct({ ready: UNKNOWN });

export function check(_session: Session, request: CheckRequest): CheckResponse {
  return new CheckResponse().setInputs(request.getNews());
}

/** The engine compares the inputs itself. */
export function diff(_session: Session, request: DiffRequest): DiffResponse {
  const { DIFF_SOME, DIFF_UNKNOWN } = DiffResponse.DiffChanges;
  const { settled } = fromStruct(request.getOlds());
  return new DiffResponse().setChanges(settled === false ? DIFF_SOME : DIFF_UNKNOWN);
}

export function create(session: Session, request: CreateRequest): Promise<CreateResponse> {
  return inContext(session, "create", request, async (ctx) => {
    if (request.getPreview()) return new CreateResponse().setProperties(unknown);
    const state = await session.provider.awaitTogether(ctx, fromStruct(request.getProperties()));
    return new CreateResponse().setId(readinessId).setProperties(toStruct(state));
  });
}

export function read(_session: Session, request: ReadRequest): ReadResponse {
  return new ReadResponse()
    .setId(request.getId())
    .setProperties(request.getProperties())
    .setInputs(request.getInputs());
}

export function update(session: Session, request: UpdateRequest): Promise<UpdateResponse> {
  return inContext(session, "update", request, async (ctx) => {
    if (request.getPreview()) return new UpdateResponse().setProperties(unknown);
    const [olds, news] = [fromStruct(request.getOlds()), fromStruct(request.getNews())];
    return new UpdateResponse().setProperties(toStruct(await session.provider.awaitTogether(ctx, news, olds)));
  });
}

export function remove(): Empty {
  return new Empty();
}
