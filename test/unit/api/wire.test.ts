import fc from "fast-check";
import { z } from "zod";
import { fromWire, snakeCase, toWire } from "../../../provider/api/wire";

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

test("what goes to the wire and back is what it was, keys of records byte for byte", () => {
  fc.assert(
    fc.property(value, (given) => {
      const wire: unknown = JSON.parse(JSON.stringify(toWire(schema, given)));
      expect(fromWire(schema, wire)).toEqual(JSON.parse(JSON.stringify(given)));
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

test.each([
  ["the documented name", { id: "a", gpu_type: "h100" }, { id: "a", gpuType: "h100" }],
  ["its camelCase twin", { id: "a", gpuType: "h100" }, { id: "a", gpuType: "h100" }],
  ["both, where the documented name wins", { gpu_type: "h100", gpuType: "l4" }, { gpuType: "h100" }],
  ["null under the documented name and a twin", { gpu_type: null, gpuType: "l4" }, { gpuType: "l4" }],
  ["null, which is as good as absent", { id: "a", gpu_type: null, parts: null, env: null }, { id: "a" }],
  ["unknown names, which are dropped", { id: "a", other: 1, "gpu-type": 2 }, { id: "a" }],
  [
    "a list inside",
    { parts: [{ memoryGb: 1, display_name: "b" }, null] },
    { parts: [{ memoryGb: 1, displayName: "b" }, null] },
  ],
  ["another type than the schema's, which stays for the schema to refuse", { parts: "x" }, { parts: "x" }],
])("the way back reads %s", (_what, wire, read) => {
  expect(fromWire(schema, wire)).toEqual(read);
});

test.each([null, undefined, "text", 7, [1]])("%p instead of an object is left for the schema to refuse", (json) => {
  expect(fromWire(schema, json)).toBe(json);
  expect(toWire(schema, json)).toBe(json);
});

test("names are found inside optional, nullable, default, catch and transform", () => {
  const wrapped = z.object({
    a: inner.nullable().optional(),
    b: inner.default({ displayName: "" }),
    c: inner.catch({ displayName: "" }),
    d: inner.transform((part) => part.displayName),
  });
  const part = { display_name: "x" };
  const read = { displayName: "x" };
  expect(fromWire(wrapped, { a: part, b: part, c: part, d: part })).toEqual({ a: read, b: read, c: read, d: read });
});

test.each([
  ["name", "name"],
  ["gpuType", "gpu_type"],
  ["createdAt", "created_at"],
  ["a1B2", "a1_b2"],
])("%s is %s on the wire", (name, wire) => {
  expect(snakeCase(name)).toBe(wire);
});
