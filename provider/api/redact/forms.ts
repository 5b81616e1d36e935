import { cleanWholeText } from "../text";
import { codesOf, type Folding } from "./folding";
import { layersOf } from "./spelling";

/** In which forms a secret is looked for. */

/** Shorter values ("1", "on") are everywhere in ordinary text; replacing them would hide nothing and garble much. */
export const shortestExact = 4;
/** From here on a value is found however it is spelled; a shorter one would be found in ordinary words. */
export const shortestFolded = 8;

/** What is found as it is, for values of any length. */
export function exactForms(values: readonly string[]): string[] {
  return values
    .flatMap((value) => [value, cleanWholeText(value), value.replace(/\s+/g, " "), ...shortLines(value)])
    .filter((value) => value.length >= shortestExact)
    .flatMap((value) => [
      value,
      JSON.stringify(value).slice(1, -1),
      encodeURIComponent(value.toWellFormed()),
      Buffer.from(value).toString("base64"),
    ]);
}

/** Lines are secrets of their own; long ones are found in any spelling. */
function shortLines(value: string): string[] {
  return linesOf(value).filter((line) => !isLong(line));
}

function linesOf(value: string): string[] {
  return value.split(/\r\n?|\n/);
}

function isLong(value: string): boolean {
  return codesOf(value, "letters").length >= shortestFolded;
}

export interface FoldedForms {
  /** By letters and digits. */
  readonly letters: Uint16Array[];
  /** By everything that is printed: for secrets of few letters. */
  readonly signs: Uint16Array[];
}

/** What is found however it is spelled: the values, their lines, and what base64 and hexadecimal digits make of them. */
export function foldedForms(values: readonly string[]): FoldedForms {
  const long = values.filter((value) => value.length >= shortestFolded);
  const lines = long.flatMap(linesOf).filter(isLong);
  const few = long.filter((value) => !isLong(value));
  const letters = [...long, ...lines].flatMap((value) => spellings(value, "letters"));
  const encoded = long.flatMap((value) => encodings(value).map((text) => codesOf(text, "letters")));
  return { letters: [...letters, ...encoded], signs: few.flatMap((value) => spellings(value, "signs")) };
}

/** As it is, and with its own escapes resolved, for those of a text are resolved too. */
function spellings(value: string, folding: Folding): Uint16Array[] {
  const layers = [...layersOf(value), ...layersOf(cleanWholeText(value))];
  return layers.map(({ text }) => codesOf(text, folding));
}

/** A text that is encoded may have been written as JSON before, and what is encoded may be encoded again. */
function encodings(value: string): string[] {
  const texts = [...new Set([value, JSON.stringify(value).slice(1, -1)])];
  return texts.flatMap((text) => {
    const bytes = Buffer.from(text);
    const inside = [0, 1, 2].map((offset) => base64Inside(bytes, offset));
    return [...inside, base64Inside(Buffer.from(bytes.toString("base64")), 0), bytes.toString("hex")];
  });
}

/** How many characters of base64 depend on so many bytes before a text. */
const before = [0, 2, 3];

/** The characters of base64 that a text alone decides, where so many bytes stand before it, and any bytes behind it. */
function base64Inside(bytes: Buffer, offset: number): string {
  const encoded = Buffer.concat([Buffer.alloc(offset), bytes]).toString("base64");
  return encoded.slice(before[offset], Math.floor(((offset + bytes.length) * 8) / 6));
}
