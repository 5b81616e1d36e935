import type { CallOptions, Client } from "../../../../provider/api/client";
import { ApiError } from "../../../../provider/base/errors";
import { type Properties, UNKNOWN } from "../../../../provider/contract";
import { type Fixture, type FixtureOptions, failureOf, forget, living, openFixture, writes } from "../harness";
import { checked, urnOf } from "../inputs";
import { check, old } from "./harness";

const creation = "POST /v1/clusters";

const busyKey = new ApiError("HTTP 429", {
  ...{ outcome: "rate-limited", method: "GET", path: "/v1/gpus", status: 429, isApiAnswer: true },
});

/** A service whose rate limit lets no lookup through that does not wait; `answer` decides what the others are told. */
async function openBusy(answer: () => Promise<unknown> | undefined = () => undefined, options: FixtureOptions = {}) {
  const told =
    <T>(real: (options?: CallOptions) => Promise<T>) =>
    async (options?: CallOptions): Promise<T> => {
      if (options?.maxQueueMs === 0) throw busyKey;
      await answer();
      return real(options);
    };
  const client = ({ listGpuTypes, listGpuPricing, listGpuAvailability }: Client) => ({
    listGpuTypes: told(listGpuTypes),
    listGpuPricing: told(listGpuPricing),
    listGpuAvailability: told(listGpuAvailability),
  });
  return openFixture({ ...options, client });
}

const listOf = (gpuType: string, ...others: string[]): Properties => ({
  ...checked,
  gpuType,
  ...(others.length > 0 ? { fallbackGpuTypes: others } : {}),
});

describe("a limit of the cost while the key is busy", () => {
  /** An `up --skip-preview` of several clusters: each is checked, then created. */
  async function up(bench: Fixture, names: readonly string[]): Promise<string[]> {
    const results: string[] = [];
    for (const name of names) {
      const news = { ...checked, gpuType: "l4", replicas: 1, name };
      const { inputs, refusals } = await check(bench, news, {}, name);
      const create = () => bench.run(bench.cluster.create(bench.ctx({ urn: urnOf(name) }), inputs));
      results.push(refusals.length > 0 ? refusals.join() : await create().then(() => "created"));
    }
    return results;
  }

  const stack = { settings: { maxHourlyCost: 1 } };
  const never = () => Promise.reject(busyKey);
  it.each<[string, string[], (() => Promise<unknown>) | undefined, number, RegExp]>([
    ["of the stack holds", ["a", "b", "c", "d"], undefined, 2, /^: gpucluster:maxHourlyCost is 1/],
    ["that cannot be had at all fails", ["a"], never, 0, /^: gpucluster:maxHourlyCost cannot be checked: .*: HTTP 429/],
  ])("%s", async (_title, names, answer, count, text) => {
    const bench = await openBusy(answer, stack);
    const results = await up(bench, names);
    expect(results.slice(0, count)).toEqual(Array(count).fill("created"));
    for (const result of results.slice(count)) expect(result).toMatch(text);
    expect(living(bench.simulator)).toHaveLength(count);
  });

  it("is waited for at most a minute in all", async () => {
    const bench = await openBusy(() => bench.clock.sleep(50_000), stack);
    const startMs = bench.clock.now();
    for (const name of ["a", "b", "c"]) await check(bench, { ...checked, name, gpuType: "tpu" }, {}, name);
    expect(bench.clock.now() - startMs).toBeLessThanOrEqual(60_000);
  });

  it.each<[string, Properties, Properties, number]>([
    ["no stop", { desiredStatus: "stopped" }, old(), 0],
    ["no creation that is stopped", { desiredStatus: "stopped" }, {}, 0],
    ["no scale-down", { replicas: 1 }, old({ hourlyCost: 5.98 }), 0],
    ["a scale-up", { replicas: 3 }, old({ hourlyCost: 5.98 }), 1],
  ])("fails %s", async (_title, news, olds, failures) => {
    const bench = await openBusy(never, stack);
    expect((await check(bench, { ...checked, ...news }, olds)).refusals).toHaveLength(failures);
  });
});

