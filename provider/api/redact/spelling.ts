import { cleanWholeText, shortestKey } from "../../text";

/** A text whose escapes are resolved layer by layer. Each character has the part of the first text that it stands for. */
export interface Spelling {
  readonly text: string;
  /** Absent in the first text, where each character stands for itself. */
  readonly starts?: Uint32Array;
  readonly ends?: Uint32Array;
}

const hex = "[0-9a-fA-F]";

/** One character of UTF-8, each byte after `mark`; a byte that is no UTF-8 stands alone. */
function utf8After(mark: string): string {
  const byte = (first: string) => `${mark}${first}${hex}`;
  const more = (count: number) => byte("[89abAB]").repeat(count);
  const two = byte("[cdCD]") + more(1);
  const three = byte("[eE]") + more(2);
  const four = byte("[fF]") + more(3);
  return `${two}|${three}|${four}|${byte(hex)}`;
}

// Several backslashes count as one, because texts are escaped several times. A match starts at the first backslash only.
const slash = "(?<!\\\\)\\\\+";
const escapes = new RegExp(
  [
    utf8After("%"),
    `(?<!\\\\)(?:${utf8After("\\\\+x")})`,
    `${slash}3[0-7]{2}(?:\\\\+2[0-7]{2}){1,3}`,
    `${slash}(?:u${hex}{4}|u\\{${hex}{1,6}\\}|U${hex}{8}|[0-3][0-7]{2}|[nrtbfvae0])`,
    `&(?:#\\d{1,7}|#[xX]${hex}{1,6}|[a-zA-Z][a-zA-Z0-9]{1,30});`,
  ].join("|"),
  "g",
);

