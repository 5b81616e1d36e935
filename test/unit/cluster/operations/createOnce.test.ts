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
  it("is refused with the ids before anything is sent, in capitals too", async () => {
    const bench = await openFixture();
    const ids = [1, 2].map(() => bench.simulator.addCluster({ name: "web", gpuType: "l4" }).id);
    const { message } = await bench.run(failureOf(claim(bench, { name: "Web" })));
    for (const id of ids) expect(message).toContain(id);
    expect(writes(bench.simulator)).toEqual([]);
  });

  it("between the list and the request is explained with the id of its holder", async () => {
    const bench = await openFixture({ dialect: { uniqueNames: true } });
    await bench.run(bench.service.lists.recent(0));
    const { id } = bench.simulator.addCluster({ name: "web", gpuType: "l4" });
    const { message } = await bench.run(failureOf(claim(bench)));
    expect(message).toContain(id);
    expect(message).toMatch(/is already the name of/);
  });

  it("by this process a moment ago is known, although the list is older", async () => {
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
  it("of one name make one cluster, and the other one is told", async () => {
    const bench = await openFixture();
    const results = await bench.run(Promise.allSettled([claim(bench), claim(bench)]));
    expect(results.map(({ status }) => status).sort()).toEqual(["fulfilled", "rejected"]);
    expect(living(bench.simulator)).toHaveLength(1);
  });

  it("of different names make both, after one list call", async () => {
    const bench = await openFixture();
    await bench.run(Promise.all([claim(bench), claim(bench, { name: "api" })]));
    expect(living(bench.simulator)).toHaveLength(2);
    expect(countOf(bench.simulator, listLine)).toBe(1);
  });
});

it.each([403, 500])(
  "a list that cannot be read (HTTP %d) ends the creation before anything is sent",
  async (status) => {
    const bench = await openFixture({ faults: [failingLists(status)] });
    expect((await bench.run(failureOf(claim(bench)))).message).toContain(`HTTP ${status}`);
    expect(writes(bench.simulator)).toEqual([]);
  },
);

it("a request that was waited for in vain is looked for long enough to find what comes a minute later", async () => {
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

  /** The user interrupts as soon as the create request has ended. */
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

  it("while the request is under way leaves the time for one look, and what it shows is kept", async () => {
    const { bench, work, tookMs } = await interrupted([lostAfter]);
    await expectOne(bench, 1, work);
    expect(countOf(bench.simulator, listLine)).toBe(2);
    expect(tookMs()).toBe(0);
  });

  it("ends after one look that shows nothing, and nothing more is sent", async () => {
    const { bench, work, tookMs } = await interrupted([lostAfter, hidden(60_000)]);
    await expectDoubt(bench, ended, 1, work);
    expect(countOf(bench.simulator, listLine)).toBe(2);
    expect(tookMs()).toBe(0);
  });

  it("is not held up by a look that has to wait for its turn", async () => {
    const fault = { ...lists, after: 1, times: 1_000, kind: "status", status: 429 } as const;
    const { bench, work, tookMs } = await interrupted([lostAfter, { ...fault, headers: { "Retry-After": "50" } }]);
    await expectDoubt(bench, ended, 1, work);
    expect(tookMs()).toBeLessThanOrEqual(5_000);
  });
});

const later = { ...post, when: "after" } as const;
const answer = (body: object): Fault => ({ ...post, kind: "body", body: JSON.stringify(body) });
const operation = answer({ id: "op_77", status: "pending" });

/** What goes wrong, and how many create requests it may take. */
const oneCluster: [string, number, ...Fault[]][] = [
  ["a connection that breaks after the effect", 1, lostAfter],
  ["a web page with 502 after the effect", 1, { ...later, kind: "html", status: 502 }],
  ["an answer with an id of another form and our name", 1, answer({ id: "web-1", name: "web" })],
  ["an answer with another name", 1, answer({ id: "cl_other", name: "other" })],
  ["the id of an operation and a list that lags 2 s behind", 1, operation, hidden(2_000)],
  ["a lost answer and a list that lags 15 s behind", 1, lostAfter, hidden(15_000)],
  [
    "a request that is refused by 429 once",
    2,
    { ...post, kind: "status", status: 429, headers: { "Retry-After": "3" } },
  ],
  ["a lost answer and a list that fails", 1, lostAfter, { ...lists, kind: "status", status: 503, after: 1, times: 4 }],
];

test.each(oneCluster)("exactly one cluster comes of %s", async (_title, posts, ...faults) => {
  const bench = await openFixture({ faults });
  await expectOne(bench, posts);
  if (posts === 1) expect(bench.said.filter((text) => !text.startsWith("info: "))).toEqual([]);
});

const web = { id: "cl_a", name: "web", gpu_type: "h100" };
const yesterday = { created_at: "2029-12-31T00:00:00Z" };

/** What fails before the effect, or looks so. */
const nothingMade: [string, ...Fault[]][] = [
  ["a connection that breaks", lost],
  ["a lost answer and a cluster of another name", lost, laterLists([{ ...web, name: "web-2" }])],
  ["a lost answer and a cluster of our name that is deleted", lost, laterLists([{ ...web, status: "deleted" }])],
];

