import type { SimulatedCluster } from "../../simulator";
import { type Bench, closeBenches, living, openBench, until } from "./harness";
import { type Blow, type KillPoint, killPoints, type Moment, type Rest, type Wanted } from "./killPoints";
import { findProvider, isAlive } from "./processes";
import type { Running } from "./workspace";

/** Duration for which a request is held: the kill must come within it, and a killed request takes effect after it. */
const holdMs = 3_000;
/** "Within seconds", plus the time for which a request is held. */
const gentleEndMs = 15_000;
/** A provider has 5 s to end after its engine. */
const providerEndMs = 10_000;

/** The module of each adapter. */
const adapters = { dynamic: "pulumi-gpucluster", native: "pulumi-gpucluster/native" } as const;
type Adapter = keyof typeof adapters;

const programOf = (wanted: Wanted, adapter: Adapter) =>
  `new (require("${adapters[adapter]}").Cluster)("web", { gpuType: "h100", ...${JSON.stringify(wanted)} });`;

/** CI runs every point (`npm test -- --all`); `npm test` one of each kind. */
const everyKill = process.env["EVERY_KILL"] === "true";

/** Tests each point of a share of the table, so that Jest's workers run the shares in parallel. */
export function sweepKills(share: number, shares: number): void {
  afterAll(closeBenches);
  const points = killPoints
    .filter(({ rest, isAlways }) => isAlways || (everyKill && rest !== "its id is lost"))
    .filter((_, index) => index % shares === share);
  it.each(points)("$name", (point) => strikeAndRecover(point, "dynamic", recoveries[point.rest]));
}

/** Tests with `gpucluster:resume` the points at which an id is lost; through the plugin, and in `npm test`, only some of them. */
export function sweepResumed(adapter: Adapter): void {
  afterAll(closeBenches);
  const points = killPoints
    .filter(({ rest }) => rest === "its id is lost")
    .filter(({ isAlways }) => isAlways || (everyKill && adapter === "dynamic"));
  it.each(points)("$name, and is adopted", (point) => strikeAndRecover(point, adapter, expectAdopted, { resume }));
}

const resume = "9f3c41aa07be5d12";

async function strikeAndRecover(
  { work, moment, blow, rest }: KillPoint,
  adapter: Adapter,
  recover: Recovery,
  settings: Readonly<Record<string, string>> = {},
): Promise<void> {
  const { before, wanted } = work;
  const bench = await openBench(programOf(before ?? wanted, adapter), moment.options);
  for (const [name, value] of Object.entries(settings))
    await bench.workspace.succeed("config", "set", `gpucluster:${name}`, value);
  if (before) await bench.workspace.succeed("up", "--yes", "--skip-preview");
  bench.workspace.program(programOf(wanted, adapter));
  await strike(bench, moment, blow);
  await afterwards(bench);
  expect(restOf(bench)).toBe(rest);
  await recover(bench, wanted);
  expectNoHarm(bench, blow);
}

/** Runs an `up` until the moment, kills it, and waits until none of its processes is left. */
async function strike(bench: Bench, moment: Moment, blow: Blow): Promise<void> {
  const { simulator, workspace } = bench;
  if (moment.hold) simulator.fault({ kind: "delay", ms: holdMs, ...moment.hold });
  const run = workspace.start("up", "--yes", "--skip-preview");
  try {
    await until("the moment of the kill", () => (moment.reached ?? isHeld)(run, simulator));
    await strikeRun(run, moment, blow);
  } finally {
    // A run that did not end would disturb the next points.
    run.kill();
    await run.ended;
  }
  if (workspace.isLocked()) await workspace.succeed("cancel", "--yes");
}

async function strikeRun(run: Running, { isUnloaded = false }: Moment, blow: Blow): Promise<void> {
  const provider = findProvider(run.pid);
  if (provider === undefined) throw new Error("there is no provider process to kill");
  try {
    await blow.strike(run, provider);
    await ended(run, blow.isGentle ? gentleEndMs : undefined);
    // If the CLI was killed, no other process ends the provider.
    if (!isUnloaded) await until("the provider has ended by itself", () => !isAlive(provider), providerEndMs);
  } finally {
    if (isAlive(provider)) process.kill(provider, "SIGKILL");
  }
}

