import type { Client } from "../../../provider/api/client";
import { CreateError, InterruptedError } from "../../../provider/errors";
import type { Fault } from "../../../simulator";
import { claim, createLine, wanted } from "./createOnceHarness";
import { type Bench, type BenchOptions, closeAll, countOf, failureOf, living, openBench } from "./harness";

afterEach(closeAll);

const listLine = "GET /v1/clusters";
const lost: Fault = { method: "POST", path: "/v1/clusters", kind: "drop" };
const lostAfter: Fault = { ...lost, when: "after" };
const minute = 60_000;

/** What every list says after the first one. */
const laterLists = (clusters: object[]): Fault => ({
  kind: "body",
  body: JSON.stringify({ clusters }),
  method: "GET",
  path: "/v1/clusters",
  after: 1,
  times: 1_000,
});

/** A bench where something happens right before, or right after, the create request with this number. */
function openWith(
  { before, after }: { before?: (bench: Bench, post: number) => void; after?: (post: number) => void },
  options: BenchOptions = {},
): Promise<Bench> {
  let posts = 0;
  const opened: Promise<Bench> = openBench({
    ...options,
    client: (real) => ({
      createCluster: async (...args) => {
        posts += 1;
        const post = posts;
        before?.(await opened, post);
        try {
          return await real.createCluster(...args);
        } finally {
          after?.(post);
        }
      },
    }),
  });
  return opened;
}

describe("after a lost answer, a list that shows", () => {
  const web = { name: "web", gpu_type: "h100" };

  it.each<[string, object[], string[]]>([
    ["a new cluster without a name", [{ id: "cl_a", gpu_type: "h100" }], ["cl_a"]],
    ["nothing but an id", [{ id: "cl_a" }], ["cl_a"]],
    ["our name with another GPU type", [{ id: "cl_a", ...web, gpu_type: "l4" }], ["cl_a"]],
    ["our name without a GPU type", [{ id: "cl_a", name: "web" }], ["cl_a"]],
    ["our name in other capitals with another GPU type", [{ id: "cl_a", name: "WEB", gpu_type: "l4" }], ["cl_a"]],
    ["our cluster and one without a name", [{ id: "cl_a", ...web }, { id: "cl_b" }], ["cl_a", "cl_b"]],
    ["two of our clusters", ["cl_a", "cl_b"].map((id) => ({ id, ...web })), ["cl_a", "cl_b"]],
  ])("%s is an error that names it, and nothing more is sent", async (_title, clusters, ids) => {
    const bench = await openBench({ faults: [lost, laterLists(clusters)] });
    const error = await bench.run(failureOf(claim(bench)));
    expect(error).toBeInstanceOf(CreateError);
    expect(error.message).toContain('cluster "web" may have been created, but its id is not known');
    expect(error.message).toMatch(/it may be one of cl_a/);
    for (const id of ids) expect(error.message).toContain(id);
    expect(countOf(bench.simulator, createLine)).toBe(1);
  });

  it.each<[string, object]>([
    ["our cluster", { id: "cl_a", ...web }],
    ["our cluster in other capitals", { id: "cl_a", name: "Web", gpu_type: "H100" }],
  ])("%s is taken", async (_title, cluster) => {
    const bench = await openBench({ faults: [lostAfter, laterLists([cluster])] });
    expect((await bench.run(claim(bench))).id).toBe("cl_a");
    expect(countOf(bench.simulator, createLine)).toBe(1);
  });

  it.each<[string, object]>([
    ["another name", { id: "cl_a", name: "web-2", gpu_type: "h100" }],
    ["our name on its way out", { id: "cl_a", ...web, status: "terminating" }],
    ["our name, gone", { id: "cl_a", ...web, status: "deleted" }],
  ])("%s is not taken, and the request is sent again", async (_title, cluster) => {
    const bench = await openBench({ faults: [lost, laterLists([cluster])] });
    const { id } = await bench.run(claim(bench));
    expect(living(bench.simulator).map((made) => made.id)).toEqual([id]);
    expect(countOf(bench.simulator, createLine)).toBe(2);
  });
});

describe("the time of creation of a cluster that shows after a lost answer", () => {
  async function claimBeside(ageMs: number) {
    const ids: string[] = [];
    const bench = await openWith(
      {
        before: ({ simulator, clock }, post) => {
          if (post === 1)
            ids.push(simulator.addCluster({ name: "web", gpuType: "h100", createdAt: clock.now() - ageMs }).id);
        },
      },
      { faults: [lost] },
    );
    const { id } = await bench.run(claim(bench));
    return { bench, id, other: ids[0] ?? "" };
  }

  it.each([0, 4 * minute])("makes it ours where two clocks may differ so far: %d ms before", async (ageMs) => {
    const { bench, id, other } = await claimBeside(ageMs);
    expect(id).toBe(other);
    expect(countOf(bench.simulator, createLine)).toBe(1);
  });

  it.each([6 * minute, 60 * minute])(
    "leaves it open whose it is %d ms before, so nothing more is sent",
    async (ageMs) => {
      const error = await claimBeside(ageMs).catch((reason: unknown) => reason);
      expect(String(error)).toMatch(/may have been created, but its id is not known: .*it may be one of cl_/);
    },
  );
});

const secondRequest = expect.stringContaining("the request is sent again");

