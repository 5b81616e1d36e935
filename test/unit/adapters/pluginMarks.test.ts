import { asSecret } from "../../../provider/adapters/engine";
import { dependenciesIn, fieldsOf, hasSecret, revealed, withSecretsOf } from "../../../provider/adapters/plugin/marks";
import { type Properties, UNKNOWN } from "../../../provider/core";

const mark = "4dabf18193072939515e22adb298388d";
const output = (more: Properties) => ({ [mark]: "d0e6a833031e9bbcd3f4e8bde6ca49a4", ...more });

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

test.each<[string, unknown, unknown, boolean, string[]]>([
  ["a plain value", 5, 5, false, []],
  ["a secret", asSecret(5), 5, true, []],
  ["an output", output({ value: 5, dependencies: ["u"] }), 5, false, ["u"]],
  ["a secret output", output({ value: 5, secret: true }), 5, true, []],
  ["an output that is not known", output({ dependencies: ["u"] }), UNKNOWN, false, ["u"]],
])("%s says what is in it", (_what, value, plain, isSecret, dependencies) => {
  expect(revealed(value)).toEqual(plain);
  expect(hasSecret({ list: [value] })).toBe(isSecret);
  expect(dependenciesIn({ list: [value] })).toEqual(dependencies);
});

test.each<[string, unknown, Properties | undefined]>([
  ["an object", { a: 1 }, { a: 1 }],
  ["a secret object", asSecret({ a: 1 }), { a: asSecret(1) }],
  [
    "an object in two marks",
    output({ value: asSecret({ a: 1 }), dependencies: ["u"] }),
    { a: output({ value: asSecret(1), dependencies: ["u"] }) },
  ],
  ["an unknown object", output({ dependencies: ["u"] }), undefined],
  ["a list", [1], undefined],
])("the fields of %s have its marks", (_what, value, fields) => {
  expect(fieldsOf(value)).toEqual(fields);
});
