import fc from "fast-check";
import { cleanJson, cleanText, meantBy } from "../../../provider/base/text";

const anyText = fc.string({ unit: "binary", maxLength: 700 });
const sequences = ["\u001b[31m", "\u001b]8;;http://x\u0007", "\u009b2J"];
const dirt = fc.constantFrom(...sequences, ..."\r\n\u202e\u200b\u2028\u0000");
const dirtyText = fc.array(fc.oneof(anyText, dirt), { maxLength: 12 }).map((parts) => parts.join(""));

test("no text keeps a control or format character, a line break, or more than it may", () => {
  fc.assert(
    fc.property(dirtyText, fc.integer({ min: 1, max: 600 }), (text, max) => {
      const clean = cleanText(text, max);
      expect(clean).not.toMatch(/[\p{Cc}\p{Cf}\u2028\u2029]/u);
      expect(clean.length).toBeLessThanOrEqual(max + 1);
      expect(cleanText(clean, max)).toBe(clean);
    }),
    { numRuns: 1_000 },
  );
});

test("half of a surrogate pair becomes the replacement character, wherever it stands", () => {
  expect(cleanText("out of memory \ud83d")).toBe("out of memory \ufffd");
  expect(cleanText("line\n\ude00")).toBe("line \ufffd");
  expect(cleanJson({ "na\ud83dme": ["\ud83d\ude00"] })).toEqual({ "na\ufffdme": ["\ud83d\ude00"] });
});

test.each([
  ["an ordinary text", "GPU type is sold out.", "GPU type is sold out."],
  ["letters of other scripts", "größe 東京 🚀", "größe 東京 🚀"],
  ["C1 controls", "a\u009b2Jb\u0085c", "abc"],
  ["line breaks and tabs", "a\r\nb\tc\rd", "a b c d"],
  ["bidirectional controls", "abc\u202edef\u2066ghi", "abcdefghi"],
  ["zero-width characters", "a\u200bb\ufeffc", "abc"],
  ["Unicode line separators", "a\u2028b\u2029c", "abc"],
  ["a bell and a backspace", "a\u0007b\b", "ab"],
])("%s is made safe to print", (_what, text, expected) => {
  expect(cleanText(text)).toBe(expected);
});

test("a long text is cut, with a sign that it was", () => {
  expect(cleanText("x".repeat(501))).toBe(`${"x".repeat(500)}…`);
  expect(cleanText("x".repeat(500))).toBe("x".repeat(500));
});

const hasDirt = (value: unknown): boolean =>
  typeof value === "string"
    ? cleanText(value, 8_192) !== value && /[\p{Cc}\p{Cf}]/u.test(value)
    : typeof value === "object" && value !== null && Object.entries(value).flat().some(hasDirt);

test("no text of a JSON value keeps a control character, names of properties neither", () => {
  const key = dirtyText.filter((name) => !/env/i.test(name));
  fc.assert(
    fc.property(fc.dictionary(key, fc.oneof(dirtyText, fc.array(dirtyText), fc.dictionary(key, dirtyText))), (json) => {
      expect(hasDirt(cleanJson(json))).toBe(false);
    }),
    { numRuns: 200 },
  );
});

test.each(["env", "ENV", "Env"])("values under %s are kept byte for byte, also inside lists and records", (name) => {
  const env = { A: " a\u001b[31m\r\n", B: ["\u202e"], C: { D: "x".repeat(9_000) } };
  const keeps = (property: string) => property.toLowerCase() === "env";
  expect(cleanJson({ cluster: { [name]: env }, name: "a\u0007" }, { keeps })).toEqual({
    cluster: { [name]: env },
    name: "a",
  });
});

test.each([1, 1.5, true, false, null, undefined])("%p is no text and stays", (value) => {
  expect(cleanJson(value)).toBe(value);
});

it.each([
  ["gpu_type", "gpuType"],
  ["GpuType", "gpuType"],
  ["replica", "replicas"],
  ["relpicas", "replicas"],
  ["contianer", "container"],
  ["min", "minHealthyReplicas"],
  ["evn", undefined],
  ["endpoint", undefined],
  ["", undefined],
])("%j stands for %s", (typed, meant) => {
  expect(meantBy(typed, ["name", "gpuType", "replicas", "container", "env", "minHealthyReplicas"])).toBe(meant);
});
