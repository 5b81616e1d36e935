import type { Fault } from "../../../../simulator";
import { type FixtureOptions, failureOf, openSettled } from "../harness";
import { checked } from "../inputs";

const always = { times: 1_000 };
const oneCluster = { method: "GET", path: "/v1/clusters/*", ...always } as const;
const theList = { method: "GET", path: "/v1/clusters", ...always } as const;
const gone = { status: "gone" } as const;
const deletion404: Fault = { kind: "status", status: 404, method: "DELETE", ...always };

/** A fixture with a healthy cluster, and what goes wrong from then on. */
async function openWith(faults: readonly Fault[] = [], options: FixtureOptions = {}) {
  const { fixture, made } = await openSettled(checked, options);
  for (const fault of faults) fixture.simulator.fault(fault);
  return { fixture, made };
}

/** A 404 of the service itself, and what a gateway on the way answers: not the documented form. */
const documented: Fault = { ...oneCluster, kind: "status", status: 404 };
const gateway: Fault = { ...oneCluster, kind: "body", status: 404, body: "" };

/** Lists that prove no absence: of a service that is down, and of one that answers. */
const failing: Fault = { ...theList, kind: "status", status: 500 };
const webPage: Fault = { ...theList, kind: "html", status: 200 };
const firstPage: Fault = { ...theList, kind: "body", body: '{"clusters":[],"next":"p2"}' };

const notAvailable = /HTTP 404.*The list of clusters is not available now \(.*\): nothing is changed/;
const notConfirmed = /HTTP 404.*no list of clusters confirms it: nothing is changed/;

describe("a 404 of a cluster that is gone", () => {
  it.each<[string, ...Fault[]]>([
    ["the service and a complete list without it", documented],
    ["the service alone, where the list is a web page", documented, webPage],
    ["the service alone, where the list has more pages", documented, firstPage],
    ["a gateway and a complete list without it", gateway],
  ])("counts after one read of the list: %s", async (_title, ...faults) => {
    const { fixture, made } = await openWith(faults);
    // The absence of a younger cluster proves nothing yet.
    await fixture.clock.advance(120_000);
    fixture.simulator.change(made.id, gone);
    expect(await fixture.read(made)).toBeUndefined();
    if (faults.length === 1) expect(fixture.requestLines()).toEqual(["GET /v1/clusters/:id", "GET /v1/clusters"]);
  });

  it.each<[string, RegExp, ...Fault[]]>([
    ["the service, while that is down", notAvailable, documented, failing],
    ["a gateway, while the service is down", notAvailable, gateway, failing],
    ["a gateway, where the list is a web page", notConfirmed, gateway, webPage],
    ["a gateway, where the list has more pages", notConfirmed, gateway, firstPage],
  ])("is an error, and nothing is changed: %s", async (_title, text, ...faults) => {
    const { fixture, made } = await openWith(faults);
    const { message } = await failureOf(fixture.read(made));
    expect(message).toMatch(text);
    expect(message).toContain(made.id);
  });
});

describe("a success without a record", () => {
  const empty = [
    "null",
    "{}",
    "[]",
    '{"data":null}',
    '{"cluster":{}}',
    '{"data":[]}',
    '{"result":{"data":null},"id":null}',
  ];
  const answers = [...empty.map((body) => [body, 200] as const), ["", 204] as const];
  const answering = (body: string, status: number): Fault => ({ ...oneCluster, kind: "body", status, body });

  it.each(answers)("is a cluster that is gone if the complete list does not show it: %s (%i)", async (body, status) => {
    const { fixture, made } = await openWith([answering(body, status)]);
    await fixture.clock.advance(120_000);
    fixture.simulator.change(made.id, gone);
    expect(await fixture.read(made)).toBeUndefined();
    await fixture.remove(made);
    expect(fixture.messages.at(-1)).toBe("status: deleted");
  });

  it.each(answers)("ends the wait for a deletion when the list no longer shows it: %s (%i)", async (body, status) => {
    const { fixture, made } = await openWith([answering(body, status)], { deletionMs: 90_000 });
    const { tookMs } = await fixture.timed(fixture.remove(made));
    expect(tookMs).toBeGreaterThanOrEqual(90_000);
    expect(tookMs).toBeLessThan(120_000);
    expect(fixture.simulator.cluster(made.id)?.status).toBe("gone");
  });

  it.each(answers)("means nothing while the list shows the cluster: %s (%i)", async (body, status) => {
    const { fixture, made } = await openWith([answering(body, status)]);
    expect((await fixture.read(made))?.state).toMatchObject({ status: "running" });
  });

  it.each<[string, Fault]>([
    ["while the service is down", failing],
    ["while the list has more pages", firstPage],
  ])("is no proof without a list, and the error names the way out: %s", async (_title, list) => {
    const { fixture, made } = await openWith([answering("null", 200), list]);
    const { message } = await failureOf(fixture.read(made, { urn: "urn:web" }));
    expect(message).toContain("the service answered HTTP 200 without a record");
    expect(message).toContain("pulumi state delete 'urn:web'");
  });

  it.each([
    '{"greeting":"hello"}',
    '{"data":null,"error":"no database"}',
    '{"id":"cl_other","name":"b","status":"running"}',
  ])("is not assumed for an answer that cannot be read: %s", async (body) => {
    const { fixture, made } = await openWith([answering(body, 200)]);
    fixture.simulator.change(made.id, gone);
    const { message } = await failureOf(fixture.read(made, { urn: "urn:web" }));
    expect(message).toMatch(/in a form that this version cannot read|an error/);
    expect(message).toContain("pulumi state delete 'urn:web'");
  });
});

