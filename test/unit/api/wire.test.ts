import fc from "fast-check";
import { z } from "zod";
import { snakeCase, toWire } from "../../../provider/api/wire";

const inner = z.object({ memoryGb: z.number().optional(), displayName: z.string() });
const schema = z.object({
  id: z.string(),
  gpuType: z.string().optional(),
  parts: z.array(inner).optional(),
  mainPart: inner.optional(),
  env: z.record(z.string(), z.string()).optional(),
});

const innerValue = fc.record(
  { memoryGb: fc.double({ noNaN: true, noDefaultInfinity: true }), displayName: fc.string({ unit: "binary" }) },
  { requiredKeys: ["displayName"] },
);
const envKey = fc.oneof(
  fc.constantFrom("HTTP_PROXY", "fooBar", "gpu_type", "gpuType", "a.b", ""),
  fc.string({ unit: "binary" }),
);
const value = fc.record(
  {
    id: fc.string(),
    gpuType: fc.string(),
    parts: fc.array(innerValue),
    mainPart: innerValue,
    env: fc.dictionary(
      envKey.filter((key) => key !== "__proto__"),
      fc.string(),
      { noNullPrototype: true },
    ),
  },
  { requiredKeys: ["id"], noNullPrototype: true },
);

/** The wire's names back into ours, but not those of an env. */
function back(wire: unknown, isEnv = false): unknown {
  if (Array.isArray(wire)) return wire.map((item) => back(item));
  if (typeof wire !== "object" || wire === null) return wire;
  const camel = (name: string) => name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
  const entries = Object.entries(wire).map(([name, item]) => [isEnv ? name : camel(name), back(item, name === "env")]);
  return Object.fromEntries(entries);
}

test("nothing is lost on the way to the wire, and keys of records stay byte for byte", () => {
  fc.assert(
    fc.property(value, (given) => {
      const wire: unknown = JSON.parse(JSON.stringify(toWire(schema, given)));
      expect(back(wire)).toEqual(JSON.parse(JSON.stringify(given)));
    }),
    { numRuns: 500 },
  );
});

test("every name that the schema knows is snake_case on the wire, and no name of a record is changed", () => {
  const env = { HTTP_PROXY: "1", fooBar: "2", gpuType: "3" };
  const given = { id: "a", gpuType: "h100", parts: [{ memoryGb: 80, displayName: "H" }], env };
  const sent = { id: "a", gpu_type: "h100", parts: [{ memory_gb: 80, display_name: "H" }], env };
  expect(toWire(schema, given)).toEqual(sent);
});

test("what is undefined, or unknown to the schema, does not go to the wire", () => {
  expect(toWire(schema, { id: "a", gpuType: undefined, other: 1 })).toEqual({ id: "a" });
});

test.each([null, undefined, "text", 7, [1]])("%p instead of an object stays what it is", (value) => {
  expect(toWire(schema, value)).toBe(value);
});

test("names are found inside optional, nullable, default, catch and transform", () => {
  const wrapped = z.object({
    a: inner.nullable().optional(),
    b: inner.default({ displayName: "" }),
    c: inner.catch({ displayName: "" }),
    d: inner.transform((part) => part.displayName),
  });
  const part = { displayName: "x" };
  const sent = { display_name: "x" };
  expect(toWire(wrapped, { a: part, b: part, c: part, d: part })).toEqual({ a: sent, b: sent, c: sent, d: sent });
});

test.each([
  ["name", "name"],
  ["gpuType", "gpu_type"],
  ["createdAt", "created_at"],
  ["a1B2", "a1_b2"],
])("%s is %s on the wire", (name, wire) => {
  expect(snakeCase(name)).toBe(wire);
});
