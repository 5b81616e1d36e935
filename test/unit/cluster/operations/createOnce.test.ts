import type { Client } from "../../../../provider/api/client";
import { ConnectionError, InterruptedError } from "../../../../provider/base/errors";
import type { Fault } from "../../../../simulator";
import { type Bench, type BenchOptions, closeAll, countOf, failureOf, living, openBench, writes } from "../harness";
import * as harness from "./createOnceHarness";

const { claim, createLine, expectDoubt, expectOne, wanted } = harness;
const { failingLists, listLine, lists, lost, lostAfter, post } = harness;

afterEach(closeAll);

const minute = 60_000;
const hidden = (ms: number): Fault => ({ kind: "hidden", ms });
const interrupt = () => new InterruptedError("interrupted");

/** A bench where something happens right before, or right after, the create request with this number. */
function openWith(
  { before, after }: { before?: (bench: Bench, count: number) => void; after?: (count: number) => void },
  options: BenchOptions = {},
): Promise<Bench> {
  let count = 0;
  const opened: Promise<Bench> = openBench({
    ...options,
    client: (real) => ({
      createCluster: async (...args) => {
        count += 1;
        const own = count;
        before?.(await opened, own);
        try {
          return await real.createCluster(...args);
        } finally {
          after?.(own);
        }
      },
    }),
  });
  return opened;
}

describe("a name that is taken", () => {
  it.each(["web", "Web"])("is refused with the ids before anything is sent: %s", async (name) => {
    const bench = await openBench();
    const ids = [1, 2].map(() => bench.simulator.addCluster({ name: "web", gpuType: "l4" }).id);
    const { message } = await bench.run(failureOf(claim(bench, { name })));
    for (const id of ids) expect(message).toContain(id);
    expect(writes(bench.simulator)).toEqual([]);
  });

  it("between the list and the request is explained with the id of its holder", async () => {
    const bench = await openBench({ dialect: { uniqueNames: true } });
    await bench.run(bench.service.lists.recent(0));
    const { id } = bench.simulator.addCluster({ name: "web", gpuType: "l4" });
    const { message } = await bench.run(failureOf(claim(bench)));
    expect(message).toContain(id);
    expect(message).toMatch(/is already the name of/);
  });

  it("by a conflict that is another one keeps the service's own words", async () => {
    const bench = await openBench();
    const { message } = await bench.run(failureOf(claim(bench, { replicas: 1_000 })));
    expect(message).toMatch(/1000 GPUs of type "h100" are wanted/);
  });

  it("is free as soon as this process has deleted its holder", async () => {
    const bench = await openBench({ deletionMs: 60_000 });
    const { id } = bench.simulator.addCluster({ name: "web", gpuType: "h100" });
    bench.service.owned.deleted(id);
    await bench.run(claim(bench));
    expect(countOf(bench.simulator, createLine)).toBe(1);
  });

  it.each(["web", "WEB"])("by this process a moment ago is known, although the list is older: %s", async (name) => {
    const bench = await openBench();
    await bench.run(bench.service.lists.recent(0));
    const { id } = await expectOne(bench, 1);
    const { message } = await bench.run(failureOf(claim(bench, { name })));
    expect(message).toMatch(/the name ".*" is already the name of/);
    expect(message).toContain(id);
    expect(countOf(bench.simulator, createLine)).toBe(1);
  });

  it("by this process is known after a lost answer, too", async () => {
    const bench = await openBench({ faults: [lostAfter] });
    const { id } = await bench.run(claim(bench));
    expect((await bench.run(failureOf(claim(bench, { ...wanted, gpuType: "l4" })))).message).toContain(id);
    expect(living(bench.simulator)).toHaveLength(1);
  });
});