describe("a deleted cluster that can still be read by its id", () => {
  /** Reads by id show the record with this word, and lists do not show the cluster. */
  async function openTombstone(status: string, faults: readonly Fault[] = []) {
    const { fixture, made } = await openWith(faults);
    await fixture.clock.advance(120_000);
    fixture.simulator.change(made.id, gone);
    const body = JSON.stringify({ id: made.id, name: "web", status, gpu_type: "h100", replicas: 2 });
    fixture.simulator.fault({ ...oneCluster, kind: "body", status: 200, body });
    return { fixture, made };
  }

  it.each(["removed", "PURGED", "terminated"])("is gone by its status word: %s", async (word) => {
    const { fixture, made } = await openTombstone(word);
    expect(await fixture.read(made)).toBeUndefined();
  });

  it.each(["archived", "removed", "cl-state-99"])("needs no second deletion: %s", async (word) => {
    for (const faults of [[], [{ kind: "body", status: 200, body: "{}", method: "DELETE" } as const]]) {
      const { fixture, made } = await openTombstone(word, faults);
      const { tookMs } = await fixture.timed(fixture.remove(made));
      expect([fixture.messages.at(-1), tookMs < 30_000]).toEqual(["status: deleted", true]);
    }
  });

  it("is kept by a refresh under an unknown word, which may be a living one", async () => {
    const { fixture, made } = await openTombstone("archived");
    expect((await fixture.read(made))?.state).toMatchObject({ status: "archived" });
  });

  it.each(["removed", "terminated"])("is kept under a word for gone while the list shows it: %s", async (status) => {
    const { fixture, made } = await openWith();
    const record = { id: made.id, name: "web", status, gpu_type: "h100", replicas: 2 };
    fixture.simulator.fault({ ...oneCluster, kind: "body", status: 200, body: JSON.stringify(record) });
    expect((await fixture.read(made))?.state).toMatchObject({ status });
  });

  it("is kept under a word that may mean another thing if the list shows the same", async () => {
    const record = { id: "cl_1", name: "web", status: "released", gpu_type: "h100", replicas: 2 };
    const list = { ...theList, kind: "body", body: JSON.stringify({ clusters: [record] }) } as const;
    const { fixture, made } = await openWith([list]);
    fixture.simulator.fault({ ...oneCluster, kind: "body", status: 200, body: JSON.stringify(record) });
    expect((await fixture.read({ ...made, id: "cl_1" }))?.state).toMatchObject({ status: "released" });
  });

  it.each<[string, Fault]>([
    ["while the service is down", failing],
    ["where the list is a web page", webPage],
    ["where the list has more pages", firstPage],
  ])("is kept without a list that confirms it, and an update names the way out: %s", async (_title, list) => {
    const { fixture, made } = await openTombstone("terminated", [list]);
    const kept = await fixture.refresh(made);
    expect(kept.state).toMatchObject({ status: "terminated", settled: false });
    const { text } = await fixture.failingChange(kept, { ...checked, replicas: 3 }, { urn: "urn:web" });
    expect(text).toContain("no list of clusters confirms that it is gone");
    expect(text).toContain("pulumi state delete 'urn:web'");
    expect(fixture.writes()).toEqual([]);
  });

  it.each<[string, ...Fault[]]>([["as terminated too"], ["as terminated, after a 404", documented]])(
    "is gone if the list shows it %s",
    async (_title, ...faults) => {
      const { fixture, made } = await openWith(faults, { dialect: { tombstone: "listed" } });
      await fixture.clock.advance(120_000);
      fixture.simulator.change(made.id, gone);
      expect(await fixture.read(made)).toBeUndefined();
    },
  );
});

