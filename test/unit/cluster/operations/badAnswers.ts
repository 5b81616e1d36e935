import { gzipSync } from "node:zlib";
import { canary } from "../inputs";
import type { Real, Spoil, Wire } from "./badAnswersHarness";

/** One bad answer: what it is called, and what goes over the wire. */
export type BadAnswer = [title: string, spoil: Spoil];

const body = (title: string, text: string | Buffer, more: Wire = {}): BadAnswer => [
  title,
  () => ({ body: text, ...more }),
];

const json = (title: string, value: unknown): BadAnswer => body(title, JSON.stringify(value));

/** The real record, changed. */
const changed = (title: string, change: (real: Readonly<Record<string, unknown>>) => unknown): BadAnswer => [
  title,
  ({ record }) => ({ body: JSON.stringify(change(record)) }),
];

const esc = "\u001b[2J\u001b]0;owned\u0007\u009b31m";
const deepObject = `${'{"a":'.repeat(5_000)}1${"}".repeat(5_000)}`;
const huge = Buffer.alloc(9 * 1024 * 1024, 32);
const error = { code: "internal", message: `Something ${esc}\r\nfailed for ${canary}`, status: 500 };
const page = `<!DOCTYPE html><html><body>\r\n${esc}<pre>${canary}</pre></body></html>`;

/** Successes that can be no record, no list and no status, whatever a reader makes of them. */
export const unreadable: readonly BadAnswer[] = [
  body("nothing", ""),
  body("nothing but white space", " \r\n\t "),
  body("a 204", "", { status: 204 }),
  json("null", null),
  json("true", true),
  json("a number", 42),
  json("a text", "ok"),
  json("an empty object", {}),
  json("a list in a list", [[]]),
  json("a list of null", [null]),
  json("data: null", { data: null }),
  json("cluster: null", { cluster: null }),
  json("a text in place of the record", { cluster: "cl_1", clusters: "none", replicas: "two", data: "ok" }),
  json("an error envelope", { error }),
  json("an error envelope beside empty data", { error, data: null, cluster: {} }),
  json("an error as a text", { error: `${esc}${canary}`, message: canary }),
  json("an error in a list", [{ error }]),
  body("a web page", page, { headers: { "Content-Type": "text/html" } }),
  body("a web page that calls itself JSON", page),
  body("XML", `<?xml version="1.0"?><cluster><id>cl_1</id><env>${canary}</env></cluster>`),
  body("YAML", `id: cl_1\nenv: ${canary}\n`),
  body("JavaScript", "callback({})"),
  body("two JSON texts", '{"id":"cl_1"}\n{"id":"cl_2"}'),
  body("JSON with text behind it", '{"id":"cl_1"} trailing'),
  body("JSON with a comment", '{"id":"cl_1" /* web */}'),
  body("single quotes", "{'id':'cl_1'}"),
  body("NaN", "NaN"),
  body("a line break in a text", '{"id":"cl_\n1"}'),
  body("JSON that ends in the middle", `{"id":"cl_1","env":{"MODEL":"${canary}`),
  body("NUL bytes", "\0".repeat(100)),
  body("bytes that are no UTF-8", Buffer.from([0x7b, 0xff, 0xfe, 0x80, 0x7d])),
  body("UTF-16", Buffer.from('{"id":"cl_1"}', "utf16le")),
  body("100 000 lists in each other", "[".repeat(100_000) + "]".repeat(100_000)),
  body("5 000 objects in each other", deepObject),
  body("9 MiB of spaces", huge),
  body("__proto__ alone", '{"__proto__":{"id":"cl_1","status":"terminated","clusters":[],"replicas":[]}}'),
  body("constructor alone", '{"constructor":{"prototype":{"id":"cl_1","status":"terminated"}}}'),
];

const tellingTitles = new Set([
  ...["nothing", "null", "an empty object", "a list of null", "an error envelope", "a web page", "XML", "NUL bytes"],
  ...["JSON that ends in the middle", "100 000 lists in each other", "5 000 objects in each other", "9 MiB of spaces"],
  "__proto__ alone",
]);

/** One of each kind, if all would take too long. */
export const telling: readonly BadAnswer[] = unreadable.filter(([title]) => tellingTitles.has(title));