describe("two creations at the same time", () => {
  it.each(["web", "WEB"])("of one name make one cluster, and the other one is told: %s", async (name) => {
    const bench = await openBench();
    const results = await bench.run(Promise.allSettled([claim(bench), claim(bench, { name })]));
    expect(results.map(({ status }) => status).sort()).toEqual(["fulfilled", "rejected"]);
    expect(living(bench.simulator)).toHaveLength(1);
  });

  it("of different names make both, after one list call", async () => {
    const bench = await openBench();
    await bench.run(Promise.all([claim(bench), claim(bench, { name: "api" })]));
    expect(living(bench.simulator)).toHaveLength(2);
    expect(countOf(bench.simulator, listLine)).toBe(1);
  });
});

describe("a lost answer", () => {
  it("with two candidates fails with all their ids, and sends nothing more", async () => {
    const bench = await openBench({ faults: [lostAfter, hidden(4_000)] });
    const work = claim(bench);
    work.catch(() => undefined);
    await bench.clock.advance(1_000);
    bench.simulator.change(bench.simulator.addCluster({ name: "web", gpuType: "h100" }).id, { hiddenMs: 3_000 });
    const { message } = await expectDoubt(bench, /one of/, 1, work);
    for (const { id } of bench.simulator.clusters()) expect(message).toContain(id);
  });

  it("does not take a cluster that this process has made", async () => {
    const bench = await openBench();
    const first = await bench.run(claim(bench, { name: "api" }));
    bench.simulator.fault(lostAfter);
    expect((await bench.run(claim(bench))).id).not.toBe(first.id);
    expect(living(bench.simulator)).toHaveLength(2);
  });

  it("does not take a cluster of the same name and type that runs another image: it is named", async () => {
    const ids: string[] = [];
    const bench: Bench = await openBench({
      faults: [lost],
      client: (real) => ({
        createCluster: (...args) => {
          ids.push(bench.simulator.addCluster({ name: "web", gpuType: "h100" }).id);
          return real.createCluster(...args);
        },
        listClusters: async (...args) => {
          const list = await real.listClusters(...args);
          return { ...list, clusters: list.clusters.map((one) => ({ ...one, container: "theirs/model:1" })) };
        },
      }),
    });
    const { message } = await expectDoubt(bench, /it may be one of/);
    expect(message).toContain(`it may be one of ${ids[0]}`);
  });

  it.each([0, 4, 6, 60])("takes a cluster of its name only where two clocks may differ so far: %d min", async (age) => {
    const ids: string[] = [];
    const before = ({ simulator, clock }: Bench, count: number) => {
      const createdAt = clock.now() - age * minute;
      if (count === 1) ids.push(simulator.addCluster({ name: "web", gpuType: "h100", createdAt }).id);
    };
    const bench = await openWith({ before }, { faults: [lost] });
    if (age > 5) await expectDoubt(bench, /its id is not known: .*it may be one of cl_/);
    else expect((await expectOne(bench, 1)).id).toBe(ids[0]);
  });
});

describe("a key that may create but not list", () => {
  it("creates, without a look at what exists", async () => {
    await expectOne(await openBench({ faults: [failingLists(403)] }), 1);
  });

  it.each([401, 500])("but one whose list fails by %d creates nothing", async (status) => {
    const bench = await openBench({ faults: [failingLists(status)] });
    await bench.run(failureOf(claim(bench)));
    expect(writes(bench.simulator)).toEqual([]);
  });
});

