import { Client } from "../../../provider/api/client";
import { http, type Send } from "../../../provider/api/http/send";
import { Transport } from "../../../provider/api/http/transport";
import { InterruptedError, messageOf } from "../../../provider/base/errors";
import type { Journal } from "../../../provider/base/journal";
import { diffCluster } from "../../../provider/cluster/diff/diff";
import type { CreationDependencies } from "../../../provider/cluster/operations/create";
import { createClusterResource, createDependencies } from "../../../provider/cluster/resource";
import type { RequestNames, ResolvedSettings } from "../../../provider/config/settings";
import { Secret } from "../../../provider/config/settings";
import { type CallContext, InitError, type Properties, type Resource } from "../../../provider/contract";
import { dialects, type Fault, type Simulator, type SimulatorOptions } from "../../../simulator";
import { living } from "../../support/living";
import { closeSimulators, openSimulator } from "../../support/simulators";
import { sources } from "../../support/sources";
import { VirtualClock } from "../../support/virtualClock";
import { checked, urnOf } from "./inputs";

export type Fixture = Base & ReturnType<typeof operationsOf>;

export interface FixtureOptions extends SimulatorOptions {
  /** Replaces parts of the client. */
  readonly client?: (real: Client) => Partial<Client>;
  /** Intercepts requests below the client. */
  readonly wire?: (real: Send, clock: VirtualClock) => Send;
  /** Answers probes in place of the endpoint. */
  readonly ask?: (clock: VirtualClock) => CreationDependencies["ask"];
  /** The configuration of the stack. */
  readonly settings?: Partial<ResolvedSettings>;
  /** The names of request fields, if they are not to be detected. */
  readonly requestNames?: RequestNames;
}

/** Every test closes what it has opened. */
afterEach(closeAll);

export async function openFixture(options: FixtureOptions = {}): Promise<Fixture> {
  const base = await openBase(options);
  return { ...base, ...operationsOf(base) };
}

type Base = Awaited<ReturnType<typeof openBase>>;

