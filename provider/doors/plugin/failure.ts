import { Metadata, type ServiceError, status } from "@grpc/grpc-js";
import { ErrorResourceInitFailed } from "@pulumi/pulumi/proto/provider_pb";
import { Status } from "@pulumi/pulumi/proto/status_pb";
import { Any } from "google-protobuf/google/protobuf/any_pb";
import { InitError } from "../../core";
import { messageOf } from "../../errors";
import { toStruct } from "./struct";

/** An error in the engine's form. It carries the id and the properties, with their marks, of a resource that exists but is not ready. */
export function toServiceError(error: unknown): ServiceError {
  // gRPC sends no answer at all if the text holds half of a surrogate pair.
  const message = messageOf(error).toWellFormed();
  const metadata = new Metadata();
  if (error instanceof InitError) metadata.set("grpc-status-details-bin", Buffer.from(toDetails(error)));
  return Object.assign(new Error(message), { code: status.UNKNOWN, details: message, metadata });
}

function toDetails({ id, state, reasons, message }: InitError): Uint8Array {
  const failure = new ErrorResourceInitFailed()
    .setId(id)
    .setProperties(toStruct(state))
    .setReasonsList([...reasons]);
  const detail = new Any();
  detail.pack(failure.serializeBinary(), "pulumirpc.ErrorResourceInitFailed");
  return new Status().setCode(status.UNKNOWN).setMessage(message).setDetailsList([detail]).serializeBinary();
}