describe("a request that was waited for in vain, which the service may still be at work on,", () => {
  const isLate = { outcome: "ambiguous", ...post, isLate: true } as const;
  const unseen = /no list of clusters shows it/;

  /** A service whose answers never come; `act` is what it does all the same. */
  async function openLate(act: (bench: Bench) => void) {
    let sent = 0;
    const createCluster = () => {
      sent += 1;
      act(bench);
      return Promise.reject(new ConnectionError("POST /v1/clusters: no complete answer came in time", isLate));
    };
    const bench: Bench = await openBench({ client: () => ({ createCluster }) });
    return { bench, sent: () => sent };
  }

  it("is never sent again after a time limit either", async () => {
    const { bench, sent } = await openLate(() => undefined);
    await expectDoubt(bench, unseen, 0);
    expect(sent()).toBe(1);
  });

  it("is looked for long enough to find what comes after one more minute", async () => {
    const { name, gpuType, container } = wanted;
    const { bench, sent } = await openLate(({ clock, simulator }) => {
      void clock.sleep(80_000).then(() => simulator.addCluster({ name, gpuType, container }));
    });
    await expectOne(bench, 0);
    expect(sent()).toBe(1);
  });
});

describe("an interrupt", () => {
  const ended = /the search for the cluster was interrupted/;

  /** The user interrupts as soon as the create request has ended, or so much later. */
  async function interrupted(faults: Fault[], laterMs?: number) {
    const controller = new AbortController();
    const after = () => (laterMs === undefined ? controller.abort(interrupt()) : undefined);
    const bench = await openWith({ after }, { faults });
    const startMs = bench.clock.now();
    const work = claim(bench, {}, { signal: controller.signal });
    work.catch(() => undefined);
    if (laterMs !== undefined) {
      await bench.clock.advance(laterMs);
      controller.abort(interrupt());
    }
    return { bench, work, tookMs: () => bench.clock.now() - startMs };
  }

  it("before the request sends nothing", async () => {
    const bench = await openBench();
    const error = await bench.run(failureOf(claim(bench, {}, { signal: AbortSignal.abort(interrupt()) })));
    expect(error).toBeInstanceOf(InterruptedError);
    expect(writes(bench.simulator)).toEqual([]);
  });

  it("while the request is under way leaves the time for one look, and what it shows is kept", async () => {
    const { bench, work, tookMs } = await interrupted([lostAfter]);
    await expectOne(bench, 1, work);
    expect(countOf(bench.simulator, listLine)).toBe(2);
    expect(tookMs()).toBe(0);
  });

  it("ends after one look that shows nothing, and nothing more is sent", async () => {
    const { bench, work, tookMs } = await interrupted([lostAfter, hidden(minute)]);
    await expectDoubt(bench, ended, 1, work);
    expect(countOf(bench.simulator, listLine)).toBe(2);
    expect(tookMs()).toBe(0);
  });

  it("during the search is an error that names the cluster, at once", async () => {
    const { bench, work, tookMs } = await interrupted([lostAfter, hidden(minute)], 3_000);
    await expectDoubt(bench, ended, 1, work);
    expect(tookMs()).toBe(3_000);
  });

  const operation: Fault = { ...post, kind: "body", status: 201, body: '{"id":"op_77","status":"pending"}' };
  it.each([undefined, 3_000])("names the id of an answer that may be about something else (%d)", async (laterMs) => {
    const { bench, work } = await interrupted([operation, hidden(10 * minute)], laterMs);
    await expectDoubt(bench, /op_77/, 1, work);
  });

  const everyLook = { ...lists, after: 1, times: 1_000 };
  it.each<[string, Fault]>([
    ["fails", { ...everyLook, kind: "status", status: 503 }],
    ["breaks", { ...everyLook, kind: "drop" }],
    ["has to wait for its turn", { ...everyLook, kind: "status", status: 429, headers: { "Retry-After": "50" } }],
  ])("is not held up by a look that %s", async (_title, fault) => {
    const { bench, work, tookMs } = await interrupted([lostAfter, fault]);
    await expectDoubt(bench, ended, 1, work);
    expect(tookMs()).toBeLessThanOrEqual(5_000);
  });
});

test("the first look for a cluster is one request of 5 s at most; the later ones may take longer", async () => {
  const looks: (Parameters<Client["listClusters"]>[0] & { atMs: number })[] = [];
  const bench = await openBench({
    faults: [lostAfter, hidden(4_000)],
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
