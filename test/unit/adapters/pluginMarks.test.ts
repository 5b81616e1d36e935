import { asSecret } from "../../../provider/adapters/engine";
import { markedPaths, revealed, withSecretsOf } from "../../../provider/adapters/marks";
import type { Properties } from "../../../provider/contract";

test.each<[string, Properties, Properties, Properties]>([
  ["a secret input", { image: "a" }, { image: asSecret("b") }, { image: asSecret("a") }],
  ["a part of a map", { map: { A: 1, B: 2 } }, { map: { A: asSecret(1) } }, { map: { A: asSecret(1), B: 2 } }],
  ["a whole map", { map: { A: 1 } }, { map: asSecret({ A: 1 }) }, { map: asSecret({ A: 1 }) }],
  ["a part of a list: the whole list", { list: [1, 2] }, { list: [asSecret(1), 2] }, { list: asSecret([1, 2]) }],
  ["a value that is marked already", { key: asSecret(1) }, { key: asSecret(2) }, { key: asSecret(1) }],
  ["no value for what is absent", { a: undefined }, { a: asSecret(1), b: asSecret(2) }, { a: undefined }],
  ["nothing without a secret", { a: 1, map: { A: 1 } }, { a: 2, map: { A: 2 } }, { a: 1, map: { A: 1 } }],
])("the marks of given values reach %s", (_what, properties, given, expected) => {
  expect(withSecretsOf(properties, given)).toEqual(expected);
});

test.each<[string, unknown, unknown]>([
  ["a plain value", 5, 5],
  ["a plain map", { a: 1 }, { a: 1 }],
  ["a secret", asSecret(5), 5],
])("%s is revealed", (_what, value, plain) => {
  expect(revealed(value)).toEqual(plain);
});

test.each<[string, Properties, string[]]>([
  ["a whole value", { env: asSecret({ A: 1 }) }, ["env"]],
  ["a part of a map, its name with dots too", { env: { A: "x", "B.C": asSecret("y") } }, ["env.B.C"]],
  ["a deep part", { extraFields: { login: { user: asSecret("me") } } }, ["extraFields.login.user"]],
  ["parts of a list, once", { extraFields: { hosts: [asSecret("a"), asSecret("b")] } }, ["extraFields.hosts"]],
  ["nothing", { env: { A: "x" }, replicas: 1 }, []],
])("the paths of marks name %s", (_what, properties, paths) => {
  expect(markedPaths(properties)).toEqual(paths);
});
