import type { Fault, Simulator, SimulatorOptions } from "../../simulator";
import { isEverything } from "../support/shares";
import { closeFixtures, type Fixture, living, openFixture, until } from "./harness";
import { findProviders, isAlive } from "./processes";
import type { Running } from "./workspace";

/** The inputs of the program. */
interface Inputs {
  readonly replicas: number;
  readonly container: string;
  readonly env: Readonly<Record<string, string>>;
}

const small: Inputs = { replicas: 2, container: "acme/model:1", env: { MODEL: "first", OLD: "removed" } };
const larger: Inputs = { ...small, replicas: 3 };
const other: Inputs = { replicas: 2, container: "acme/model:2", env: { MODEL: "second", NEW: "added" } };

/** The operation that is interrupted; without `before`, the cluster is created. */
const operations = {
  creation: { inputs: small },
  scaling: { before: small, inputs: larger },
  update: { before: small, inputs: other },
} satisfies Record<string, { before?: Inputs; inputs: Inputs }>;

/** The time of the crash. */
interface Moment {
  readonly options?: SimulatorOptions;
  /** This package is not loaded yet: the process is the SDK's, which does not end when its engine is killed. */
  readonly isUnloaded?: boolean;
  /** A request to hold until the crash; without it, `reached` decides the time. */
  readonly hold?: Omit<Extract<Fault, { kind: "delay" }>, "kind" | "ms">;
  reached?(run: Running, simulator: Simulator): boolean;
}

const clusters = "/v1/clusters";
const cluster = "/v1/clusters/*";

/** Longer than any test: the cluster becomes ready when the test changes it. */
const slow: SimulatorOptions = { provisioningMs: 600_000 };
/** A rollout that is still in progress when the next command starts. */
const unhurried: SimulatorOptions = { provisioningMs: 6_000 };
const withoutRollout: SimulatorOptions = { dialect: { updateRollsOut: false } };
const withoutEcho: SimulatorOptions = { dialect: { envEcho: "none" } };

/** Decided by the requests that the service has received, never by the time that has passed. */
const moments = {
  "the provider has just started": { isUnloaded: true, reached: ({ pid }) => findProviders(pid).length > 0 },
  "the create request has arrived": { hold: { method: "POST", path: clusters, when: "before" } },
  "the cluster is created, and not yet answered": { hold: { method: "POST", path: clusters, when: "after" } },
  "the next poll is due later": { options: slow, reached: isPolledSince("POST") },
  "all is healthy, and read back": { options: withoutEcho, hold: { method: "GET", path: cluster, after: 1 } },
  "the new replica is polled": { hold: { method: "GET", path: `${cluster}/status`, when: "after" } },
  "the update has arrived": { hold: { method: "PATCH", path: cluster, when: "before" } },
  "the rollout continues": { options: unhurried, reached: isPolledSince("PATCH") },
  "it is redeployed, and not yet answered": {
    options: withoutRollout,
    hold: { method: "POST", path: `${cluster}/redeploy`, when: "after" },
  },
} satisfies Record<string, Moment>;

/** Between two polls, the first of which came after a request of this method. */
function isPolledSince(method: string): NonNullable<Moment["reached"]> {
  return (_run, { requests, openRequests }) => {
    const sent = requests.findLastIndex((request) => request.method === method);
    const isPolled = sent >= 0 && requests.slice(sent).some(({ path }) => path.endsWith("/status"));
    return isPolled && openRequests().length === 0;
  };
}

/** One way to end a run early. */
interface Crash {
  end(run: Running, provider: number): void | Promise<void>;
  /** True if the operation has time to report its partial state. */
  readonly isGentle?: boolean;
}

/** The process that ends, and the signal. Only the CLI receives a terminal's signals: it starts others in separate groups. */
const crashes = {
  "Ctrl-C": { end: (run) => run.signal("SIGINT"), isGentle: true },
  "SIGTERM to the CLI": { end: (run) => run.signal("SIGTERM"), isGentle: true },
  "a second Ctrl-C": { end: interruptTwice },
  "kill -9 of the CLI": { end: (run) => run.kill() },
  "kill -9 of the provider": { end: (_run, provider) => void process.kill(provider, "SIGKILL") },
  "SIGTERM to the provider": { end: (_run, provider) => void process.kill(provider, "SIGTERM") },
} satisfies Record<string, Crash>;

