import type { CallOptions, Client } from "../../../../provider/api/client";
import { type Properties, UNKNOWN } from "../../../../provider/core";
import { ApiError, InterruptedError } from "../../../../provider/errors";
import { type Bench, type BenchOptions, closeAll, failureOf, forget, living, openBench, writes } from "../harness";
import { checked, least, urnOf } from "../inputs";
import { check, checkOnce } from "./harness";

afterEach(closeAll);

const hour = 3_600_000;
const creation = "POST /v1/clusters";

const failed = (status: number, outcome: "rate-limited" | "server-error" | "refused") =>
  new ApiError(`HTTP ${status}`, { outcome, method: "GET", path: "/v1/gpus", status, isApiAnswer: true });

type Answer = () => Promise<unknown> | undefined;

/** A service whose rate limit lets no lookup of a check through; `answer` decides what the later ones are told. */
async function openBusy(answer: Answer = () => undefined, options: BenchOptions = {}) {
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
  return { bench: await openBench({ ...options, client }), asked };
}

async function judged(bench: Bench, name: string, news: Properties = {}): Promise<Properties> {
  const { inputs, refusals } = await check(bench, { ...checked, maxHourlyCost: 100, ...news, name }, {}, name);
  expect(refusals).toEqual([]);
  return inputs;
}

const make = (bench: Bench, inputs: Properties, signal = new AbortController().signal) =>
  bench.cluster.create(bench.ctx({ urn: urnOf(String(inputs["name"])), signal }), inputs);

const warnings = ({ said }: Bench) => said.filter((line) => line.startsWith("warning"));
const listOf = (...types: string[]): Properties => ({ ...checked, gpuType: types });

describe("a limit of the cost whose price cannot be looked up in time", () => {
  /** An `up --skip-preview` of several clusters: each is checked, then created. */
  async function up(bench: Bench, names: readonly string[], more: Properties = {}): Promise<string[]> {
    const results: string[] = [];
    for (const name of names) {
      const inputs = await judged(bench, name, { ...least, gpuType: "l4", env: {}, replicas: 1, ...more });
      const work = bench.run(make(bench, inputs));
      results.push(
        await work.then(
          () => "created",
          ({ message }: Error) => message,
        ),
      );
    }
    return results;
  }

  const stack = { settings: { maxHourlyCost: 1 } };
  const own = { maxHourlyCost: undefined };
  const never = () => Promise.reject(failed(429, "rate-limited"));
  it.each<[string, string[], Properties, BenchOptions, Answer | undefined, number, RegExp]>([
    [
      "of the stack holds",
      ["a", "b", "c", "d"],
      own,
      stack,
      undefined,
      2,
      /^cluster "[cd]": .*is 1.*Nothing was sent$/,
    ],
    ["of a cluster holds", ["a"], { maxHourlyCost: 0.4 }, {}, undefined, 0, /`maxHourlyCost` is 0\.40, but.*0\.44/],
    ["that cannot be had at all forbids the operation", ["a"], own, stack, never, 0, /cannot be checked: HTTP 429/],
    ["that does not exist is not waited for", ["a"], own, {}, never, 1, /^$/],
  ])("%s", async (_title, names, more, options, answer, count, text) => {
    const { bench } = await openBusy(answer, options);
    const results = await up(bench, names, more);
    expect(results.slice(0, count)).toEqual(Array(count).fill("created"));
    for (const result of results.slice(count)) expect(result).toMatch(text);
    expect(living(bench.simulator)).toHaveLength(count);
  });

  it.each<[string, Properties]>([
    ["a price", {}],
    ["the stock", { gpuType: ["h200", "h100"] }],
  ])(
    "ends with an interrupt at once, for %s, and nothing is sent; another operation gets its answer",
    async (_title, news) => {
      const wait: { sleep?: Answer | undefined } = {};
      const { bench, asked } = await openBusy(() => wait.sleep?.());
      wait.sleep = () => bench.clock.sleep(hour / 2);
      const [a, b] = [await judged(bench, "a", news), await judged(bench, "b", news)];
      const controller = new AbortController();
      const start = bench.clock.now();
      const ended = failureOf(make(bench, a, controller.signal)).then((error) => [error, bench.clock.now() - start]);
      const other = make(bench, b);
      await bench.clock.advance(5_000);
      const askedBefore = asked.late;
      controller.abort(new InterruptedError("interrupted"));
      expect(await ended).toEqual([expect.any(InterruptedError), 5_000]);
      expect(writes(bench.simulator)).toEqual([]);
      wait.sleep = undefined;
      expect((await bench.run(other)).state).toMatchObject({ name: "b", settled: true });
      expect(askedBefore).toBe(1);
    },
  );

  /** What two more operations come to, 20 minutes after the lookup of a first one has failed. */
  async function afterFailure(error: Error, isDownFor: "one" | "all") {
    const mode = { isDown: true };
    const { bench, asked } = await openBusy(async () => {
      if (mode.isDown) throw error;
    });
    const [a = {}, ...others] = [await judged(bench, "a"), await judged(bench, "b"), await judged(bench, "c")];
    expect((await bench.run(failureOf(make(bench, a)))).message).toContain("`maxHourlyCost` cannot be checked");
    const once = asked.late;
    asked.late = 0;
    await bench.clock.advance(1_200_000);
    mode.isDown = isDownFor === "all";
    const ends = await bench.run(Promise.allSettled(others.map((inputs) => make(bench, inputs))));
    return { ends: ends.map(({ status }) => status), asked: asked.late, once };
  }

  it("is looked up again for later operations, once for all of them, unless that was clearly refused", async () => {
    const again = await afterFailure(failed(503, "server-error"), "one");
    expect(again).toMatchObject({ ends: ["fulfilled", "fulfilled"], asked: 1 });
    const down = await afterFailure(failed(503, "server-error"), "all");
    expect(down).toMatchObject({ ends: ["rejected", "rejected"], asked: down.once });
    const refused = await afterFailure(failed(403, "refused"), "one");
    expect(refused).toMatchObject({ ends: ["rejected", "rejected"], asked: 0 });
  });

  it("is a warning, as in the check, if there is no price of the only type", async () => {
    const { bench } = await openBusy();
    const inputs = await judged(bench, "a");
    const bare = async () => ({ gpus: [{ type: "h100", available: true, raw: {} }], certain: true });
    Object.assign(bench.client, { listGpuTypes: bare, listGpuPricing: bare });
    bench.said.length = 0;
    expect((await bench.run(make(bench, inputs))).state).toMatchObject({ settled: true });
    expect(warnings(bench)).toEqual([
      expect.stringMatching(/cluster "a": `maxHourlyCost` cannot be checked: .*no price for "h100"/),
    ]);
  });
});

