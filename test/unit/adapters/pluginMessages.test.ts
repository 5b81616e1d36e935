import { DiffResponse, PropertyDiff } from "@pulumi/pulumi/proto/provider_pb";
import { Struct } from "google-protobuf/google/protobuf/struct_pb";
import { asSecret } from "../../../provider/adapters/engine";
import { fromStruct, toDiffResponse, toEnginePath, toStruct } from "../../../provider/adapters/messages";
import type { Diff } from "../../../provider/contract";

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
  ["null in marks", { a: asSecret(null), b: { c: asSecret(null) } }, { b: {} }],
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

const { Kind } = PropertyDiff;
const { DIFF_NONE, DIFF_SOME } = DiffResponse.DiffChanges;

function translated(diff: Diff) {
  const response = toDiffResponse(diff);
  const lines: Record<string, number> = {};
  response.getDetaileddiffMap().forEach((change, path) => {
    lines[path] = change.getKind();
  });
  return { response, lines };
}

test.each<[string, Diff["changes"], string[], string[], Record<string, number>]>([
  ["a change", { replicas: { kind: "update" } }, ["replicas"], [], { replicas: Kind.UPDATE }],
  [
    "variables of env, each by its name",
    { "env.A": { kind: "add" }, "env.B": { kind: "delete" }, "env.C.D": { kind: "update" } },
    ["env"],
    [],
    { "env.A": Kind.ADD, "env.B": Kind.DELETE, 'env["C.D"]': Kind.UPDATE },
  ],
  [
    "a change that replaces, and one in place beside it",
    { gpuType: { kind: "update", replace: true }, replicas: { kind: "add" } },
    ["gpuType", "replicas"],
    ["gpuType"],
    { gpuType: Kind.UPDATE_REPLACE, replicas: Kind.ADD },
  ],
])("%s is a line of the preview", (_what, changes, diffs, replaces, expected) => {
  const { response, lines } = translated({ changes });
  expect(response.getChanges()).toBe(DIFF_SOME);
  expect(response.getDiffsList()).toEqual(diffs);
  expect(response.getReplacesList()).toEqual(replaces);
  expect(lines).toEqual(expected);
});

test("no change is reported as no difference", () => {
  expect(toDiffResponse({ changes: {} }).getChanges()).toBe(DIFF_NONE);
});

test("the old cluster is deleted first if the core says so, also if the program's own options replace it", () => {
  expect(toDiffResponse({ changes: {}, deleteBeforeReplace: true }).getDeletebeforereplace()).toBe(true);
});

test.each([
  ["replicas", "replicas"],
  ["env.MODEL", "env.MODEL"],
  ["env._A1", "env._A1"],
  ["env.A.B", 'env["A.B"]'],
  ["env.1A", 'env["1A"]'],
  ["env.A-B", 'env["A-B"]'],
  ["env.A[0]", 'env["A[0]"]'],
  ['env.A"B', 'env["A\\"B"]'],
  ["env.", 'env[""]'],
])("the path %s is %s to the engine", (path, expected) => {
  expect(toEnginePath(path)).toBe(expected);
});