async function interruptTwice(run: Running): Promise<void> {
  run.signal("SIGINT");
  await until("the CLI asks for a second Ctrl-C", () => run.output().includes("press ^C again"));
  run.signal("SIGINT");
}

/** The cluster after a crash, which decides what the next command does. */
const none = "nothing was created";
const kept = "its id is in the state";
const lost = "its id is lost";
type Outcome = typeof none | typeof kept | typeof lost;

/** `always`: also part of `npm test`, not only of CI. */
type Row = [crash: keyof typeof crashes, moment: keyof typeof moments, outcome: Outcome, isAlways?: "always"];

/** Each way to end a run at least once, and each at the moment at which it can do most harm. */
const rows: Record<keyof typeof operations, Row[]> = {
  creation: [
    ["kill -9 of the CLI", "the provider has just started", none],
    ["a second Ctrl-C", "the create request has arrived", lost],
    ["Ctrl-C", "the cluster is created, and not yet answered", kept],
    ["kill -9 of the CLI", "the cluster is created, and not yet answered", lost, "always"],
    ["SIGTERM to the provider", "the cluster is created, and not yet answered", lost],
    ["Ctrl-C", "the next poll is due later", kept, "always"],
    ["kill -9 of the CLI", "all is healthy, and read back", lost],
  ],
  scaling: [["SIGTERM to the CLI", "the new replica is polled", kept]],
  update: [
    ["kill -9 of the provider", "the update has arrived", kept, "always"],
    ["Ctrl-C", "the rollout continues", kept],
    ["a second Ctrl-C", "it is redeployed, and not yet answered", kept],
  ],
};

const crashPoints = Object.entries(operations).flatMap(([operation, inputs]) =>
  rows[operation as keyof typeof operations].map(([crash, moment, outcome, always]) => ({
    name: `${operation}: ${crash} when ${moment}: ${outcome}`,
    operation: inputs as { readonly before?: Inputs; readonly inputs: Inputs },
    moment: moments[moment] as Moment,
    crash: crashes[crash] as Crash,
    outcome,
    isAlways: always === "always",
  })),
);
type CrashPoint = (typeof crashPoints)[number];

/** Duration for which a request is held: the crash must come within it, and a request of a killed process takes effect after it. */
const holdMs = 3_000;
/** "Within seconds", plus the time for which a request is held. */
const gentleEndMs = 15_000;
/** The time until a crash, most of it for the start of the CLI on a busy machine. */
const startMs = 120_000;
/** A provider has 5 s to end after its engine. */
const providerEndMs = 10_000;

const resume = "9f3c41aa07be5d12";

/** The module of each adapter. */
const modules = { dynamic: "pulumi-gpucluster", native: "pulumi-gpucluster/native" } as const;
type Adapter = keyof typeof modules;

afterAll(closeFixtures);

const share = crashPoints.filter(({ isAlways }) => isAlways || isEverything);
const adapters: readonly Adapter[] = isEverything ? ["dynamic", "native"] : ["dynamic"];

describe("a run that ends early", () => {
  it.each(share)("leaves one cluster, or a preview that names it: $name", async (point) => {
    const fixture = await openFixture(programOf(point, "dynamic"), point.moment.options);
    await crash(fixture, point);
    await (point.outcome === lost ? expectNamed(fixture) : expectReached(fixture, point.operation.inputs));
    expectNoHarm(fixture, point);
  });
});

describe.each(adapters)("a creation by the adapter %s whose id is lost, with `gpucluster:resume`", (adapter) => {
  const points = share.filter(({ outcome }) => outcome === lost);
  it.each(points)("is adopted by the next up without a person: $name", async (point) => {
    const fixture = await openFixture(programOf(point, adapter), point.moment.options);
    await fixture.workspace.succeed("config", "set", "gpucluster:resume", resume);
    await crash(fixture, point);
    fixture.writes();
    const output = await expectReached(fixture, point.operation.inputs);
    const [made] = living(fixture.simulator);
    expect(output).toMatch(new RegExp(`adopts ${made?.id} .*which an interrupted run has created`));
    expect(output).not.toContain(resume);
    expect(fixture.writes()).toEqual([]);
    expectNoHarm(fixture, point);
  });
});

/** The program before the operation that is interrupted, or that of the creation. */
function programOf({ operation: { before, inputs } }: CrashPoint, adapter: Adapter, news = before ?? inputs): string {
  return `new (require("${modules[adapter]}").Cluster)("web", { gpuType: "h100", ...${JSON.stringify(news)} });`;
}

