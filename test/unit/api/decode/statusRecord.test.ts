import { readDetail, readStatus } from "../../../../provider/api/decode/clusterRecords";

/** neverWorst.test.ts has the law that no sick replica is read as healthy. */

const brewed = { status: "brewed" };
const unchecked = [
  { status: "up", healthy: false },
  { status: "starting", healthy: false },
];

describe("the health of replicas", () => {
  it.each<[string, unknown, (boolean | undefined)[]]>([
    ["is read inside the cluster", { cluster: { replicas: [{ status: "up" }, brewed] } }, [true, undefined]],
    ["is a word for health before a status", [{ status: "running", health: "starting" }], [false]],
    [
      "is a whole share",
      [{ status: "up (1/2)" }, { status: "up", ready: "1/2" }, { ready: "2/2" }],
      [false, false, true],
    ],
    ["is not a count of none", [{ status: "up", ready: 0 }], [false]],
    ["is read from counts alone", { status: "running", replicas: { total: 3, healthy: 2 } }, [true, true, false]],
    ["is a count beside unknown words", { replicas: [brewed, { status: "up" }], ready: 1 }, [false, true]],
  ])("%s", (_name, json, expected) => {
    expect(readStatus(json).replicas.map(({ healthy }) => healthy)).toEqual(expected);
  });

  it.each<[string, unknown]>([
    ["is not read from a list of another name", { status: "running", workers: [brewed] }],
    ["is not read from a list with something else", { replicas: [{ id: "a" }, 7] }],
  ])("%s", (_name, json) => {
    expect(() => readStatus(json)).toThrow("is not a list of replicas");
  });

  it.each<[string, object, unknown]>([
    ["is read from words in a record", { status: "running", replicas: [brewed, { status: "up" }] }, [undefined, true]],
    ["is read from a count in a record", { status: "up", replicas: 2, activeReplicas: 1 }, [true, false]],
    ["is no count before the cluster runs", { status: "pending", replicas: 1, activeReplicas: 1 }, [false]],
    ["is a word without a health check", { healthCheckEnabled: false, replicas: unchecked }, [true, false]],
  ])("%s", (_name, record, expected) => {
    const { health } = readDetail({ id: "cl_1", ...record }, "cl_1");
    expect(health?.replicas.map(({ healthy }) => healthy)).toEqual(expected);
  });
});

test("a status without replicas is about the cluster as a whole", () => {
  const flag = readStatus({ status: "running", healthy: true });
  const word = readStatus({ status: "running", health: { status: "fail" } });
  expect([flag.overall, word.overall, readStatus(brewed).isMissing]).toEqual([true, false, true]);
});
