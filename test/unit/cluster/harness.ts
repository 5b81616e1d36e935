import { type Client, createClient } from "../../../provider/api/client";
import { http, type Send } from "../../../provider/api/http/send";
import { createTransport } from "../../../provider/api/http/transport";
import type { RequestNames } from "../../../provider/api/requests";
import { ApiVariant } from "../../../provider/api/variant";
import { InterruptedError, messageOf } from "../../../provider/base/errors";
import { Secret } from "../../../provider/base/text";
import type { CreatingService } from "../../../provider/cluster/operations/create";
import { createClusterResource, createService } from "../../../provider/cluster/resource";
import type { Settings } from "../../../provider/config/settings";
import { type Ctx, InitError, type Properties, type Resource } from "../../../provider/contract";
import { type Simulator, type SimulatorOptions, startSimulator } from "../../../simulator";
import { VirtualClock } from "../../support/virtualClock";
import { urnOf } from "./inputs";

/** A simulator, the core on top of it, and one virtual clock for both. */
export interface Fixture {
  readonly simulator: Simulator;
  readonly clock: VirtualClock;
  readonly client: Client;
  readonly service: CreatingService;
  readonly cluster: Resource;
  /** Every text that the core has shown: `info: ...`, `warning: ...`, `status: ...`. */
  readonly said: string[];
  ctx(overrides?: Partial<Ctx>): Ctx;
  /** Runs to the end of the work, at once. */
  run<T>(work: Promise<T>): Promise<T>;
  /** The same service under another key, by the core's own account. */
  as(seenBy: string): Resource;
}

export interface FixtureOptions extends SimulatorOptions {
  /** Puts something in place of parts of the client. */
  readonly client?: (real: Client) => Partial<Client>;
  /** Puts something between the chain of the client and the wire. */
  readonly wire?: (real: Send, clock: VirtualClock) => Send;
  /** Answers probes in place of the endpoint. */
  readonly ask?: (clock: VirtualClock) => CreatingService["ask"];
  /** What the stack says of all clusters. */
  readonly settings?: Partial<Settings>;
  /** The names of requests, if they are not to be found out. */
  readonly requestNames?: RequestNames;
}

const open: Simulator[] = [];

/** Every test closes what it has opened. */
afterEach(closeAll);

/** Opens a fixture, which ends with its test. */
export async function openFixture({
  client: patch,
  wire = (real) => real,
  settings: own,
  requestNames,
  ask,
  ...options
}: FixtureOptions = {}): Promise<Fixture> {
  const clock = new VirtualClock();
  const simulator = await startSimulator({ clock, rateLimit: 1_000_000, ...options });
  open.push(simulator);
  const real = clientOf(simulator, clock, wire, requestNames);
  const client = { ...real, ...patch?.(real) };
  const said: string[] = [];
  const serviceOf = (seenBy: string): CreatingService => {
    const made = { ...createService(client, seenBy, clock, 15_000, simulator.url), random: () => 0.5 };
    return ask ? { ...made, ask: ask(clock) } : made;
  };
  const settings = (): Settings => ({ strictPreview: false, capacityCheck: "warn", gpuTypeCheck: "error", ...own });
  const service = serviceOf("seen");
  return {
    simulator,
    clock,
    client,
    service,
    cluster: judged(createClusterResource(() => service, settings)),
    said,
    ctx: (overrides = {}) => ({ ...recorder(said), ...overrides }),
    run: (work) => clock.run(work),
    as: (seenBy) => {
      const other = serviceOf(seenBy);
      return judged(createClusterResource(() => other, settings));
    },
  };
}

/** A wire on which the successful answers of some paths have another form, which the simulator does not have. */
export function rewriting(
  path: RegExp,
  write: (body: Readonly<Record<string, unknown>>) => unknown,
): NonNullable<FixtureOptions["wire"]> {
  return (real) => async (request) => {
    const answer = await real(request);
    const isOther = answer.status !== 200 || !path.test(request.path);
    return isOther ? answer : { ...answer, body: JSON.stringify(write(JSON.parse(answer.body))) };
  };
}

/** A service whose `/status` shows the replicas alone, without a word for the cluster. */
export const bareStatus = rewriting(/\/status$/, ({ replicas }) => replicas);

/** A service that starts the containers of an update in the same replicas. */
export const sameReplicas: NonNullable<FixtureOptions["wire"]> = (real) => async (request) => {
  const answer = await real(request);
  return {
    ...answer,
    body: answer.body.replaceAll(/rep_\w+-\d+-(\d+)/g, (_id, serial) => `rep_${Number(serial) % 2}`),
  };
};

