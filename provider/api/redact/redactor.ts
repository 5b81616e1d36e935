import { createHash } from "node:crypto";
import { cut } from "../../text";
import {
  codesOf,
  exactForms,
  type Folded,
  type Folding,
  fold,
  foldedForms,
  layersOf,
  type Spelling,
  shortestExact,
  shortestFolded,
} from "./spelling";

/** A part of a text. */
interface Span {
  readonly from: number;
  readonly to: number;
}

const mark = "[secret]";

/** No text for people is longer. The rest of a longer text is cut, so that no answer can take much time. */
const longestText = 1_048_576;

/**
 * A function that replaces each of the values in a text. A value of 8 characters or more is found in any spelling:
 * escaped in JSON, URLs, HTML or shells, also several times; in base64 or hexadecimal digits; in other capitals; with other
 * signs or line breaks in between; and cut, if half of it is left. Shorter values are found as they are, escaped and encoded.
 *
 * @param own Texts that stay, even if they are values.
 * @param isExact True if every value is found only as a short one is: similar texts and halves of values stay.
 */
export function redactor(
  values: Iterable<string>,
  own: readonly string[] = [],
  isExact = false,
): (text: string) => string {
  // Most texts are known words, which are not searched. So the forms are made for the first text that is.
  const all = [...new Set(values)].filter((value) => value.length >= shortestExact);
  let finder: Finder | undefined;
  return (text) => {
    if (all.length === 0 || text.length < shortestExact) return text;
    finder ??= finderFor(all, isExact);
    const whole = cut(text, longestText);
    const spans = finder.spansIn(whole);
    if (spans.length === 0) return whole;
    const kept = own.flatMap((word) => placesOf(word, whole));
    const isOwn = ({ from, to }: Span) => kept.some((span) => span.from <= from && to <= span.to);
    return hide(
      whole,
      spans.filter((span) => !isOwn(span)),
    );
  };
}

/** Half of a key of this length does not occur by chance, in any spelling. */
const longKey = 16;

/**
 * A function that hides the API key in data. The names, ids, images and addresses in this data are compared afterwards. A
 * long key is found in any spelling and in part, a shorter key only as it is and encoded. A key as short as a word may occur
 * in a name by chance, so it is hidden only in texts with white space: no name has any.
 */
export function keyHider(key: string): (text: string) => string {
  if (key.length >= longKey) return redactor([key]);
  const hide = redactor([key], [], true);
  return key.length >= shortestFolded ? hide : (text) => (/\s/.test(text) ? hide(text) : text);
}

/** The finders in use, by a hash of their values: a fleet has hundreds of operations with the same secrets. */
const finders = new Map<string, WeakRef<Finder>>();
const unused = new FinalizationRegistry((key: string) => {
  if (finders.get(key)?.deref() === undefined) finders.delete(key);
});

function finderFor(values: readonly string[], isExact: boolean): Finder {
  const key = createHash("sha256")
    .update(JSON.stringify([isExact, [...values].sort()]))
    .digest("base64");
  const known = finders.get(key)?.deref();
  if (known) return known;
  const finder = new Finder(values, isExact);
  finders.set(key, new WeakRef(finder));
  unused.register(finder, key);
  return finder;
}

class Finder {
  readonly #exact: Matcher;
  readonly #folded: readonly (readonly [Folding, Matcher])[];