/** A simulator, the core on top of it, and one virtual clock for both. */
async function openBase({ client: patch, wire = (real) => real, ask, ...others }: FixtureOptions) {
  const { settings: overrides, requestNames, ...options } = others;
  const clock = new VirtualClock();
  const simulator = await openSimulator({ clock, rateLimit: 1_000_000, ...options });
  const real = clientOf(simulator, clock, wire, requestNames);
  const client = withMethods(real, patch?.(withMethods(real)));
  /** Every message of the core: `info: ...`, `warning: ...`, `status: ...`. */
  const messages: string[] = [];
  const serviceOf = (seenBy: string, journal?: Journal): CreationDependencies => {
    const made = { ...createDependencies(client, seenBy, clock, 15_000, simulator.url, journal), random: () => 0.5 };
    return ask ? { ...made, ask: ask(clock) } : made;
  };
  const resourceOf = (core: CreationDependencies, changes: Partial<ResolvedSettings> = {}) =>
    judged(
      createClusterResource(
        () => core,
        () => ({ previewChecks: "default", ...overrides, ...changes }),
      ),
    );
  const service = serviceOf("seen");
  return {
    simulator,
    clock,
    client,
    service,
    cluster: resourceOf(service),
    messages,
    ctx: (changes: Partial<CallContext> = {}): CallContext => ({ ...recorder(messages), ...changes }),
    /** Runs the clock until the work has ended. */
    run: <T>(work: Promise<T>) => clock.run(work),
    /** The same service in a process of its own, which identifies service and key by `seenBy`; without a journal, it is alone. */
    as: (seenBy: string, journal?: Journal, changes?: Partial<ResolvedSettings>) =>
      resourceOf(serviceOf(seenBy, journal), changes),
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

/** Rewrites the text of every answer. */
export function rewritingText(write: (body: string) => string): NonNullable<FixtureOptions["wire"]> {
  return (real) => async (request) => {
    const answer = await real(request);
    return { ...answer, body: write(answer.body) };
  };
}

/** A service that starts the containers of an update in the same replicas. */
export const sameReplicas = rewritingText((body) =>
  body.replaceAll(/rep_\w+-\d+-(\d+)/g, (_id, serial) => `rep_${Number(serial) % 2}`),
);

/** Closes what the tests have opened. Fails if a message was too long. */
export async function closeAll(): Promise<void> {
  await closeSimulators();
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
  const chain = { baseUrl, apiKey: new Secret(apiKey), clock, random: () => 0.5, userAgent: "test/1", sources };
  return new Client(new Transport({ ...chain, wire: wire(http(baseUrl), clock) }), { requestNames });
}

/** The same client with other methods for its callers. Each method can be taken from it. */
function withMethods(real: Client, methods: Partial<Client> = {}): Client {
  return new Proxy(real, {
    get: (target, name) => {
      const value: unknown = Reflect.get(name in methods ? methods : target, name, target);
      return typeof value === "function" ? value.bind(target) : value;
    },
  });
}

function recorder(messages: string[]): CallContext {
  return {
    urn: urnOf("web"),
    signal: new AbortController().signal,
    log: (message, severity = "info") => {
      judge(message);
      messages.push(`${severity}: ${message}`);
    },
    status: (message) => messages.push(`status: ${message}`),
  };
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
  { clock, run }: Base,
  ms: number,
  begin: (interrupt: Pick<CallContext, "signal">) => Promise<T>,
): Promise<{ end: T; lastedMs: number }> {
  const controller = new AbortController();
  const work = begin({ signal: controller.signal });
  await clock.advance(ms);
  controller.abort(new InterruptedError("interrupted"));
  const startMs = clock.now();
  const end = await run(work);
  return { end, lastedMs: clock.now() - startMs };
}

/** A fixture with a healthy cluster. */
export async function openSettled(inputs: Properties, options: FixtureOptions = {}) {
  const fixture = await openFixture(options);
  const made = await fixture.settle(inputs);
  return { fixture, made, ...made };
}

/** The requests that the operations of a running cluster are made of. */
export const patch = "PATCH /v1/clusters/:id";
export const stop = "POST /v1/clusters/:id/stop";
export const restart = "POST /v1/clusters/:id/restart";
export const redeploy = "POST /v1/clusters/:id/redeploy";
export const scale = "POST /v1/clusters/:id/scale";

/** A cluster that is to run, and the same one stopped. */
export const toRun: Properties = { ...checked, desiredStatus: "running" };
export const toStop: Properties = { ...toRun, desiredStatus: "stopped" };

/** A service without `/status`: the status word of the cluster is all that it shows of its health. */
export const noStatus = {
  kind: "status",
  status: 405,
  code: "method_not_allowed",
  method: "GET",
  path: "/v1/clusters/*/status",
  times: 1_000_000,
} as const;

/** A resource as the engine stores it. */
export interface Held {
  readonly id: string;
  readonly state: Properties;
}

/** The names of all dialects except that of the official client, which published.test.ts tests. */
export const dialectNames = Object.keys(dialects).filter((name) => name !== "client");

/** The desired inputs of a cluster, as check returns them. */
export interface Wanted extends Properties {
  name: string;
  gpuType: string;
  replicas: number;
  container: string;
  env?: Record<string, string>;
}

export const web: Wanted = {
  name: "web",
  gpuType: "h100",
  replicas: 2,
  container: "team/server:1.0",
  env: { MODEL: "llama-3-8b-instruct", MODE: "value-of-mode", EMPTY: "" },
};

/** What tests do with one cluster, or a few. */
function operationsOf(fixture: Base) {
  /** The requests so far, as `POST /v1/clusters/:id/scale`; ids are replaced. */
  function requestLines(): string[] {
    return fixture.simulator.requests.map(({ method, path }) => `${method} ${path.replace(/cl_[0-9a-f]+/, ":id")}`);
  }

  /** The requests so far that are not reads. */
  const writes = () => requestLines().filter((line) => !line.startsWith("GET "));

  const countOf = (line: string) => requestLines().filter((sent) => sent === line).length;

  /** Forgets the requests and messages so far. */
  function forget(): void {
    fixture.simulator.requests.length = 0;
    fixture.messages.length = 0;
  }

  /** Creates a cluster, and waits until it is ready. */
  const make = (inputs: Properties, ctx: Partial<CallContext> = {}): Promise<Held> =>
    fixture.run(fixture.cluster.create(fixture.ctx(ctx), inputs));

  /** The same, and forgets the requests and messages so far. */
  async function settle(inputs: Properties): Promise<Held> {
    const made = await make(inputs);
    forget();
    return made;
  }

  /** Updates to new inputs; the record of requests holds this update alone. */
  async function change({ id, state }: Held, news: Properties, ctx: Partial<CallContext> = {}): Promise<Held> {
    fixture.simulator.requests.length = 0;
    return { id, state: await fixture.run(fixture.cluster.update(fixture.ctx(ctx), id, state, news)) };
  }

  /** As `change`, but it has to fail: what the engine then stores, and the message that it shows. A plain error stores nothing. */
  async function failingChange({ id, state }: Held, news: Properties, ctx: Partial<CallContext> = {}) {
    fixture.simulator.requests.length = 0;
    const error = await fixture.run(failureOf(fixture.cluster.update(fixture.ctx(ctx), id, state, news)));
    if (!(error instanceof InitError)) return { id, state, text: error.message };
    return { id: error.id, state: error.state, text: error.reasons.join("\n") };
  }

  /** A refresh; fails if the cluster is gone. */
  async function refresh({ id, state }: Held): Promise<Held> {
    const found = await fixture.run(fixture.cluster.read(fixture.ctx(), id, state));
    if (!found) throw new Error(`${id} was not found`);
    return { id, state: found.state };
  }

  /** The differences between the state and the inputs, by property path. */
  function toDo({ state }: Held, news: Properties): string[] {
    return Object.keys(diffCluster(state, news).changes);
  }

  /** There is no difference, neither now nor after a refresh. */
  async function expectAtGoal(held: Held, news: Properties): Promise<void> {
    expect(held.state["settled"]).toBe(true);
    expect(toDo(held, news)).toEqual([]);
    const again = await refresh(held);
    expect(toDo(again, news)).toEqual([]);
    expect(again.state).toEqual(held.state);
  }

  /** Updates to new inputs, by exactly these requests if `calls` is set; then there is no difference. */
  async function reach(held: Held, news: Properties, calls?: readonly string[]): Promise<Held> {
    const at = await change(held, news);
    if (calls) expect(writes()).toEqual(calls);
    await expectAtGoal(at, news);
    return at;
  }

  /** A cluster that this package has stopped. */
  async function settleStopped(inputs: Properties = toStop): Promise<Held> {
    const made = await settle({ ...inputs, desiredStatus: "running" });
    return change(made, inputs);
  }

  /** What the replicas really run, and how often they were restarted. */
  function running({ id }: Held) {
    const { status, generation, deployed, replicaStates = [] } = fixture.simulator.cluster(id) ?? {};
    return {
      status,
      generation,
      env: deployed?.env,
      restarts: Math.max(0, ...replicaStates.map((one) => one.restarts)),
    };
  }

  function warnings(): string[] {
    return fixture.messages.filter((text) => text.startsWith("warning"));
  }

  const read = ({ id, state }: Held, ctx: Partial<CallContext> = {}) =>
    fixture.run(fixture.cluster.read(fixture.ctx(ctx), id, state));

  /** The changes that a preview shows. */
  const diff = ({ id, state }: Held, news: Properties, ctx: Partial<CallContext> = {}) =>
    fixture.run(fixture.cluster.diff(fixture.ctx(ctx), id, state, news));

  const remove = ({ id, state }: Held, ctx: Partial<CallContext> = {}) =>
    fixture.run(fixture.cluster.delete(fixture.ctx(ctx), id, state));

  /** The error of a creation that has to fail with an id, within a minute if `ctx` sets nothing else. */
  const failingCreate = (inputs: Properties, ctx: Partial<CallContext> = { timeoutMs: 60_000 }) =>
    fixture.run(initErrorOf(fixture.cluster.create(fixture.ctx(ctx), inputs)));

  /** How long work takes, and how it ends. */
  async function timed<T>(work: Promise<T>): Promise<{ end: T; tookMs: number }> {
    const startMs = fixture.clock.now();
    const end = await fixture.run(work);
    return { end, tookMs: fixture.clock.now() - startMs };
  }

  /** Creates so many clusters at once. */
  function createFleet(count: number, inputs: Properties = checked): Promise<Held[]> {
    const names = Array.from({ length: count }, (_, index) => `web-${index}`);
    return fixture.run(Promise.all(names.map((name) => fixture.cluster.create(fixture.ctx(), { ...inputs, name }))));
  }

  /** Creates so many healthy clusters at once, and forgets the requests. */
  async function settleFleet(count: number, inputs: Properties = checked): Promise<Held[]> {
    const fleet = await createFleet(count, inputs);
    forget();
    return fleet;
  }

  /** Creates a cluster and checks that it exists. */
  async function create(wanted: Wanted = web): Promise<Held> {
    const held = await fixture.run(fixture.cluster.create(fixture.ctx(), wanted));
    await expectReached(held, wanted);
    return held;
  }

  /** Updates a cluster and checks that it is the desired one. */
  async function update(held: Held, wanted: Wanted): Promise<Held> {
    const next = await change(held, wanted);
    await expectReached(next, wanted);
    return next;
  }

  /** All warnings except that of a removed variable where the service shows no env. */
  function unexpectedWarnings(): string[] {
    const isHidden = fixture.simulator.dialect.envEcho === "none";
    return warnings().filter((message) => !isHidden || !message.includes("the service shows no env, so it may keep"));
  }

  /**
   * The postcondition of each success: one living cluster of that name, its replicas run the desired configuration, and the
   * state matches. Neither the next preview nor one after a refresh shows a change. There is no warning.
   */
  async function expectReached(held: Held, wanted: Wanted): Promise<void> {
    expectRunning(held.id, wanted);
    expect(held.state).toMatchObject({ ...wanted, settled: true, readyReplicas: wanted.replicas });
    expect(held.state["env"]).toEqual(wanted.env);
    expect(JSON.parse(JSON.stringify(held.state))).toStrictEqual(held.state);
    const sent = writes().length;
    await expectAtGoal(held, wanted);
    expect(writes()).toHaveLength(sent);
    expect(unexpectedWarnings()).toEqual([]);
  }

  /** Checks the configuration that really runs, whatever the service shows. */
  function expectRunning(id: string, wanted: Wanted): void {
    const configuration = { container: wanted.container, env: wanted.env ?? {} };
    // No read of an adopted cluster tells what the service adds to env from what another user has set: both are kept.
    const { injectedEnv = {} } = fixture.simulator.dialect;
    const withoutInjected = <Configured extends { env: Record<string, string> }>(configured: Configured) => {
      const entries = Object.entries(configured.env).filter(([name, value]) => injectedEnv[name] !== value);
      return { ...configured, env: Object.fromEntries(entries) };
    };
    expect(
      living(fixture.simulator)
        .filter(({ name }) => name === wanted.name)
        .map(withoutInjected),
    ).toEqual([expect.objectContaining({ id, status: "running", replicas: wanted.replicas, ...configuration })]);
    const cluster = fixture.simulator.cluster(id);
    expect(cluster && withoutInjected(cluster.deployed)).toEqual(configuration);
    expect(cluster?.replicaStates.map(({ healthy }) => healthy)).toEqual(Array(wanted.replicas).fill(true));
  }

  return {
    requestLines,
    writes,
    countOf,
    living: () => living(fixture.simulator),
    forget,
    make,
    settle,
    change,
    failingChange,
    refresh,
    toDo,
    expectAtGoal,
    reach,
    settleStopped,
    running,
    warnings,
    read,
    diff,
    remove,
    failingCreate,
    timed,
    createFleet,
    settleFleet,
    create,
    update,
    unexpectedWarnings,
    expectReached,
    expectRunning,
  };
}

/** Requests for the list, and create requests. */
export const post = { method: "POST", path: "/v1/clusters" } as const;
export const lists = { method: "GET", path: "/v1/clusters" } as const;
/** A create request whose answer is lost, before and after its effect. */
export const lost: Fault = { ...post, kind: "drop" };
export const lostAfter: Fault = { ...lost, when: "after" };

/** The clusters in every list after the first ones. */
export function laterLists(clusters: object[], after = 1): Fault {
  return { ...lists, kind: "body", body: JSON.stringify({ clusters }), after, times: 1_000 };
}

/** Every list after the first ones fails by this status. */
export function failingLists(status: number, after = 0): Fault {
  return { ...lists, kind: "status", status, after, times: 1_000 };
}
