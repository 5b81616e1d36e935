import { Struct, Value } from "google-protobuf/google/protobuf/struct_pb";
import type { Properties } from "../../core";
import { revealed } from "../secrets";

/**
 * The plain values of a message. Marked secrets become plain values too: settings arrive marked, before the plugin can say
 * that it accepts no marks. A null value is left out: languages that cannot omit an argument send null. Without a message,
 * which an import has for the state, the result is empty.
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

/**
 * Plain values as a message. JSON drops each `undefined`: the library would throw on one, and the cluster exists by then.
 */
export function toStruct(properties: object): Struct {
  return Struct.fromJavaScript(JSON.parse(JSON.stringify(properties)));
}