  constructor(values: readonly string[], isExact: boolean) {
    const exact = exactForms(values).map((form) => codesOf(form, "exact"));
    const { letters, signs } = foldedForms(isExact ? [] : values);
    this.#exact = new Matcher(exact, { seedLength: shortestExact, takesParts: false });
    const options = { seedLength: shortestFolded, takesParts: true };
    this.#folded = [
      ...(letters.length > 0 ? [["letters", new Matcher(letters, options)] as const] : []),
      ...(signs.length > 0 ? [["signs", new Matcher(signs, options)] as const] : []),
    ];
  }

  spansIn(text: string): Span[] {
    const spans: Span[] = [];
    const search = (matcher: Matcher, spelling: Spelling, folding: Folding) => {
      const folded = fold(spelling.text, folding);
      const place = (at: number) => folded.places[at] ?? 0;
      const { starts, ends } = spelling;
      matcher.find(folded, (first, end) => {
        const [from, last] = [place(first), place(end - 1)];
        spans.push({ from: starts?.[from] ?? from, to: ends?.[last] ?? last + 1 });
      });
    };
    search(this.#exact, { text }, "exact");
    if (this.#folded.length === 0) return spans;
    for (const spelling of layersOf(text)) {
      for (const [folding, matcher] of this.#folded) search(matcher, spelling, folding);
    }
    return spans;
  }
}

function placesOf(word: string, text: string): Span[] {
  const places: Span[] = [];
  for (let from = text.indexOf(word); word !== "" && from >= 0; from = text.indexOf(word, from + word.length)) {
    places.push({ from, to: from + word.length });
  }
  return places;
}

/** Shows overlapping spans as one secret. */
function hide(text: string, spans: readonly Span[]): string {
  const pieces: string[] = [];
  let read = 0;
  for (const { from, to } of [...spans].sort((a, b) => a.from - b.from || b.to - a.to)) {
    const end = endsInPair(text, to) ? to + 1 : to;
    if (end <= read) continue;
    if (from >= read) pieces.push(text.slice(read, from), mark);
    read = end;
  }
  return [...pieces, text.slice(read)].join("");
}

/** Whether a place is between the two halves of one character. */
function endsInPair(text: string, at: number): boolean {
  return /^[\ud800-\udbff][\udc00-\udfff]$/.test(text.slice(at - 1, at + 1));
}

export interface MatcherOptions {
  /** The number of codes of a pattern that the hash finds, before the rest is compared. No pattern is shorter. */
  readonly seedLength: number;
  /** Whether a part of a pattern counts too: half of it at one of its ends, or any long piece. */
  readonly takesParts: boolean;
}

/** A pattern, and the place of a seed in it. */
interface Seed {
  readonly pattern: Pattern;
  readonly at: number;
}

interface Pattern {
  readonly codes: Uint16Array;
  /** The shortest part at one of its ends that counts. */
  readonly least: number;
}

/** A part with this many codes does not occur by chance, at any place of the pattern. */
const longPart = 32;

const { imul, min, max, clz32 } = Math;
const radix = 0x01000193;

/**
 * Finds many patterns in a text, in linear time: a rolling hash finds seeds of the patterns, and the codes around a seed are
 * compared.
 */
export class Matcher {
  readonly #seeds = new Map<number, Seed[]>();
  /** Excludes seeds at most places of a text. */
  readonly #filter: Uint8Array;
  readonly #options: MatcherOptions;

  constructor(patterns: Iterable<Uint16Array>, options: MatcherOptions) {
    this.#options = options;
    const { seedLength } = options;
    const known = new Set<string>();
    for (const codes of patterns) {
      const text = Buffer.from(codes.buffer, codes.byteOffset, codes.byteLength).toString("latin1");
      if (codes.length < seedLength || known.has(text)) continue;
      known.add(text);
      this.#add(codes);
    }
    this.#filter = filterOf([...this.#seeds.keys()]);
  }

  #add(codes: Uint16Array): void {
    const { seedLength, takesParts } = this.#options;
    const half = Math.max(seedLength, Math.min(Math.ceil(codes.length / 2), longPart));
    const pattern = { codes, least: takesParts ? half : codes.length };
    // Every part that counts contains a whole seed.
    const step = longPart - seedLength + 1;
    const last = codes.length - seedLength;
    const own = new Map<number, number>();
    for (let at = 0; takesParts && at < last; at += step) this.#seed(pattern, at, own);
    this.#seed(pattern, takesParts ? last : 0, own);
  }

  /** A repetitive pattern has many equal seeds: two are enough, because the codes around them are compared. */
  #seed(pattern: Pattern, at: number, own: Map<number, number>): void {
    const hash = hashOf(pattern.codes, at, this.#options.seedLength);
    const count = own.get(hash) ?? 0;
    own.set(hash, count + 1);
    const seeds = this.#seeds.get(hash) ?? [];
    if (count < 2) seeds.push({ pattern, at });
    this.#seeds.set(hash, seeds);
  }

  /** Reports each part of the text that is a pattern, or a part of a pattern that counts. */
  find({ codes, length }: Folded, found: (from: number, to: number) => void): void {
    const { seedLength } = this.#options;
    if (this.#seeds.size === 0 || length < seedLength) return;
    const text = codes.subarray(0, length);
    const weight = powerOf(seedLength);
    const last = this.#filter.length - 1;
    let hash = hashOf(text, 0, seedLength);
    let skipTo = 0;
    for (let at = 0; ; at += 1) {
      if (this.#filter[slotOf(hash, last)] === 1 && at >= skipTo) {
        const end = this.#compare(text, at, this.#seeds.get(hash) ?? [], found);
        // A match that begins inside this one and ends behind it has another seed behind it.
        if (end !== undefined) skipTo = end - seedLength + 1;
      }
      const next = at + seedLength;
      if (next >= text.length) return;
      hash = (imul(hash, radix) + (text[next] ?? 0) - imul(text[at] ?? 0, weight)) | 0;
    }
  }

  /** Compares the codes around each seed, and returns the end of the last part that was found. */
  #compare(text: Uint16Array, at: number, seeds: readonly Seed[], found: (from: number, to: number) => void) {
    let end: number | undefined;
    for (const seed of seeds) {
      if (!mayMatch(text, at, seed)) continue;
      const { pattern, at: offset } = seed;
      const from = at - backwards(text, at, pattern.codes, offset);
      const to = at + forwards(text, at, pattern.codes, offset);
      const length = to - from;
      const first = offset - (at - from);
      const isAtEnd = first === 0 || first + length === pattern.codes.length;
      if (length < pattern.least || !(isAtEnd || length >= longPart)) continue;
      found(from, to);
      end = Math.max(end ?? 0, to);
    }
    return end;
  }
}

/** A quick test that avoids most comparisons: many secrets begin with the same words. */
function mayMatch(text: Uint16Array, at: number, { pattern: { codes, least }, at: offset }: Seed): boolean {
  return offset > 0 || text[at + least - 1] === codes[least - 1];
}

function backwards(codes: Uint16Array, at: number, pattern: Uint16Array, offset: number): number {
  let count = 0;
  while (count < offset && count < at && codes[at - count - 1] === pattern[offset - count - 1]) count += 1;
  return count;
}

function forwards(codes: Uint16Array, at: number, pattern: Uint16Array, offset: number): number {
  const most = Math.min(codes.length - at, pattern.length - offset);
  let count = 0;
  while (count < most && codes[at + count] === pattern[offset + count]) count += 1;
  return count;
}

function hashOf(codes: Uint16Array, from: number, length: number): number {
  let hash = 0;
  for (let at = from; at < from + length; at += 1) hash = (imul(hash, radix) + (codes[at] ?? 0)) | 0;
  return hash;
}

/** The weight of the code that the rolling hash removes. */
function powerOf(length: number): number {
  let power = 1;
  for (let count = 0; count < length; count += 1) power = imul(power, radix);
  return power;
}

/** A table of flags with a size for its number of hashes: most of them are few, and each operation has several tables. */
function filterOf(hashes: readonly number[]): Uint8Array {
  const bits = min(16, max(8, 5 + 32 - clz32(hashes.length)));
  const filter = new Uint8Array(2 ** bits);
  for (const hash of hashes) filter[slotOf(hash, filter.length - 1)] = 1;
  return filter;
}

/** @param last The last slot: a number whose low bits are all set. */
function slotOf(hash: number, last: number): number {
  return (hash ^ (hash >>> 16)) & last;
}