/** The reader of an escape, by its first character that is no backslash. All other escapes are white space. */
const readers: ReadonlyMap<string, (found: string) => string> = new Map([
  ["%", (found) => ofBytes(found, 16, /[%]/)],
  ["x", (found) => ofBytes(found, 16, /\\*x/)],
  ...["0", "1", "2", "3"].map((digit) => [digit, (found: string) => ofBytes(found, 8, /\\+/)] as const),
  ["u", (found) => ofPoint(Number.parseInt(found.replace(/[u{]+/, ""), 16))],
  ["U", (found) => ofPoint(Number.parseInt(found.slice(1), 16))],
  ["&", ofEntity],
]);

function characterOf(escaped: string): string {
  const found = escaped.replace(/^\\+/, "");
  return readers.get(found.charAt(0))?.(found) ?? " ";
}

/** Bytes that are no UTF-8 are letters of Latin 1. */
function ofBytes(found: string, radix: 8 | 16, mark: RegExp): string {
  const bytes = found.split(mark).flatMap((digits) => (digits === "" ? [] : [Number.parseInt(digits, radix)]));
  const [first = 0] = bytes;
  if (bytes.length === 1) return String.fromCharCode(first);
  const text = Buffer.from(bytes).toString("utf8");
  return text.includes("\ufffd") ? String.fromCharCode(...bytes) : text;
}

function ofPoint(point: number): string {
  return point <= 0x10ffff ? String.fromCodePoint(point) : " ";
}

const signs: ReadonlyMap<string, string> = new Map([
  ["amp", "&"],
  ["bsol", "\\"],
  ["percnt", "%"],
  ["lt", "<"],
  ["gt", ">"],
  ["quot", '"'],
  ["apos", "'"],
  ["sol", "/"],
  ["plus", "+"],
  ["equals", "="],
  ["num", "#"],
  ["commat", "@"],
  ["colon", ":"],
  ["dollar", "$"],
]);

/** The character of an entity: a number, a letter with its accent, or a sign. An unknown one is white space, which never counts. */
function ofEntity(found: string): string {
  const name = found.slice(1, -1);
  const [, x, digits] = /^#([xX]?)(.*)$/.exec(name) ?? [];
  if (digits !== undefined) return ofPoint(Number.parseInt(digits, x ? 16 : 10));
  const letter = /^([a-zA-Z])(?:acute|grave|circ|uml|tilde|cedil|ring|slash|caron)$/.exec(name)?.[1];
  return letter ?? signs.get(name) ?? " ";
}

/** The text with one layer of escapes resolved; `undefined` if it has none. */
export function resolved({ text, starts, ends }: Spelling): Spelling | undefined {
  if (!/[%\\&]/.test(text)) return undefined;
  const next = { starts: new Uint32Array(text.length), ends: new Uint32Array(text.length) };
  const pieces: string[] = [];
  let [read, written] = [0, 0];
  const copy = (until: number) => {
    for (; read < until; read += 1, written += 1) {
      next.starts[written] = starts?.[read] ?? read;
      next.ends[written] = ends?.[read] ?? read + 1;
    }
  };
  for (const match of text.matchAll(escapes)) {
    pieces.push(text.slice(read, match.index));
    copy(match.index);
    const last = match.index + match[0].length - 1;
    const piece = characterOf(match[0]);
    // An escape is never shorter than what it stands for.
    next.starts.fill(starts?.[read] ?? read, written, written + piece.length);
    next.ends.fill(ends?.[last] ?? last + 1, written, written + piece.length);
    pieces.push(piece);
    written += piece.length;
    read = last + 1;
  }
  if (pieces.length === 0) return undefined;
  pieces.push(text.slice(read));
  copy(text.length);
  return { text: pieces.join(""), ...next };
}

/** More layers than a text gets on its way here. */
const mostLayers = 6;

/** The text as it is, then with one layer of escapes after the other resolved. */
export function* layersOf(text: string): Generator<Spelling> {
  let spelling: Spelling | undefined = { text };
  for (let layer = 0; spelling && layer < mostLayers; layer += 1) {
    yield spelling;
    spelling = resolved(spelling);
  }
}

/** The forms in which a secret is searched for. */

/** Shorter values ("1", "on") are everywhere in ordinary text: to replace them would hide nothing and garble much. */
export const shortestExact = shortestKey;
/** From this length on, a value is found in any spelling; a shorter one would be found in ordinary words. */
export const shortestFolded = 8;

/** The forms that are compared byte for byte, for values of any length. */
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

/** Each line is a secret of its own. The long lines are found in any spelling. */
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
  /** Compared by letters and digits. */
  readonly letters: Uint16Array[];
  /** Compared by all printed characters: for secrets with few letters. */
  readonly signs: Uint16Array[];
}

/** The forms that are found in any spelling: the values, their lines, and their encodings in base64 and hexadecimal digits. */
export function foldedForms(values: readonly string[]): FoldedForms {
  const long = values.filter((value) => value.length >= shortestFolded);
  const lines = long.flatMap(linesOf).filter(isLong);
  const few = long.filter((value) => !isLong(value));
  const letters = [...long, ...lines].flatMap((value) => spellings(value, "letters"));
  const encoded = long.flatMap((value) => encodings(value).map((text) => codesOf(text, "letters")));
  return { letters: [...letters, ...encoded], signs: few.flatMap((value) => spellings(value, "signs")) };
}

/** The value as it is, and with its own escapes resolved, because the escapes of a text are resolved too. */
function spellings(value: string, folding: Folding): Uint16Array[] {
  const layers = [...layersOf(value), ...layersOf(cleanWholeText(value))];
  return layers.map(({ text }) => codesOf(text, folding));
}

/** The encodings of a value. It may have been written as JSON before the encoding, and may be encoded twice. */
function encodings(value: string): string[] {
  const texts = [...new Set([value, JSON.stringify(value).slice(1, -1)])];
  return texts.flatMap((text) => {
    const bytes = Buffer.from(text);
    const inside = [0, 1, 2].map((offset) => base64Inside(bytes, offset));
    return [...inside, base64Inside(Buffer.from(bytes.toString("base64")), 0), bytes.toString("hex")];
  });
}