describe("a list of GPU types whose stock cannot be looked up in time", () => {
  it("is said to be open, and the creation waits for the stock: the first available type is taken", async () => {
    const { bench } = await openBusy();
    const { inputs, said } = await check(bench, listOf("rtx4090", "h200"));
    expect(inputs["gpuType"]).toBe("rtx4090");
    expect(said[0]).toMatch(/^warning: web: `gpuType` may become another type of the list than "rtx4090"/);
    const { state } = await bench.run(make(bench, inputs));
    expect(state).toMatchObject({ gpuType: "h200", hourlyCost: 7.98, settled: true });
    expect(writes(bench.simulator)).toEqual([creation]);
    expect(living(bench.simulator)).toMatchObject([{ gpuType: "h200" }]);
  });

  it("takes what the clusters before have left", async () => {
    const { bench } = await openBusy();
    const types = [];
    for (const name of ["a", "b"]) {
      const inputs = await judged(bench, name, { ...listOf("h200", "h100"), replicas: 20, maxHourlyCost: undefined });
      types.push((await bench.run(make(bench, inputs))).state["gpuType"]);
    }
    expect(types).toEqual(["h200", "h100"]);
  });

  it("is held to the limit of the cost of the type that is taken", async () => {
    const { bench } = await openBusy();
    const inputs = await judged(bench, "web", { ...listOf("rtx4090", "h200"), maxHourlyCost: 5 });
    const { message } = await bench.run(failureOf(make(bench, inputs)));
    expect(message).toMatch(/`maxHourlyCost` is 5.00, but .* 7\.98.* 2 x h200.*Nothing was sent/);
    expect(writes(bench.simulator)).toEqual([]);
  });

  it("is taken as the type that an adopted cluster has", async () => {
    const bench = await openBench();
    const { id } = bench.simulator.addCluster({ name: "web", gpuType: "h100", replicas: 2 });
    bench.simulator.fault({ kind: "status", status: 503, method: "GET", times: 12 });
    const { inputs } = await check(bench, { ...listOf("h200", "h100"), adopt: id });
    expect(inputs["gpuType"]).toBe("h200");
    expect((await bench.run(make(bench, inputs))).state).toMatchObject({ gpuType: "h100" });
  });
});

