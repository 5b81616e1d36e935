import { cut, shortestKey } from "./text";

const mark = "[secret]";
const withheld = "(this text is withheld: it contains a secret)";

/** A longer text is cut, so that no answer can take much time. No text for people is as long. */
const longestText = 16_384;
/** A shorter value stands in ordinary words, so it is hidden only where it is a word itself. */
const shortestLong = 8;
/** A piece of a value of this length does not occur by chance. */
const longestHalf = 32;

/**
 * Hides the secrets of one service and key, whatever cluster they belong to: the service may quote them in any text. They
 * are kept in the memory of this process only.
 *
 * - A secret of 8 characters or more is replaced in its plain forms: as it is, as JSON text, URL-encoded, in base64. So is
 *   each of its lines, and the password if it is a URL. One of 4 to 7 characters is replaced where it is a whole word.
 * - A text of the service is withheld if it still holds the first or the last half of a secret: of the value itself or of
 *   its base64, with other capitals, accents and signs, or with one layer of escapes. Half of a long value is its first or
 *   last 32 letters and digits.
 *
 * Nothing else is found: not a shorter piece, none from the middle of a value, none that is encoded twice.
 */
export class Redactor {
  readonly #values = new Set<string>();
  /** Values that are not in the indexes yet: most processes never have to hide anything. */
  #fresh: string[] = [];
  readonly #long = new TextIndex(shortestLong);
  readonly #short = new TextIndex(shortestKey);
  readonly #halves = new TextIndex(shortestLong);

  constructor(values: Iterable<string> = []) {
    this.learn(values);
  }

  learn(values: Iterable<string>): void {
    for (const value of values) {
      if (value.length < shortestKey || this.#values.has(value)) continue;
      this.#values.add(value);
      this.#fresh.push(value);
    }
  }

  /** For texts of the service. */
  hide(text: string): string {
    this.#prepare();
    const all = cut(text, longestText);
    const isWord = (from: number, to: number) => !isInsideWord(all, from) && !isInsideWord(all, to);
    const shown = withMarks(all, (from) => this.#long.endAt(all, from) ?? this.#short.endAt(all, from, isWord));
    return shown.split(mark).some((part) => this.#holdsHalf(part)) ? withheld : shown;
  }

  /**
   * For our own sentences and for identifiers, whose words may be short values or halves of others by chance. The words of the
   * service in a sentence were searched by `hide` when they came in.
   * @param names Names and words of the program in the sentence: a value that is a part of one is shown.
   */
  hideInOwn(text: string, names: readonly string[] = []): string {
    this.#prepare();
    const all = cut(text, longestText);
    const isSecret = (from: number, to: number) => !names.some((name) => name.includes(all.slice(from, to)));
    return withMarks(all, (from) => this.#long.endAt(all, from, isSecret));
  }

  #prepare(): void {
    for (const value of this.#fresh.flatMap(partsOf)) {
      const forms = formsOf(value);
      const isLong = value.length >= shortestLong;
      for (const form of forms.all) (isLong ? this.#long : this.#short).add(form);
      if (isLong) for (const half of [value, forms.base64].flatMap(halvesOf)) this.#halves.add(half);
    }
    this.#fresh = [];
  }

  #holdsHalf(text: string): boolean {
    const folded = [...new Set([text, unescaped(text)])].map(fold);
    return folded.some((letters) => withMarks(letters, (from) => this.#halves.endAt(letters, from)) !== letters);
  }
}

/**
 * A function that hides the API key in data. The names, ids, images and addresses in this data are compared afterwards, so
 * only the plain forms of the key are hidden; and those of a key as short as a word only in texts with white space: no name
 * has any.
 */
export function keyHider(key: string): (text: string) => string {
  const redactor = new Redactor([key]);
  if (key.length < shortestLong) return (text) => (/\s/.test(text) ? redactor.hide(text) : text);
  const { all } = formsOf(key);
  // The fastest way for few forms: lists of hundreds of records are read each second.
  return (text) => all.reduce((rest, form) => rest.replaceAll(form, mark), text);
}

/** Texts by their first characters, so that the time of a search does not grow with their number. */
class TextIndex {
  readonly #texts = new Set<string>();
  /** The lengths of the texts with this start. */
  readonly #lengths = new Map<string, Set<number>>();

  /** @param startLength The fewest characters of a text. */
  constructor(private readonly startLength: number) {}

  add(text: string): void {
    const start = text.slice(0, this.startLength);
    this.#texts.add(text);
    this.#lengths.set(start, (this.#lengths.get(start) ?? new Set()).add(text.length));
  }

  /** The end of the longest text that stands in `where` from here on, and that fits. */
  endAt(where: string, from: number, fits = (_from: number, _to: number) => true): number | undefined {
    const lengths = this.#lengths.get(where.slice(from, from + this.startLength));
    if (!lengths) return undefined;
    const ends = [...lengths].map((length) => from + length).filter((to) => to <= where.length);
    const found = ends.filter((to) => this.#texts.has(where.slice(from, to)) && fits(from, to));
    return found.length > 0 ? Math.max(...found) : undefined;
  }
}

/** The text with a mark in each place that ends where `endAt` says. */
function withMarks(text: string, endAt: (from: number) => number | undefined): string {
  let shown = "";
  let kept = 0;
  for (let from = 0; from < text.length; ) {
    const end = endAt(from);
    if (end !== undefined) {
      shown += text.slice(kept, from) + mark;
      kept = end;
    }
    from = end ?? from + 1;
  }
  return shown + text.slice(kept);
}

function isInsideWord(text: string, at: number): boolean {
  return /^\w\w$/.test(text.charAt(at - 1) + text.charAt(at));
}

/** A value, its lines, and the password of a URL: services quote them alone. */
function partsOf(value: string): string[] {
  const password = URL.canParse(value) ? new URL(value).password : "";
  return [...new Set([value, ...value.split(/[\r\n]+/), password])].filter(({ length }) => length >= shortestKey);
}

function formsOf(value: string) {
  const base64 = Buffer.from(value).toString("base64");
  const all = [value, JSON.stringify(value).slice(1, -1), encodeURIComponent(value.toWellFormed()), base64];
  return { all: [...new Set(all)], base64 };
}

/** The first and the last half of a folded text; none if it has so few letters that they occur by chance. */
function halvesOf(text: string): string[] {
  const folded = fold(text);
  const length = Math.min(Math.max(Math.ceil(folded.length / 2), shortestLong), longestHalf);
  return folded.length < shortestLong ? [] : [folded.slice(0, length), folded.slice(-length)];
}

/** Without capitals, accents and forms of letters; only letters and digits. */
function fold(text: string): string {
  return text
    .normalize("NFKD")
    .toUpperCase()
    .replace(/[^\p{L}\p{N}]+/gu, "");
}

/** The escapes of URLs, JSON, shells and HTML. */
const escapes = /((?:(?:%|\\x)[\da-f]{2})+)|\\u([\da-f]{4})|&#x([\da-f]{1,6});|&#(\d{1,7});|\\[nrtbf]|&[a-z]{2,6};/gi;

/** With one layer of escapes resolved. Those of signs and white space are left out: `fold` leaves these out too. */
function unescaped(text: string): string {
  return text.replace(escapes, (_found, bytes?: string, json?: string, hex?: string, decimal?: string) => {
    if (bytes) return Buffer.from(bytes.replace(/%|\\x/gi, ""), "hex").toString();
    const code = decimal ? Number(decimal) : Number.parseInt(json ?? hex ?? "20", 16);
    return code <= 0x10ffff ? String.fromCodePoint(code) : "";
  });
}
