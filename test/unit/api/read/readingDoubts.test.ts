import { readGpus, readGpuType } from "../../../../provider/api/read/gpuRecords";
import { readStatus } from "../../../../provider/api/read/statusRecord";
import { isErrorInSuccess } from "../../../../provider/api/statusErrors";

test.each<[string, unknown]>([
  ["a list of several records", [{ type: "l4", available: true }, { type: "a100" }]],
  ["a list of several records under gpus", { gpus: [{ type: "l4", available: true }, { type: "a100" }] }],
  ["a list of words", ["l4", "a100"]],
])("%s that names other types says nothing about this one", (_what, json) => {
  expect(() => readGpuType("h100")(json)).toThrow("it is not about this GPU type");
});

test("a list of values that are not records is no list of GPU types", () => {
  expect(() => readGpus("types")([null, 7])).toThrow("none of its records names a GPU type");
});

test("a record of an id, a state and the reason of it is no error", () => {
  expect(isErrorInSuccess({ id: "cl_1", status: "failed", error: "no capacity" })).toBe(false);
});

test("no replica is called cluster", () => {
  expect(readStatus({ cluster: { status: "running" } }).replicas).toEqual([]);
});

test("conditions of the cluster are no replicas", () => {
  const json = { status: "running", conditions: [{ type: "Ready", status: "True" }] };
  expect(readStatus(json)).toMatchObject({ replicas: [], overall: true });
});
