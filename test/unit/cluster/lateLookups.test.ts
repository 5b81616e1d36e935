import type { CallOptions, Client } from "../../../provider/api/client";
import type { Properties } from "../../../provider/core";
import { ApiError, InterruptedError } from "../../../provider/errors";
import type { VirtualClock } from "../../support/virtualClock";
import { check } from "./checkHarness";
import { type Bench, closeAll, failureOf, openBench, writes } from "./harness";
import { checked, urnOf } from "./inputs";

afterEach(closeAll);

const hour = 3_600_000;

const failed = (status: number, outcome: "rate-limited" | "server-error" | "refused") =>
  new ApiError(`HTTP ${status}`, { outcome, method: "GET", path: "/v1/gpus", status, isApiAnswer: true });

/** A service whose rate limit lets no lookup of a check through; the test decides what the later ones are told. */
async function openBusy(answer: () => Promise<unknown> | undefined) {
  const asked = { late: 0 };
  const told =
    <T>(real: (options?: CallOptions) => Promise<T>) =>
    async (options?: CallOptions): Promise<T> => {
      if (options?.maxQueueMs === 0) throw failed(429, "rate-limited");
      asked.late += 1;
      await answer();
      return real(options);
    };
  const client = ({ listGpuTypes, listGpuPricing, listGpuAvailability }: Client) => ({
    listGpuTypes: told(listGpuTypes),
    listGpuPricing: told(listGpuPricing),
    listGpuAvailability: told(listGpuAvailability),
  });
  return { bench: await openBench({ client }), asked };
}

async function judged(bench: Bench, name: string, news: Properties = {}): Promise<Properties> {
  const { inputs, refusals } = await check(bench, { ...checked, name, maxHourlyCost: 100, ...news }, {}, name);
  expect(refusals).toEqual([]);
  return inputs;
}

const make = (bench: Bench, inputs: Properties, signal = new AbortController().signal) =>
  bench.cluster.create(bench.ctx({ urn: urnOf(String(inputs["name"])), signal }), inputs);

describe("an interrupt while an operation waits for a price or the stock", () => {
  it.each<[string, Properties]>([
    ["a price", {}],
    ["the stock", { gpuType: ["h200", "h100"] }],
  ])("ends the wait for %s at once, and nothing is sent; another operation gets its answer", async (_title, news) => {
    const wait: { clock: VirtualClock | undefined } = { clock: undefined };
    const { bench, asked } = await openBusy(() => wait.clock?.sleep(hour / 2));
    wait.clock = bench.clock;
    const [a, b] = [await judged(bench, "a", news), await judged(bench, "b", news)];
    const { signal, abort } = interrupter();
    const start = bench.clock.now();
    const ended = failureOf(make(bench, a, signal)).then((error) => ({ error, afterMs: bench.clock.now() - start }));
    const other = make(bench, b);
    await bench.clock.advance(5_000);
    const askedBefore = asked.late;
    abort();
    expect(await ended).toEqual({ error: expect.any(InterruptedError), afterMs: 5_000 });
    expect(writes(bench.simulator)).toEqual([]);
    wait.clock = undefined;
    expect((await bench.run(other)).state).toMatchObject({ name: "b", settled: true });
    expect(askedBefore).toBe(1);
  });

  function interrupter() {
    const controller = new AbortController();
    return { signal: controller.signal, abort: () => controller.abort(new InterruptedError("interrupted")) };
  }
});

describe("a late lookup that has failed", () => {
  async function openFailing(error: Error) {
    const mode = { isDown: true };
    const opened = await openBusy(async () => {
      if (mode.isDown) throw error;
    });
    const inputs = [];
    for (const name of ["a", "b", "c"]) inputs.push(await judged(opened.bench, name));
    const [a = {}, ...others] = inputs;
    expect((await opened.bench.run(failureOf(make(opened.bench, a)))).message).toContain(
      "`maxHourlyCost` cannot be checked",
    );
    return { ...opened, mode, others };
  }

  it("is made again for a later operation, once for all of them", async () => {
    const { bench, asked, mode, others } = await openFailing(failed(503, "server-error"));
    await bench.clock.advance(1_200_000);
    mode.isDown = false;
    asked.late = 0;
    const made = await bench.run(Promise.all(others.map((inputs) => make(bench, inputs))));
    expect(made.map(({ state }) => state["settled"])).toEqual([true, true]);
    expect(asked.late).toBe(1);
  });

  it("is made once more, not once for each operation, if the service is still down", async () => {
    const { bench, asked, others } = await openFailing(failed(503, "server-error"));
    const once = asked.late;
    await bench.clock.advance(1_200_000);
    await bench.run(Promise.all(others.map((inputs) => failureOf(make(bench, inputs)))));
    expect(asked.late).toBe(2 * once);
  });

  it("is not made again if it was clearly refused", async () => {
    const { bench, asked, mode, others } = await openFailing(failed(403, "refused"));
    await bench.clock.advance(1_200_000);
    mode.isDown = false;
    asked.late = 0;
    for (const inputs of others) {
      const { message } = await bench.run(failureOf(make(bench, inputs)));
      expect(message).toContain("`maxHourlyCost` cannot be checked");
    }
    expect(asked.late).toBe(0);
  });
});

it("a late lookup that finds no price for the only type is a warning, as in the check", async () => {
  const { bench } = await openBusy(() => undefined);
  const inputs = await judged(bench, "a");
  const bare = async () => ({ gpus: [{ type: "h100", available: true, raw: {} }], certain: true });
  Object.assign(bench.client, { listGpuTypes: bare, listGpuPricing: bare });
  bench.said.length = 0;
  expect((await bench.run(make(bench, inputs))).state).toMatchObject({ settled: true });
  const warnings = bench.said.filter((line) => line.startsWith("warning"));
  expect(warnings).toEqual([
    expect.stringMatching(/cluster "a": `maxHourlyCost` cannot be checked: .*no price of "h100"/),
  ]);
});