function isHeld(_run: Running, { openRequests }: Bench["simulator"]): boolean {
  return openRequests().length > 0;
}

async function ended(run: Running, limitMs?: number): Promise<void> {
  let isOver = false;
  void run.ended.then(() => {
    isOver = true;
  });
  await until("the CLI has ended", () => isOver, limitMs);
  expect((await run.ended).code).not.toBe(0);
}

/** Without any client, a request that has arrived takes effect, and a cluster becomes ready. */
async function afterwards({ simulator }: Bench): Promise<void> {
  await until("the service has answered all requests", () => simulator.openRequests().length === 0);
  const unready = living(simulator).filter(({ status }) => status === "provisioning");
  for (const { id } of unready) simulator.change(id, { status: "running" });
}

/** The invariant of every kill: at most one cluster was ever created, none was deleted, and none restarted without need. */
function expectNoHarm({ simulator }: Bench, { isGentle }: Blow): void {
  expect(simulator.clusters().length).toBeLessThanOrEqual(1);
  expect(simulator.requests.filter(({ method }) => method === "DELETE")).toEqual([]);
  const redeploys = simulator.requests.filter(({ path }) => path.endsWith("/redeploy"));
  // A killed process leaves no record of its redeploy, so the next process has to send one.
  expect(redeploys.length).toBeLessThanOrEqual(isGentle ? 1 : 2);
}

function restOf({ simulator, workspace }: Bench): Rest {
  const [made] = living(simulator);
  const [stored] = workspace.storedClusters();
  expect(stored?.id).toBe(stored && made?.id);
  if (stored) return "its id is in the state";
  return made ? "its id is lost" : "nothing was made";
}

type Recovery = (bench: Bench, wanted: Wanted) => Promise<unknown>;

const recoveries: Record<Rest, Recovery> = {
  "nothing was made": expectReached,
  "its id is in the state": expectReached,
  "its id is lost": expectNamed,
};

/** The next `up` adopts the cluster without a person and without a create request, and says so. */
async function expectAdopted(bench: Bench, wanted: Wanted): Promise<void> {
  bench.writes();
  const output = await expectReached(bench, wanted);
  expect(output).toMatch(new RegExp(`adopts ${living(bench.simulator)[0]?.id} .*which an interrupted run has created`));
  expect(output).not.toContain(resume);
  expect(bench.writes()).toEqual([]);
}

/** The next `up` ends with the desired configuration on one cluster, in the service and in the state. */
async function expectReached({ simulator, workspace }: Bench, { replicas, container, env }: Wanted): Promise<string> {
  const output = await workspace.succeed("up", "--yes", "--skip-preview");
  const [made] = living(simulator);
  expect(made).toMatchObject({ status: "running", replicas, container, env, deployed: { container, env } });
  expect(healthOf(made)).toEqual(Array(replicas).fill(true));
  const stored = workspace.storedClusters();
  expect(stored).toMatchObject([{ id: made?.id, inputs: { replicas, container, env }, outputs: { settled: true } }]);
  expect(stored[0]).not.toHaveProperty("initErrors");
  return output;
}

function healthOf(cluster: SimulatedCluster | undefined): boolean[] | undefined {
  return cluster?.replicaStates.map(({ healthy }) => healthy);
}

/** The next preview fails before anything is created. */
async function expectNamed({ simulator, workspace }: Bench): Promise<void> {
  const { code, output } = await workspace.preview();
  expect(code).not.toBe(0);
  for (const { id } of living(simulator)) expectWayOut(output, id);
}

/** The output names the remaining cluster, and says what to do with it. */
function expectWayOut(output: string, id: string): void {
  expect(output).toContain(`is already the name of ${id}`);
  expect(output).toContain(`adopt: "${id}"`);
}
