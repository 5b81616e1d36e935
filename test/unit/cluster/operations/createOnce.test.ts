import { ConnectionError, InterruptedError } from "../../../../provider/base/errors";
import { createService } from "../../../../provider/cluster/resource";
import type { Fault } from "../../../../simulator";
import { countOf, type Fixture, failureOf, living, openFixture, settle, writes } from "../harness";
import { checked } from "../inputs";
import {
  claim,
  createLine,
  expectDoubt,
  expectOne,
  failingLists,
  laterLists,
  listLine,
  lists,
  lost,
  lostAfter,
  post,
  wanted,
} from "./createOnceHarness";

const hidden = (ms: number): Fault => ({ kind: "hidden", ms });
const interrupt = () => new InterruptedError("interrupted");

describe("a name that is taken", () => {
  it("is refused with the ids before anything is sent, even in capitals", async () => {
    const bench = await openFixture();
    const ids = [1, 2].map(() => bench.simulator.addCluster({ name: "web", gpuType: "l4" }).id);
    const { message } = await bench.run(failureOf(claim(bench, { name: "Web" })));
    for (const id of ids) expect(message).toContain(id);
    expect(writes(bench.simulator)).toEqual([]);
  });

  it("is refused with the id of its holder if it was taken after the list", async () => {
    const bench = await openFixture({ dialect: { uniqueNames: true } });
    await bench.run(bench.service.lists.recent(0));
    const { id } = bench.simulator.addCluster({ name: "web", gpuType: "l4" });
    const { message } = await bench.run(failureOf(claim(bench)));
    expect(message).toContain(id);
    expect(message).toMatch(/is already the name of/);
  });

  it("is refused if this process took it after the list", async () => {
    const bench = await openFixture();
    await bench.run(bench.service.lists.recent(0));
    const { id } = await expectOne(bench, 1);
    const { message } = await bench.run(failureOf(claim(bench, { name: "WEB" })));
    expect(message).toMatch(/the name ".*" is already the name of/);
    expect(message).toContain(id);
    expect(countOf(bench.simulator, createLine)).toBe(1);
  });
});

describe("two creations at the same time", () => {
  it("make one cluster if they have one name, and one of them fails", async () => {
    const bench = await openFixture();
    const results = await bench.run(Promise.allSettled([claim(bench), claim(bench)]));
    expect(results.map(({ status }) => status).sort()).toEqual(["fulfilled", "rejected"]);
    expect(living(bench.simulator)).toHaveLength(1);
  });

  it("make both clusters after one list if their names differ", async () => {
    const bench = await openFixture();
    await bench.run(Promise.all([claim(bench), claim(bench, { name: "api" })]));
    expect(living(bench.simulator)).toHaveLength(2);
    expect(countOf(bench.simulator, listLine)).toBe(1);
  });
});

it("a list that cannot be read ends the creation before anything is sent", async () => {
  const bench = await openFixture({ faults: [failingLists(500)] });
  expect((await bench.run(failureOf(claim(bench)))).message).toContain("HTTP 500");
  expect(writes(bench.simulator)).toEqual([]);
});

it("a request without an answer is searched for long enough to find a cluster that appears a minute later", async () => {
  const { name, gpuType, container } = wanted;
  let sent = 0;
  const createCluster = () => {
    sent += 1;
    void bench.clock.sleep(80_000).then(() => bench.simulator.addCluster({ name, gpuType, container }));
    const isLate = { outcome: "ambiguous", ...post, isLate: true } as const;
    return Promise.reject(new ConnectionError("POST /v1/clusters: no complete answer came in time", isLate));
  };
  const bench: Fixture = await openFixture({ client: () => ({ createCluster }) });
  await expectOne(bench, 0);
  expect(sent).toBe(1);
});

