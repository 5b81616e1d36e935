import { cleanText, withoutSequences } from "../../../provider/base/text";
import { factsIn } from "../../../sdk/automation/progress";

/** A text of 200 KB: what takes longer than linear time does not end within the limit. */
const long = (unit: string) => unit.repeat(Math.ceil(200_000 / unit.length));
/** Measured: 5 ms for the slowest. The limit is for machines that have much else to do. */
const limitMs = 1_000;

function msOf(work: () => unknown): number {
  const startMs = performance.now();
  work();
  return performance.now() - startMs;
}

const introducers = ["\u001b", "\u009b", "\u009d", "\u0090", "\u001b]", "\u001b[", "\u001bP", "\u001b;?", "\u001b[0;"];
const fillers = ["", "x", ";?", "0;", " ", "/", "]", "\u0007", "\\", "\n"];
const units = introducers.flatMap((start) => fillers.map((filler) => [start, filler] as const));

test.each(units)("200 KB that begins or is made of %j and %j is read in a moment", (start, filler) => {
  for (const text of [long(start + filler), start + long(filler || "x"), long(filler || "x") + start])
    expect(msOf(() => withoutSequences(text))).toBeLessThan(limitMs);
});

test.each([
  ["cleanText", cleanText],
  ["the lines of the engine", factsIn],
] as const)("%s reads 200 KB of unfinished sequences in a moment", (_what, read) => {
  for (const unit of ["\u001b;?", "<{%", "at :1", "* "]) expect(msOf(() => read(long(unit)))).toBeLessThan(limitMs);
});

test.each([
  ["colours", "\u001b[31;1mred\u001b[0m", "red"],
  ["CSI in one character", "a\u009b2Jb", "ab"],
  ["a link whose end is BEL", "\u001b]8;;http://evil\u0007click\u001b]8;;\u0007", "click"],
  ["a link whose end is ST", "\u001b]8;;http://evil\u001b\\click\u001b]8;;\u001b\\", "click"],
  ["a title in C1 controls", "\u009d0;title\u009cafter", "after"],
  ["a device control string", "\u001bPq#0\u001b\\after", "after"],
  ["a character set", "\u001b(Bafter", "after"],
  ["a reset", "\u001bcafter", "after"],
  ["a string without an end, whose text stays", "\u001b]0;out of memory", "0;out of memory"],
  ["a sequence that ends with the text", "after\u001b[", "after"],
])("%s is taken out", (_what, text, expected) => {
  expect(withoutSequences(text)).toBe(expected);
});
