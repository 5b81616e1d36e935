import { Struct, Value } from "google-protobuf/google/protobuf/struct_pb";
import type { Properties } from "../../core";

/**
 * The values of a message as plain ones. What is null is not there: languages that cannot leave an argument away say so. No
 * message, which is what an import has for the state, gives no values.
 */
export function fromStruct(struct: Struct | undefined): Properties {
  const entries = struct?.getFieldsMap().toArray() ?? [];
  // The library's own list of entries holds their bare data; the values are asked for by name.
  const values = entries.map(([name]) => [name, fromValue(struct?.getFieldsMap().get(name))] as const);
  return Object.fromEntries(values.filter(([, value]) => value !== null));
}

function fromValue(value: Value | undefined): unknown {
  switch (value?.getKindCase()) {
    case Value.KindCase.STRUCT_VALUE:
      return fromStruct(value.getStructValue());
    case Value.KindCase.LIST_VALUE:
      return value.getListValue()?.getValuesList().map(fromValue);
    default:
      return value?.toJavaScript() ?? null;
  }
}

/** Plain values as a message. The library refuses `undefined`, by when the cluster exists: it never gets to see one. */
export function toStruct(properties: object): Struct {
  return Struct.fromJavaScript(JSON.parse(JSON.stringify(properties)));
}
