import { gzipSync } from "node:zlib";
import type { BadAnswer } from "./badAnswers";
import { closeSpoiled, expectAllClean, openSpoiled, type Real, settled } from "./badAnswersHarness";
import { countOf, failureOf, initErrorOf, living } from "./harness";
import { checked } from "./inputs";

afterEach(closeSpoiled);

const head = (...lines: string[]) =>
  ["HTTP/1.1 200 OK", "Content-Type: application/json", ...lines, "", ""].join("\r\n");
const raw = (title: string, bytes: (real: Real) => string): BadAnswer => [title, (real) => ({ raw: bytes(real) })];
const half = ({ text }: Real) => text.slice(0, text.length / 2);

/** Answers that break off or break the protocol. */
const broken: BadAnswer[] = [
  raw("no byte at all", () => ""),
  raw("fewer bytes than announced", (real) => head(`Content-Length: ${real.text.length}`) + half(real)),
  raw("more bytes than announced", (real) => head(`Content-Length: ${half(real).length}`) + real.text),
  raw("a negative length", ({ text }) => head("Content-Length: -1") + text),
  raw("two lengths", ({ text }) => head("Content-Length: 5", "Content-Length: 7") + text),
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
  ["gzip that was not asked for", zipped("gzip")],
  ["the word gzip over plain JSON", ({ text }) => ({ body: text, headers: { "Content-Encoding": "gzip" } })],
  ["an encoding that nobody knows", ({ text }) => ({ body: text, headers: { "Content-Encoding": "\u00e9vil" } })],
  ["gzip without saying so", ({ text }) => ({ body: gzipSync(text) })],
  ["a length of 0", ({ text }) => ({ raw: head("Content-Length: 0") + text })],
];

function zipped(encoding: string): BadAnswer[1] {
  return ({ text }) => ({ body: gzipSync(text), headers: lengthOf(gzipSync(text), encoding) });
}

function lengthOf(bytes: Buffer, encoding: string) {
  return { "Content-Encoding": encoding, "Content-Length": String(bytes.length) };
}

/** Odd, but the answer is there. */
const odd: BadAnswer[] = [
  raw("a 103 before it", ({ text }) => `HTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\n${closing(text)}`),
  raw("a 102 before it", ({ text }) => `HTTP/1.1 102 Processing\r\n\r\n${closing(text)}`),
  raw("no length, up to the end of the connection", ({ text }) => head("Connection: close") + text),
  raw(
    "chunks of one byte",
    ({ text }) => `${head("Transfer-Encoding: chunked", "Connection: close")}${bytewise(text)}`,
  ),
  raw("escape sequences in the reason phrase", ({ text }) => closing(text).replace("OK", "\u00a0O\tK")),
  raw("rate headers that make no sense", ({ text }) =>
    closing(text, "X-RateLimit-Limit: -1", "X-RateLimit-Remaining: NaN", "X-RateLimit-Reset: 1e999"),
  ),
];

function closing(text: string, ...lines: string[]): string {
  return head(`Content-Length: ${Buffer.byteLength(text)}`, "Connection: close", ...lines) + text;
}

function bytewise(text: string): string {
  return `${[...text].map((byte) => `1\r\n${byte}\r\n`).join("")}0\r\n\r\n`;
}

describe("over the wire comes", () => {
  it.each([...broken, ...odd])("%s to a creation, which ends with its one cluster", async (_title, spoil) => {
    const bench = await openSpoiled();
    bench.spoil("create", spoil);
    const { id } = await bench.run(bench.cluster.create(bench.ctx(), checked));
    expect(living(bench.simulator).map((cluster) => cluster.id)).toEqual([id]);
    expect(countOf(bench.simulator, "POST /v1/clusters")).toBe(1);
    expectAllClean(bench);
  });

  it.each([...broken, ...odd])("%s to three looks of a wait, which ends ready", async (_title, spoil) => {
    const bench = await openSpoiled({ provisioningMs: 4_000 });
    bench.spoil("get", spoil, { times: 3 });
    const { state } = await bench.run(bench.cluster.create(bench.ctx(), checked));
    expect(state).toMatchObject({ ...checked, settled: true });
    expectAllClean(bench);
  });

  it.each(broken)("%s to a read, which is one clear line and never gone", async (_title, spoil) => {
    const { bench, made } = await settled();
    bench.spoil("get", spoil);
    const error = await bench.run(failureOf(bench.cluster.read(bench.ctx(), made.id, made.state)));
    expect(error.message).toContain(`GET /v1/clusters/${made.id}`);
    expectAllClean(bench, error);
  });

  it.each(broken)("%s to a deletion, which ends when the cluster is gone", async (_title, spoil) => {
    const { bench, made } = await settled({ deletionMs: 1_000 });
    bench.spoil("delete", spoil, { times: 1 });
    bench.spoil("get", spoil, { times: 1 });
    await bench.run(bench.cluster.delete(bench.ctx(), made.id, made.state));
    expect(bench.simulator.cluster(made.id)?.status).toBe("gone");
    expectAllClean(bench);
  });

  it("a 429 that asks for a wait of 300 years, and the id is kept", async () => {
    const bench = await openSpoiled();
    bench.spoil("get", () => ({ status: 429, headers: { "Retry-After": "9999999999" }, body: "" }));
    const error = await bench.run(initErrorOf(bench.cluster.create(bench.ctx({ timeoutMs: 30_000 }), checked)));
    expect(living(bench.simulator).map(({ id }) => id)).toEqual([error.id]);
    expectAllClean(bench, error);
  });
});
