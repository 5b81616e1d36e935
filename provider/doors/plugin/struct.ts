import { Struct, Value } from "google-protobuf/google/protobuf/struct_pb";
import type { Properties } from "../../core";
import { revealed } from "../secrets";

/**
 * The values of a message as plain ones, also those of secrets: settings come with their marks, before the plugin can say that
 * it takes none. What is null is not there: languages that cannot leave an argument away say so. No
 * message, which is what an import has for the state, gives no values.
 */
export function fromStruct(struct: Struct | undefined): Properties {
  const entries: [string, unknown][] = [];
  struct?.getFieldsMap().forEach((value, name) => {
    entries.push([name, fromValue(value)]);
  });
  return Object.fromEntries(entries.filter(([, value]) => value !== null));
}

function fromValue(value: Value): unknown {
  switch (value.getKindCase()) {
    case Value.KindCase.STRUCT_VALUE:
      return revealed(fromStruct(value.getStructValue()));
    case Value.KindCase.LIST_VALUE:
      return value.getListValue()?.getValuesList().map(fromValue);
    default:
      return value.toJavaScript();
  }
}

/** Plain values as a message. The library refuses `undefined`, by when the cluster exists: it never gets to see one. */
export function toStruct(properties: object): Struct {
  return Struct.fromJavaScript(JSON.parse(JSON.stringify(properties)));
}
