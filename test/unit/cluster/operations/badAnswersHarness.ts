import { createServer, request as forward, type IncomingMessage, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { createClient } from "../../../../provider/api/client";
import { createTransport } from "../../../../provider/api/http/transport";
import { Secret } from "../../../../provider/base/text";
import { createClusterResource, createService } from "../../../../provider/cluster/resource";
import type { InitError, Properties } from "../../../../provider/contract";
import { type Bench, type BenchOptions, closeAll, countOf, living, openBench, settle, writes } from "../harness";
import { canary, checked } from "../inputs";
import type { Held } from "../powerHarness";

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

/** Which answers are spoiled, and how. */
export type Spoils = Partial<Record<Where, Spoil | [Spoil, SpoilOptions]>>;

/** What has become of an operation. */
export interface Outcome {
  readonly bench: SpoiledBench;
  readonly made: Held;
  /** The text of the failure, if it is one. */
  readonly text: string;
  /** The id and the state that the engine keeps. */
  readonly kept: Partial<Held>;
  readonly error: Error | undefined;
}

function apply(bench: SpoiledBench, spoils: Spoils): void {
  for (const [where, how] of Object.entries(spoils) as [Where, Spoil | [Spoil, SpoilOptions]][]) {
    const [spoil, options] = Array.isArray(how) ? how : [how];
    bench.spoil(where, spoil, options);
  }
}

async function outcome(bench: SpoiledBench, made: Held, work: Promise<Partial<Held> | undefined>): Promise<Outcome> {
  const answer = await bench.run(
    work.then(
      (value) => value ?? {},
      (error: Error) => error,
    ),
  );
  const error = answer instanceof Error ? answer : undefined;
  expectAllClean(bench, ...(error ? [error] : []));
  const kept = (error as Partial<InitError> | undefined) ?? (answer as Partial<Held>);
  return { bench, made, text: error?.message ?? "", kept, error };
}

export async function createSpoiled(
  spoils: Spoils,
  { timeoutMs, ...options }: BenchOptions & { timeoutMs?: number } = {},
) {
  const bench = await openSpoiled(options);
  apply(bench, spoils);
  return outcome(bench, { id: "", state: {} }, bench.cluster.create(bench.ctx({ timeoutMs }), checked));
}

/** An operation on a healthy cluster, in a service that spoils its answers from then on. */
export async function operate(
  operation: "read" | "update" | "delete",
  spoils: Spoils,
  { timeoutMs, news = changed, ...options }: BenchOptions & { timeoutMs?: number; news?: Properties } = {},
) {
  const { bench, made } = await settled(options);
  apply(bench, spoils);
  const ctx = bench.ctx({ timeoutMs });
  const { id, state } = made;
  const works = {
    read: () => bench.cluster.read(ctx, id, state),
    update: () => bench.cluster.update(ctx, id, state, news).then((next) => ({ id, state: next })),
    delete: () => bench.cluster.delete(ctx, id, state).then(() => ({})),
  };
  return outcome(bench, made, works[operation]());
}

export const changed = { ...checked, replicas: 3, env: { MODEL: `${canary}-2` } };
export const day = 24 * 3_600_000;
export const once = { times: 1 };
export const threeTimes = { times: 3 };
export const lost: Spoil = () => ({ body: "" });
export const idsOf = ({ bench }: Outcome) => living(bench.simulator).map(({ id }) => id);
export const posts = ({ bench }: Outcome) => countOf(bench.simulator, "POST /v1/clusters");
const wordOf = ({ bench, made }: Outcome) => bench.simulator.cluster(made.id)?.status;
/** The one cluster, as the simulator itself has it. */
export const truth = ({ bench }: Outcome) => living(bench.simulator).map(({ replicas, env }) => ({ replicas, env }));

export function expectCreated(result: Outcome): void {
  expect(result.error).toBeUndefined();
  expect(idsOf(result)).toEqual([result.kept.id]);
  expect(result.kept.state).toMatchObject({ ...checked, settled: true, readyReplicas: 2 });
  expect(posts(result)).toBe(1);
}

/** One cluster at the most is paid for, and it is in the state or the error says that it may be there. */
export function expectKnown(result: Outcome): void {
  expect(idsOf(result)).toHaveLength(1);
  expect(posts(result)).toBe(1);
  if (result.error) expect(result.text).toContain('cluster "web" may have been created');
  else expect(result.kept.id).toBe(idsOf(result)[0]);
}

export function expectIdKept(result: Outcome): void {
  expect(idsOf(result)).toEqual([result.kept.id]);
  expect(result.kept.state).toMatchObject({ ...checked, settled: false });
  expect(posts(result)).toBe(1);
}

export function expectRead({ kept, bench }: Outcome): void {
  expect(kept).toMatchObject({ inputs: checked, state: { ...checked, settled: true } });
  expect(bench.cluster.diff(kept.state ?? {}, checked).changes).toEqual({});
}

export function expectUnread({ text, bench, made }: Outcome): void {
  expect(text).toContain(`GET /v1/clusters/${made.id}`);
  expect(writes(bench.simulator)).toEqual([]);
}

export function expectDeleted(result: Outcome): void {
  expect(result.error).toBeUndefined();
  expect(wordOf(result)).toBe("gone");
}

export function expectNotDeleted(result: Outcome): void {
  expect(result.text).toMatch(new RegExp(`^cluster "web" \\(${result.made.id}\\) was not deleted: `));
  expect(result.bench.said).not.toContain("status: deleted");
  expect(wordOf(result)).not.toBe("gone");
}

export function expectUpdated(result: Outcome, news: Properties = changed): void {
  expect(result.kept.state).toMatchObject({ ...news, settled: true });
  expect(truth(result)).toEqual([{ replicas: news["replicas"], env: news["env"] }]);
}
