import type { Metadata } from "@grpc/grpc-js";
import * as proto from "@pulumi/pulumi/proto/provider_pb";
import type { serviceOf } from "../../../provider/adapters/plugin";
import { toStruct } from "../../../provider/adapters/session";
import type { Properties } from "../../../provider/contract";

export const urn = "urn:pulumi:dev::shop::gpucluster:index:Cluster::web";
export const providerUrn = "urn:pulumi:dev::shop::pulumi:providers:gpucluster::own";

/** The error of a call, as the engine receives it. */
export interface CallError {
  readonly details?: string;
  readonly metadata?: Metadata;
}

type Unary = (call: { request: unknown }, callback: (error: CallError | null, response?: unknown) => void) => void;

/** A call of the engine. */
export function call<Response>(handler: unknown, request: unknown): Promise<Response> {
  // The library's type of a call has many members that a handler never uses.
  const unary = handler as Unary;
  return new Promise((done, fail) => {
    unary({ request }, (error, response) => (response ? done(response as Response) : fail(error)));
  });
}

const structOf = (properties: Properties | undefined) => properties && toStruct(properties);

/** The engine's calls about one resource. */
export function callsTo(service: ReturnType<typeof serviceOf>) {
  return {
    check: (request: proto.CheckRequest, of = urn) => call<proto.CheckResponse>(service.check, request.setUrn(of)),
    diff: (id: string, olds?: Properties, news?: Properties) => {
      const request = new proto.DiffRequest().setId(id).setUrn(urn).setOlds(structOf(olds)).setNews(structOf(news));
      return call<proto.DiffResponse>(service.diff, request);
    },
    create: (inputs: Properties, isPreview = false, timeout = 0) => {
      const request = new proto.CreateRequest().setUrn(urn).setProperties(toStruct(inputs));
      return call<proto.CreateResponse>(service.create, request.setTimeout(timeout).setPreview(isPreview));
    },
    update: (id: string, olds: Properties | undefined, news: Properties, isPreview = false, timeout = 0) => {
      const request = new proto.UpdateRequest().setId(id).setUrn(urn).setOlds(structOf(olds)).setNews(toStruct(news));
      return call<proto.UpdateResponse>(service.update, request.setTimeout(timeout).setPreview(isPreview));
    },
    read: (id: string, state?: Properties) => {
      const request = new proto.ReadRequest().setId(id).setUrn(urn).setProperties(structOf(state));
      return call<proto.ReadResponse>(service.read, request);
    },
    remove: (id: string, state?: Properties) => {
      const request = new proto.DeleteRequest().setId(id).setUrn(urn).setProperties(structOf(state));
      return call(service.delete, request);
    },
    invoke: (name: string, args?: Properties) => {
      const request = new proto.InvokeRequest().setTok(`gpucluster:index:${name}`).setArgs(structOf(args));
      return call<proto.InvokeResponse>(service.invoke, request);
    },
    configure: (settings: Properties) => {
      const request = new proto.ConfigureRequest().setUrn(providerUrn).setArgs(toStruct(settings));
      return call(service.configure, request);
    },
  };
}
