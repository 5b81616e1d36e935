import type { Client } from "../../../provider/api/client";
import type { Properties } from "../../../provider/core";
import { ApiError } from "../../../provider/errors";
import type { Fault } from "../../../simulator";
import {
  type Bench,
  closeAll,
  failureOf,
  forget,
  initErrorOf,
  openBench,
  requestLines,
  settle,
  writes,
} from "./harness";
import { checked } from "./inputs";

afterEach(closeAll);

interface Settled {
  readonly id: string;
  readonly state: Properties;
}

const oneCluster = { method: "GET", path: "/v1/clusters/*" } as const;
const theList = { method: "GET", path: "/v1/clusters" } as const;
const listLine = "GET /v1/clusters";

const read = (bench: Bench, { id, state }: Settled) => bench.cluster.read(bench.ctx(), id, state);
const remove = (bench: Bench, { id, state }: Settled, overrides = {}) =>
  bench.cluster.delete(bench.ctx(overrides), id, state);

/** What a gateway on the way answers; none of it has the documented shape. */
const gatewayBodies: [string, string][] = [
  ["an empty body", ""],
  ["the words of a gateway", '{"message":"no Route matched with those values"}'],
  ["half an envelope", '{"error":{"message":"not found"}}'],
  ["a bare list", "[]"],
];
const gateway404 = (body = ""): Fault => ({ ...oneCluster, kind: "body", status: 404, body, times: 1_000 });
const envelope404: Fault = { ...oneCluster, kind: "status", status: 404, times: 1_000 };

/** Lists that prove no absence. */
const failingLists: [string, Fault][] = [
  ["fails", { ...theList, kind: "status", status: 500, times: 1_000 }],
  ["breaks", { ...theList, kind: "drop", times: 1_000 }],
  ["is busy", { ...theList, kind: "status", status: 423, times: 1_000 }],
  ["is over its limit", { ...theList, kind: "status", status: 429, times: 1_000 }],
];

const uselessLists: [string, Fault][] = [
  ["may not be read", { ...theList, kind: "status", status: 403, times: 1_000 }],
  ["is a web page", { ...theList, kind: "html", status: 200, times: 1_000 }],
  ["has more pages", { ...theList, kind: "body", body: '{"clusters":[],"next":"p2"}', times: 1_000 }],
  ["has a record that cannot be read", { ...theList, kind: "body", body: '{"clusters":[{}]}', times: 1_000 }],
];

describe("a 404 in the documented form", () => {
  it("means gone after one look at the list, which is complete and does not have the id", async () => {
    const bench = await openBench();
    const made = await settle(bench, checked);
    // One that is younger is looked at again: see young.test.ts.
    await bench.clock.advance(120_000);
    bench.simulator.change(made.id, { status: "gone" });
    expect(await bench.run(read(bench, made))).toBeUndefined();
    expect(requestLines(bench.simulator)).toEqual(["GET /v1/clusters/:id", listLine]);
  });

  it("means nothing while the list still shows the cluster", async () => {
    const bench = await openBench();
    const made = await settle(bench, checked);
    bench.simulator.fault(envelope404);
    expect((await bench.run(read(bench, made)))?.state).toStrictEqual(made.state);
  });

  it.each(uselessLists)("is the only word there is, and counts, where the list %s", async (_title, fault) => {
    const bench = await openBench();
    const made = await settle(bench, checked);
    bench.simulator.change(made.id, { status: "gone" });
    bench.simulator.fault(fault);
    expect(await bench.run(read(bench, made))).toBeUndefined();
  });

  it.each(failingLists)("is an error, and never gone, while the service is down: the list %s", async (_list, fault) => {
    const bench = await openBench();
    const made = await settle(bench, checked);
    bench.simulator.change(made.id, { status: "gone" });
    bench.simulator.fault(fault);
    const { message } = await bench.run(failureOf(read(bench, made)));
    expect(message).toMatch(/HTTP 404.*the list of clusters is not available now \(.*\): nothing is changed/);
    expect(message).toContain(made.id);
  });
});

