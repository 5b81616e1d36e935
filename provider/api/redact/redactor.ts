import { cut } from "../text";
import { codesOf, type Folding, fold } from "./folding";
import { exactForms, foldedForms, shortestExact, shortestFolded } from "./forms";
import { Matcher } from "./matcher";
import { layersOf, type Spelling } from "./spelling";

/** A part of a text. */
interface Span {
  readonly from: number;
  readonly to: number;
}

const mark = "[secret]";

/** No text for people is longer; what is behind is left out, so that no answer can take much time. */
const longestText = 1_048_576;

/**
 * A function that replaces each of the values in a text. A value of 8 characters or more is found however it is spelled:
 * escaped in JSON, URLs, HTML or shells, also several times, in base64 or hexadecimal digits, in other capitals, with other
 * signs or line breaks in between, and cut, if half of it is left. Shorter ones are found as they are, escaped and encoded.
 *
 * @param own Texts that stay where they stand, even if they are values.
 * @param isExact True where every value is found as a short one is: what is just like it, or half of it, stays.
 */
export function redactor(
  values: Iterable<string>,
  own: readonly string[] = [],
  isExact = false,
): (text: string) => string {
  // Most texts are known words, which are not looked through: the forms are made for the first that is.
  const all = [...new Set(values)].filter((value) => value.length >= shortestExact);
  let finder: Finder | undefined;
  return (text) => {
    if (all.length === 0 || text.length < shortestExact) return text;
    finder ??= new Finder(all, isExact);
    const whole = cut(text, longestText);
    const kept = own.flatMap((word) => placesOf(word, whole));
    const isOwn = ({ from, to }: Span) => kept.some((span) => span.from <= from && to <= span.to);
    return hide(
      whole,
      finder.spansIn(whole).filter((span) => !isOwn(span)),
    );
  };
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
    const look = (matcher: Matcher, spelling: Spelling, folding: Folding) => {
      const folded = fold(spelling.text, folding);
      const place = (at: number) => folded.places[at] ?? 0;
      const { starts, ends } = spelling;
      matcher.find(folded, (first, end) => {
        const [from, last] = [place(first), place(end - 1)];
        spans.push({ from: starts?.[from] ?? from, to: ends?.[last] ?? last + 1 });
      });
    };
    look(this.#exact, { text }, "exact");
    if (this.#folded.length === 0) return spans;
    for (const spelling of layersOf(text)) {
      for (const [folding, matcher] of this.#folded) look(matcher, spelling, folding);
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

/** Spans that overlap are one secret to whoever reads. */
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
