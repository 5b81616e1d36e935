/** Ways in which a service writes a secret into a text. */

const json = (value: string) => JSON.stringify(value).slice(1, -1);
const url = (value: string) => encodeURIComponent(value.toWellFormed());
export const base64 = (value: string) => Buffer.from(value).toString("base64");
export const digits = (code: number, length: number) => code.toString(16).padStart(length, "0");
const each = (value: string, write: (code: number, character: string) => string) =>
  [...value].map((character) => write(character.codePointAt(0) ?? 0, character)).join("");
const bytes = (value: string, write: (byte: string) => string) =>
  [...Buffer.from(value)].map((byte) => write(digits(byte, 2))).join("");
const entities: Record<string, string> = { "&": "amp", "<": "lt", ">": "gt", '"': "quot" };
const thirdOf = (value: string) => Math.floor(value.length / 3);

export type Write = (value: string) => string;

/** The plain forms: the place is replaced, and the rest of the text stays. */
export const plain: [string, Write][] = [
  ["as it is", (value) => value],
  ["in JSON", json],
  ["in a URL", url],
  ["in base64", base64],
  ["in base64url", (value) => Buffer.from(value).toString("base64url")],
  ["in hex", (value) => Buffer.from(value).toString("hex")],
  ["in hex in capitals", (value) => Buffer.from(value).toString("hex").toUpperCase()],
];

/** What a person would call a leak all the same: nothing of it shows. */
export const others: [string, Write][] = [
  ["in JSON in JSON", (value) => json(json(value))],
  ["in JSON that is ASCII", (value) => each(value, (code, c) => (code < 128 ? c : `\\u${digits(code, 4)}`))],
  ["as bytes of a shell", (value) => bytes(value, (byte) => `\\x${byte}`)],
  ["in a shell with backslashes", (value) => value.replace(/[^\p{L}\p{N}]/gu, "\\$&")],
  ["in HTML", (value) => each(value, (_code, c) => (entities[c] ? `&${entities[c]};` : c))],
  ["in HTML, in decimal numbers", (value) => each(value, (code) => `&#${code};`)],
  ["in a URL, all of it encoded", (value) => bytes(value, (byte) => `%${byte}`)],
  ["in a form", (value) => new URLSearchParams({ value }).toString().slice("value=".length)],
  ["in base64 that is wrapped", (value) => base64(value).replace(/.{8}/g, "$&\r\n  ")],
  ["in capitals", (value) => value.toUpperCase()],
  ["decomposed", (value) => value.normalize("NFD")],
  ["in wide letters", (value) => each(value, (c) => String.fromCodePoint(c > 32 && c < 127 ? c + 0xfee0 : c))],
  ["over several lines with a margin", (value) => value.replace(/.{5}/gu, "$&\r\n  | ")],
];

/** Half of a secret is left; of one with 8 characters that is as short as a word. */
export const cuts: [string, Write][] = [
  ["without its last third", (value) => `${value.slice(0, value.length - thirdOf(value))}...`],
  ["without its first third", (value) => `...${value.slice(thirdOf(value))}`],
  ["in base64 without its last third", (value) => base64(value).slice(0, -thirdOf(base64(value)))],
  ["between the letters of others", (value) => `x${value.slice(thirdOf(value))}`],
];