describe.each(gatewayBodies)("a 404 with %s", (_title, body) => {
  it("keeps the state while the list shows the cluster", async () => {
    const bench = await openBench();
    const made = await settle(bench, checked);
    bench.simulator.fault(gateway404(body));
    const found = await bench.run(read(bench, made));
    expect(found?.state).toStrictEqual(made.state);
    expect(found?.inputs).toMatchObject(checked);
  });

  it("keeps the state also while a list of many pages shows the cluster on the first one", async () => {
    const bench = await openBench();
    const made = await settle(bench, checked);
    bench.simulator.fault(gateway404(body));
    const page = { clusters: [{ id: made.id, name: "web", status: "running" }], next: "p2" };
    bench.simulator.fault({ ...theList, kind: "body", body: JSON.stringify(page), times: 1_000 });
    expect((await bench.run(read(bench, made)))?.state).toStrictEqual(made.state);
  });

  it("means gone where a complete list does not have the id", async () => {
    const bench = await openBench();
    const made = await settle(bench, checked);
    bench.simulator.change(made.id, { status: "gone" });
    bench.simulator.fault(gateway404(body));
    expect(await bench.run(read(bench, made))).toBeUndefined();
  });

  it.each([
    ...uselessLists.map(
      ([list, fault]) => [list, fault, /HTTP 404.*no list of clusters confirms it: nothing is changed/] as const,
    ),
    ...failingLists.map(
      ([list, fault]) =>
        [list, fault, /HTTP 404.*the list of clusters is not available now \(.*\): nothing is changed/] as const,
    ),
  ])("is an error, and never gone, where the list %s", async (_list, fault, text) => {
    const bench = await openBench();
    const made = await settle(bench, checked);
    bench.simulator.fault(gateway404(body));
    bench.simulator.fault(fault);
    const { message } = await bench.run(failureOf(read(bench, made)));
    expect(message).toMatch(text);
    expect(message).toContain(made.id);
  });
});

describe("an update whose look gets the 404 of a gateway", () => {
  const news = { ...checked, replicas: 3 };

  it("goes on while the list shows the cluster", async () => {
    const bench = await openBench();
    const made = await settle(bench, checked);
    bench.simulator.fault(gateway404());
    const state = await bench.run(bench.cluster.update(bench.ctx(), made.id, made.state, news));
    expect(state).toMatchObject({ ...news, settled: true });
  });

  it("sends nothing where no list tells more", async () => {
    const bench = await openBench();
    const made = await settle(bench, checked);
    bench.simulator.fault(gateway404());
    bench.simulator.fault({ ...theList, kind: "drop", times: 1_000 });
    const { message } = await bench.run(failureOf(bench.cluster.update(bench.ctx(), made.id, made.state, news)));
    expect(message).toMatch(/nothing is changed/);
    expect(writes(bench.simulator)).toEqual([]);
  });
});

/** A bench whose DELETE is answered on the way, and never arrives. */
function openLocked(isEnvelope: boolean): Promise<Bench> {
  const failure = {
    outcome: "refused",
    method: "DELETE",
    path: "/v1/clusters/x",
    status: 404,
    isApiAnswer: true,
  } as const;
  const client = (): Partial<Client> => ({
    deleteCluster: () => Promise.reject(new ApiError("no Route matched (HTTP 404)", { ...failure, isEnvelope })),
  });
  return openBench({ client });
}

describe("a deletion that is answered by 404", () => {
  it.each([false, true])("is an error while the list shows the cluster (documented form: %j)", async (isEnvelope) => {
    const bench = await openLocked(isEnvelope);
    const made = await settle(bench, checked);
    const { message } = await bench.run(failureOf(remove(bench, made)));
    expect(message).toMatch(/^cluster "web" \(cl_\w+\) was not deleted: .*but still lists it/);
    expect(bench.said).not.toContain("status: deleted");
    expect(bench.simulator.cluster(made.id)?.status).toBe("running");
  });

  it("leaves the name taken when it was an error", async () => {
    const bench = await openLocked(false);
    const made = await settle(bench, checked);
    await bench.run(failureOf(remove(bench, made)));
    const { message } = await bench.run(failureOf(bench.cluster.create(bench.ctx(), checked)));
    expect(message).toContain(made.id);
  });

  it.each(uselessLists)("by a gateway is an error where the list %s", async (_title, fault) => {
    const bench = await openLocked(false);
    const made = await settle(bench, checked);
    bench.simulator.fault(fault);
    const { message } = await bench.run(failureOf(remove(bench, made)));
    expect(message).toMatch(/nothing is changed/);
    expect(bench.said).not.toContain("status: deleted");
  });

  it.each([false, true])("is fine where the list does not have it (documented form: %j)", async (isEnvelope) => {
    const bench = await openLocked(isEnvelope);
    const made = await settle(bench, checked);
    bench.simulator.change(made.id, { status: "gone" });
    await bench.run(remove(bench, made));
    expect(bench.said.at(-1)).toBe("status: deleted");
  });
});

