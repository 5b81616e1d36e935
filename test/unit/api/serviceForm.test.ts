import type { RequestNames } from "../../../provider/api/requests";
import { ServiceForm } from "../../../provider/api/serviceForm";
import type { GpuType } from "../../../provider/api/types";

const uuid = "3f2b8c1e-0000-4000-8000-000000000090";
const gpu = (type: string, raw: Record<string, unknown> = {}): GpuType => ({ type, raw: { id: type, ...raw } });
const client = { id: "1", gpuModelId: uuid, replicaCount: 2 };
const specification = { id: "cl_1", gpu_type: "h100", replicas: 2 };

/** The answers of a service: a list of clusters, and a list of GPU models. */
type Row = [string, unknown, GpuType[], RequestNames | undefined];

test.each<Row>([
  ["records of the client's form", { data: [client] }, [], "client"],
  ["records of the specification", { data: [specification] }, [], "specification"],
  ["an empty list in an open envelope, and ids that are UUIDs", { data: [] }, [gpu(uuid)], "client"],
  ["an empty list in an open envelope, and ids that are words", { data: [] }, [gpu("h100")], undefined],
  ["a bare empty list, and ids that are UUIDs", [], [gpu(uuid)], undefined],
  ["records that show both", { data: [{ gpuModelId: uuid, gpu_type: "h100" }] }, [], undefined],
])("%s", (_title, clusters, models, names) => {
  const form = new ServiceForm();
  form.saw(clusters, true);
  form.sawGpus(
    "models",
    models.map(({ raw }) => raw),
    models,
  );
  expect(form.names).toBe(names);
});

test("a list of GPUs whose ids are words does not show the client's form, whatever the order of reads", async () => {
  const raw = { id: "h100", model: "H100", gpu_model_name: "NVIDIA H100" };
  for (const isListFirst of [true, false]) {
    const form = new ServiceForm();
    if (isListFirst) form.saw({ clusters: [] }, true);
    form.sawGpus("types", [raw], [gpu("h100", raw)]);
    if (!isListFirst) form.saw({ clusters: [] }, true);
    expect(await form.namesForCreation([])).toBe("specification");
  }
});

test("a setting takes precedence over what the service shows", () => {
  const form = new ServiceForm("client");
  form.saw(specification, false);
  expect([form.names, form.isConfirmed]).toEqual(["client", false]);
});

test("lists about GPUs are read only if nothing else shows the form, and once", async () => {
  const form = new ServiceForm();
  let reads = 0;
  const read = async () => {
    reads += 1;
  };
  expect(await form.namesForCreation([read, read])).toBe("specification");
  expect(await form.namesForCreation([read, read])).toBe("specification");
  expect(reads).toBe(2);
});

test("a list that cannot be read is no evidence", async () => {
  const form = new ServiceForm();
  expect(await form.namesForCreation([() => Promise.reject(new Error("down"))])).toBe("specification");
});
