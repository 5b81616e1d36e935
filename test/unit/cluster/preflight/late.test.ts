import type { CallOptions, Client } from "../../../../provider/api/client";
import { ApiError } from "../../../../provider/base/errors";
import { type Properties, UNKNOWN } from "../../../../provider/contract";
import { type FixtureOptions, openFixture } from "../harness";
import { checked, urnOf } from "../inputs";
import { check, listOf, old } from "./harness";

const busyKey = new ApiError("HTTP 429", {
  ...{ outcome: "rate-limited", method: "GET", path: "/v1/gpus", status: 429, isApiAnswer: true },
});

/** A service whose rate limit refuses lookups that do not wait; `answer` delays or rejects the others. */
async function openBusy(answer: () => Promise<unknown> | undefined = () => undefined, options: FixtureOptions = {}) {
  const busy =
    <T>(real: (options?: CallOptions) => Promise<T>) =>
    async (options?: CallOptions): Promise<T> => {
      if (options?.maxQueueMs === 0) throw busyKey;
      await answer();
      return real(options);
    };
  const client = ({ listGpuTypes, listGpuPricing, listGpuAvailability }: Client) => ({
    listGpuTypes: busy(listGpuTypes),
    listGpuPricing: busy(listGpuPricing),
    listGpuAvailability: busy(listGpuAvailability),
  });
  return openFixture({ ...options, client });
}

describe("a limit on costs while the key is busy", () => {
  const stack = { settings: { maxHourlyCost: 1 } };

  it("holds for the stack, as in `up --skip-preview`", async () => {
    const fixture = await openBusy(undefined, stack);
    const failures: string[] = [];
    for (const name of ["a", "b", "c", "d"]) {
      const news = { ...checked, gpuType: "l4", replicas: 1, name };
      const { inputs, refusals } = await check(fixture, news, {}, name);
      failures.push(...refusals);
      if (refusals.length > 0) continue;
      await fixture.make(inputs, { urn: urnOf(name) });
    }
    expect(failures).toEqual(["c", "d"].map(() => expect.stringMatching(/^: gpucluster:maxHourlyCost is 1\.00, but/)));
    expect(fixture.living()).toHaveLength(2);
  });

  it("waits at most a minute for all clusters together", async () => {
    const fixture = await openBusy(() => fixture.clock.sleep(50_000), stack);
    const startMs = fixture.clock.now();
    for (const name of ["a", "b", "c"]) await check(fixture, { ...checked, name, gpuType: "tpu" }, {}, name);
    expect(fixture.clock.now() - startMs).toBeLessThanOrEqual(60_000);
  });

  it.each<[string, Properties, Properties, boolean]>([
    ["passes a stop", { desiredStatus: "stopped" }, old(), true],
    ["passes the creation of a stopped cluster", { desiredStatus: "stopped" }, {}, true],
    ["passes a scale-down", { replicas: 1 }, old(), true],
    ["fails a scale-up", { replicas: 3 }, old(), false],
    ["fails a creation", {}, {}, false],
  ])("%s if no price can be read", async (_title, news, olds, passes) => {
    const fixture = await openBusy(() => Promise.reject(busyKey), stack);
    const text = /^: gpucluster:maxHourlyCost cannot be checked: .*: HTTP 429/;
    const { refusals } = await check(fixture, { ...checked, ...news }, olds);
    expect(refusals).toEqual(passes ? [] : [expect.stringMatching(text)]);
  });
});

it("a preview of outputs leaves the type of a new cluster open if there are several", async () => {
  const fixture = await openFixture();
  const preview = async (news: Properties) => {
    const { knownOutputs } = await fixture.run(fixture.cluster.check(fixture.ctx({ showsOutputs: true }), news, {}));
    return fixture.cluster.preview(knownOutputs);
  };
  expect(await preview(listOf("h200", "h100", "l4"))).toMatchObject({ gpuType: UNKNOWN });
  expect(await preview({ ...checked, gpuType: "h200" })).not.toHaveProperty("gpuType");
});

it("a cluster that got another type of the list has the cost of it, and keeps it in the next preview", async () => {
  const fixture = await openFixture();
  const { inputs, refusals } = await check(fixture, listOf("h200", "h100"));
  expect(refusals).toEqual([]);
  expect(inputs["hourlyCost"]).toBe(7.98);
  fixture.forget();
  fixture.simulator.setGpuType("h200", { stock: 0 });
  const { state } = await fixture.make(inputs);
  expect(state).toMatchObject({ gpuType: "h100", settled: true, hourlyCost: 5.98 });
  // The check has read the prices of all types.
  expect(fixture.simulator.requests.filter(({ path }) => path.startsWith("/v1/gpus"))).toEqual([]);
  fixture.simulator.setGpuType("h200", { stock: 32 });
  fixture.forget();
  const cluster = fixture.as("seen");
  const again = await check({ ...fixture, cluster }, listOf("h200", "h100"), inputs);
  expect(again.inputs).toMatchObject({ gpuType: "h100", hourlyCost: 5.98 });
  expect(fixture.simulator.requests.map(({ path }) => path)).toEqual(["/v1/clusters", "/v1/gpus"]);
  expect(await fixture.run(cluster.diff(fixture.ctx(), "cl_1", state, again.inputs))).toMatchObject({ changes: {} });
});