describe("what a preview shows of the outputs", () => {
  const shown = async (bench: Fixture, news: Properties, olds: Properties = {}) =>
    bench.run(bench.cluster.check(bench.ctx({ showsOutputs: true }), news, olds));

  it("does not know which of several types a new cluster will have, and one line says which are asked for", async () => {
    const bench = await openFixture();
    const { inputs, certain } = await shown(bench, listOf("h200", "h100", "l4"));
    expect(inputs).toMatchObject({ gpuType: "h200", fallbackGpuTypes: ["h100", "l4"] });
    expect(bench.cluster.preview(inputs, certain)).toMatchObject({ gpuType: UNKNOWN });
    expect(bench.said).toEqual([
      "info: web: the creation asks for 2 x h200 at 3.99 USD per hour, then for 2 x h100 at 2.99 USD per hour, then for 2 x l4 at 0.44 USD per hour",
    ]);
    const one = await shown(bench, listOf("h200"));
    expect(bench.cluster.preview(one.inputs, one.certain)).not.toHaveProperty("gpuType");
  });
});

/** As in `up`: a check, then sold-out types, and then the creation with the inputs that the check has handed out. */
async function upSoldOut(bench: Fixture, news: Properties, stock: Readonly<Record<string, number>>) {
  const { inputs, refusals } = await check(bench, news);
  expect(refusals).toEqual([]);
  forget(bench);
  for (const [type, count] of Object.entries(stock)) bench.simulator.setGpuType(type, { stock: count });
  return { inputs, made: bench.run(bench.cluster.create(bench.ctx(), inputs)) };
}

it("a service that refuses every GPU type of the list makes nothing", async () => {
  const bench = await openFixture();
  const { made } = await upSoldOut(bench, listOf("h200", "rtx4090"), { h200: 0 });
  expect((await failureOf(made)).message).toMatch(/The GPU type "rtx4090" is not available/);
  expect(writes(bench.simulator)).toEqual([creation, creation]);
  expect(living(bench.simulator)).toEqual([]);
});

it.each([
  ["has no price anywhere", true],
  ["has a price", false],
])(
  "a cluster that was given another type of the list, which %s, has its cost as far as it is known",
  async (_title, isUnpriced) => {
    const isH100 = ({ type }: { readonly type: string }) => type === "h100";
    const bench = await openFixture({
      client: ({ listGpuTypes, listGpuPricing }) =>
        isUnpriced
          ? {
              listGpuTypes: async (...args) => {
                const list = await listGpuTypes(...args);
                const bare = list.gpus.map((gpu) => (isH100(gpu) ? { type: gpu.type, available: true, raw: {} } : gpu));
                return { ...list, gpus: bare };
              },
              listGpuPricing: async (...args) => {
                const list = await listGpuPricing(...args);
                return { ...list, gpus: list.gpus.filter((gpu) => !isH100(gpu)) };
              },
            }
          : {},
    });
    const { inputs, made } = await upSoldOut(bench, listOf("h200", "h100"), { h200: 0 });
    expect(inputs["hourlyCost"]).toBe(7.98);
    const { state } = await made;
    // The check has read the prices of all types.
    expect(bench.simulator.requests.filter(({ path }) => path.startsWith("/v1/gpus"))).toEqual([]);
    expect(state).toMatchObject({ gpuType: "h100", settled: true });
    expect(state["hourlyCost"]).toBe(isUnpriced ? undefined : 5.98);
  },
);

it("a cluster that was given another type of the list keeps it: the next preview shows no difference", async () => {
  const bench = await openFixture();
  const { inputs, made } = await upSoldOut(bench, listOf("h200", "h100"), { h200: 0 });
  const { state } = await made;
  bench.simulator.setGpuType("h200", { stock: 32 });
  forget(bench);
  const cluster = bench.as("seen");
  const again = await check({ ...bench, cluster }, listOf("h200", "h100"), inputs);
  expect(again.inputs).toMatchObject({ gpuType: "h100", hourlyCost: 5.98 });
  expect(bench.simulator.requests.map(({ path }) => path)).toEqual(["/v1/clusters", "/v1/gpus"]);
  expect(await bench.run(cluster.diff(bench.ctx(), "cl_1", state, again.inputs))).toMatchObject({ changes: {} });
});

it("an interrupt ends the lookups of a check at once", async () => {
  const hangs = () => new Promise<never>(() => undefined);
  const bench = await openFixture({ client: () => ({ listGpuTypes: hangs }), settings: { maxHourlyCost: 1 } });
  const controller = new AbortController();
  const checking = bench.cluster.check(bench.ctx({ signal: controller.signal }), { ...checked });
  const startMs = bench.clock.now();
  setTimeout(() => controller.abort(new Error("interrupted")), 20);
  await expect(checking).rejects.toThrow(/^interrupted$/);
  expect(bench.clock.now()).toBe(startMs);
});