/** Closes what the tests have opened. Fails if a text for users was too long. */
export async function closeAll(): Promise<void> {
  await Promise.all(open.splice(0).map((simulator) => simulator.close()));
  expect(tooLong.splice(0)).toEqual([]);
}

const tooLong: string[] = [];

/** Two lines of 250 characters, whatever a terminal breaks them into, and a list of what was seen with such lines. */
function judge(text: string): void {
  const [first = "", second = "", ...list] = text.split("\n");
  if (first.length + second.length > 500 || list.some((line) => line.length > 250)) tooLong.push(text);
}

/** The same resource; what it refuses, and every error, is a text for users. */
function judged(resource: Resource): Resource {
  const { check, diff, create, read, update, delete: remove } = resource;
  const told =
    <Args extends unknown[], Result>(work: (...args: Args) => Promise<Result>) =>
    (...args: Args) =>
      work(...args).catch((error: unknown) => {
        const reasons = error instanceof InitError ? error.reasons : [messageOf(error)];
        reasons.forEach(judge);
        throw error;
      });
  return {
    ...resource,
    check: told(async (...args) => {
      const result = await check(...args);
      for (const { property, reason } of result.failures) judge(`${property}: ${reason}`);
      return result;
    }),
    ...{
      diff: told(diff),
      create: told(create),
      read: told(read),
      update: told(update),
      delete: told(remove),
    },
  };
}

function clientOf(
  { url: baseUrl, apiKey }: Simulator,
  clock: VirtualClock,
  wire: NonNullable<FixtureOptions["wire"]>,
  requestNames?: RequestNames,
): Client {
  const chain = { baseUrl, apiKey: new Secret(apiKey), clock, random: () => 0.5, userAgent: "test/1" };
  const transport = createTransport({ ...chain, end: wire(http(baseUrl), clock) });
  return createClient(transport, undefined, new ApiVariant(requestNames));
}

function recorder(said: string[]): Ctx {
  return {
    urn: urnOf("web"),
    signal: new AbortController().signal,
    log: (message, severity = "info") => {
      judge(message);
      said.push(`${severity}: ${message}`);
    },
    status: (message) => said.push(`status: ${message}`),
  };
}

/** The requests so far, as `POST /v1/clusters/:id/scale`; ids are replaced. */
export function requestLines({ requests }: Simulator): string[] {
  return requests.map(({ method, path }) => `${method} ${path.replace(/cl_[0-9a-f]+/, ":id")}`);
}

/** The requests so far that change something. */
export function writes(simulator: Simulator): string[] {
  return requestLines(simulator).filter((line) => !line.startsWith("GET "));
}

/** How often a request was sent. */
export function countOf(simulator: Simulator, line: string): number {
  return requestLines(simulator).filter((sent) => sent === line).length;
}

/** The clusters that somebody pays for. */
export function living(simulator: Simulator) {
  return simulator.clusters().filter(({ status }) => status !== "gone" && status !== "terminating");
}

/** The error of work that has to fail. */
export async function failureOf(work: Promise<unknown>): Promise<Error> {
  return work.then(
    (result) => {
      throw new Error(`did not fail: ${JSON.stringify(result)}`);
    },
    (error: unknown) => {
      if (error instanceof Error) return error;
      throw new Error(`threw no Error: ${String(error)}`);
    },
  );
}

/** The InitError of work that has to fail with one. */
export async function initErrorOf(work: Promise<unknown>): Promise<InitError> {
  const error = await failureOf(work);
  if (error instanceof InitError) return error;
  throw error;
}

/** Work that the user interrupts after so long: how it ends, and how much later. */
export async function interruptAfter<T>(
  { clock, run }: Fixture,
  ms: number,
  begin: (interrupt: Pick<Ctx, "signal">) => Promise<T>,
): Promise<{ end: T; lastedMs: number }> {
  const controller = new AbortController();
  const work = begin({ signal: controller.signal });
  await clock.advance(ms);
  controller.abort(new InterruptedError("interrupted"));
  const startMs = clock.now();
  const end = await run(work);
  return { end, lastedMs: clock.now() - startMs };
}

/** A cluster that was created and is healthy, and nothing in the record of requests. */
export async function settle(bench: Fixture, inputs: Properties): Promise<{ id: string; state: Properties }> {
  const made = await bench.run(bench.cluster.create(bench.ctx(), inputs));
  forget(bench);
  return made;
}

/** A bench with such a cluster. */
export async function openSettled(inputs: Properties, options: FixtureOptions = {}) {
  const bench = await openFixture(options);
  const made = await settle(bench, inputs);
  return { bench, made, ...made };
}

/** Clears what was recorded. */
export function forget({ simulator, said }: Fixture): void {
  simulator.requests.length = 0;
  said.length = 0;
}
