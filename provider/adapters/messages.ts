import { Metadata, type ServiceError, status } from "@grpc/grpc-js";
import { DiffResponse, ErrorResourceInitFailed, PropertyDiff } from "@pulumi/pulumi/proto/provider_pb";
import { Status } from "@pulumi/pulumi/proto/status_pb";
import { Any } from "google-protobuf/google/protobuf/any_pb";
import { Struct, Value } from "google-protobuf/google/protobuf/struct_pb";
import { messageOf } from "../base/errors";
import { type Diff, InitError, type Properties, type PropertyChange } from "../contract";
import { revealed } from "./marks";

/**
 * The plain values of a message. Marked secrets become plain values too. A null value is left out: languages that
 * cannot omit an argument send null. Without a message, which an import has for the state, the result is empty.
 */
export function fromStruct(struct: Struct | undefined): Properties {
  return withoutNulls(valuesOf(struct));
}

function valuesOf(struct: Struct | undefined): Properties {
  const entries: [string, unknown][] = [];
  struct?.getFieldsMap().forEach((value, name) => {
    entries.push([name, fromValue(value)]);
  });
  return Object.fromEntries(entries);
}

function withoutNulls(properties: Properties): Properties {
  return Object.fromEntries(Object.entries(properties).filter(([, value]) => value !== null));
}

function fromValue(value: Value): unknown {
  switch (value.getKindCase()) {
    case Value.KindCase.STRUCT_VALUE: {
      // A mark may hold null, which is a value too.
      const values = valuesOf(value.getStructValue());
      const plain = revealed(values);
      return plain === values ? withoutNulls(values) : plain;
    }
    case Value.KindCase.LIST_VALUE:
      return value.getListValue()?.getValuesList().map(fromValue);
    default:
      return value.toJavaScript();
  }
}

/** The values of a message with their marks. */
export function markedValues(struct: Struct | undefined): Properties {
  return (struct?.toJavaScript() ?? {}) as Properties;
}

/**
 * Plain values as a message. JSON drops each `undefined`: the library would throw on one, and the cluster exists by then.
 */
export function toStruct(properties: object): Struct {
  return Struct.fromJavaScript(JSON.parse(JSON.stringify(properties)));
}

const { Kind } = PropertyDiff;
const kinds = {
  add: { inPlace: Kind.ADD, replacing: Kind.ADD_REPLACE },
  delete: { inPlace: Kind.DELETE, replacing: Kind.DELETE_REPLACE },
  update: { inPlace: Kind.UPDATE, replacing: Kind.UPDATE_REPLACE },
};

/** A difference in the engine's form: each line of its preview is one path. */
export function toDiffResponse({ changes, deleteBeforeReplace = false }: Diff): DiffResponse {
  const entries = Object.entries(changes);
  const names = (some: typeof entries) => [...new Set(some.map(([path]) => splitPath(path).name))];
  const response = new DiffResponse()
    .setChanges(entries.length > 0 ? DiffResponse.DiffChanges.DIFF_SOME : DiffResponse.DiffChanges.DIFF_NONE)
    .setDiffsList(names(entries))
    .setReplacesList(names(entries.filter(([, { replace }]) => replace)))
    // Also if the list of replaces is empty: the user's replaceOnChanges may add one.
    .setDeletebeforereplace(deleteBeforeReplace)
    .setHasdetaileddiff(true);
  for (const [path, change] of entries) response.getDetaileddiffMap().set(toEnginePath(path), toPropertyDiff(change));
  return response;
}

function toPropertyDiff({ kind, replace }: PropertyChange): PropertyDiff {
  return new PropertyDiff().setKind(kinds[kind][replace ? "replacing" : "inPlace"]);
}

/** In the core's paths, everything after the first dot is one key, which may contain dots. */
function splitPath(path: string): { name: string; key: string | undefined } {
  const dot = path.indexOf(".");
  return dot < 0 ? { name: path, key: undefined } : { name: path.slice(0, dot), key: path.slice(dot + 1) };
}

/** `env.MODEL`, or `env["A.B"]` if the key is no plain word. */
export function toEnginePath(path: string): string {
  const { name, key } = splitPath(path);
  if (key === undefined) return name;
  return /^[A-Za-z_]\w*$/.test(key) ? `${name}.${key}` : `${name}[${JSON.stringify(key)}]`;
}

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
