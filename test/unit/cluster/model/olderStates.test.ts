import type { Properties } from "../../../../provider/contract";
import { openBench } from "../harness";

/** States with inputs that are gone: they load, a refresh finds no drift, and a program of today has nothing to send. */

const program = { name: "web", gpuType: "h100", replicas: 4, container: "vllm/vllm-openai:v0.6.3" };
const inputs: Properties = { ...program, desiredStatus: "running", deletionPolicy: "delete", hourlyCost: 11.96 };
const state: Properties = {
  ...inputs,
  status: "running",
  endpoint: "https://web-809b883f.clusters.example.com",
  createdAt: "2030-01-01T00:00:00.000Z",
  replicaStatuses: [1, 2, 3, 4].map((number) => ({ id: `rep_1-${number}`, status: "healthy", healthy: true })),
  readyReplicas: 4,
  settled: true,
  unverifiedInputs: [],
  __seenBy: "seen",
  __echo: {},
};
const range = { min: 2, max: 8 };

/** What the inputs and the state hold, the program of today, and the paths that an update then changes. */
const rows: [string, Properties, Properties, Properties, string[]][] = [
  ["a range of replicas", { replicas: range, __replicas: 4 }, { __replicaRange: range }, program, []],
  [
    "a type of a list",
    { __gpuTypes: ["h200", "h100"] },
    { __gpuTypes: ["h200", "h100"] },
    { ...program, gpuType: "h200", fallbackGpuTypes: ["h100"] },
    ["fallbackGpuTypes"],
  ],
];

describe.each(rows)("a state with %s", (_title, oldInputs, oldState, news, paths) => {
  async function opened() {
    const bench = await openBench();
    const { id } = bench.simulator.addCluster(program);
    return { bench, id, olds: { ...inputs, ...oldInputs }, stored: { ...state, ...oldState } };
  }

  it("is previewed, and updated without a request that changes the cluster", async () => {
    const { bench, id, olds, stored } = await opened();
    const checked = await bench.run(bench.cluster.check(bench.ctx(), news, olds));
    expect(checked.failures).toEqual([]);
    expect(Object.keys(bench.cluster.diff(stored, checked.inputs, { id }).changes)).toEqual(paths);
    const updated = await bench.run(bench.cluster.update(bench.ctx(), id, stored, checked.inputs));
    expect(updated).toMatchObject({ ...news, gpuType: "h100", settled: true });
    expect(bench.simulator.requests.filter(({ method }) => method !== "GET")).toEqual([]);
  });

  it("is refreshed without drift, and holds what it means today", async () => {
    const { bench, id, stored } = await opened();
    const found = await bench.run(bench.cluster.read(bench.ctx(), id, stored));
    expect(found?.state).toMatchObject({ ...program, settled: true });
    expect(found?.inputs).toMatchObject(program);
    const gone = Object.keys({ ...oldInputs, ...oldState }).filter((key) => !(key in program));
    expect(Object.keys({ ...found?.state, ...found?.inputs }).filter((key) => gone.includes(key))).toEqual([]);
    const checked = await bench.run(bench.cluster.check(bench.ctx(), program, found?.inputs));
    expect(bench.cluster.diff(found?.state ?? {}, checked.inputs, { id }).changes).toEqual({});
  });
});

it.each<[string, Properties, string]>([
  ["a range of replicas", { replicas: range }, 'use the option `ignoreChanges: ["replicas"]`'],
  ["a list of GPU types", { gpuType: ["h200", "h100"] }, "belong in `fallbackGpuTypes`"],
])("a program with %s gets an error that says what is right, and no request is sent", async (_title, asked, text) => {
  const bench = await openBench();
  const { failures } = await bench.run(bench.cluster.check(bench.ctx(), { ...program, ...asked }));
  expect(failures).toEqual([{ property: Object.keys(asked)[0], reason: expect.stringContaining(text) }]);
  expect(bench.simulator.requests).toEqual([]);
});