test.each(nothingMade)(
  "the next run makes the cluster after %s, and this one sends nothing more",
  async (_title, ...faults) => {
    const bench = await openFixture({ faults });
    const error = await expectDoubt(bench, /no list of clusters shows it/);
    // An error hook of the program makes the engine ask again in the same run.
    expect(await bench.run(failureOf(claim(bench)))).toBe(error);
    const service = createService(bench.client, "seen", bench.clock, 15_000, bench.simulator.url);
    await expectOne(bench, 2, claim({ ...bench, service }));
  },
);

/** What leaves a cluster that may exist, in an error that says this. */
const doubts: [string, Fault[], RegExp][] = [
  [
    "a list that keeps failing",
    [lostAfter, failingLists(500, 1)],
    /Before you run .* check the service for the name "web"/,
  ],
  [
    "one page of many",
    [lostAfter, { ...lists, kind: "body", body: '{"clusters":[],"next":"p2"}' }],
    /check the service/,
  ],
  [
    "a record that cannot be read",
    [lostAfter, { ...lists, kind: "body", body: JSON.stringify({ clusters: [{}, { id: "cl_z", name: "z" }] }) }],
    /it is not known which clusters existed before/,
  ],
  ["another id and a list without it", [operation, laterLists([])], /op_77/],
  ["an id that was in the list before", [operation, laterLists([{ id: "op_77", name: "other" }], 0)], /op_77/],
  ["a new cluster without a name", [lost, laterLists([{ id: "cl_a", gpu_type: "h100" }])], /one of cl_a/],
  ["another number of replicas", [lost, laterLists([{ ...web, replicas: 5 }])], /one of cl_a/],
  ["another GPU type", [lost, laterLists([{ ...web, gpu_type: "l4" }])], /one of cl_a/],
  ["another image", [lost, laterLists([{ ...web, container: "theirs/model:1" }])], /one of cl_a/],
  ["two of our clusters", [lost, laterLists([web, { ...web, id: "cl_b" }])], /one of cl_a.*cl_b/],
];

test.each(doubts)("a person is told that a cluster may exist after %s", async (_title, faults, text) => {
  const bench = await openFixture({ faults });
  const { message } = await expectDoubt(bench, text);
  if (text.source.includes("cl_a")) expect(message).toContain("may have been created, but its id is not known");
});

const inList = (record: object) => [answer(record), laterLists([record])];
const calls = (name: string) => `the service calls cl_a "${name}"`;

/** What the list, or the answer, shows; and the cluster that it is. */
const taken: [string, Fault[], object, string[]?][] = [
  ["the documented id in capitals", [answer({ id: "CL_A", name: "WEB" })], { id: "CL_A" }],
  ["the documented id without a name", [answer({ id: "cl_a" })], { id: "cl_a" }],
  ["an id without a name that is new in the list", inList({ id: "web-1", status: "pending" }), { id: "web-1" }],
  ["a new id with another name", inList({ id: "cl_a", name: "acme-web" }), { id: "cl_a" }, [calls("acme-web")]],
  ["our name in capitals", [lostAfter, laterLists([{ id: "cl_a", name: "Web", gpu_type: "H100" }])], { id: "cl_a" }],
  ["a creation that another clock calls a day ago", [lost, laterLists([{ ...web, ...yesterday }])], { id: "cl_a" }],
  ["the GPU type with its maker", [lost, laterLists([{ ...web, gpu_type: "nvidia-h100" }])], { id: "cl_a" }],
];

test.each(taken)("%s is taken after one request", async (title, faults, record, said = []) => {
  const bench = await openFixture({ faults });
  expect(await bench.run(claim(bench))).toMatchObject(record);
  expect(countOf(bench.simulator, createLine)).toBe(1);
  if (title.startsWith("the documented")) expect(countOf(bench.simulator, listLine)).toBe(1);
  expect(bench.said).toEqual(said);
});

test("a creation that is refused is not tried again", async () => {
  const bench = await openFixture({ faults: [{ ...post, kind: "status", status: 501, message: "no, thanks" }] });
  const error = await bench.run(failureOf(claim(bench)));
  expect(error.message).toMatch(/^(?!.*may have been created).*no, thanks/);
  expect(countOf(bench.simulator, createLine)).toBe(1);
  expect(living(bench.simulator)).toEqual([]);
});

test("another number of replicas is taken where an autoscaler may have chosen it", async () => {
  const bench = await openFixture({ faults: [lost, laterLists([{ ...web, replicas: 3 }])] });
  const extraFields = { autoscaling: { min_replicas: 1, max_replicas: 4 } };
  expect(await bench.run(claim(bench, { extraFields }))).toMatchObject({ id: "cl_a" });
});

it.each([
  ["that the list had shown under another name", "other"],
  ["that another creation of this run was answered with", "first"],
])("an id %s is not taken from the answer to a creation", async (_title, name) => {
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
