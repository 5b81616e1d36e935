/** What is compared of a text: codes, each with its place in the text. Only the first `length` count. */
export interface Folded {
  readonly codes: Uint16Array;
  readonly places: Uint32Array;
  readonly length: number;
}

/** What of a text counts: every character as it is; letters and digits; everything but white space, quotes and backslashes. */
export type Folding = "exact" | "letters" | "signs";

const dropped: Readonly<Record<Exclude<Folding, "exact">, RegExp>> = {
  letters: /[^\p{L}\p{N}]/gu,
  signs: /[\s\p{Cc}\p{Cf}\p{M}"'`\\]/gu,
};

/** Capitals, accents and forms of letters make no difference. A character may become several, or none. */
function foldCharacter(character: string, folding: Exclude<Folding, "exact">): string {
  return character.normalize("NFKD").toUpperCase().toLowerCase().normalize("NFKD").replace(dropped[folding], "");
}

/** A character stands for so many letters at most: one that stands for a whole word is compared by its beginning. */
const mostLetters = 4;

/** The folded forms of characters, made once; those beyond ASCII as they come. */
class Forms {
  readonly ascii: Uint16Array;
  readonly #others = new Map<number, Uint16Array>();

  constructor(private readonly folding: Exclude<Folding, "exact">) {
    const forms = Array.from({ length: 128 }, (_, code) => foldCharacter(String.fromCharCode(code), folding));
    // 0 for what does not count.
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

/** Room for what is folded, used again for each text: most are short, and there are thousands in a list of clusters. */
const room = { codes: new Uint16Array(1_024), places: new Uint32Array(1_024) };

/** What counts of a text; stays as it is until the next call. */
export function fold(text: string, folding: Folding): Folded {
  const most = text.length * mostLetters;
  if (room.codes.length < most) Object.assign(room, { codes: new Uint16Array(most), places: new Uint32Array(most) });
  const length = folding === "exact" ? copyTo(room, text) : foldTo(room, text, forms[folding]);
  return { ...room, length };
}

/** What counts of a text, to be kept. */
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
