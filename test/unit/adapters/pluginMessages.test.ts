import { DiffResponse, PropertyDiff } from "@pulumi/pulumi/proto/provider_pb";
import { Struct } from "google-protobuf/google/protobuf/struct_pb";
import { asSecret, secretPathsIn, withSecretsOf } from "../../../provider/adapters/engineSecrets";
import { fromStruct, toDiffResponse, toEnginePath, toStruct } from "../../../provider/adapters/messages";
import type { Properties } from "../../../provider/contract";

const sent = (value: Record<string, unknown>) => Struct.fromJavaScript(JSON.parse(JSON.stringify(value)));

test.each([
  ["plain values", { text: "a", number: 1.5, flag: false, empty: "", list: [1, [2]], map: { a: { b: "c" } } }],
  ["names of any kind", { "a.b": 1, 'a"b': 2, constructor: 3 }],
])("%s arrive and leave unchanged", (_what, values) => {
  expect(fromStruct(sent(values))).toEqual(values);
  expect(toStruct(values).toJavaScript()).toEqual(values);
});

test.each([
  ["null in marks", { a: asSecret(null), b: { c: asSecret(null) } }, { b: {} }],
  ["the mark of a secret", { apiKey: asSecret("key"), env: { A: asSecret("a") } }, { apiKey: "key", env: { A: "a" } }],
])("received values lose %s", (_what, values, expected) => {
  expect(fromStruct(sent(values))).toEqual(expected);
});

test("null in a list keeps its place, for the check to judge", () => {
  expect(fromStruct(sent({ gpuType: ["h100", null] }))).toEqual({ gpuType: ["h100", null] });
});

test("sent values lose undefined, which the library would refuse after the cluster exists", () => {
  expect(toStruct({ a: undefined, b: { c: undefined } }).toJavaScript()).toEqual({ b: {} });
});

test("changes are lines of the preview, each variable by its name; one that replaces is told, and the order", () => {
  const { Kind } = PropertyDiff;
  const response = toDiffResponse({
    changes: {
      "env.A": { kind: "add" },
      "env.B": { kind: "delete" },
      "env.C.D": { kind: "update" },
      gpuType: { kind: "update", replace: true },
    },
    deleteBeforeReplace: true,
  });
  const lines: Record<string, number> = {};
  response.getDetaileddiffMap().forEach((change, path) => {
    lines[path] = change.getKind();
  });
  const variables = { "env.A": Kind.ADD, "env.B": Kind.DELETE, 'env["C.D"]': Kind.UPDATE };
  expect(lines).toEqual({ ...variables, gpuType: Kind.UPDATE_REPLACE });
  expect(response.getChanges()).toBe(DiffResponse.DiffChanges.DIFF_SOME);
  expect(response.getDiffsList()).toEqual(["env", "gpuType"]);
  expect(response.getReplacesList()).toEqual(["gpuType"]);
  expect(response.getDeletebeforereplace()).toBe(true);
});

test.each([
  ["env.MODEL", "env.MODEL"],
  ["env.A.B", 'env["A.B"]'],
  ['env.A"B', 'env["A\\"B"]'],
])("the path %s is %s to the engine", (path, expected) => {
  expect(toEnginePath(path)).toBe(expected);
});

test.each<[string, Properties, Properties, Properties]>([
  ["a secret input", { image: "a" }, { image: asSecret("b") }, { image: asSecret("a") }],
  ["a part of a map", { map: { A: 1, B: 2 } }, { map: { A: asSecret(1) } }, { map: { A: asSecret(1), B: 2 } }],
  ["a whole map", { map: { A: 1 } }, { map: asSecret({ A: 1 }) }, { map: asSecret({ A: 1 }) }],
  ["a part of a list: the whole list", { list: [1, 2] }, { list: [asSecret(1), 2] }, { list: asSecret([1, 2]) }],
  ["no value for what is absent", { a: undefined }, { a: asSecret(1), b: asSecret(2) }, { a: undefined }],
])("the marks of given values reach %s", (_what, properties, given, expected) => {
  expect(withSecretsOf(properties, given)).toEqual(expected);
});

test.each<[string, Properties, string[]]>([
  ["a part of a map, its name with dots too", { env: { A: "x", "B.C": asSecret("y") } }, ["env.B.C"]],
  ["a deep part", { extraFields: { login: { user: asSecret("me") } } }, ["extraFields.login.user"]],
  ["parts of a list, once", { extraFields: { hosts: [asSecret("a"), asSecret("b")] } }, ["extraFields.hosts"]],
])("the paths of marks name %s", (_what, properties, paths) => {
  expect(secretPathsIn(properties)).toEqual(paths);
});
