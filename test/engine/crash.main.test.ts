import { type Crash, type CrashPoint, crashPoints, type Inputs, type Moment, type Outcome } from "./crashTable";
import { closeFixtures, type Fixture, living, openFixture, until } from "./harness";
import { findProvider, isAlive } from "./processes";
import type { Running } from "./workspace";

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

/** CI runs every point (`npm test -- --all`); `npm test` one of each kind. */
const everyCrash = process.env["EVERY_CRASH"] === "true";

afterAll(closeFixtures);

describe("a run that ends early", () => {
  const points = crashPoints.filter(
    ({ outcome, isAlways }) => isAlways || (everyCrash && outcome !== "its id is lost"),
  );
  it.each(points)("leaves one cluster, or a preview that names it: $name", async (point) => {
    const fixture = await openFixture(programOf(point, "dynamic"), point.moment.options);
    await crash(fixture, point);
    await (point.outcome === "its id is lost" ? expectNamed(fixture) : expectReached(fixture, point.operation.inputs));
    expectNoHarm(fixture, point);
  });
});

describe("a creation whose id is lost, with `gpucluster:resume`", () => {
  const points = crashPoints.filter(({ outcome }) => outcome === "its id is lost");
  const rows = points.flatMap((point) => [
    ...(point.isAlways || everyCrash ? [{ ...point, adapter: "dynamic" as const }] : []),
    ...(point.isAlways && everyCrash ? [{ ...point, adapter: "native" as const }] : []),
  ]);
  it.each(rows)("is adopted by the next up without a person: $adapter, $name", async (point) => {
    const fixture = await openFixture(programOf(point, point.adapter), point.moment.options);
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
  const provider = findProvider(run.pid);
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
  if (stored) return "its id is in the state";
  return made ? "its id is lost" : "nothing was created";
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
