import type { Dialect } from "../../../simulator";
import { resolveDialect } from "../../../simulator/dialects";
import { closeAll, forget, writes } from "../cluster/harness";
import { expectReached, type Held, names, open, read, toDo, type Wanted, web } from "./harness";

afterEach(closeAll);

type Bench = Awaited<ReturnType<typeof open>>;

const { name, gpuType, replicas, container, env = {} } = web;
const foreign = { name, gpuType, replicas, container, env };

/** Adopts a cluster that another program made. */
async function adopt(bench: Bench, id: string, wanted: Wanted = web): Promise<Held & { wanted: Wanted }> {
  const inputs = { ...wanted, adopt: id };
  forget(bench);
  return { ...(await bench.run(bench.cluster.create(bench.ctx(), inputs))), wanted: inputs };
}

/** The inputs that the dialect does not show. */
function unverified({ containerEcho, envEcho }: Dialect): string[] {
  const names = Object.keys(env).sort();
  const envPaths = { same: [], none: ["env"], masked: names.map((name) => `env.${name}`) };
  return [...(containerEcho === "none" ? ["container"] : []), ...envPaths[envEcho]];
}

describe.each(names)("in the dialect %s", (dialect) => {
  it("a cluster that matches the program is adopted without a change, and names the unverified inputs", async () => {
    const bench = await open(dialect);
    const at = await adopt(bench, bench.simulator.addCluster(foreign).id);
    expect(writes(bench.simulator)).toEqual([]);
    expect(at.state["unverifiedInputs"]).toEqual(unverified(bench.simulator.dialect));
    await expectReached(bench, at, at.wanted);
  });

  it("differences of size, container and env that are shown are corrected, and then there is no drift", async () => {
    const bench = await open(dialect);
    const { envEcho, containerEcho } = resolveDialect(dialect);
    const other = { MODEL: "another-model", MODE: env["MODE"] ?? "" };
    const found = bench.simulator.addCluster({ ...foreign, replicas: 4, container: "team/server:0.9", env: other });
    const at = await adopt(bench, found.id);
    const isSent = containerEcho !== "none" || envEcho !== "none";
    const runs = isSent ? { container, env } : { container: "team/server:0.9", env: other };
    expect(bench.simulator.cluster(at.id)).toMatchObject({ replicas, status: "running", deployed: runs });
    expect(toDo(bench, at, at.wanted)).toEqual([]);
    const again = await read(bench, at);
    expect(again.state).toEqual(at.state);
  });

  it("a stopped cluster is started", async () => {
    const bench = await open(dialect);
    const { id } = bench.simulator.addCluster({ ...foreign, status: "stopped" });
    const at = await adopt(bench, id);
    await expectReached(bench, at, at.wanted);
  });

  it("a cluster of an interrupted run is adopted without a create request", async () => {
    const bench = await open(dialect, { settings: { resume: "9f3c41aa07be5d12" } });
    const { name: _name, ...nameless } = web;
    const up = async () => {
      const process = bench.as("seen");
      const { inputs, failures } = await bench.run(process.check(bench.ctx(), nameless));
      expect(failures).toEqual([]);
      return bench.run(process.create(bench.ctx(), inputs));
    };
    const lost = await up();
    forget(bench);
    const at = await up();
    expect(at.id).toBe(lost.id);
    expect(writes(bench.simulator)).toEqual([]);
    expect(at.state).toMatchObject({ settled: true, readyReplicas: replicas });
  });
});
