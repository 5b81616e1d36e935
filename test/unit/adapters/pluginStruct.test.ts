import { Struct } from "google-protobuf/google/protobuf/struct_pb";
import { asSecret } from "../../../provider/adapters/engine";
import { fromStruct, toStruct } from "../../../provider/adapters/plugin/messages";

const sent = (value: Record<string, unknown>) => Struct.fromJavaScript(JSON.parse(JSON.stringify(value)));

test.each([
  ["plain values", { text: "a", number: 1.5, flag: false, empty: "", list: [1, [2]], map: { a: { b: "c" } } }],
  ["nothing", {}],
  ["names of any kind", { "a.b": 1, 'a"b': 2, constructor: 3 }],
])("%s arrive and leave unchanged", (_what, values) => {
  expect(fromStruct(sent(values))).toEqual(values);
  expect(toStruct(values).toJavaScript()).toEqual(values);
});

test.each([
  ["null in maps", { a: null, b: { c: null, d: 1 } }, { b: { d: 1 } }],
  ["the mark of a secret", { apiKey: asSecret("key"), env: { A: asSecret("a") } }, { apiKey: "key", env: { A: "a" } }],
])("received values lose %s", (_what, values, expected) => {
  expect(fromStruct(sent(values))).toEqual(expected);
});

test("null in a list keeps its place, for the check to judge", () => {
  expect(fromStruct(sent({ gpuType: ["h100", null] }))).toEqual({ gpuType: ["h100", null] });
});

test("no message gives no values", () => {
  expect(fromStruct(undefined)).toEqual({});
});

test("sent values lose undefined, which the library would refuse after the cluster exists", () => {
  expect(toStruct({ a: undefined, b: { c: undefined } }).toJavaScript()).toEqual({ b: {} });
});