it("what a preview shows of the outputs does not know which type of a list it will be", async () => {
  const { bench, inputs } = await checkOnce(listOf("h200", "h100"));
  expect(bench.cluster.preview(inputs)).toMatchObject({ gpuType: UNKNOWN });
  expect(bench.cluster.preview(inputs, { gpuType: "h100" })).toMatchObject({ gpuType: "h100" });
  expect(bench.cluster.preview({ ...inputs, __gpuTypes: undefined })).not.toHaveProperty("gpuType");
});

/** As in `up`: a check, then sold-out types, and then the creation with the inputs that the check has handed out. */
async function upSoldOut(bench: Bench, news: Properties, stock: Readonly<Record<string, number>>) {
  const { inputs, refusals } = await check(bench, news);
  expect(refusals).toEqual([]);
  forget(bench);
  for (const [type, count] of Object.entries(stock)) bench.simulator.setGpuType(type, { stock: count });
  return { inputs, made: bench.run(bench.cluster.create(bench.ctx(), inputs)) };
}

describe("a service that refuses the GPU type that was in stock", () => {
  it.each<[string, number, RegExp]>([
    ["as one that is not available", 0, /invalid_gpu_type/],
    ["for its capacity", 1, /insufficient_capacity/],
  ])("%s is asked for the next one of the list, and the state shows which it was", async (_title, stock, reason) => {
    const bench = await openBench();
    const { made } = await upSoldOut(bench, listOf("h200", "h100"), { h200: stock });
    const { state } = await made;
    expect(state).toMatchObject({ gpuType: "h100", hourlyCost: 5.98 });
    expect(state).not.toHaveProperty("__gpuTypes");
    expect(writes(bench.simulator)).toEqual([creation, creation]);
    expect(living(bench.simulator)).toMatchObject([{ gpuType: "h100" }]);
    expect(warnings(bench)).toEqual([expect.stringMatching(/"h200" is refused.*"h100"/)]);
    expect(warnings(bench)[0]).toMatch(reason);
  });

  it.each<[string, Properties, Readonly<Record<string, number>>, RegExp, number]>([
    ["and all others", listOf("h200", "rtx4090"), { h200: 0 }, /The GPU type "rtx4090" is not available/, 2],
    [
      "and is left with one above the limit",
      { ...listOf("l4", "h200"), maxHourlyCost: 5 },
      { l4: 0 },
      /is 5.*2 x h200/,
      1,
    ],
    ["and is given no other", { ...checked, gpuType: "h200" }, { h200: 0 }, /"h200" is not available/, 1],
  ])("%s makes nothing", async (_title, news, stock, text, requests) => {
    const bench = await openBench();
    const { made } = await upSoldOut(bench, news, stock);
    expect((await failureOf(made)).message).toMatch(text);
    expect(writes(bench.simulator)).toEqual(Array(requests).fill(creation));
    expect(living(bench.simulator)).toEqual([]);
  });

  const post = { method: "POST", path: "/v1/clusters" };
  it.each<[string, NonNullable<BenchOptions["faults"]>[number]]>([
    ["an answer that is lost", { ...post, kind: "drop", times: 9 }],
    ["a failure of the service", { ...post, kind: "status", status: 503, code: "insufficient_capacity", times: 9 }],
    ["another refusal", { ...post, kind: "status", status: 400, code: "invalid_request" }],
  ])("is not meant by %s: no other type is asked for", async (_title, fault) => {
    let createCluster = jest.fn<ReturnType<Client["createCluster"]>, Parameters<Client["createCluster"]>>();
    const bench = await openBench({
      client: (real) => {
        createCluster = jest.fn(real.createCluster);
        return { createCluster };
      },
    });
    bench.simulator.fault(fault);
    const { made } = await upSoldOut(bench, listOf("h200", "h100"), {});
    await failureOf(made);
    expect(new Set(createCluster.mock.calls.map(([body]) => body.gpuType))).toEqual(new Set(["h200"]));
  });
});

