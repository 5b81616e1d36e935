import { readStatus } from "../../../../provider/api/read/statusRecord";

test.each<[string, unknown, boolean[]]>([
  ["as many sick as there are", { total: 2, running: 2, unhealthy: 2 }, [false, false]],
  ["one sick of two that run", { total: 2, running: 2, unhealthy: 1 }, [true, false]],
  ["fewer ready than running", { total: 2, running: 2, ready: 1 }, [true, false]],
  [
    "none that runs of two, whatever the word says",
    { status: "ACTIVE", desiredCount: 2, runningCount: 0 },
    [false, false],
  ],
])("counts with %s are read", (_what, json, healthy) => {
  const { replicas, isCounted } = readStatus(json);
  expect({ healthy: replicas.map((replica) => replica.healthy), isCounted }).toEqual({ healthy, isCounted: true });
});

const well = { id: "a", status: "running", healthy: true };
const ill = { id: "b", status: "starting", healthy: false };
const both = [
  { id: "a", status: "running" },
  { id: "b", status: "starting" },
];
test.each<[string, unknown, unknown[]]>([
  ["a list of another name", { status: "running", workers: [{ id: "b", status: "starting" }] }, [ill]],
  ["a list of another name, of several", { status: "running", workers: both }, [well, ill]],
  ["inside the cluster", { cluster: { status: "running", replicas: both } }, [well, ill]],
  ["inside the cluster, with its id", { cluster: { id: "cl_1", status: "running", replicas: both } }, [well, ill]],
  [
    "the manner of JSON:API",
    {
      data: [
        { type: "replicas", id: "a", attributes: { status: "running" } },
        { type: "replicas", id: "b", attributes: { status: "starting" } },
      ],
    },
    [well, ill],
  ],
  [
    "the manner of JSON:API, if a flag says no",
    { data: [{ type: "replicas", id: "a", attributes: { status: "running", ready: false } }] },
    [{ id: "a", status: "running", healthy: false }],
  ],
])("replicas are read from %s", (_what, json, replicas) => {
  expect(readStatus(json).replicas).toEqual(replicas);
});
