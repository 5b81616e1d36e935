import { readGpus } from "../../../../provider/api/read/gpuRecords";
import { readServiceInfo } from "../../../../provider/api/read/serviceRecords";
import { readStatus } from "../../../../provider/api/read/statusRecord";

test.each([
  ["null", null],
  ["a number", 7],
  ["a list", []],
])("%s among the replicas counts as one that is not healthy, and the others are read", (_what, odd) => {
  const { status, replicas } = readStatus({
    status: "running",
    replicas: [{ id: "a", healthy: true }, odd, { id: "c", status: "failed", message: "no memory" }],
  });
  expect(status).toBe("running");
  expect(replicas).toEqual([
    { id: "a", status: "", healthy: true },
    { id: "1", status: "", healthy: false },
    { id: "c", status: "failed", healthy: false, message: "no memory" },
  ]);
});

const h100 = { type: "h100", price_per_hour: 2.99 };
const l4 = { type: "l4" };
test.each([
  ["one bare record", h100, ["h100"]],
  ["one bare record with a name and a flag", { name: "h100", availability: true, data: {} }, ["h100"]],
  ["a list beside a name", { name: "GPU types", gpus: [h100, l4] }, ["h100", "l4"]],
  ["a list beside an id and a type", { id: "list_1", type: "list", data: [h100, l4] }, ["h100", "l4"]],
  ["an empty list beside a name", { name: "GPU types", gpus: [] }, []],
])("GPU types are read from %s", (_what, json, types) => {
  expect(readGpus("types")(json).gpus.map(({ type }) => type)).toEqual(types);
});

test("no replica is called cluster", () => {
  expect(readStatus({ cluster: { status: "running" } }).replicas).toEqual([]);
});

test("conditions of the cluster are no replicas", () => {
  const json = { status: "running", conditions: [{ type: "Ready", status: "True" }] };
  expect(readStatus(json)).toMatchObject({ replicas: [], overall: true });
});

test("a descriptor that says nothing usable has no fields", () => {
  const json = { name: 1, version: null, endpoints: ["x"] };
  expect(readServiceInfo(json)).toEqual({ endpoints: {}, raw: json });
});