/** Records that do not say in the usual place which one they are, and are still the one that was asked for. */
export const unnamed: readonly BadAnswer[] = [
  changed("a record without an id", ({ id: _id, ...rest }) => rest),
  changed("the id null", (real) => ({ ...real, id: null })),
];

/** Records whose id cannot be one, or is not in the place of a record. */
export const withoutId: readonly BadAnswer[] = [
  ...["", 1, 1.5, true, ["cl_1"], { id: "cl_1" }, "cl_1/../..", "cl_1?x=1", "cl_1#", "..", "cl_1%2f", "cl 1"].map(
    (id) => changed(`the id ${JSON.stringify(id)}`, (real) => ({ ...real, id })),
  ),
  changed("an id with a line break", (real) => ({ ...real, id: "cl_1\r\nX-Evil: 1" })),
  changed("an id with an escape sequence for a slash", (real) => ({ ...real, id: "cl_1\u2215x" })),
  changed("an id of 100 000 characters", (real) => ({ ...real, id: `cl_${"a".repeat(100_000)}` })),
  json("an empty list", []),
  changed("a list of the one record", (real) => [real]),
  changed("a list of the one record under data", (real) => ({ data: [real] })),
];

const oddReplicas = [-1, 1.5, 1e300, "2", "two", true, [2], { count: 2 }, null];