describe("an interrupt", () => {
  const ended = /the search for the cluster was interrupted/;

  /** An interrupt as soon as the create request has ended. */
  async function interrupted(faults: Fault[]) {
    const controller = new AbortController();
    const bench = await openFixture({
      faults,
      client: (real) => ({
        createCluster: (...args) => real.createCluster(...args).finally(() => controller.abort(interrupt())),
      }),
    });
    const startMs = bench.clock.now();
    const work = claim(bench, {}, { signal: controller.signal });
    return { bench, work, tookMs: () => bench.clock.now() - startMs };
  }

  it("before the request sends nothing", async () => {
    const bench = await openFixture();
    const error = await bench.run(failureOf(claim(bench, {}, { signal: AbortSignal.abort(interrupt()) })));
    expect(error).toBeInstanceOf(InterruptedError);
    expect(writes(bench.simulator)).toEqual([]);
  });

  it("during the request leaves time for one list, and the cluster in it is kept", async () => {
    const { bench, work, tookMs } = await interrupted([lostAfter]);
    await expectOne(bench, 1, work);
    expect(countOf(bench.simulator, listLine)).toBe(2);
    expect(tookMs()).toBe(0);
  });

  it("ends the search after one list that shows nothing", async () => {
    const { bench, work, tookMs } = await interrupted([lostAfter, hidden(60_000)]);
    await expectDoubt(bench, ended, 1, work);
    expect(countOf(bench.simulator, listLine)).toBe(2);
    expect(tookMs()).toBe(0);
  });

  it("does not wait for a list that the rate limit delays", async () => {
    const fault = { ...lists, after: 1, times: 1_000, kind: "status", status: 429 } as const;
    const { bench, work, tookMs } = await interrupted([lostAfter, { ...fault, headers: { "Retry-After": "50" } }]);
    await expectDoubt(bench, ended, 1, work);
    expect(tookMs()).toBeLessThanOrEqual(5_000);
  });
});

const later = { ...post, when: "after" } as const;
const answer = (body: object): Fault => ({ ...post, kind: "body", body: JSON.stringify(body) });
const operation = answer({ id: "op_77", status: "pending" });

/** Faults, and the number of create requests. */
const oneCluster: [string, number, ...Fault[]][] = [
  ["makes one cluster if the connection breaks after the effect", 1, lostAfter],
  ["makes one cluster if a 502 follows the effect", 1, { ...later, kind: "html", status: 502 }],
  ["makes one cluster after an answer with an unusual id", 1, answer({ id: "web-1", name: "web" })],
  ["makes one cluster after an answer with another name", 1, answer({ id: "cl_other", name: "other" })],
  ["makes one cluster after the id of an operation", 1, operation, hidden(2_000)],
  ["makes one cluster if the list lags 15 s", 1, lostAfter, hidden(15_000)],
  ["makes one cluster after a 429", 2, { ...post, kind: "status", status: 429, headers: { "Retry-After": "3" } }],
  [
    "makes one cluster if lists fail for a while",
    1,
    lostAfter,
    { ...lists, kind: "status", status: 503, after: 1, times: 4 },
  ],
];

test.each(oneCluster)("a creation %s", async (_title, posts, ...faults) => {
  const bench = await openFixture({ faults });
  await expectOne(bench, posts);
  if (posts === 1) expect(bench.messages.filter((text) => !text.startsWith("info: "))).toEqual([]);
});

const web = { id: "cl_a", name: "web", gpu_type: "h100" };
const yesterday = { created_at: "2029-12-31T00:00:00Z" };

/** Faults before the effect, or what looks like one. */
const nothingMade: [string, ...Fault[]][] = [
  ["sends nothing more after a broken connection", lost],
  ["sends nothing more if only another name is listed", lost, laterLists([{ ...web, name: "web-2" }])],
  ["sends nothing more if a deleted cluster is listed", lost, laterLists([{ ...web, status: "deleted" }])],
];

test.each(nothingMade)("%s", async (_title, ...faults) => {
  const bench = await openFixture({ faults });
  const error = await expectDoubt(bench, /no list of clusters shows it/);
  // An error hook of the program makes the engine ask again in the same run.
  expect(await bench.run(failureOf(claim(bench)))).toBe(error);
  const service = createService(bench.client, "seen", bench.clock, 15_000, bench.simulator.url);
  await expectOne(bench, 2, claim({ ...bench, service }));
});

