import type { CallOptions, Client } from "../../../provider/api/client";
import { ApiError } from "../../../provider/errors";
import { type Bench, closeAll, living, openBench } from "./harness";
import { least, urnOf } from "./inputs";

afterEach(closeAll);

const busy = () =>
  new ApiError("the rate limit is used up", {
    outcome: "rate-limited",
    method: "GET",
    path: "/v1/gpus",
    status: 429,
    isApiAnswer: true,
  });

/** A service whose rate limit lets nothing through at once: whoever does not wait is refused. */
const used = (real: Client): Partial<Client> => ({
  listGpuTypes: (options?: CallOptions) =>
    options?.maxQueueMs === 0 ? Promise.reject(busy()) : real.listGpuTypes(options),
  listGpuPricing: (options?: CallOptions) =>
    options?.maxQueueMs === 0 ? Promise.reject(busy()) : real.listGpuPricing(options),
});

/** An `up --skip-preview` of several clusters: each is checked, then created. */
async function up(bench: Bench, names: readonly string[], more: object = {}): Promise<string[]> {
  const results: string[] = [];
  for (const name of names) {
    const ctx = bench.ctx({ urn: urnOf(name) });
    const { inputs, failures } = await bench.run(bench.cluster.check(ctx, { ...least, gpuType: "l4", name, ...more }));
    expect(failures).toEqual([]);
    results.push(
      await bench.run(bench.cluster.create(ctx, inputs)).then(
        () => "created",
        (error: Error) => error.message,
      ),
    );
  }
  return results;
}

const names = ["a", "b", "c", "d"];

test("the limit of the stack holds although no price can be looked up in time: the operation waits for it", async () => {
  const bench = await openBench({ client: used, settings: { maxHourlyCost: 1 } });
  const results = await up(bench, names);
  expect(results.slice(0, 2)).toEqual(["created", "created"]);
  for (const text of results.slice(2))
    expect(text).toMatch(/^cluster "[cd]": gpucluster:maxHourlyCost is 1.*Nothing was sent$/);
  expect(living(bench.simulator)).toHaveLength(2);
});

test("so does the limit of a cluster", async () => {
  const bench = await openBench({ client: used });
  expect(await up(bench, ["a"], { maxHourlyCost: 0.4 })).toEqual([
    expect.stringMatching(/`maxHourlyCost` is 0\.40, but.*0\.44/),
  ]);
  expect(living(bench.simulator)).toEqual([]);
});

test("a limit whose price cannot be had at all forbids the operation", async () => {
  const never = () => Promise.reject(busy());
  const bench = await openBench({
    client: () => ({ listGpuTypes: never, listGpuPricing: never }),
    settings: { maxHourlyCost: 1 },
  });
  expect(await up(bench, ["a"])).toEqual([expect.stringMatching(/cannot be checked: the rate limit is used up/)]);
  expect(living(bench.simulator)).toEqual([]);
});

test("without a limit nothing waits", async () => {
  const bench = await openBench({ client: used });
  expect(await up(bench, ["a"])).toEqual(["created"]);
});

describe("a preview with a key that the service rejects", () => {
  it("is an error, and no price is shown as removed", async () => {
    const bench = await openBench({ apiKeys: {} });
    const olds = { ...least, name: "web", replicas: 1, hourlyCost: 2.99 };
    const { inputs, failures } = await bench.run(
      bench.cluster.check(bench.ctx(), { ...least, name: "web", replicas: 2 }, olds),
    );
    expect(failures.map(({ reason }) => reason).join()).toContain("A known API key is required");
    expect(inputs["hourlyCost"]).toBe(2.99);
  });

  it("keeps the price that is known while the service is down, which is no error", async () => {
    const bench = await openBench({ faults: [{ kind: "status", status: 503, times: 99 }] });
    const olds = { ...least, name: "web", replicas: 1, hourlyCost: 2.99 };
    const { inputs, failures } = await bench.run(
      bench.cluster.check(bench.ctx(), { ...least, name: "web", replicas: 2 }, olds),
    );
    expect(failures).toEqual([]);
    expect(inputs["hourlyCost"]).toBe(2.99);
  });
});
