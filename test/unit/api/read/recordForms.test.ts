import { readCluster, readCreated, readListed } from "../../../../provider/api/read/clusterRecord";

test.each<[string, Record<string, unknown>]>([
  ["a time of nought", { deleted_at: 0 }],
  ["a time of nought as text", { deleted_at: "0" }],
  ["the first day of the calendar", { deleted_at: "0001-01-01T00:00:00Z" }],
  ["the first second of Unix time", { deleted_at: "1970-01-01T00:00:00Z" }],
  ["an empty time", { deleted_at: "" }],
  ["a flag that says no", { deleted_at: false }],
  ["a flag that says no, as text", { deleted_at: "false" }],
])("%s in place of a mark of deletion marks nothing", (_what, mark) => {
  expect(readListed({ id: "cl_1", ...mark })).toEqual({ id: "cl_1" });
  expect(readListed({ id: "cl_1", status: "warming", ...mark })?.status).toBe("warming");
});

const marks = [{ deleted_at: "2030-01-01T00:00:00Z" }, { deletedAt: 1_900_000_000 }];

test.each(["running", "Running", "CLUSTER_STATUS_RUNNING", "failed", "stopped", "provisioning", "deleting", "warming"])(
  "the word %s outweighs every mark of deletion",
  (status) => {
    for (const mark of marks) expect(readListed({ id: "cl_1", status, ...mark })?.status).toBe(status);
  },
);

test.each<[string, Record<string, unknown>]>([
  ["under a name that is not known", { provisioningState: "Succeeded" }],
  ["inside a group", { properties: { health_status: "warming" } }],
  ["inside an object", { status: { lastState: "warming" } }],
])("a state that is shown %s outweighs every mark of deletion", (_where, said) => {
  for (const mark of marks) expect(readListed({ id: "cl_1", ...said, ...mark })?.status).not.toBe("terminated");
});

test.each([{}, { status: null }, { status: "" }, { state: {} }])(
  "without a state (%j), a mark of deletion counts",
  (said) => {
    for (const mark of marks) expect(readListed({ id: "cl_1", ...said, ...mark })?.status).toBe("terminated");
  },
);

const kubernetes = { metadata: { id: "cl_x", name: "web" }, spec: { replicas: 3 }, status: { phase: "Running" } };
test.each([
  ["in a list", readListed],
  ["when it is requested", readCluster("cl_x")],
  ["when it is made", readCreated],
])("a record in the manner of Kubernetes is read whole %s", (_where, read) => {
  const expected = { id: "cl_x", name: "web", status: "Running", replicas: 3 };
  expect(read(kubernetes)).toEqual(expected);
  expect(read({ apiVersion: "v1", kind: "Cluster", ...kubernetes })).toEqual(expected);
});

test.each<[string, Record<string, unknown>, Record<string, unknown>]>([
  [
    "the id of a GPU type, not its title",
    { gpu_type: { id: "h100", name: "NVIDIA H100 80GB" } },
    { gpuType: "h100", gpuIdentifiers: ["h100", "NVIDIA H100 80GB"] },
  ],
  ["the image of a container, not its id", { container: { id: "ctr_9", image: "a/b:1" } }, { container: "a/b:1" }],
  ["the name that can be one", { name: "org-1/web", display_name: "web" }, { name: "web" }],
  ["a name that cannot be one, if there is no other", { name: "org-1/web" }, { name: "org-1/web" }],
  ["the desired number, not the present one", { desiredReplicaCount: 3, replicaCount: 1 }, { replicas: 3 }],
])("the value of a record is %s", (_what, fields, expected) => {
  expect(readListed({ id: "cl_1", ...fields })).toMatchObject({ id: "cl_1", ...expected });
});

const value = "hf_abcdefgh1234";
test.each<[string, unknown]>([
  ["a map", { HF_TOKEN: value, OTHER: null }],
  ["a list of pairs", [{ name: "HF_TOKEN", value }]],
  ["a list of assignments", [`HF_TOKEN=${value}`]],
])("a word that is none for a state is free of values of env in %s", (_what, env) => {
  const word = `failed: HF_TOKEN ${value}`;
  expect(readListed({ id: "cl_1", status: word, env })?.status).toBe("failed: HF_TOKEN [secret]");
  expect(readListed({ id: "cl_1", status: { state: word }, config: { env } })?.status).toBe(
    "failed: HF_TOKEN [secret]",
  );
});

test("a word for a state stays as it is, whatever env holds", () => {
  expect(readListed({ id: "cl_1", status: "running", env: { MODE: "running" } })?.status).toBe("running");
});

test.each<[string, (inner: unknown) => unknown]>([
  ["objects", (inner) => ({ value: inner })],
  ["lists", (inner) => [inner]],
  ["objects and lists", (inner) => ({ value: [inner] })],
])("a value of env that is 20 000 %s deep is one that is not shown", (_what, around) => {
  let deep: unknown = "x";
  for (let level = 0; level < 20_000; level += 1) deep = around(deep);
  expect(readListed({ id: "cl_1", env: { A: deep, B: "1" } })?.env).toEqual({ A: null, B: "1" });
});

test("a cluster is found beside the things that it is made of", () => {
  expect(readListed({ gpu: { id: "h100", name: "x" }, cluster: { id: "cl_9", name: "w" } })).toEqual({
    id: "cl_9",
    name: "w",
  });
});