/** Doubts after which the error says that a cluster may exist. */
const doubts: [string, Fault[], RegExp][] = [
  [
    "fails if lists keep failing",
    [lostAfter, failingLists(500, 1)],
    /Before you run .* check the service for the name "web"/,
  ],
  [
    "fails if the list is one page of many",
    [lostAfter, { ...lists, kind: "body", body: '{"clusters":[],"next":"p2"}' }],
    /check the service/,
  ],
  [
    "fails if a record is unreadable",
    [lostAfter, { ...lists, kind: "body", body: JSON.stringify({ clusters: [{}, { id: "cl_z", name: "z" }] }) }],
    /it is not known which clusters existed before/,
  ],
  ["fails if no list shows the id of the answer", [operation, laterLists([])], /op_77/],
  ["fails if the id of the answer is older", [operation, laterLists([{ id: "op_77", name: "other" }], 0)], /op_77/],
  ["fails if a new one has no name", [lost, laterLists([{ id: "cl_a", gpu_type: "h100" }])], /one of cl_a/],
  ["fails if its replicas differ", [lost, laterLists([{ ...web, replicas: 5 }])], /one of cl_a/],
  ["fails if its GPU type differs", [lost, laterLists([{ ...web, gpu_type: "l4" }])], /one of cl_a/],
  ["fails if its image differs", [lost, laterLists([{ ...web, container: "theirs/model:1" }])], /one of cl_a/],
  ["fails if two match", [lost, laterLists([web, { ...web, id: "cl_b" }])], /one of cl_a.*cl_b/],
];

test.each(doubts)("a creation %s", async (_title, faults, text) => {
  const bench = await openFixture({ faults });
  const { message } = await expectDoubt(bench, text);
  if (text.source.includes("cl_a")) expect(message).toContain("may have been created, but its id is not known");
});

const inList = (record: object) => [answer(record), laterLists([record])];
const calls = (name: string) => `the service calls cl_a "${name}"`;

/** Answers and lists, and the cluster that the creation takes from them. */
const accepted: [string, Fault[], object, string[]?][] = [
  ["takes the answer alone if its usual id is in capitals", [answer({ id: "CL_A", name: "WEB" })], { id: "CL_A" }],
  ["takes the answer alone if its usual id has no name", [answer({ id: "cl_a" })], { id: "cl_a" }],
  ["takes an unusual id without a name that is new", inList({ id: "web-1", status: "pending" }), { id: "web-1" }],
  ["takes a new id with another name", inList({ id: "cl_a", name: "acme-web" }), { id: "cl_a" }, [calls("acme-web")]],
  [
    "takes our name in capitals",
    [lostAfter, laterLists([{ id: "cl_a", name: "Web", gpu_type: "H100" }])],
    { id: "cl_a" },
  ],
  [
    "takes our cluster although its clock is a day late",
    [lost, laterLists([{ ...web, ...yesterday }])],
    { id: "cl_a" },
  ],
  ["takes the GPU type with its maker", [lost, laterLists([{ ...web, gpu_type: "nvidia-h100" }])], { id: "cl_a" }],
];

test.each(accepted)("a creation %s", async (title, faults, record, messages = []) => {
  const bench = await openFixture({ faults });
  expect(await bench.run(claim(bench))).toMatchObject(record);
  expect(countOf(bench.simulator, createLine)).toBe(1);
  if (title.startsWith("takes the answer alone")) expect(countOf(bench.simulator, listLine)).toBe(1);
  expect(bench.messages).toEqual(messages);
});

test("a refused creation is not repeated", async () => {
  const bench = await openFixture({ faults: [{ ...post, kind: "status", status: 501, message: "no, thanks" }] });
  const error = await bench.run(failureOf(claim(bench)));
  expect(error.message).toMatch(/^(?!.*may have been created).*no, thanks/);
  expect(countOf(bench.simulator, createLine)).toBe(1);
  expect(living(bench.simulator)).toEqual([]);
});

test("another number of replicas is accepted if an autoscaler can have chosen it", async () => {
  const bench = await openFixture({ faults: [lost, laterLists([{ ...web, replicas: 3 }])] });
  const extraFields = { autoscaling: { min_replicas: 1, max_replicas: 4 } };
  expect(await bench.run(claim(bench, { extraFields }))).toMatchObject({ id: "cl_a" });
});

it.each([
  ["the id in an answer is not ours if the list showed it under another name", "other"],
  ["the id in an answer is not ours if another creation of this run got it", "first"],
])("%s", async (_title, name) => {
  let answered: string | undefined;
  const bench = await openFixture({
    client: (real) => ({
      createCluster: async (...args) => {
        const record = await real.createCluster(...args);
        return { ...record, id: answered ?? record.id };
      },
    }),
  });
  const other = await settle(bench, { ...checked, name });
  answered = other.id;
  // The cluster is found by its name; never the other one.
  const made = await bench.run(bench.cluster.create(bench.ctx(), checked)).catch(() => undefined);
  expect(made?.id).not.toBe(other.id);
});
