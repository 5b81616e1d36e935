import { type Dialect, dialects, type SimulatedCluster } from "../../simulator";
import { resolveDialect } from "../../simulator/dialects";
import { type Bench, closeBenches, living, openBench } from "./harness";

/** The desired inputs of one step. */
interface Wanted {
  readonly replicas: number;
  readonly container: string;
  readonly env: Record<string, string>;
}

const first: Wanted = { replicas: 2, container: "team/server:1.0", env: { MODEL: "llama-3-8b", MODE: "value-before" } };
const second: Wanted = {
  replicas: 3,
  container: "team/server:2.0",
  env: { MODEL: "llama-3-8b", ADDED: "value-after" },
};
const drifted = { replicas: 1, container: "team/server:9.9", env: { MODEL: "llama-3-8b", FOREIGN: "value-of-others" } };

const programOf = (wanted: Wanted) => `
const web = new gpu.Cluster("web", { name: "web", gpuType: "h100", ...${JSON.stringify(wanted)} });
exports.endpoint = web.endpoint;
`;

/**
 * The whole life of a cluster through the real CLI in every dialect, few processes each. Each test file runs a share of the
 * dialects, so that Jest's workers run them in parallel.
 */
export function tourDialects(share: number, shares: number): void {
  const names = Object.keys(dialects).filter((name, index) => name !== "client" && index % shares === share);
  afterAll(closeBenches);
  // Concurrent: one process waits for the service while another one computes.
  it.concurrent.each(names)("a cluster lives and ends through the real engine in the dialect %s", async (name) => {
    const bench = await openBench(programOf(first), { dialect: name });
    await run(bench, "up", "--yes", "--skip-preview");
    const { id } = expectRunning(bench, first);
    // Drift and a change of all fields at once: each process costs seconds, and the unit tests cover each one alone.
    bench.simulator.change(id, shownBy(resolveDialect(name)));
    bench.workspace.program(programOf(second));
    await run(bench, "up", "--yes", "--skip-preview", "--refresh");
    expectRunning(bench, second);
    await run(bench, "refresh", "--yes", "--skip-preview", "--expect-no-changes");
    await run(bench, "destroy", "--yes", "--skip-preview");
    expect(bench.simulator.clusters().map(({ status }) => status)).toEqual(["gone"]);
  });
}

/** Drift that the dialect shows; hidden drift cannot be found. */
function shownBy({ containerEcho, envEcho }: Dialect): Partial<typeof drifted> {
  return {
    replicas: drifted.replicas,
    ...(containerEcho === "none" ? {} : { container: drifted.container }),
    ...(envEcho === "none" ? {} : { env: drifted.env }),
  };
}

/** Runs a command that has to succeed. A service that neither shows env nor takes a null may keep what is removed. */
async function run({ workspace, simulator }: Bench, ...args: string[]): Promise<void> {
  const { envEcho, updateMethod, updateSemantics } = simulator.dialect;
  const refusesNull = envEcho === "none" && updateMethod === "PATCH" && updateSemantics !== "merge-keys";
  const warnings = (await workspace.succeed(...args)).split("\n").filter((line) => line.includes("warning:"));
  const isMeant = (line: string) => refusesNull && line.includes("so it may keep `env.MODE`");
  expect(warnings.filter((line) => !isMeant(line))).toEqual([]);
}

/** Checks that there is one cluster, and that its replicas run the desired configuration. */
function expectRunning({ simulator }: Bench, { replicas, container, env }: Wanted): SimulatedCluster {
  const [cluster, ...others] = living(simulator);
  if (!cluster) throw new Error("there is no cluster");
  expect(others).toEqual([]);
  expect(cluster).toMatchObject({ status: "running", replicas, container, deployed: { container } });
  expect([cluster.env, cluster.deployed.env]).toEqual([env, env]);
  expect(cluster.replicaStates.map(({ healthy }) => healthy)).toEqual(Array(replicas).fill(true));
  return cluster;
}