describe("the wait for a deletion whose looks get the 404 of a gateway", () => {
  it("goes on until the list does not show the cluster any more", async () => {
    const bench = await openBench({ deletionMs: 90_000 });
    const made = await settle(bench, checked);
    bench.simulator.fault(gateway404());
    const startMs = bench.clock.now();
    await bench.run(remove(bench, made));
    expect(bench.clock.now() - startMs).toBeGreaterThanOrEqual(90_000);
    expect(bench.simulator.cluster(made.id)?.status).toBe("gone");
  });

  it.each(uselessLists)("never takes it for gone where the list %s", async (_title, fault) => {
    const bench = await openBench({ deletionMs: 3_600_000 });
    const made = await settle(bench, checked);
    bench.simulator.fault(gateway404());
    bench.simulator.fault(fault);
    const { message } = await bench.run(failureOf(remove(bench, made, { timeoutMs: 60_000 })));
    expect(message).toMatch(/was not deleted: timed out after 1m\n +the last poll that failed: .*nothing is changed/);
    expect(bench.said).not.toContain("status: deleted");
  });
});

describe("a cluster that has only just been created, and that reads do not show,", () => {
  const hour = 3_600_000;
  const newsWord = /was created a moment ago, and the service does not show it yet\. Run the command again/;

  /** What is left of a creation whose time was up before the cluster showed. */
  async function openHidden(): Promise<{ bench: Bench; made: Settled }> {
    const bench = await openBench({ faults: [{ kind: "hidden", ms: hour }] });
    const made = await bench.run(initErrorOf(bench.cluster.create(bench.ctx({ timeoutMs: 20_000 }), checked)));
    forget(bench);
    return { bench, made };
  }

  it("is kept in the state with the time of its creation", async () => {
    const { bench, made } = await openHidden();
    expect(made.id).toBe(bench.simulator.clusters()[0]?.id);
    expect(made.state).toMatchObject({ settled: false, createdAt: bench.simulator.clusters()[0]?.createdAt });
  });

  it("is not called gone by a read for two minutes, and is then", async () => {
    const { bench, made } = await openHidden();
    expect((await bench.run(failureOf(read(bench, made)))).message).toMatch(newsWord);
    await bench.clock.advance(99_000);
    expect((await bench.run(failureOf(read(bench, made)))).message).toMatch(newsWord);
    await bench.clock.advance(2_000);
    expect(await bench.run(read(bench, made))).toBeUndefined();
  });

  it("is not called gone by a deletion for two minutes, and is then", async () => {
    const { bench, made } = await openHidden();
    bench.simulator.fault({ kind: "status", status: 404, method: "DELETE", times: 1_000 });
    expect((await bench.run(failureOf(remove(bench, made)))).message).toMatch(newsWord);
    expect(bench.said).not.toContain("status: deleted");
    await bench.clock.advance(101_000);
    await bench.run(remove(bench, made));
    expect(bench.said.at(-1)).toBe("status: deleted");
  });

  it("is read as ever as soon as it shows", async () => {
    const { bench, made } = await openHidden();
    bench.simulator.change(made.id, { hiddenMs: 0 });
    expect((await bench.run(read(bench, made)))?.state).toMatchObject({ ...checked, readyReplicas: 2 });
  });
});

describe("a young cluster that was ready once", () => {
  it.each(["plain", "terse"])("is gone at once when somebody deletes it (%s)", async (dialect) => {
    const bench = await openBench({ dialect });
    const made = await settle(bench, checked);
    bench.simulator.change(made.id, { status: "gone" });
    expect(await bench.run(read(bench, made))).toBeUndefined();
    await bench.run(remove(bench, made));
    expect(bench.said.at(-1)).toBe("status: deleted");
    expect(bench.clock.now() - Date.parse(String(made.state["createdAt"]))).toBeLessThan(60_000);
  });
});
