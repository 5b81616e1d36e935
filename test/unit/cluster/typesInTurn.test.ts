import type { CallOptions, Client } from "../../../provider/api/client";
import { type Properties, UNKNOWN } from "../../../provider/core";
import { ApiError } from "../../../provider/errors";
import { check } from "./checkHarness";
import {
  type Bench,
  type BenchOptions,
  closeAll,
  failureOf,
  forget,
  living,
  openBench,
  requestLines,
  writes,
} from "./harness";
import { checked } from "./inputs";

afterEach(closeAll);

/** 32 of h200 and 256 of h100 are available, none of rtx4090. */
const listOf = (...types: string[]): Properties => ({ ...checked, gpuType: types });
const creation = "POST /v1/clusters";
const warnings = ({ said }: Bench) => said.filter((line) => line.startsWith("warning"));

/** As in `up`: a check, and then the creation with the inputs that it has handed out. */
async function up(bench: Bench, news: Properties, between: () => void = () => undefined) {
  const { inputs, refusals } = await check(bench, news);
  expect(refusals).toEqual([]);
  forget(bench);
  between();
  return { inputs, made: bench.run(bench.cluster.create(bench.ctx(), inputs)) };
}

const busy = () =>
  new ApiError("the rate limit is used up", {
    outcome: "rate-limited",
    method: "GET",
    path: "/v1/gpus",
    status: 429,
    isApiAnswer: true,
  });

/** A rate limit that lets no look-up about GPUs through at once: whoever does not wait is refused. */
const used = (real: Client): Partial<Client> => {
  const patiently =
    <T>(ask: (options?: CallOptions) => Promise<T>) =>
    (options?: CallOptions) =>
      options?.maxQueueMs === 0 ? Promise.reject(busy()) : ask(options);
  return {
    listGpuTypes: patiently(real.listGpuTypes),
    listGpuPricing: patiently(real.listGpuPricing),
    listGpuAvailability: patiently(real.listGpuAvailability),
  };
};

describe("a list of GPU types whose stock cannot be looked up in the short time of a check", () => {
  const options: BenchOptions = { client: used };

  it("is said to be open, and the creation waits for the stock: the first available type is taken", async () => {
    const bench = await openBench(options);
    const { inputs, said } = await check(bench, listOf("rtx4090", "h200"));
    expect(inputs["gpuType"]).toBe("rtx4090");
    expect(said[0]).toMatch(/^warning: web: `gpuType` may become another type of the list than "rtx4090"/);
    const { state } = await bench.run(bench.cluster.create(bench.ctx(), inputs));
    expect(state).toMatchObject({ gpuType: "h200", hourlyCost: 7.98, settled: true });
    expect(writes(bench.simulator)).toEqual([creation]);
    expect(living(bench.simulator)).toMatchObject([{ gpuType: "h200" }]);
  });

  it("takes what the clusters before have left", async () => {
    const bench = await openBench(options);
    const types = [];
    for (const name of ["a", "b"]) {
      const { inputs } = await check(bench, { ...listOf("h200", "h100"), name, replicas: 20 }, {}, name);
      const { state } = await bench.run(bench.cluster.create(bench.ctx({ urn: `urn:${name}` }), inputs));
      types.push(state["gpuType"]);
    }
    expect(types).toEqual(["h200", "h100"]);
  });

  it("is held to the limit of the cost of the type that is taken", async () => {
    const bench = await openBench(options);
    const { made } = await up(bench, { ...listOf("rtx4090", "h200"), maxHourlyCost: 5 });
    expect((await failureOf(made)).message).toMatch(
      /`maxHourlyCost` is 5.00, but .* 7\.98.* 2 x h200.*Nothing was sent/,
    );
    expect(writes(bench.simulator)).toEqual([]);
  });
});

