import { DiffResponse, PropertyDiff } from "@pulumi/pulumi/proto/provider_pb";
import { Struct } from "google-protobuf/google/protobuf/struct_pb";
import { asSecret } from "../../../provider/adapters/engine";
import {
  copySecretMarks,
  fromStruct,
  secretPathsIn,
  toDiffResponse,
  toStruct,
} from "../../../provider/adapters/session";
import type { Properties } from "../../../provider/contract";

const sent = (value: Record<string, unknown>) => Struct.fromJavaScript(JSON.parse(JSON.stringify(value)));

describe("a message of the engine", () => {
  it.each([
    ["keeps plain values", { text: "a", number: 1.5, flag: false, empty: "", list: [1, [2]], map: { a: { b: "c" } } }],
    ["keeps names of any kind", { "a.b": 1, 'a"b': 2, constructor: 3 }],
  ])("%s, in both directions", (_title, values) => {
    expect(fromStruct(sent(values))).toEqual(values);
    expect(toStruct(values).toJavaScript()).toEqual(values);
  });

  it.each<[string, Properties, Properties]>([
    ["loses null in marks", { a: asSecret(null), b: { c: asSecret(null) } }, { b: {} }],
    ["keeps null in a list, for the check to refuse", { gpuType: ["h100", null] }, { gpuType: ["h100", null] }],
    [
      "loses the mark of a secret",
      { apiKey: asSecret("key"), env: { A: asSecret("a") } },
      { apiKey: "key", env: { A: "a" } },
    ],
  ])("%s", (_title, values, expected) => {
    expect(fromStruct(sent(values))).toEqual(expected);
  });

  it("loses undefined, which the library would refuse after the cluster exists", () => {
    expect(toStruct({ a: undefined, b: { c: undefined } }).toJavaScript()).toEqual({ b: {} });
  });

  it("shows each change, each variable by its name, each replacement, and their order", () => {
    const { Kind } = PropertyDiff;
    const response = toDiffResponse({
      changes: {
        "env.A": { kind: "add" },
        "env.B": { kind: "delete" },
        'env.C."D': { kind: "update" },
        gpuType: { kind: "update", replace: true },
      },
      deleteBeforeReplace: true,
    });
    const lines: Record<string, number> = {};
    response.getDetaileddiffMap().forEach((change, path) => {
      lines[path] = change.getKind();
    });
    const variables = { "env.A": Kind.ADD, "env.B": Kind.DELETE, 'env["C.\\"D"]': Kind.UPDATE };
    expect(lines).toEqual({ ...variables, gpuType: Kind.UPDATE_REPLACE });
    expect(response.getChanges()).toBe(DiffResponse.DiffChanges.DIFF_SOME);
    expect(response.getDiffsList()).toEqual(["env", "gpuType"]);
    expect(response.getReplacesList()).toEqual(["gpuType"]);
    expect(response.getDeletebeforereplace()).toBe(true);
  });
});

describe("the marks of a program", () => {
  it.each<[string, Properties, Properties, Properties]>([
    ["reach a secret input", { image: "a" }, { image: asSecret("b") }, { image: asSecret("a") }],
    ["reach a part of a map", { map: { A: 1, B: 2 } }, { map: { A: asSecret(1) } }, { map: { A: asSecret(1), B: 2 } }],
    ["reach a whole map", { map: { A: 1 } }, { map: asSecret({ A: 1 }) }, { map: asSecret({ A: 1 }) }],
    ["reach the whole list of a secret part", { list: [1, 2] }, { list: [asSecret(1), 2] }, { list: asSecret([1, 2]) }],
    ["add no value that is absent", { a: undefined }, { a: asSecret(1), b: asSecret(2) }, { a: undefined }],
  ])("%s", (_title, properties, source, expected) => {
    expect(copySecretMarks(properties, source)).toEqual(expected);
  });

  it("name each secret part of a map, and a list with secret parts once", () => {
    const extraFields = { login: { user: asSecret("me") }, hosts: [asSecret("a"), asSecret("b")] };
    const paths = secretPathsIn({ env: { A: "x", "B.C": asSecret("y") }, extraFields });
    expect(paths).toEqual(["env.B.C", "extraFields.login.user", "extraFields.hosts"]);
  });
});
