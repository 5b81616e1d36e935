import { createServer, request as forward, type IncomingMessage, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { createClient } from "../../../provider/api/client";
import { createTransport } from "../../../provider/api/transport";
import { createClusterResource } from "../../../provider/cluster/resource";
import { createService } from "../../../provider/cluster/service";
import { Secret } from "../../../provider/text";
import { type Bench, type BenchOptions, closeAll, openBench, settle } from "./harness";
import { canary, checked } from "./inputs";

/** What goes over the wire in place of the real answer. */
export interface Wire {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Buffer;
  /** The bytes of the whole answer, status line and all; the connection is closed after them. */
  readonly raw?: string;
}

/** The real answer, for who spoils it. */
export interface Real {
  readonly status: number;
  readonly text: string;
  /** The record in the answer; empty where it is none. */
  readonly record: Readonly<Record<string, unknown>>;
  readonly apiKey: string;
}

export type Spoil = (real: Real) => Wire;

/** Which answers are spoiled; by default all of that endpoint, after the request had its effect. */
export interface SpoilOptions {
  readonly times?: number;
  readonly after?: number;
  /** False: the request never reaches the service. */
  readonly effect?: boolean;
}

const endpoints = {
  create: /^POST \/v1\/clusters$/,
  list: /^GET \/v1\/clusters$/,
  get: /^GET \/v1\/clusters\/[^/]+$/,
  status: /^GET \/v1\/clusters\/[^/]+\/status$/,
  update: /^PATCH /,
  scale: /^POST .*\/scale$/,
  redeploy: /^POST .*\/redeploy$/,
  delete: /^DELETE /,
};

export type Where = keyof typeof endpoints;

/** A bench whose service is seen through a proxy that spoils answers. */
export interface SpoiledBench extends Bench {
  spoil(where: Where, spoil: Spoil, options?: SpoilOptions): void;
}

interface Rule {
  readonly where: Where;
  readonly spoil: Spoil;
  readonly options: SpoilOptions;
  seen: number;
  used: number;
}

interface Answer {
  readonly status: number;
  readonly text: string;
  /** Those of the rate limit. */
  readonly headers: Readonly<Record<string, string>>;
}

const proxies: Server[] = [];

/** Closes what the tests have opened. */
export async function closeSpoiled(): Promise<void> {
  for (const proxy of proxies.splice(0)) {
    proxy.closeAllConnections();
    await new Promise((resolve) => proxy.close(resolve));
  }
  await closeAll();
}

export async function openSpoiled(options: BenchOptions = {}): Promise<SpoiledBench> {
  const bench = await openBench({ provisioningMs: 0, ...options });
  const { clock, simulator } = bench;
  const rules: Rule[] = [];
  const baseUrl = await startProxy(simulator.url, simulator.apiKey, rules);
  const apiKey = new Secret(simulator.apiKey);
  const client = createClient(createTransport({ baseUrl, apiKey, clock, random: () => 0.5, userAgent: "test/1" }));
  const service = createService(client, "seen", clock, 15_000);
  const cluster = createClusterResource(
    () => service,
    () => ({ strictPreview: false, capacityCheck: "warn", gpuTypeCheck: "error" }),
  );
  const spoil = (where: Where, how: Spoil, spoilOptions: SpoilOptions = {}) => {
    rules.push({ where, spoil: how, options: spoilOptions, seen: 0, used: 0 });
  };
  return { ...bench, client, service, cluster, spoil };
}

/** A spoiled bench with a healthy cluster on it. */
export async function settled(options: BenchOptions = {}, inputs = checked) {
  const bench = await openSpoiled(options);
  return { bench, made: await settle(bench, inputs) };
}

async function startProxy(target: string, apiKey: string, rules: Rule[]): Promise<string> {
  const proxy = createServer((incoming, response) => {
    const rule = takeRule(rules, `${incoming.method} ${incoming.url}`);
    answerOf(incoming, target, apiKey, rule?.options.effect !== false)
      .then(({ wire, real }) => {
        const spoiled: Wire = rule ? rule.spoil(real) : wire;
        const { raw, status = real.status, headers = {}, body = real.text } = spoiled;
        if (raw !== undefined) return incoming.socket.end(raw);
        const type = { "Content-Type": "application/json" };
        const length = status === 204 || status === 304 ? {} : { "Content-Length": String(Buffer.byteLength(body)) };
        response.writeHead(status, { ...wire.headers, ...type, ...length, ...headers });
        return response.end(status === 204 || status === 304 ? undefined : body);
      })
      .catch(() => incoming.socket.destroy());
  });
  proxies.push(proxy);
  await new Promise<void>((resolve) => {
    proxy.listen(0, "127.0.0.1", () => resolve());
  });
  return `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`;
}

function takeRule(rules: Rule[], line: string): Rule | undefined {
  return rules.find((rule) => {
    if (!endpoints[rule.where].test(line)) return false;
    rule.seen += 1;
    if (rule.seen <= (rule.options.after ?? 0) || rule.used >= (rule.options.times ?? Number.POSITIVE_INFINITY))
      return false;
    rule.used += 1;
    return true;
  });
}

async function answerOf(incoming: IncomingMessage, target: string, apiKey: string, effect: boolean) {
  const sent = await bytesOf(incoming);
  const answer = effect ? await pass(incoming, sent, target) : { status: 200, text: "{}", headers: {} };
  const { status, text, headers } = answer;
  return { wire: { status, body: text, headers }, real: { status, text, record: recordIn(text), apiKey } };
}

function pass({ method, url, headers }: IncomingMessage, body: Buffer, target: string) {
  return new Promise<Answer>((resolve, reject) => {
    const outgoing = forward(target + url, { method, headers, agent: false }, (answer) => {
      const rates = Object.entries(answer.headers).filter(([name]) => name.startsWith("x-ratelimit"));
      const rateHeaders = Object.fromEntries(rates.map(([name, value]) => [name, String(value)]));
      bytesOf(answer).then(
        (bytes) => resolve({ status: answer.statusCode ?? 0, text: bytes.toString(), headers: rateHeaders }),
        reject,
      );
    });
    outgoing.on("error", reject).end(body);
  });
}

async function bytesOf(stream: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of stream) chunks.push(Buffer.from(chunk));
  return Buffer.concat(chunks);
}

function recordIn(text: string): Record<string, unknown> {
  try {
    const json: unknown = JSON.parse(text);
    return typeof json === "object" && json !== null && !Array.isArray(json) ? { ...json } : {};
  } catch {
    return {};
  }
}

/** What every text for a person has to be. */
export function expectClean(text: string, { simulator }: Pick<Bench, "simulator">): void {
  // Our own lines, one for each fact, begin with blanks.
  expect(text.replace(/\n {2,6}(?! )/g, " ")).not.toMatch(/[\p{Cc}\p{Cf}\u2028\u2029]/u);
  expect(text.length).toBeLessThan(1_500);
  expect(text).not.toContain(canary);
  expect(text).not.toContain(simulator.apiKey);
}

/** As `expectClean`, for an error and everything that was said on the way. */
export function expectAllClean(bench: Bench, ...errors: readonly Error[]): void {
  for (const text of [...errors.map(({ message }) => message), ...bench.said]) expectClean(text, bench);
}
