import { format, inspect } from "node:util";
import { Secret } from "../../../provider/base/text";

const value = "canary-0123456789";
const secret = new Secret(value);

test("a secret gives its value to whoever asks for it by name", () => {
  expect(secret.reveal()).toBe(value);
});

test.each<[string, (given: Secret) => string]>([
  ["String", String],
  ["a template", (given) => `${given}`],
  ["concatenation", (given) => `key: ${[given].join()}`],
  ["JSON", (given) => JSON.stringify({ given })],
  ["inspect", (given) => inspect({ given }, { depth: 10, showHidden: true, getters: true })],
  ["inspect without custom inspection", (given) => inspect(given, { customInspect: false, showHidden: true })],
  ["format", (given) => format("%s %o %O %j", given, given, given, given)],
  ["spreading", (given) => JSON.stringify({ ...given })],
  ["its property names", (given) => JSON.stringify(Object.getOwnPropertyNames(given))],
  ["an error", (given) => String(new Error(`bad ${given}`).stack)],
])("a secret does not show in %s", (_what, show) => {
  expect(show(secret)).not.toContain(value);
});
