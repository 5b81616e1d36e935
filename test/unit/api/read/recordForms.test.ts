import { readCluster, readCreated, readListed } from "../../../../provider/api/read/clusterRecord";
import { cleanJson } from "../../../../provider/text";

test.each<unknown>([...[0, "0", "", false, "false"], ...["0001-01-01T00:00:00Z", "1970-01-01T00:00:00Z"]])(
  "%j in place of a mark of deletion marks nothing",
  (deleted_at) => {
    const mark = { deleted_at };
    expect(readListed({ id: "cl_1", ...mark })).toEqual({ id: "cl_1" });
    expect(readListed({ id: "cl_1", status: "warming", ...mark })?.status).toBe("warming");
  },
);

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
  const cluster = { id: "cl_9", name: "w" };
  expect(readListed({ gpu: { id: "h100", name: "x" }, cluster })).toEqual(cluster);
});

const raw = " byte\u001b[31m\u202e for byte\r\n";
const dirty: [string, string][] = [
  ["OSC", "\u001b]8;;http://evil\u0007NAME\u001b]8;;\u0007"],
  ["CSI", "\u001b[2J\u001b[31mNAME"],
  ["CSI in one character", "\u009b31mNAME"],
  ["a bidirectional control", "NA\u202eME"],
  ["an invisible character", "NA\u200bME"],
  ["a line separator", "NAME\u2028"],
];
const shapes: [string, (name: string) => unknown][] = [
  ["a map", (name) => ({ [name]: raw })],
  ["a map of objects", (name) => ({ [name]: { value: raw } })],
  ["a list of objects", (name) => [{ name, value: raw }]],
  ["a list of texts", (name) => [`${name}=${raw}`]],
];

describe.each(shapes)("the name of a variable in %s", (_shape, write) => {
  it.each(dirty)("is cleaned of %s, and its value stays byte for byte", (_what, name) => {
    const keeps = (property: string) => property === "env";
    const json = cleanJson({ id: "cl_1", env: write(name) }, { keeps });
    expect(readCluster("cl_1")(json).env).toEqual({ NAME: raw });
  });
});

test.each(shapes.slice(0, 2))("in %s, a name that only looks like another one does not take its place", (_s, write) => {
  const env = Object.assign({}, write("NAME"), { "NA\u202eME": "another" });
  const json = cleanJson({ id: "cl_1", env }, { keeps: (property) => property === "env" });
  expect(readCluster("cl_1")(json).env).toEqual({ NAME: raw });
});

test("a name that is longer than any variable is cut", () => {
  const env = readCluster("cl_1")({ id: "cl_1", env: { ["N".repeat(5_000)]: "1" } }).env ?? {};
  expect(Object.keys(env)).toEqual([`${"N".repeat(1_024)}…`]);
});

test("the API key does not show in the name of a variable", () => {
  const hide = (text: string) => text.replace("sk-key", "[secret]");
  const json = cleanJson({ env: { "A_sk-key": "sk-key" } }, { hide, keeps: (name) => name === "env" });
  expect(json).toEqual({ env: { "A_[secret]": "sk-key" } });
});
