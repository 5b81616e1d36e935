import fc from "fast-check";
import { cleanJson } from "../../../../provider/api/decode/json";
import { cleanText } from "../../../../provider/base/text";

const dirt = fc.constantFrom("\u001b[31m", "\u009b2J", ..."\r\n\u202e\u200b\u2028\u0000");
const anyText = fc.string({ unit: "binary", maxLength: 700 });
const dirtyText = fc.array(fc.oneof(anyText, dirt), { maxLength: 12 }).map((parts) => parts.join(""));

const hasDirt = (value: unknown): boolean =>
  typeof value === "string"
    ? cleanText(value, 8_192) !== value && /[\p{Cc}\p{Cf}]/u.test(value)
    : typeof value === "object" && value !== null && Object.entries(value).flat().some(hasDirt);

test("no string of a JSON value keeps a control character, not even a name of a property", () => {
  const key = dirtyText.filter((name) => !/env/i.test(name));
  fc.assert(
    fc.property(fc.dictionary(key, fc.oneof(dirtyText, fc.array(dirtyText), fc.dictionary(key, dirtyText))), (json) => {
      expect(hasDirt(cleanJson(json))).toBe(false);
    }),
    { numRuns: 100 },
  );
});

test("values under a name that is kept stay byte for byte, even inside lists and records", () => {
  const env = { A: " a\u001b[31m\r\n", B: ["\u202e"], C: { D: "x".repeat(9_000) } };
  const json = { cluster: { env }, name: "a\u0007", count: 1.5, isOn: true, none: null };
  expect(cleanJson(structuredClone(json), undefined, (property) => property === "env")).toEqual({
    ...json,
    cluster: { env },
    name: "a",
  });
});