/** Records that are odd in everything but their id: what is odd counts as not said. */
export const oddRecords: readonly BadAnswer[] = [
  changed("only an id", ({ id }) => ({ id })),
  ...oddReplicas.map((replicas) =>
    changed(`the replicas ${JSON.stringify(replicas)}`, (real) => ({ ...real, replicas })),
  ),
  [
    "NaN for the replicas, as 1e999",
    ({ record }) => ({ body: JSON.stringify({ ...record, replicas: 0 }).replace('"replicas":0', '"replicas":1e999') }),
  ],
  changed("numbers for texts", ({ id }) => ({ id, name: 1, gpu_type: 2, endpoint: 3, created_at: 4, container: 5 })),
  changed("lists for texts", ({ id }) => ({ id, name: ["web"], gpu_type: ["h100"], container: [], created_at: [] })),
  changed("objects for texts", ({ id }) => ({ id, name: {}, gpu_type: {}, container: {}, created_at: {}, env: 7 })),
  changed("a list for env", (real) => ({ ...real, env: ["MODEL"] })),
  changed("a text for env", (real) => ({ ...real, env: "MODEL=x" })),
  changed("an object in env", (real) => ({ ...real, env: { MODEL: { secret: true } } })),
  changed("null in env", (real) => ({ ...real, env: { MODEL: null } })),
  [
    "__proto__ in the record and in env",
    ({ record }) => ({
      body: JSON.stringify(record).replace(/^\{/, '{"__proto__":{"status":"terminated"},"toString":1,'),
    }),
  ],
  changed("10 000 fields more", (real) => ({
    ...Object.fromEntries(Array.from({ length: 10_000 }, (_, index) => [`field${index}`, index])),
    ...real,
  })),
  ["a BOM before it", ({ text }) => ({ body: `\ufeff${text}` })],
  ["an id that stands there twice", ({ text }) => ({ body: text.replace(/^\{/, '{"id":"cl_other",') })],
  ["the type text/html", ({ text }) => ({ body: text, headers: { "Content-Type": "text/html; charset=latin1" } })],
  ["no type", ({ text }) => ({ body: text, headers: { "Content-Type": "" } })],
  ["the status 206", ({ text }) => ({ body: text, status: 206 })],
  ["the status 299", ({ text }) => ({ body: text, status: 299 })],
];

const statuses: [string, Wire][] = [300, 301, 302, 303, 304, 307, 308].map((status) => [
  `a ${status}`,
  { status, body: "", headers: { Location: "https://evil.example/v1/clusters" } },
]);

/** Answers that are no success and prove nothing. */
export const refusals: readonly BadAnswer[] = [
  ...statuses.map(([title, wire]): BadAnswer => [title, () => wire]),
  ...[400, 401, 403, 418, 422, 500, 501, 502, 503, 504, 599].map(
    (status): BadAnswer => [`a ${status} with a page`, () => ({ status, body: page })],
  ),
  ["a 500 with an envelope that quotes everything", quoting(500)],
  ["a 400 with an envelope that quotes everything", quoting(400)],
  body("a 404 with a page", page, { status: 404, headers: { "Content-Type": "text/html" } }),
  body("a 404 with XML", "<error>no such key</error>", { status: 404 }),
  body("a 404 with a text", "404 page not found", { status: 404 }),
  body("a 404 with JSON that ends in the middle", '{"error":{"code":"cluster_not', { status: 404 }),
  body("a 410 with a page", page, { status: 410 }),
];

function quoting(status: number): Spoil {
  return ({ apiKey }) => {
    const message = `${esc}no\r\n\u202e${canary} ${apiKey} ${"x".repeat(100_000)}`;
    return { status, body: JSON.stringify({ error: { code: `c${esc}\n${canary}`, message, status } }) };
  };
}

/** A bare list of clusters, changed. */
const list = (title: string, change: (clusters: Record<string, unknown>[]) => unknown): BadAnswer => [
  title,
  ({ text }) => ({ body: JSON.stringify(change(JSON.parse(text))) }),
];
const eachWith = (title: string, fields: object): BadAnswer =>
  list(title, (clusters) => clusters.map((record) => ({ ...record, ...fields })));
const others = Array.from({ length: 10_000 }, (_, id) => ({ id: `cl_x${id}`, name: "x" }));

/** Lists with the new cluster in them, and with what is odd about them. */
export const oddLists: readonly BadAnswer[] = [
  list("null beside it", (clusters) => [null, ...clusters, null]),
  list("numbers for other ids", (clusters) => [{ id: 5, name: "web" }, ...clusters]),
  list("ids of others that leave their place", (clusters) => [{ id: "../x", name: "web" }, ...clusters]),
  list("itself twice", (clusters) => [...clusters, ...clusters]),
  list("10 000 others", (clusters) => [...others, ...clusters]),
  eachWith("no name", { name: undefined }),
  eachWith("a list for its name", { name: ["web"] }),
  eachWith("its name in capitals", { name: "WEB" }),
  eachWith("its name in an escape sequence", { name: "\u001b[1mweb" }),
  eachWith("a number for its GPU type", { gpu_type: 100 }),
  eachWith("words for its time", { created_at: "yesterday\r\n" }),
  eachWith("a number for its time", { created_at: 0 }),
  eachWith("no id", { id: undefined }),
];

const withFields = (fields: object): BadAnswer =>
  changed(JSON.stringify(fields).slice(0, 60), (real) => ({ ...real, ...fields }));

/** Words that a record may hold for its state, none of which says that the cluster is ready, failed, stopped or gone. */
export const words: readonly BadAnswer[] = [
  ...["\u001b[31mprovisioning\u001b[0m", "\u001b]0;owned\u0007starting", "starting\r\nrunning\nready", "   ", ""],
  ...["\u202egninnur\u202c", "\u200bpending\u200d", "__proto__", "constructor", "\ud83d", "<script>alert(1)</script>"],
  ...["undefined", "%s%n%d", 0, ["running"], { reason: "failed" }, `starting with ${canary}`],
].map((status) => withFields({ status }));

/** Texts of a record that have to be cleaned before they are shown. */
export const oddTexts = ["name", "endpoint", "created_at"].map((name) => withFields({ [name]: `${esc}web\r\n\u202e` }));

const sickInEscapes = { id: `${esc}a\r\n`, status: `${esc}sick\n`, healthy: false, message: `${esc}a\r\nb\u202e` };

/** What `/status` may hold for replicas that are not healthy. */
export const badReplicas: readonly BadAnswer[] = [
  ...[[], [null, null], ["sick", "sick"], [[], []], [1, 1]],
  ...[[50, 0].map((healthy) => ({ healthy }))],
  ...[[true, true, true].map((healthy) => ({ healthy })), [{ id: "a", healthy: true }]],
  ...[[sickInEscapes], [{ id: {}, status: {}, healthy: {}, message: {} }]],
  [{ id: "a", healthy: false, message: `MODEL=${canary}` }],
  Array.from({ length: 10_000 }, (_, id) => ({ id, healthy: true })),
].map((replicas) => withFields({ replicas }));

/** Replicas that show no health which is known: they are neither healthy nor sick. */
export const silentReplicas: readonly BadAnswer[] = [
  ["perhaps", ""].map((healthy) => ({ healthy })),
  [{ ["__proto__"]: { healthy: true } }, {}],
].map((replicas) => withFields({ replicas }));

export const replicaLists: readonly BadAnswer[] = [...badReplicas, ...silentReplicas];

const head = (...lines: string[]) =>
  ["HTTP/1.1 200 OK", "Content-Type: application/json", ...lines, "", ""].join("\r\n");
const raw = (title: string, bytes: (real: Real) => string): BadAnswer => [title, (real) => ({ raw: bytes(real) })];
const half = ({ text }: Real) => text.slice(0, text.length / 2);
const closing = (text: string, ...lines: string[]) =>
  head(`Content-Length: ${Buffer.byteLength(text)}`, "Connection: close", ...lines) + text;
const bytewise = (text: string) => `${[...text].map((byte) => `1\r\n${byte}\r\n`).join("")}0\r\n\r\n`;
const encoded = (title: string, encoding: string, pack: (text: string) => string | Buffer): BadAnswer => [
  title,
  ({ text }) => ({ body: pack(text), ...(encoding && { headers: { "Content-Encoding": encoding } }) }),
];

/** Answers that break off or break the protocol. */
export const brokenWire: readonly BadAnswer[] = [
  raw("no byte at all", () => ""),
  raw("fewer bytes than announced", (real) => head(`Content-Length: ${real.text.length}`) + half(real)),
  raw("more bytes than announced", (real) => head(`Content-Length: ${half(real).length}`) + real.text),
  raw("a negative length", ({ text }) => head("Content-Length: -1") + text),
  raw("two lengths", ({ text }) => head("Content-Length: 5", "Content-Length: 7") + text),
  raw("a length of 0", ({ text }) => head("Content-Length: 0") + text),
  raw("chunks that end early", (real) => `${head("Transfer-Encoding: chunked")}ffff\r\n${half(real)}`),
  raw("chunks of no size", ({ text }) => `${head("Transfer-Encoding: chunked")}zz\r\n${text}\r\n0\r\n\r\n`),
  raw("a greeting of another protocol", () => "SSH-2.0-OpenSSH_9.6\r\n"),
  raw("a TLS alert", () => "\u0015\u0003\u0001\u0000\u0002\u0002\u0046"),
  raw("bare JSON without a head", ({ text }) => text),
  raw("a status that is no number", () => "HTTP/1.1 \u001b[31mOK\r\n\r\n"),
  raw("a status of four digits", () => "HTTP/1.1 2000 OK\r\nContent-Length: 2\r\n\r\n{}"),
  raw("only a 100", () => "HTTP/1.1 100 Continue\r\n\r\n"),
  raw("only a 103", () => "HTTP/1.1 103 Early Hints\r\n\r\n"),
  raw("a 101", () => "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n"),
  raw("a head of 100 KiB", ({ text }) => head(`X-Long: ${"a".repeat(100 * 1024)}`) + text),
  raw("a header with a NUL", ({ text }) => head("X-Odd: a\0b") + text),
  encoded("gzip that was not asked for", "gzip", gzipSync),
  encoded("the word gzip over plain JSON", "gzip", String),
  encoded("an encoding that nobody knows", "\u00e9vil", String),
  encoded("gzip without saying so", "", gzipSync),
];

const oddRates = ["X-RateLimit-Limit: -1", "X-RateLimit-Remaining: NaN", "X-RateLimit-Reset: 1e999"];

/** Odd, but the answer is there. */
export const oddWire: readonly BadAnswer[] = [
  raw("a 103 before it", ({ text }) => `HTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\n${closing(text)}`),
  raw("a 102 before it", ({ text }) => `HTTP/1.1 102 Processing\r\n\r\n${closing(text)}`),
  raw("no length, up to the end of the connection", ({ text }) => head("Connection: close") + text),
  raw("chunks of one byte", ({ text }) => head("Transfer-Encoding: chunked", "Connection: close") + bytewise(text)),
  raw("escape sequences in the reason phrase", ({ text }) => closing(text).replace("OK", "\u00a0O\tK")),
  raw("rate headers that make no sense", ({ text }) => closing(text, ...oddRates)),
];
