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
  /** Every message of the core: `info: ...`, `warning: ...`, `status: ...`. */
  readonly messages: string[];
  ctx(overrides?: Partial<Ctx>): Ctx;
  /** Runs the clock until the work has ended. */
  run<T>(work: Promise<T>): Promise<T>;
  /** The same service in a process of its own, which identifies service and key by `seenBy`. */
  as(seenBy: string): Resource;
}

export interface FixtureOptions extends SimulatorOptions {
  /** Replaces parts of the client. */
  readonly client?: (real: Client) => Partial<Client>;
  /** Intercepts requests below the client. */
  readonly wire?: (real: Send, clock: VirtualClock) => Send;
  /** Answers probes in place of the endpoint. */
  readonly ask?: (clock: VirtualClock) => CreatingService["ask"];
  /** The configuration of the stack. */
  readonly settings?: Partial<Settings>;
  /** The names of request fields, if they are not to be detected. */
  readonly requestNames?: RequestNames;
}

const open: Simulator[] = [];

/** Every test closes what it has opened. */
afterEach(closeAll);

export async function openFixture({
  client: patch,
  wire = (real) => real,
  settings: overrides,
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
  const settings = (): Settings => ({
    strictPreview: false,
    capacityCheck: "warn",
    gpuTypeCheck: "error",
    ...overrides,
  });
  const service = serviceOf("seen");
  return {
    simulator,
    clock,
    client,
    service,
    cluster: judged(createClusterResource(() => service, settings)),
    messages: said,
    ctx: (overrides = {}) => ({ ...recorder(said), ...overrides }),
    run: (work) => clock.run(work),
    as: (seenBy) => {
      const other = serviceOf(seenBy);
      return judged(createClusterResource(() => other, settings));
    },
  };
}

/** Rewrites the successful answers to some paths, to shapes that the simulator does not have. */
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

/** A service whose `/status` shows the replicas alone, without a status word for the cluster. */
export const bareStatus = rewriting(/\/status$/, ({ replicas }) => replicas);

/** A service that starts the containers of an update in the same replicas. */
export const sameReplicas: NonNullable<FixtureOptions["wire"]> = (real) => async (request) => {
  const answer = await real(request);
  return {
    ...answer,
    body: answer.body.replaceAll(/rep_\w+-\d+-(\d+)/g, (_id, serial) => `rep_${Number(serial) % 2}`),
  };
};

/** Closes what the tests have opened. Fails if a message was too long. */
export async function closeAll(): Promise<void> {
  await Promise.all(open.splice(0).map((simulator) => simulator.close()));
  expect(tooLong.splice(0)).toEqual([]);
}

const tooLong: string[] = [];

/** A message has at most two lines of 250 characters on average, and a list of details with lines of at most 250 characters. */
function judge(message: string): void {
  const lines = message.split("\n");
  const isLongSummary = lines.slice(0, 2).join("").length > 500;
  if (isLongSummary || lines.slice(2).some((line) => line.length > 250)) tooLong.push(message);
}

/** The same resource, which judges the messages of failures and errors. */
function judged(resource: Resource): Resource {
  const withJudgement =
    <Args extends unknown[], Result>(work: (...args: Args) => Promise<Result>) =>
    (...args: Args) =>
      work(...args).catch((error: unknown) => {
        const reasons = error instanceof InitError ? error.reasons : [messageOf(error)];
        reasons.forEach(judge);
        throw error;
      });
  return {
    ...resource,
    check: withJudgement(async (...args) => {
      const result = await resource.check(...args);
      for (const { property, reason } of result.failures) judge(`${property}: ${reason}`);
      return result;
    }),
    diff: withJudgement(resource.diff),
    create: withJudgement(resource.create),
    read: withJudgement(resource.read),
    update: withJudgement(resource.update),
    delete: withJudgement(resource.delete),
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

/** The requests so far that are not reads. */
export function writes(simulator: Simulator): string[] {
  return requestLines(simulator).filter((line) => !line.startsWith("GET "));
}

export function countOf(simulator: Simulator, line: string): number {
  return requestLines(simulator).filter((sent) => sent === line).length;
}

/** The clusters that cost money. */
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

/** Interrupts work after so long: how it ends, and how much later. */
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

/** Creates a healthy cluster, and forgets the requests so far. */
export async function settle(bench: Fixture, inputs: Properties): Promise<{ id: string; state: Properties }> {
  const made = await bench.run(bench.cluster.create(bench.ctx(), inputs));
  forget(bench);
  return made;
}

/** A fixture with such a cluster. */
export async function openSettled(inputs: Properties, options: FixtureOptions = {}) {
  const bench = await openFixture(options);
  const made = await settle(bench, inputs);
  return { bench, made, ...made };
}

/** Forgets the requests and messages so far. */
export function forget({ simulator, messages: said }: Fixture): void {
  simulator.requests.length = 0;
  said.length = 0;
}