/** The number of characters of base64 that depend on 0, 1 or 2 bytes before a text. */
const before = [0, 2, 3];

/** The characters of base64 that depend on a text alone, if `offset` bytes stand before it and any bytes behind it. */
function base64Inside(bytes: Buffer, offset: number): string {
  const encoded = Buffer.concat([Buffer.alloc(offset), bytes]).toString("base64");
  return encoded.slice(before[offset], Math.floor(((offset + bytes.length) * 8) / 6));
}

/** The compared part of a text: codes, each with its place in the text. Only the first `length` codes count. */
export interface Folded {
  readonly codes: Uint16Array;
  readonly places: Uint32Array;
  readonly length: number;
}

/** The characters that count: every character as it is; letters and digits; all but white space, quotes and backslashes. */
export type Folding = "exact" | "letters" | "signs";

const dropped: Readonly<Record<Exclude<Folding, "exact">, RegExp>> = {
  letters: /[^\p{L}\p{N}]/gu,
  signs: /[\s\p{Cc}\p{Cf}\p{M}"'`\\]/gu,
};

/** Capitals, accents and forms of letters make no difference. A character may become several, or none. */
function foldCharacter(character: string, folding: Exclude<Folding, "exact">): string {
  return character.normalize("NFKD").toUpperCase().toLowerCase().normalize("NFKD").replace(dropped[folding], "");
}

/** The most letters of one character: a character that stands for a whole word is compared by the first letters. */
const mostLetters = 4;

/** The folded forms of characters, made once; those beyond ASCII are made at their first use. */
class Forms {
  readonly ascii: Uint16Array;
  readonly #others = new Map<number, Uint16Array>();

  constructor(private readonly folding: Exclude<Folding, "exact">) {
    const forms = Array.from({ length: 128 }, (_, code) => foldCharacter(String.fromCharCode(code), folding));
    // 0 means that the character does not count.
    this.ascii = Uint16Array.from(forms, (form) => (form === "" ? 0 : form.charCodeAt(0)));
  }

  other(point: number): Uint16Array {
    const known = this.#others.get(point);
    if (known !== undefined) return known;
    const letters = foldCharacter(String.fromCodePoint(point), this.folding).slice(0, mostLetters);
    const form = Uint16Array.from(letters.split(""), (letter) => letter.charCodeAt(0));
    this.#others.set(point, form);
    return form;
  }
}

const forms = { letters: new Forms("letters"), signs: new Forms("signs") };

/** A buffer that every text uses again: most texts are short, and a list of clusters has thousands. */
const room = { codes: new Uint16Array(1_024), places: new Uint32Array(1_024) };

/** The compared part of a text. It is valid until the next call. */
export function fold(text: string, folding: Folding): Folded {
  const most = text.length * mostLetters;
  if (room.codes.length < most) Object.assign(room, { codes: new Uint16Array(most), places: new Uint32Array(most) });
  const length = folding === "exact" ? copyTo(room, text) : foldTo(room, text, forms[folding]);
  return { ...room, length };
}

/** A copy of the codes of a text that are compared. */
export function codesOf(text: string, folding: Folding): Uint16Array {
  const { codes, length } = fold(text, folding);
  return codes.slice(0, length);
}

function copyTo({ codes, places }: typeof room, text: string): number {
  for (let at = 0; at < text.length; at += 1) {
    codes[at] = text.charCodeAt(at);
    places[at] = at;
  }
  return text.length;
}

function foldTo({ codes, places }: typeof room, text: string, known: Forms): number {
  const { ascii } = known;
  let length = 0;
  const add = (code: number, at: number) => {
    codes[length] = code;
    places[length] = at;
    length += 1;
  };
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code < 128) {
      const form = ascii[code] ?? 0;
      if (form !== 0) add(form, at);
      continue;
    }
    const point = text.codePointAt(at) ?? code;
    for (const letter of known.other(point)) add(letter, at);
    if (point > 0xffff) at += 1;
  }
  return length;
}
