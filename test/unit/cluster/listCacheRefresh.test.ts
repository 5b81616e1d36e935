import type { Properties } from "../../../provider/core";
import type { SimulatorOptions } from "../../../simulator";
import { type Bench, closeAll, openBench, requestLines } from "./harness";
import { checked } from "./inputs";

afterEach(closeAll);

const list = "GET /v1/clusters";

interface Made {
  readonly id: string;
  readonly state: Properties;
}

/** As many clusters as are given, each as a state of its own, and nothing in the record of requests. */
async function openFleet(count: number, options: SimulatorOptions = {}): Promise<{ bench: Bench; fleet: Made[] }> {
  const bench = await openBench(options);
  const fleet = await bench.run(
    Promise.all(
      Array.from({ length: count }, (_, index) =>
        bench.cluster.create(bench.ctx(), { ...checked, name: `web-${index}` }),
      ),
    ),
  );
  bench.simulator.requests.length = 0;
  return { bench, fleet };
}

/** A refresh is a process of its own. */
async function refresh(bench: Bench, fleet: readonly Made[]) {
  const cluster = bench.as("seen");
  return bench.run(Promise.all(fleet.map(({ id, state }) => cluster.read(bench.ctx(), id, state))));
}

const lists = (bench: Bench) =>
  requestLines(bench.simulator).filter((line) => line.startsWith(list) && !line.includes(":id"));

describe("a refresh of many clusters", () => {
  it.each(["plain", "terse"])("takes few requests where the list shows all (%s)", async (dialect) => {
    const own = dialect === "plain" ? ({ containerEcho: "none", envEcho: "none" } as const) : dialect;
    const { bench, fleet } = await openFleet(30, { dialect: own });
    const found = await refresh(bench, fleet);
    expect(bench.simulator.requests.length).toBeLessThanOrEqual(4 + lists(bench).length);
    expect(found.map((read) => read?.state)).toEqual(fleet.map(({ state }) => state));
  });

  it("reads each cluster that shows more than the list, once", async () => {
    const { bench, fleet } = await openFleet(30);
    await refresh(bench, fleet);
    const details = requestLines(bench.simulator).filter((line) => line === "GET /v1/clusters/:id");
    expect(details.length).toBeLessThanOrEqual(30);
    const looks = requestLines(bench.simulator).filter((line) => line.endsWith("/status"));
    expect(looks.length).toBeLessThanOrEqual(2);
  });

  it("finds every drift that the list shows, and looks closer where it is in doubt", async () => {
    const { bench, fleet } = await openFleet(30, { dialect: { containerEcho: "none", envEcho: "none" } });
    const [, , , scaled, stopped, failed, deleted] = fleet;
    bench.simulator.change(scaled?.id ?? "", { replicas: 5 });
    bench.simulator.change(stopped?.id ?? "", { status: "stopped" });
    bench.simulator.change(failed?.id ?? "", { status: "failed", message: "hot" });
    await bench.client.deleteCluster(deleted?.id ?? "");
    await bench.clock.advance(60_000);
    const found = await refresh(bench, fleet);
    const [, , , a, b, c, d, ...others] = found;
    expect(a?.inputs["replicas"]).toBe(5);
    expect(b?.inputs["desiredStatus"]).toBe("stopped");
    expect(c?.state).toMatchObject({ settled: false, readyReplicas: 0 });
    expect(d).toBeUndefined();
    expect(others.every((read) => read?.state["settled"] === true)).toBe(true);
  });

  it("drops none because a list leaves it out", async () => {
    const { bench, fleet } = await openFleet(30, { dialect: { containerEcho: "none", envEcho: "none" } });
    const [record] = fleet;
    bench.simulator.fault({
      kind: "body",
      body: JSON.stringify({ clusters: [] }),
      path: "/v1/clusters",
      method: "GET",
      times: 100,
    });
    const found = await refresh(bench, fleet);
    expect(found.filter((read) => read === undefined)).toEqual([]);
    expect(found[0]?.state).toEqual(record?.state);
  });

  it("goes on by id where the key may not list", async () => {
    const { bench, fleet } = await openFleet(5);
    bench.simulator.fault({ kind: "status", status: 403, path: "/v1/clusters", method: "GET", times: 100 });
    expect((await refresh(bench, fleet)).filter((read) => read === undefined)).toEqual([]);
  });
});

describe("a refresh of few clusters", () => {
  it("looks at the replicas of each", async () => {
    const { bench, fleet } = await openFleet(5);
    await refresh(bench, fleet);
    expect(requestLines(bench.simulator).filter((line) => line.endsWith("/status"))).toHaveLength(5);
  });
});
