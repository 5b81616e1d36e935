import fc from "fast-check";
import { cleanText } from "../../../provider/base/text";

const anyText = fc.string({ unit: "binary", maxLength: 700 });
const sequences = ["\u001b[31m", "\u001b]8;;http://x\u0007", "\u009b2J"];
const dirt = fc.constantFrom(...sequences, ..."\r\n\u202e\u200b\u2028\u0000");
const dirtyText = fc.array(fc.oneof(anyText, dirt), { maxLength: 12 }).map((parts) => parts.join(""));

test("a clean string has no control or format character, no line break, and no more than its maximum length", () => {
  fc.assert(
    fc.property(dirtyText, fc.integer({ min: 1, max: 600 }), (text, max) => {
      const clean = cleanText(text, max);
      expect(clean).not.toMatch(/[\p{Cc}\p{Cf}\u2028\u2029]/u);
      expect(clean.length).toBeLessThanOrEqual(max + 1);
      expect(cleanText(clean, max)).toBe(clean);
    }),
    { numRuns: 300 },
  );
});

test.each([
  ["letters of other scripts", "größe 東京 🚀", "größe 東京 🚀"],
  ["line breaks and tabs", "a\r\nb\tc\rd", "a b c d"],
  ["bidirectional and zero-width characters", "abc\u202ede\u200bf", "abcdef"],
  ["half of a surrogate pair", "line\n\ude00", "line \ufffd"],
  ["colours, whose parameters stay", "\u001b[31;1mred\u001b[0m", "[31;1mred[0m"],
  ["CSI in one character", "a\u009b2Jb", "a2Jb"],
])("%s is made safe to print", (_what, text, expected) => {
  expect(cleanText(text)).toBe(expected);
});