describe("a service that refuses the GPU type that was in stock", () => {
  const soldOut = (bench: Bench, stock: number) => () => bench.simulator.setGpuType("h200", { stock });

  it.each<[string, number, RegExp]>([
    ["as one that is not available", 0, /invalid_gpu_type/],
    ["for its capacity", 1, /insufficient_capacity/],
  ])("%s is asked for the next one of the list, and the state shows which it was", async (_title, stock, reason) => {
    const bench = await openBench();
    const { made } = await up(bench, listOf("h200", "h100"), soldOut(bench, stock));
    const { state } = await made;
    expect(state).toMatchObject({ gpuType: "h100", hourlyCost: 5.98 });
    expect(state).not.toHaveProperty("__gpuTypes");
    expect(writes(bench.simulator)).toEqual([creation, creation]);
    expect(living(bench.simulator)).toMatchObject([{ gpuType: "h100" }]);
    expect(warnings(bench)).toEqual([expect.stringMatching(/"h200" is refused.*"h100"/)]);
    expect(warnings(bench)[0]).toMatch(reason);
  });

  it("and all others of the list ends with the refusal of the last, and nothing is made", async () => {
    const bench = await openBench();
    const { made } = await up(bench, listOf("h200", "rtx4090"), soldOut(bench, 0));
    expect((await failureOf(made)).message).toContain('The GPU type "rtx4090" is not available');
    expect(writes(bench.simulator)).toEqual([creation, creation]);
    expect(living(bench.simulator)).toEqual([]);
  });

  it("is not asked for one that costs more than the limit", async () => {
    const bench = await openBench();
    const between = soldOut(bench, 0);
    const { made } = await up(bench, { ...listOf("l4", "h200"), maxHourlyCost: 5 }, () => {
      between();
      bench.simulator.setGpuType("l4", { stock: 0 });
      bench.simulator.setGpuType("h200", { stock: 9 });
    });
    expect((await failureOf(made)).message).toMatch(/`maxHourlyCost` is 5.*2 x h200/);
    expect(writes(bench.simulator)).toEqual([creation]);
  });

  it("is asked once where the program names one type", async () => {
    const bench = await openBench();
    const { made } = await up(bench, { ...checked, gpuType: "h200" }, soldOut(bench, 0));
    await failureOf(made);
    expect(writes(bench.simulator)).toEqual([creation]);
  });

  it.each<[string, BenchOptions["faults"]]>([
    ["an answer that is lost", [{ kind: "drop", method: "POST", path: "/v1/clusters", times: 9 }]],
    [
      "a failure of the service",
      [{ kind: "status", status: 503, code: "insufficient_capacity", method: "POST", path: "/v1/clusters", times: 9 }],
    ],
    [
      "another refusal",
      [{ kind: "status", status: 400, code: "invalid_request", method: "POST", path: "/v1/clusters" }],
    ],
  ])("is not meant by %s: no other type is asked for", async (_title, faults = []) => {
    const bench = await openBench();
    const asked: string[] = [];
    const { createCluster } = bench.client;
    Object.assign(bench.client, {
      createCluster: (...args: Parameters<Client["createCluster"]>) => {
        asked.push(args[0].gpuType);
        return createCluster(...args);
      },
    });
    for (const fault of faults) bench.simulator.fault(fault);
    const { made } = await up(bench, listOf("h200", "h100"));
    await failureOf(made);
    expect([...new Set(asked)]).toEqual(["h200"]);
  });
});

describe("a type of a list whose price the service does not name, where the cost is limited", () => {
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
  const ownLimit: [Properties, BenchOptions] = [{ maxHourlyCost: 20 }, { client: unpriced }];
  const stackLimit: [Properties, BenchOptions] = [{}, { client: unpriced, settings: { maxHourlyCost: 20 } }];

  async function openSoldOut([limit, options]: [Properties, BenchOptions], ...types: string[]) {
    const bench = await openBench(options);
    const { made } = await up(bench, { ...listOf(...types), ...limit }, () =>
      bench.simulator.setGpuType("l4", { stock: 0 }),
    );
    return { bench, made };
  }

  it.each([
    ["the cluster's own limit", ownLimit],
    ["the limit of the stack", stackLimit],
  ] as const)("is left out with a warning while there is another one: %s", async (_title, limited) => {
    const { bench, made } = await openSoldOut(limited, "l4", "h200", "h100");
    expect((await made).state).toMatchObject({ gpuType: "h100", hourlyCost: 5.98, settled: true });
    expect(writes(bench.simulator)).toEqual([creation, creation]);
    expect(warnings(bench)).toEqual([
      expect.stringMatching(/"l4" is refused/),
      expect.stringMatching(/"h200" has no known price.*the next type of the list is tried, "h100".*cannot be checked/),
    ]);
  });

  it.each([
    ["the cluster's own limit", ownLimit],
    ["the limit of the stack", stackLimit],
  ] as const)("is an error if it is the last: %s cannot be checked", async (_title, limited) => {
    const { bench, made } = await openSoldOut(limited, "l4", "h200");
    expect((await failureOf(made)).message).toMatch(
      /^cluster "web": `maxHourlyCost` cannot be checked: .* price for "h200".*Nothing was sent/,
    );
    expect(writes(bench.simulator)).toEqual([creation]);
  });

  it("is taken if nothing limits the cost", async () => {
    const { made } = await openSoldOut([{}, { client: unpriced }], "l4", "h200");
    expect((await made).state).toMatchObject({ gpuType: "h200", settled: true });
  });
});

