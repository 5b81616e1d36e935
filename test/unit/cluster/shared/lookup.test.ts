import type { Client } from "../../../../provider/api/client";
import { ApiError } from "../../../../provider/base/errors";
import type { Fault } from "../../../../simulator";
import {
  type Bench,
  type BenchOptions,
  failureOf,
  forget,
  initErrorOf,
  openBench,
  openSettled,
  requestLines,
  writes,
} from "../harness";
import { checked } from "../inputs";
import type { Held } from "../powerHarness";

const always = { times: 1_000 };
const oneCluster = { method: "GET", path: "/v1/clusters/*", ...always } as const;
const theList = { method: "GET", path: "/v1/clusters", ...always } as const;
const listLine = "GET /v1/clusters";
const gone = { status: "gone" } as const;
const deletion404: Fault = { kind: "status", status: 404, method: "DELETE", ...always };

const read = (bench: Bench, { id, state }: Held) => bench.cluster.read(bench.ctx(), id, state);
const remove = (bench: Bench, { id, state }: Held, overrides = {}) =>
  bench.cluster.delete(bench.ctx(overrides), id, state);

/** A bench with a healthy cluster, and what goes wrong from then on. */
async function openWith(faults: readonly Fault[] = [], options: BenchOptions = {}) {
  const { bench, made } = await openSettled(checked, options);
  for (const fault of faults) bench.simulator.fault(fault);
  return { bench, made };
}

/** What a gateway on the way answers: not the documented form. */
const gateway404: Fault = { ...oneCluster, kind: "body", status: 404, body: "" };
const envelope404: Fault = { ...oneCluster, kind: "status", status: 404 };
const page = (clusters: object[]): Fault => ({
  ...theList,
  kind: "body",
  body: JSON.stringify({ clusters, next: "p2" }),
});

/** Lists that prove no absence. */
const failingList: Fault = { ...theList, kind: "status", status: 500 };
const uselessLists: [string, Fault][] = [
  ["is a web page", { ...theList, kind: "html", status: 200 }],
  ["has more pages", page([])],
];

const notAvailable = /HTTP 404.*the list of clusters is not available now \(.*\): nothing is changed/;
const notConfirmed = /HTTP 404.*no list of clusters confirms it: nothing is changed/;

describe("a 404 in the documented form", () => {
  it("means gone after one look at the list, which is complete and does not have the id", async () => {
    const { bench, made } = await openWith();
    // One that is younger is looked at again.
    await bench.clock.advance(120_000);
    bench.simulator.change(made.id, gone);
    expect(await bench.run(read(bench, made))).toBeUndefined();
    expect(requestLines(bench.simulator)).toEqual(["GET /v1/clusters/:id", listLine]);
  });

  it("means nothing while the list still shows the cluster", async () => {
    const { bench, made } = await openWith([envelope404]);
    expect((await bench.run(read(bench, made)))?.state).toStrictEqual(made.state);
  });

  it.each(uselessLists)("is the only word there is, and counts, if the list %s", async (_title, fault) => {
    const { bench, made } = await openWith([fault]);
    bench.simulator.change(made.id, gone);
    expect(await bench.run(read(bench, made))).toBeUndefined();
  });

  it("is an error, and never gone, while the service is down", async () => {
    const { bench, made } = await openWith([failingList]);
    bench.simulator.change(made.id, gone);
    const { message } = await bench.run(failureOf(read(bench, made)));
    expect(message).toMatch(notAvailable);
    expect(message).toContain(made.id);
  });
});

describe("a 404 of a gateway", () => {
  it("keeps the state while the list shows the cluster, be it on the first page of many", async () => {
    const { bench, made } = await openWith([gateway404]);
    const found = await bench.run(read(bench, made));
    expect(found?.state).toStrictEqual(made.state);
    expect(found?.inputs).toMatchObject(checked);
    bench.simulator.fault(page([{ id: made.id, name: "web", status: "running" }]));
    expect((await bench.run(read(bench, made)))?.state).toStrictEqual(made.state);
  });

  it("means gone if a complete list does not have the id", async () => {
    const { bench, made } = await openWith([gateway404]);
    bench.simulator.change(made.id, gone);
    expect(await bench.run(read(bench, made))).toBeUndefined();
  });

  it.each([
    ...uselessLists.map(([list, fault]) => [list, fault, notConfirmed] as const),
    ["fails", failingList, notAvailable] as const,
  ])("is an error, and never gone, if the list %s", async (_list, fault, text) => {
    const { bench, made } = await openWith([gateway404, fault]);
    const { message } = await bench.run(failureOf(read(bench, made)));
    expect(message).toMatch(text);
    expect(message).toContain(made.id);
  });
});

/** A bench whose DELETE is answered on the way, and never arrives. */
function openLocked() {
  const request = { method: "DELETE", path: "/v1/clusters/x", status: 404 } as const;
  const failure = { ...request, outcome: "refused", isApiAnswer: true, isEnvelope: true } as const;
  const client = (): Partial<Client> => ({
    deleteCluster: () => Promise.reject(new ApiError("no Route matched (HTTP 404)", failure)),
  });
  return openWith([], { client });
}