/** Brings the cluster to its state before the operation, ends an `up` at its moment, and checks what that has left. */
async function crash(fixture: Fixture, point: CrashPoint): Promise<void> {
  const { workspace, simulator } = fixture;
  const { before, inputs } = point.operation;
  if (before) {
    await workspace.succeed("up", "--yes", "--skip-preview");
    workspace.program(programOf(point, "dynamic", inputs));
  }
  if (point.moment.hold) simulator.fault({ kind: "delay", ms: holdMs, ...point.moment.hold });
  const run = workspace.start("up", "--yes", "--skip-preview");
  try {
    await until("the moment of the crash", () => (point.moment.reached ?? isHeld)(run, simulator), startMs);
    await endRun(run, point.moment, point.crash);
  } finally {
    // A run that did not end would disturb the next points.
    run.kill();
    await run.ended;
  }
  if (workspace.isLocked()) await workspace.succeed("cancel", "--yes");
  // Without any client, a request that has arrived takes effect, and a cluster becomes ready.
  await until("the service has answered all requests", () => simulator.openRequests().length === 0);
  const unready = living(simulator).filter(({ status }) => status === "provisioning");
  for (const { id } of unready) simulator.change(id, { status: "running" });
  expect(outcomeOf(fixture)).toBe(point.outcome);
}

async function endRun(run: Running, { isUnloaded = false }: Moment, { end, isGentle = false }: Crash): Promise<void> {
  const [provider] = findProviders(run.pid);
  if (provider === undefined) throw new Error("there is no provider process to kill");
  try {
    await end(run, provider);
    let isOver = false;
    void run.ended.then(() => {
      isOver = true;
    });
    await until("the CLI has ended", () => isOver, isGentle ? gentleEndMs : undefined);
    expect((await run.ended).code).not.toBe(0);
    // If the CLI was killed, no other process ends the provider.
    if (!isUnloaded) await until("the provider has ended by itself", () => !isAlive(provider), providerEndMs);
  } finally {
    if (isAlive(provider)) process.kill(provider, "SIGKILL");
  }
}

function isHeld(_run: Running, { openRequests }: Fixture["simulator"]): boolean {
  return openRequests().length > 0;
}

function outcomeOf({ simulator, workspace }: Fixture): Outcome {
  const [made] = living(simulator);
  const [stored] = workspace.storedClusters();
  expect(stored?.id).toBe(stored && made?.id);
  if (stored) return kept;
  return made ? lost : none;
}

/** The invariant of every crash: at most one cluster was ever created, none was deleted, and none restarted without need. */
function expectNoHarm({ simulator }: Fixture, { crash: { isGentle } }: { crash: Crash }): void {
  expect(simulator.clusters().length).toBeLessThanOrEqual(1);
  expect(simulator.requests.filter(({ method }) => method === "DELETE")).toEqual([]);
  const redeploys = simulator.requests.filter(({ path }) => path.endsWith("/redeploy"));
  // A killed process leaves no record of its redeploy, so the next process has to send one.
  expect(redeploys.length).toBeLessThanOrEqual(isGentle ? 1 : 2);
}

/** The next `up` ends with the desired inputs on one healthy cluster, in the service and in the state. */
async function expectReached({ simulator, workspace }: Fixture, inputs: Inputs): Promise<string> {
  const output = await workspace.succeed("up", "--yes", "--skip-preview");
  const { container, env } = inputs;
  const [made] = living(simulator);
  expect(made).toMatchObject({ status: "running", ...inputs, deployed: { container, env } });
  expect(made?.replicaStates.map(({ healthy }) => healthy)).toEqual(Array(inputs.replicas).fill(true));
  const stored = workspace.storedClusters();
  expect(stored).toMatchObject([{ id: made?.id, inputs, outputs: { settled: true } }]);
  expect(stored[0]).not.toHaveProperty("initErrors");
  return output;
}

/** The next preview fails before anything is created; it names the cluster, and says what to do with it. */
async function expectNamed({ simulator, workspace }: Fixture): Promise<void> {
  const { code, output } = await workspace.preview();
  expect(code).not.toBe(0);
  const [made] = living(simulator);
  expect(output).toContain(`is already the name of ${made?.id}`);
  expect(output).toContain(`adopt: "${made?.id}"`);
}