describe("a type of a list whose price the service does not name", () => {
  const isH200 = ({ type }: { readonly type: string }) => type === "h200";
  /** `h200` has no price anywhere. */
  const unpriced = ({ listGpuTypes, listGpuPricing }: Client): Partial<Client> => ({
    listGpuTypes: async (...args) => {
      const list = await listGpuTypes(...args);
      const bare = list.gpus.map((gpu) => (isH200(gpu) ? { type: gpu.type, available: true, raw: {} } : gpu));
      return { ...list, gpus: bare };
    },
    listGpuPricing: async (...args) => {
      const list = await listGpuPricing(...args);
      return { ...list, gpus: list.gpus.filter((gpu) => !isH200(gpu)) };
    },
  });

  async function openSoldOut(limit: Properties, settings: BenchOptions["settings"], ...types: string[]) {
    const bench = await openBench({ client: unpriced, ...(settings && { settings }) });
    return { bench, ...(await upSoldOut(bench, { ...listOf(...types), ...limit }, { l4: 0 })) };
  }

  it.each<[string, Properties, BenchOptions["settings"]]>([
    ["the cluster", { maxHourlyCost: 20 }, undefined],
    ["the stack", {}, { maxHourlyCost: 20 }],
    ["the organization", {}, { maxHourlyCostOfOrganization: 20 }],
  ])(
    "is left out, with a warning or as an error if it is the last, under a limit of %s",
    async (_title, limit, settings) => {
      const { bench, made } = await openSoldOut(limit, settings, "l4", "h200", "h100");
      expect((await made).state).toMatchObject({ gpuType: "h100", hourlyCost: 5.98, settled: true });
      expect(writes(bench.simulator)).toEqual([creation, creation]);
      expect(warnings(bench)).toEqual([
        expect.stringMatching(/"l4" is refused/),
        expect.stringMatching(
          /"h200" has no known price.*the next type of the list is tried, "h100".*cannot be checked/,
        ),
      ]);
      const last = await openSoldOut(limit, settings, "l4", "h200");
      expect((await failureOf(last.made)).message).toMatch(
        /^cluster "web": \S*maxHourlyCost\S* cannot be checked: .* price for "h200".*Nothing was sent/,
      );
      expect(writes(last.bench.simulator)).toEqual([creation]);
    },
  );

  it("is taken if nothing limits the cost", async () => {
    const { made } = await openSoldOut({}, undefined, "l4", "h200");
    expect((await made).state).toMatchObject({ gpuType: "h200", settled: true });
  });
});

describe("a cluster that was given another type of the list than the expected one", () => {
  async function openOther() {
    const bench = await openBench();
    const { inputs, made } = await upSoldOut(bench, listOf("h200", "h100"), { h200: 0 });
    const { id, state } = await made;
    bench.simulator.setGpuType("h200", { stock: 32 });
    forget(bench);
    return { bench, id, state, inputs, next: { ...bench, cluster: bench.as("seen") } };
  }

  it("keeps it: the next preview finds it in one list, and shows no difference", async () => {
    const { bench, state, inputs, next } = await openOther();
    const again = await check(next, listOf("h200", "h100"), inputs);
    expect(again.inputs).toMatchObject({ gpuType: "h100", hourlyCost: 5.98 });
    expect(bench.simulator.requests.map(({ path }) => path)).toEqual(["/v1/clusters", "/v1/gpus"]);
    expect(next.cluster.diff(state, again.inputs).changes).toEqual({});
    forget(bench);
    await check({ ...bench, cluster: bench.as("seen") }, listOf("h200", "h100"), again.inputs);
    expect(bench.simulator.requests).toEqual([]);
  });

  it("keeps it if the list of clusters cannot be read, and through an update", async () => {
    const { bench, id, state, inputs, next } = await openOther();
    bench.simulator.fault({ kind: "status", status: 503, method: "GET", path: "/v1/clusters", times: 9 });
    const again = await check(next, { ...listOf("h200", "h100"), replicas: 3 }, inputs);
    expect(Object.keys(next.cluster.diff(state, again.inputs).changes)).toEqual(["replicas", "hourlyCost"]);
    const updated = await bench.run(next.cluster.update(bench.ctx(), id, state, again.inputs));
    expect(updated).toMatchObject({ gpuType: "h100", replicas: 3, settled: true });
    expect(updated).not.toHaveProperty("__gpuTypes");
  });

  it.each([[["h200", "l4"]], ["h200"]])("is replaced when the program has %j instead", async (gpuType) => {
    const { state, inputs, next } = await openOther();
    const again = await check(next, { ...checked, gpuType }, inputs);
    expect(again.inputs["gpuType"]).toBe("h200");
    expect(next.cluster.diff(state, again.inputs).changes).toMatchObject({ gpuType: { replace: true } });
    expect(again.said.join()).toContain("`gpuType` changes, so it is replaced");
  });
});
