import type { Client } from "../../../provider/api/client";
import { createClusterResource } from "../../../provider/cluster/resource";
import type { Properties } from "../../../provider/core";
import { ConfigError } from "../../../provider/errors";
import { badInputs } from "./badInputs";
import { type Bench, type BenchOptions, closeAll, countOf, openBench } from "./harness";
import { canary, checked, existing, least, urnOf } from "./inputs";

afterEach(closeAll);

const listLine = "GET /v1/clusters";

async function checkMany(bench: Bench, count: number, inputs: (name: string) => [Properties, Properties?]) {
  const results = [];
  for (let index = 0; index < count; index += 1) {
    const name = `web-${index}`;
    const ctx = bench.ctx({ urn: urnOf(name) });
    results.push(await bench.run(bench.cluster.check(ctx, ...inputs(name))));
  }
  return results;
}

describe("check of bad inputs", () => {
  it("sends no request, whatever is wrong", async () => {
    const bench = await openBench();
    for (const [, property, value] of badInputs) {
      const { failures } = await bench.cluster.check(bench.ctx(), { ...least, [property]: value });
      expect(failures).toHaveLength(1);
    }
    expect(bench.simulator.requests).toEqual([]);
    expect(bench.said).toEqual([]);
  });

  it("says a missing key along with everything else", async () => {
    const cluster = createClusterResource(
      () => {
        throw new ConfigError("The API key is missing");
      },
      () => ({ strictPreview: false, capacityCheck: "warn", gpuTypeCheck: "error" }),
    );
    const bench = await openBench();
    const { failures } = await cluster.check(bench.ctx(), { ...least, replicas: 0 });
    expect(failures.map(({ property }) => property)).toEqual(["replicas", ""]);
    expect(failures[1]?.reason).toBe("The API key is missing");
  });

  it("never shows an env value", async () => {
    const bench = await openBench();
    bench.simulator.addCluster({ name: "web", gpuType: "h100" });
    const { failures } = await bench.run(bench.cluster.check(bench.ctx(), checked));
    expect(failures).toHaveLength(1);
    expect(JSON.stringify([failures, bench.said])).not.toContain(canary);
  });
});

describe("the clusters of a run", () => {
  it("are listed once for all resources that are created", async () => {
    const bench = await openBench();
    await checkMany(bench, 8, (name) => [{ ...least, name }]);
    expect(countOf(bench.simulator, listLine)).toBe(1);
  });

  it("are not listed where the old inputs say it all", async () => {
    const bench = await openBench();
    const results = await checkMany(bench, 3, (name) => [
      { ...checked, name },
      { ...existing, name },
    ]);
    for (const { inputs } of results) expect(inputs).toMatchObject({ ...existing, name: expect.anything() });
    expect(bench.simulator.requests).toEqual([]);
  });
});

describe("the endpoint and the time of creation", () => {
  it("are found by one list call for all existing clusters whose old inputs lack them", async () => {
    const bench = await openBench();
    const made = [0, 1, 2, 3].map((index) => bench.simulator.addCluster({ name: `web-${index}`, gpuType: "h100" }));
    const results = await checkMany(bench, 4, (name) => [
      { ...least, name },
      { ...least, name },
    ]);
    expect(results.map(({ inputs: { endpoint, createdAt } }) => ({ endpoint, createdAt }))).toEqual(
      made.map(({ endpoint, createdAt }) => ({ endpoint, createdAt })),
    );
    expect(countOf(bench.simulator, listLine)).toBe(1);
  });

  it("are left out for a creation", async () => {
    const bench = await openBench();
    const [result] = await checkMany(bench, 1, (name) => [{ ...least, name }, {}]);
    expect(result?.inputs).not.toHaveProperty("endpoint");
    expect(result?.inputs).not.toHaveProperty("createdAt");
  });

  it("are left out where several clusters have the name", async () => {
    const bench = await openBench();
    for (let time = 0; time < 2; time += 1) bench.simulator.addCluster({ name: "web-0", gpuType: "h100" });
    const [result] = await checkMany(bench, 1, (name) => [
      { ...least, name },
      { ...least, name },
    ]);
    expect(result).toEqual({ inputs: expect.not.objectContaining({ endpoint: expect.anything() }), failures: [] });
  });
});

const never = () => new Promise<never>(() => undefined);

const outages: [string, BenchOptions][] = [
  ["answers 503", { faults: [{ kind: "status", status: 503, times: 1_000 }] }],
  ["answers 503 for its clusters", { faults: [{ kind: "status", status: 503, path: "/v1/clusters", times: 1_000 }] }],
  ["answers 503 for its GPU types", { faults: [{ kind: "status", status: 503, path: "/v1/gpus**", times: 1_000 }] }],
  ["refuses its GPU types", { faults: [{ kind: "status", status: 403, path: "/v1/gpus**", times: 1_000 }] }],
  ["breaks every connection", { faults: [{ kind: "drop", times: 1_000 }] }],
  ["answers with web pages", { faults: [{ kind: "html", status: 502, times: 1_000 }] }],
  ["is out of permits", { faults: [{ kind: "status", status: 429, headers: { "Retry-After": "50" }, times: 1_000 }] }],
  ["never answers", { client: (): Partial<Client> => ({ listClusters: never, listGpuTypes: never }) }],
];

describe("a service that", () => {
  it.each(outages)("%s gives one warning and no failure, within 5 s", async (_title, options) => {
    const bench = await openBench(options);
    const startMs = bench.clock.now();
    const results = await checkMany(bench, 3, (name) => [{ ...least, name }]);
    expect(results.flatMap(({ failures }) => failures)).toEqual([]);
    expect(bench.said).toEqual([expect.stringMatching(/^warning: .*could not be checked: /)]);
    expect(bench.clock.now() - startMs).toBeLessThanOrEqual(5_000);
  });
});

describe("a rate limit that is used up", () => {
  it("is not waited for by a preview", async () => {
    const bench = await openBench({ rateLimit: 1 });
    await bench.run(bench.client.getHealth());
    const startMs = bench.clock.now();
    const [result] = await checkMany(bench, 1, (name) => [{ ...least, name }]);
    expect(result?.failures).toEqual([]);
    expect(bench.said).toEqual([expect.stringMatching(/^warning: .*rate limit/)]);
    expect(bench.clock.now()).toBe(startMs);
  });
});