describe("a cluster that was given another type of the list than the expected one", () => {
  async function openOther(news = listOf("h200", "h100")) {
    const bench = await openBench();
    const { inputs, made } = await up(bench, news, () => bench.simulator.setGpuType("h200", { stock: 0 }));
    const { id, state } = await made;
    bench.simulator.setGpuType("h200", { stock: 32 });
    forget(bench);
    return { bench, id, state, inputs, next: bench.as("seen") };
  }

  it("keeps it: the next preview finds it in one list, and shows no difference", async () => {
    const { bench, state, inputs, next } = await openOther();
    const again = await check({ ...bench, cluster: next }, listOf("h200", "h100"), inputs);
    expect(again.inputs).toMatchObject({ gpuType: "h100", hourlyCost: 5.98 });
    expect(requestLines(bench.simulator)).toEqual(["GET /v1/clusters", "GET /v1/gpus"]);
    expect(next.diff(state, again.inputs).changes).toEqual({});
    forget(bench);
    await check({ ...bench, cluster: bench.as("seen") }, listOf("h200", "h100"), again.inputs);
    expect(requestLines(bench.simulator)).toEqual([]);
  });

  it("keeps it where the list of clusters cannot be read, and through an update", async () => {
    const { bench, id, state, inputs, next } = await openOther();
    bench.simulator.fault({ kind: "status", status: 503, method: "GET", path: "/v1/clusters", times: 9 });
    const again = await check({ ...bench, cluster: next }, { ...listOf("h200", "h100"), replicas: 3 }, inputs);
    expect(Object.keys(next.diff(state, again.inputs).changes)).toEqual(["replicas"]);
    const updated = await bench.run(next.update(bench.ctx(), id, state, again.inputs));
    expect(updated).toMatchObject({ gpuType: "h100", replicas: 3, settled: true });
    expect(updated).not.toHaveProperty("__gpuTypes");
  });

  it("is replaced when the list has it no more, and when the program names the other one", async () => {
    for (const gpuType of [["h200", "l4"], "h200"]) {
      const { bench, state, inputs, next } = await openOther();
      const again = await check({ ...bench, cluster: next }, { ...checked, gpuType }, inputs);
      expect(again.inputs["gpuType"]).toBe("h200");
      expect(next.diff(state, again.inputs).changes).toMatchObject({ gpuType: { replace: true } });
      expect(again.said.join()).toContain("`gpuType` changes, so it is replaced");
    }
  });
});

describe("an adoption with a list of GPU types", () => {
  it("takes the one that the cluster has, although it could not be looked up in the check", async () => {
    const bench = await openBench();
    const { id } = bench.simulator.addCluster({ name: "web", gpuType: "h100", replicas: 2 });
    bench.simulator.fault({ kind: "status", status: 503, method: "GET", times: 12 });
    const { inputs } = await check(bench, { ...listOf("h200", "h100"), adopt: id });
    expect(inputs["gpuType"]).toBe("h200");
    const { state } = await bench.run(bench.cluster.create(bench.ctx(), inputs));
    expect(state).toMatchObject({ gpuType: "h100" });
  });
});

it("what a preview shows of the outputs does not know which type of a list it will be", async () => {
  const bench = await openBench();
  const { inputs } = await check(bench, listOf("h200", "h100"));
  expect(bench.cluster.preview(inputs)).toMatchObject({ gpuType: UNKNOWN });
  expect(bench.cluster.preview(inputs, { gpuType: "h100" })).toMatchObject({ gpuType: "h100" });
  expect(bench.cluster.preview({ ...inputs, __gpuTypes: undefined })).not.toHaveProperty("gpuType");
});