describe("a deletion that is answered by 404", () => {
  it("is an error while the list shows the cluster", async () => {
    const { bench, made } = await openLocked();
    const { message } = await bench.run(failureOf(remove(bench, made)));
    expect(message).toMatch(/^cluster "web" \(cl_\w+\) was not deleted: .*but still lists it/);
    expect(bench.said).not.toContain("status: deleted");
    expect(bench.simulator.cluster(made.id)?.status).toBe("running");
    // Its name stays taken.
    const again = await bench.run(failureOf(bench.cluster.create(bench.ctx(), checked)));
    expect(again.message).toContain(made.id);
  });

  it("is waited for to its end if somebody else has begun it", async () => {
    const { bench, made } = await openWith([], { deletionMs: 60_000 });
    await bench.run(bench.client.deleteCluster(made.id));
    bench.simulator.fault({ ...deletion404, code: "cluster_not_found" });
    await bench.run(remove(bench, made));
    expect(bench.simulator.cluster(made.id)?.status).toBe("gone");
  });
});

it("the wait for a deletion whose looks get the 404 of a gateway goes on until the list shows no such cluster", async () => {
  const { bench, made } = await openWith([gateway404], { deletionMs: 90_000 });
  const startMs = bench.clock.now();
  await bench.run(remove(bench, made));
  expect(bench.clock.now() - startMs).toBeGreaterThanOrEqual(90_000);
  expect(bench.simulator.cluster(made.id)?.status).toBe("gone");
});

const notYet = /was created a moment ago, and the service does not show it yet\. Run the command again/;

describe("a cluster that has only just been created, and that reads do not show,", () => {
  /** What is left of a creation whose time was up before the cluster showed. */
  async function openHidden(): Promise<{ bench: Bench; made: Held }> {
    const bench = await openBench({ faults: [{ kind: "hidden", ms: 3_600_000 }] });
    const made = await bench.run(initErrorOf(bench.cluster.create(bench.ctx({ timeoutMs: 20_000 }), checked)));
    const [cluster] = bench.simulator.clusters();
    expect([made.id, made.state["createdAt"], made.state["settled"]]).toEqual([cluster?.id, cluster?.createdAt, false]);
    forget(bench);
    return { bench, made };
  }

  it("is not called gone by a read for two minutes, and is then", async () => {
    const { bench, made } = await openHidden();
    expect((await bench.run(failureOf(read(bench, made)))).message).toMatch(notYet);
    await bench.clock.advance(99_000);
    expect((await bench.run(failureOf(read(bench, made)))).message).toMatch(notYet);
    await bench.clock.advance(2_000);
    expect(await bench.run(read(bench, made))).toBeUndefined();
  });

  it("is not called gone by a deletion for two minutes, and is then", async () => {
    const { bench, made } = await openHidden();
    bench.simulator.fault(deletion404);
    expect((await bench.run(failureOf(remove(bench, made)))).message).toMatch(notYet);
    expect(bench.said).not.toContain("status: deleted");
    await bench.clock.advance(101_000);
    await bench.run(remove(bench, made));
    expect(bench.said.at(-1)).toBe("status: deleted");
  });
});

/** A cluster that is seconds old and was ready, and that reads leave out for so long. */
async function openLagging(hiddenMs: number, state: object = {}, faults: Fault[] = []) {
  const { bench, made } = await openSettled({ ...checked, ...state }, { faults });
  bench.simulator.change(made.id, { hiddenMs });
  return { bench, made: { ...made, state: { ...made.state, ...state } } };
}

describe("a cluster that is seconds old, was ready, and that reads leave out for some seconds,", () => {
  it.each([{}, { createdAt: undefined }])("stays in the state (%j)", async (state) => {
    const { bench, made } = await openLagging(9_000, state);
    expect((await bench.run(read(bench, made)))?.state).toMatchObject({ ...checked, settled: true });
  });

  it("is not called deleted if the deletion is answered by a busy service", async () => {
    const { bench, made } = await openLagging(5_000);
    bench.simulator.fault({ kind: "status", status: 409, method: "DELETE", times: 1 });
    expect((await bench.run(failureOf(remove(bench, made)))).message).toMatch(/was not deleted: .*409/);
    expect(bench.said).not.toContain("status: deleted");
    await bench.run(remove(bench, made));
    expect(bench.simulator.cluster(made.id)?.status).toBe("gone");
  });

  it("is gone at once when somebody deletes it, whom a poll confirms", async () => {
    const { bench, made } = await openWith();
    bench.simulator.change(made.id, gone);
    expect(await bench.run(read(bench, made))).toBeUndefined();
    await bench.run(remove(bench, made));
    expect(bench.said.at(-1)).toBe("status: deleted");
    expect(bench.clock.now() - Date.parse(String(made.state["createdAt"]))).toBeLessThan(60_000);
  });
});

it("a young cluster of a service that is seen to show clusters late is never called gone, in another process too", async () => {
  const { bench, made } = await openLagging(60_000, {}, [{ kind: "hidden", ms: 5_000 }]);
  bench.client.form.readsLag = false;
  expect((await bench.run(failureOf(read(bench, made)))).message).toMatch(notYet);
  bench.simulator.fault(deletion404);
  expect((await bench.run(failureOf(remove(bench, made)))).message).toMatch(notYet);
  expect(writes(bench.simulator)).toHaveLength(1);
});
