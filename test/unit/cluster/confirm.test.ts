import { CreateError, InterruptedError } from "../../../provider/errors";
import type { Fault } from "../../../simulator";
import { claim, createLine } from "./createOnceHarness";
import { type Bench, closeAll, countOf, failureOf, living, openBench } from "./harness";

afterEach(closeAll);

const create = { method: "POST", path: "/v1/clusters" };
const lists = { method: "GET", path: "/v1/clusters" };
const listLine = "GET /v1/clusters";
const lost: Fault = { ...create, kind: "drop" };
const operation = { id: "op_77", status: "pending" };

/** The cluster is made, and the answer is this. */
const answer = (record: object): Fault => ({ ...create, kind: "body", status: 201, body: JSON.stringify(record) });

/** What every list says after the first ones. */
const laterLists = (clusters: object[], after = 1): Fault => ({
  ...lists,
  kind: "body",
  body: JSON.stringify({ clusters }),
  after,
  times: 1_000,
});

const onlyOne = ({ simulator }: Bench) => living(simulator).map(({ id }) => id);

describe("a create answer that may be about something else", () => {
  it.each<[string, object]>([
    ["the id of an operation", operation],
    ["an id of another form with our name", { id: "web-1", name: "web" }],
    ["another name", { id: "cl_other", name: "other" }],
    ["another name and an id of another form", { id: "op_77", name: "create-cluster" }],
  ])("(%s) is the cluster of our name in the list, and nothing more is sent", async (_title, record) => {
    const bench = await openBench({ faults: [answer(record)] });
    const { id } = await bench.run(claim(bench));
    expect([id]).toEqual(onlyOne(bench));
    expect(countOf(bench.simulator, createLine)).toBe(1);
    expect(bench.said.filter((text) => !text.startsWith("info: "))).toEqual([]);
  });

  it.each<[string, object]>([
    ["the documented id", { id: "cl_a", name: "web" }],
    ["the documented id in capitals", { id: "CL_A", name: "WEB" }],
    ["the documented id without a name", { id: "cl_a" }],
  ])("is not one with %s: that needs no list", async (_title, record) => {
    const bench = await openBench({ faults: [answer(record)] });
    expect((await bench.run(claim(bench))).id).toBe("id" in record && record.id);
    expect(countOf(bench.simulator, listLine)).toBe(1);
  });

  it.each<[string, object, string[]]>([
    ["without a name", { id: "web-1", status: "pending" }, []],
    ["with our name", { id: "web-1", name: "web" }, []],
    ["with another name", { id: "cl_a", name: "acme-web" }, ['the service calls cl_a "acme-web"']],
    ["with a longer name", { id: "cl_a", name: "acme/web" }, ['the service calls cl_a "acme/web"']],
  ])("%s is taken where its id is new in the list", async (_title, record, said) => {
    const bench = await openBench({ faults: [answer(record), laterLists([record])] });
    expect(await bench.run(claim(bench))).toMatchObject(record);
    expect(countOf(bench.simulator, createLine)).toBe(1);
    expect(bench.said).toEqual(said);
  });

  it("is the cluster of our name also where the list lags behind for 2 s", async () => {
    const bench = await openBench({ faults: [answer(operation), { kind: "hidden", ms: 2_000 }] });
    const startMs = bench.clock.now();
    const { id } = await bench.run(claim(bench));
    expect([id]).toEqual(onlyOne(bench));
    expect(bench.clock.now() - startMs).toBeGreaterThanOrEqual(2_000);
    expect(countOf(bench.simulator, createLine)).toBe(1);
  });

  it.each<[string, Fault[]]>([
    ["fails with 500", [{ ...lists, kind: "status", status: 500, after: 1, times: 1_000 }]],
    ["is refused with 403", [{ ...lists, kind: "status", status: 403, after: 1, times: 1_000 }]],
    ["is refused from the start", [{ ...lists, kind: "status", status: 403, times: 1_000 }]],
    ["shows nothing of it", [laterLists([])]],
    ["shows only another cluster", [laterLists([{ id: "cl_x", name: "other" }])]],
  ])("is an error that names its id where the list %s, and nothing more is sent", async (_title, faults) => {
    const bench = await openBench({ faults: [answer(operation), ...faults] });
    const error = await bench.run(failureOf(claim(bench)));
    expect(error).toBeInstanceOf(CreateError);
    expect(error.message).toMatch(/cluster "web" may have been created.*op_77/);
    expect(countOf(bench.simulator, createLine)).toBe(1);
  });

  it("is an error that names its id where its id was in the list before", async () => {
    const other = { id: "op_77", name: "other" };
    const bench = await openBench({ faults: [answer(operation), laterLists([other], 0)] });
    expect((await bench.run(failureOf(claim(bench)))).message).toMatch(/may have been created.*op_77/);
    expect(countOf(bench.simulator, createLine)).toBe(1);
  });

  it.each([0, 3_000])("is an error that names its id where %d ms later the user interrupts", async (ms) => {
    const controller = new AbortController();
    const stop = () => controller.abort(new InterruptedError("interrupted"));
    const bench = await openBench({
      faults: [answer(operation), { kind: "hidden", ms: 600_000 }],
      client: (real) => ({
        createCluster: (...args) => real.createCluster(...args).finally(() => ms === 0 && stop()),
      }),
    });
    const failed = failureOf(claim(bench, {}, { signal: controller.signal }));
    await bench.clock.advance(ms);
    stop();
    const error = await bench.run(failed);
    expect(error).toBeInstanceOf(CreateError);
    expect(error.message).toMatch(/may have been created.*op_77/);
    expect(countOf(bench.simulator, createLine)).toBe(1);
  });
});

describe("the answer to a second create request, after a first one that made nothing,", () => {
  it("is confirmed in the same way", async () => {
    const bench = await openBench({ faults: [lost, answer(operation)] });
    const { id } = await bench.run(claim(bench));
    expect([id]).toEqual(onlyOne(bench));
    expect(countOf(bench.simulator, createLine)).toBe(2);
  });

  it("is an error that names its id where no list shows a cluster, and no third one is sent", async () => {
    const bench = await openBench({ faults: [lost, answer(operation), { kind: "hidden", ms: 600_000 }] });
    const error = await bench.run(failureOf(claim(bench)));
    expect(error).toBeInstanceOf(CreateError);
    expect(error.message).toMatch(/may have been created.*op_77/);
    expect(countOf(bench.simulator, createLine)).toBe(2);
  });
});

describe("after a lost answer, a new cluster in the list", () => {
  const found = (fields: object) =>
    openBench({ faults: [lost, laterLists([{ id: "cl_a", name: "web", gpu_type: "h100", ...fields }])] });

  it.each(["org-1/web", "web (org 1)"])("of the name %j is doubtful, so nothing more is sent", async (name) => {
    const bench = await found({ name });
    const error = await bench.run(failureOf(claim(bench)));
    expect(error.message).toMatch(/may have been created.*it may be one of cl_a/);
    expect(countOf(bench.simulator, createLine)).toBe(1);
  });

  it.each(["NVIDIA H100 80GB", "nvidia-h100", "H-100"])("of the GPU type %j is ours", async (gpu_type) => {
    const bench = await found({ gpu_type });
    expect((await bench.run(claim(bench))).id).toBe("cl_a");
    expect(countOf(bench.simulator, createLine)).toBe(1);
  });
});
