/** A text whose escapes are resolved layer by layer, each character with the part of the first text that it stands for. */
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

// A run of backslashes is one: texts are escaped several times over. It is only looked at from its beginning.
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

/** What an escape stands for, by its first character that is no backslash; the others are white space. */
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

/** A number; a letter with its accent; a sign. What is not known is a sign that nobody compares. */
function ofEntity(found: string): string {
  const name = found.slice(1, -1);
  const [, x, digits] = /^#([xX]?)(.*)$/.exec(name) ?? [];
  if (digits !== undefined) return ofPoint(Number.parseInt(digits, x ? 16 : 10));
  const letter = /^([a-zA-Z])(?:acute|grave|circ|uml|tilde|cedil|ring|slash|caron)$/.exec(name)?.[1];
  return letter ?? signs.get(name) ?? " ";
}

/** The text with one layer of escapes resolved; `undefined` where it has none. */
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

/** More layers than a text goes through on its way here. */
const mostLayers = 6;

/** The text as it is, then with one layer of escapes after the other resolved. */
export function* layersOf(text: string): Generator<Spelling> {
  let spelling: Spelling | undefined = { text };
  for (let layer = 0; spelling && layer < mostLayers; layer += 1) {
    yield spelling;
    spelling = resolved(spelling);
  }
}