describe("a second create request", () => {
  it("that is a conflict means that the first one arrived late, and its cluster is taken", async () => {
    const ids: string[] = [];
    const bench = await openWith(
      {
        before: ({ simulator }, post) => {
          if (post === 2) ids.push(simulator.addCluster({ name: "web", gpuType: "h100" }).id);
        },
      },
      { dialect: { uniqueNames: true }, faults: [lost] },
    );
    const { id } = await bench.run(claim(bench));
    expect([id]).toEqual(ids);
    expect(living(bench.simulator)).toHaveLength(1);
    expect(countOf(bench.simulator, createLine)).toBe(2);
    expect(bench.said).toEqual([secondRequest]);
  });

  it("that is a conflict without any such cluster is left to a person", async () => {
    const conflict: Fault = { kind: "status", status: 409, method: "POST", path: "/v1/clusters", message: "not now" };
    const bench = await openBench({ faults: [lost, conflict] });
    const error = await bench.run(failureOf(claim(bench)));
    expect(error).toBeInstanceOf(CreateError);
    expect(error.message).toMatch(/may have been created.*not now.*two create requests were sent/);
    expect(countOf(bench.simulator, createLine)).toBe(2);
  });

  it("is followed by a warning where nobody can tell whether the first one made a cluster, too", async () => {
    const noList: Fault = { kind: "status", status: 500, method: "GET", path: "/v1/clusters", after: 6, times: 1_000 };
    const bench = await openBench({ faults: [lost, noList] });
    const { id } = await bench.run(claim(bench));
    expect(living(bench.simulator).map((made) => made.id)).toEqual([id]);
    expect(bench.said).toEqual([
      secondRequest,
      expect.stringMatching(/could not check whether the first create request created a cluster too/),
    ]);
  });

  it("is always said, and nothing else if there is one cluster", async () => {
    const bench = await openBench({ faults: [lost] });
    await bench.run(claim(bench));
    expect(bench.said).toEqual([secondRequest]);
  });
});

describe("an interrupt while the create request is under way", () => {
  async function interrupted(faults: Fault[]) {
    const controller = new AbortController();
    const bench = await openWith({ after: () => controller.abort(new InterruptedError("interrupted")) }, { faults });
    const startMs = bench.clock.now();
    const work = claim(bench, {}, { signal: controller.signal });
    return { bench, work, tookMs: () => bench.clock.now() - startMs };
  }

  it("leaves the time for one look, and what it shows is kept", async () => {
    const { bench, work, tookMs } = await interrupted([lostAfter]);
    const { id } = await bench.run(work);
    expect(living(bench.simulator).map((made) => made.id)).toEqual([id]);
    expect(countOf(bench.simulator, listLine)).toBe(2);
    expect(tookMs()).toBe(0);
  });

  it("ends after one look that shows nothing, and nothing more is sent", async () => {
    const { bench, work, tookMs } = await interrupted([lostAfter, { kind: "hidden", ms: minute }]);
    const { message } = await bench.run(failureOf(work));
    expect(message).toMatch(/cluster "web" may have been created.*the search for the cluster was interrupted/);
    expect(countOf(bench.simulator, createLine)).toBe(1);
    expect(countOf(bench.simulator, listLine)).toBe(2);
    expect(tookMs()).toBe(0);
  });

  it.each<[string, Fault]>([
    ["fails", { kind: "status", status: 503, method: "GET", path: "/v1/clusters", after: 1, times: 1_000 }],
    ["breaks", { kind: "drop", method: "GET", path: "/v1/clusters", after: 1, times: 1_000 }],
    [
      "has to wait for its turn",
      {
        kind: "status",
        status: 429,
        headers: { "Retry-After": "50" },
        method: "GET",
        path: "/v1/clusters",
        after: 1,
        times: 1_000,
      },
    ],
  ])("is not held up by a look that %s", async (_title, fault) => {
    const { bench, work, tookMs } = await interrupted([lostAfter, fault]);
    const { message } = await bench.run(failureOf(work));
    expect(message).toMatch(/may have been created.*the search for the cluster was interrupted/);
    expect(countOf(bench.simulator, createLine)).toBe(1);
    expect(tookMs()).toBeLessThanOrEqual(5_000);
  });
});

describe("the first look for a cluster", () => {
  it("is one request that takes 5 s at most; the later ones may take longer, and end with an interrupt", async () => {
    const looks: (Parameters<Client["listClusters"]>[0] & { atMs: number })[] = [];
    const bench = await openBench({
      faults: [lostAfter, { kind: "hidden", ms: 4_000 }],
      client: (real) => ({
        listClusters: (options) => {
          looks.push({ ...options, atMs: bench.clock.now() });
          return real.listClusters(options);
        },
      }),
    });
    await bench.run(claim(bench));
    const [, first, second] = looks;
    const { atMs = 0, ...look } = first ?? {};
    expect(look).toEqual({ attempts: 1, deadlineMs: atMs + 5_000, urgency: "reconcile" });
    expect(second).toMatchObject({ attempts: 3 });
  });
});

describe("a name that this process has just taken", () => {
  it("is known although the list of before is still young", async () => {
    const bench = await openBench();
    await bench.run(bench.service.lists.recent(0));
    const { id } = await bench.run(claim(bench));
    const error = await bench.run(failureOf(claim(bench)));
    expect(error.message).toMatch(/the name "web" is already the name of/);
    expect(error.message).toContain(id);
    expect(countOf(bench.simulator, createLine)).toBe(1);
  });

  it("is known after a lost answer, too", async () => {
    const bench = await openBench({ faults: [lostAfter] });
    const { id } = await bench.run(claim(bench));
    expect((await bench.run(failureOf(claim(bench, { ...wanted, gpuType: "l4" })))).message).toContain(id);
    expect(living(bench.simulator)).toHaveLength(1);
  });
});