it.each([
  ["the service", documented],
  ["a gateway", gateway],
])("a 404 means nothing while the list still shows the cluster: %s", async (_title, fault) => {
  const { fixture, made } = await openWith([fault]);
  // The list shows fewer inputs than the cluster itself.
  const state = { ...made.state, unverifiedInputs: ["container", "env"] };
  expect(await fixture.read(made)).toMatchObject({ state, inputs: checked });
});

it("a deletion that is answered by 404 fails while the list shows the cluster", async () => {
  const { fixture, made } = await openWith([deletion404]);
  const { message } = await failureOf(fixture.remove(made));
  expect(message).toMatch(/^cluster "web" \(cl_\w+\) was not deleted: .*but still shows it/);
  expect(fixture.messages).not.toContain("status: deleted");
  // Its name stays taken.
  const again = await failureOf(fixture.make(checked));
  expect(again.message).toContain(made.id);
});

it("the wait for a deletion continues through 404s of a gateway until the list no longer shows the cluster", async () => {
  const { fixture, made } = await openWith([gateway], { deletionMs: 90_000 });
  const { tookMs } = await fixture.timed(fixture.remove(made));
  expect(tookMs).toBeGreaterThanOrEqual(90_000);
  expect(fixture.simulator.cluster(made.id)?.status).toBe("gone");
});

const notYet = /was created a moment ago, and the service does not show it yet\. Run the command again/;

describe("a ready cluster, seconds old, that neither reads nor the list show", () => {
  /** The clock of the service is so far behind ours. */
  async function openLagging(behindMs: number, hiddenMs = 60_000) {
    const earlier = (time: string) => new Date(Date.parse(time) - behindMs).toISOString();
    const wire: FixtureOptions["wire"] = (real) => async (request) => {
      const answer = await real(request);
      return { ...answer, body: answer.body.replace(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, earlier) };
    };
    const { fixture, made } = await openSettled(checked, { wire });
    fixture.simulator.change(made.id, { hiddenMs });
    return { fixture, made };
  }

  it.each([0, 130_000, -130_000])(
    "stays in the state whatever the clock of the service shows: %i ms behind ours",
    async (ms) => {
      const { fixture, made } = await openLagging(ms);
      const createdMs = Date.parse(String(made.state["createdAt"]));
      expect(Math.abs(fixture.clock.now() - ms - createdMs)).toBeLessThan(10_000);
      const startMs = fixture.clock.now();
      fixture.simulator.fault(deletion404);
      const soon = { timeoutMs: 20_000 };
      expect((await failureOf(fixture.remove(made, soon))).message).toMatch(notYet);
      const work = fixture.change(made, { ...checked, replicas: 3 }, soon);
      expect((await failureOf(work)).message).toMatch(notYet);
      expect((await fixture.read(made))?.state).toEqual(made.state);
      expect(fixture.clock.now() - startMs).toBeLessThanOrEqual(70_000);
    },
  );

  it("is deleted by a second request if the service answers the first with a conflict", async () => {
    const { fixture, made } = await openLagging(0, 5_000);
    fixture.simulator.fault({ kind: "status", status: 409, method: "DELETE", times: 1 });
    await fixture.remove(made);
    expect(fixture.simulator.cluster(made.id)?.status).toBe("gone");
  });

  it("is gone two minutes after its creation, whatever age the service shows, and its deletion succeeds", async () => {
    const { fixture, made } = await openLagging(-3_600_000, 3_600_000);
    fixture.simulator.fault(deletion404);
    await fixture.remove(made);
    expect(fixture.messages.at(-1)).toBe("status: deleted");
    expect(fixture.clock.now()).toBe(Date.parse(String(made.state["__createdAt"])) + 120_000);
    expect(await fixture.read(made)).toBeUndefined();
  });
});
