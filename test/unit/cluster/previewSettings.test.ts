import { createClusterResource } from "../../../provider/cluster/resource";
import { createService } from "../../../provider/cluster/service";
import type { Settings } from "../../../provider/config";
import { UNKNOWN } from "../../../provider/core";
import { ConfigError } from "../../../provider/errors";
import type { Fault } from "../../../simulator";
import { check, old } from "./checkHarness";
import { closeAll, openBench, requestLines, writes } from "./harness";
import { checked, urnOf } from "./inputs";

afterEach(closeAll);

const down: Fault = { kind: "status", status: 503, times: 1_000 };
const ordinary: Settings = { strictPreview: false, capacityCheck: "warn", gpuTypeCheck: "error" };

describe("gpucluster:strictPreview", () => {
  const strict = { faults: [down], settings: { strictPreview: true } };

  it("makes what could not be checked a failure of each cluster that it concerns", async () => {
    const bench = await openBench(strict);
    for (const name of ["a", "b"]) {
      const { refusals } = await check(bench, { ...checked, name }, {}, name);
      expect(refusals).toEqual([
        expect.stringMatching(
          /^: taken names, GPU types.*HTTP 503.* \(an error because of gpucluster:strictPreview\)$/,
        ),
      ]);
    }
    expect(bench.said).toEqual([]);
  });

  it("does not concern a cluster that does not change", async () => {
    expect((await check(await openBench(strict), checked, old())).refusals).toEqual([]);
  });

  it("does not concern a service that answers", async () => {
    const bench = await openBench({ settings: strict.settings });
    expect((await check(bench, checked)).refusals).toEqual([]);
  });
});

describe("settings that are wrong", () => {
  it("are reported with everything else that is wrong, and nobody is asked", async () => {
    const bench = await openBench();
    const cluster = createClusterResource(
      () => {
        throw new ConfigError("The key is missing");
      },
      () => {
        throw new ConfigError("gpucluster:capacityCheck must be one of two");
      },
    );
    const { failures } = await cluster.check(bench.ctx(), { ...checked, replicas: 0 });
    expect(failures.map(({ property, reason }) => `${property}: ${reason}`)).toEqual([
      expect.stringMatching(/^replicas: must be/),
      ": gpucluster:capacityCheck must be one of two",
      ": The key is missing",
    ]);
  });
});

describe("the connection", () => {
  const known = (name: string | undefined) => {
    if (name === "prod" || name === undefined) return;
    throw new ConfigError(`gpucluster:connections has no entry "${name}"`);
  };

  it("that names no entry is refused by its own path, and nobody is asked", async () => {
    const bench = await openBench();
    const cluster = createClusterResource(
      (name) => {
        known(name);
        return bench.service;
      },
      () => ordinary,
    );
    const { failures } = await cluster.check(bench.ctx(), { ...checked, connection: "dev" });
    expect(failures).toEqual([{ property: "connection", reason: 'gpucluster:connections has no entry "dev"' }]);
    expect(bench.simulator.requests).toEqual([]);
  });

  it("that is not known yet is asked nothing", async () => {
    const bench = await openBench();
    const { refusals, inputs } = await check(bench, { ...checked, connection: UNKNOWN });
    expect(refusals).toEqual([]);
    expect(inputs).not.toHaveProperty("hourlyCost");
    expect(bench.simulator.requests).toEqual([]);
  });

  it("has look-ups and a stock of its own, and its operations go to it", async () => {
    const [one, two] = [await openBench(), await openBench()];
    const services = new Map([["two", createService(two.client, "two", two.clock, 15_000)]]);
    const cluster = createClusterResource(
      (name) => services.get(name ?? "") ?? one.service,
      () => ordinary,
    );
    const news = { ...checked, gpuType: "h200", replicas: 20 };
    for (const [name, connection] of [
      ["a", undefined],
      ["b", "two"],
    ] as const) {
      const bench = connection ? two : one;
      const ctx = one.ctx({ urn: urnOf(name) });
      const { failures } = await bench.run(cluster.check(ctx, { ...news, name, ...(connection && { connection }) }));
      expect(failures).toEqual([]);
    }
    expect(one.said).toEqual([]);
    for (const { simulator } of [one, two])
      expect(requestLines(simulator)).toEqual(["GET /v1/clusters", "GET /v1/gpus"]);
    await two.run(cluster.read(two.ctx(), "cl_1", { ...checked, connection: "two" })).catch(() => undefined);
    expect(requestLines(two.simulator)).toContain("GET /v1/clusters/:id");
  });
});

describe("the look-ups of a run", () => {
  it("take no more than 5 s in all, however many things are asked for, and however slow each is", async () => {
    const bench = await openBench({
      client: (real) => ({
        listClusters: (options) => bench.clock.sleep(2_000).then(() => real.listClusters(options)),
        listGpuTypes: (options) => bench.clock.sleep(4_000).then(() => real.listGpuTypes(options)),
      }),
    });
    const startMs = bench.clock.now();
    for (const name of ["a", "b", "c"]) await check(bench, { ...checked, name }, {}, name);
    expect(bench.clock.now() - startMs).toBe(5_000);
    expect(bench.said).toEqual([
      expect.stringMatching(/^warning: GPU types, stock figures and prices could not be checked: no answer within 5 s/),
    ]);
  });

  it("count only the time in which something is looked up", async () => {
    const bench = await openBench();
    await check(bench, { ...checked, name: "a" }, {}, "a");
    await bench.clock.advance(60 * 60_000);
    const { id } = bench.simulator.addCluster({ name: "found", gpuType: "h100", replicas: 2 });
    const { inputs } = await check(bench, { ...checked, name: undefined, adopt: id }, {}, "b");
    expect(inputs["name"]).toBe("found");
  });

  it("send nothing that changes anything", async () => {
    const bench = await openBench();
    for (const name of ["a", "b"]) await check(bench, { ...checked, name, gpuType: ["h200", "l4"] }, {}, name);
    expect(bench.simulator.requests.length).toBeGreaterThan(0);
    expect(writes(bench.simulator)).toEqual([]);
  });
});
