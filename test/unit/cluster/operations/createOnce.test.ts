import { ConnectionError, InterruptedError } from "../../../../provider/base/errors";
import { createService } from "../../../../provider/cluster/resource";
import type { Properties } from "../../../../provider/contract";
import type { Dialect, Fault, ForeignCluster } from "../../../../simulator";
import { type Bench, countOf, failureOf, living, openBench, openSettled, settle, writes } from "../harness";
import { canary, checked } from "../inputs";
import { change, refresh, toDo, warnings } from "../powerHarness";
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

const minute = 60_000;
const hidden = (ms: number): Fault => ({ kind: "hidden", ms });
const interrupt = () => new InterruptedError("interrupted");

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

  it.each(["web", "WEB"])("by this process a moment ago is known, although the list is older: %s", async (name) => {
    const bench = await openBench();
    await bench.run(bench.service.lists.recent(0));
    const { id } = await expectOne(bench, 1);
    const { message } = await bench.run(failureOf(claim(bench, { name })));
    expect(message).toMatch(/the name ".*" is already the name of/);
    expect(message).toContain(id);
    expect(countOf(bench.simulator, createLine)).toBe(1);
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
  it("is looked for long enough to find what comes after one more minute", async () => {
    const { name, gpuType, container } = wanted;
    let sent = 0;
    const createCluster = () => {
      sent += 1;
      void bench.clock.sleep(80_000).then(() => bench.simulator.addCluster({ name, gpuType, container }));
      const isLate = { outcome: "ambiguous", ...post, isLate: true } as const;
      return Promise.reject(new ConnectionError("POST /v1/clusters: no complete answer came in time", isLate));
    };
    const bench: Bench = await openBench({ client: () => ({ createCluster }) });
    await expectOne(bench, 0);
    expect(sent).toBe(1);
  });
});

describe("an interrupt", () => {
  const ended = /the search for the cluster was interrupted/;

  /** The user interrupts as soon as the create request has ended. */
  async function interrupted(faults: Fault[]) {
    const controller = new AbortController();
    const bench = await openBench({
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

const later = { ...post, when: "after" } as const;
const answer = (body: object): Fault => ({ ...post, kind: "body", body: JSON.stringify(body) });
const operation = answer({ id: "op_77", status: "pending" });

/** What goes wrong, and how many create requests it may take. */
const oneCluster: [string, number, ...Fault[]][] = [
  ["nothing", 1],
  ["a connection that breaks after the effect", 1, lostAfter],
  ["a 408 after the effect", 1, { ...later, kind: "status", status: 408 }],
  ["a web page with 502 after the effect", 1, { ...later, kind: "html", status: 502 }],
  ["an answer with the id of an operation", 1, operation],
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
  const bench = await openBench({ faults });
  await expectOne(bench, posts);
  if (posts === 1) expect(bench.said.filter((text) => !text.startsWith("info: "))).toEqual([]);
});

const web = { id: "cl_a", name: "web", gpu_type: "h100" };

/** What fails before the effect, or looks so. */
const nothingMade: [string, ...Fault[]][] = [
  ["a connection that breaks", lost],
  ["a 408", { ...post, kind: "status", status: 408 }],
  ["a web page with 502", { ...post, kind: "html", status: 502 }],
  ["a lost answer and a cluster of another name", lost, laterLists([{ ...web, name: "web-2" }])],
  ...["terminating", "deleted"].map((status): [string, ...Fault[]] => [
    ...([`a lost answer and a cluster of our name that is ${status}`] as const),
    ...[lost, laterLists([{ ...web, status }])],
  ]),
];

test.each(nothingMade)(
  "the next run makes the cluster after %s, and this one sends nothing more",
  async (_title, ...faults) => {
    const bench = await openBench({ faults });
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
  ["a key that may not list", [lostAfter, failingLists(403)], /check the service/],
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
  ["another id and a list that fails", [operation, failingLists(500, 1)], /op_77/],
  ["another id and a list without it", [operation, laterLists([])], /op_77/],
  ["another id and a list of another cluster", [operation, laterLists([{ id: "cl_x", name: "other" }])], /op_77/],
  ["an id that was in the list before", [operation, laterLists([{ id: "op_77", name: "other" }], 0)], /op_77/],
  ["a new cluster without a name", [lost, laterLists([{ id: "cl_a", gpu_type: "h100" }])], /one of cl_a/],
  ["another GPU type", [lost, laterLists([{ ...web, gpu_type: "l4" }])], /one of cl_a/],
  ["another image", [lost, laterLists([{ ...web, container: "theirs/model:1" }])], /one of cl_a/],
  ["our cluster and one without a name", [lost, laterLists([web, { id: "cl_b" }])], /one of cl_a.*cl_b/],
  ["two of our clusters", [lost, laterLists([web, { ...web, id: "cl_b" }])], /one of cl_a.*cl_b/],
  ["a name with a prefix", [lost, laterLists([{ ...web, name: "org-1/web" }])], /one of cl_a/],
];

test.each(doubts)("a person is told that a cluster may exist after %s", async (_title, faults, text) => {
  const bench = await openBench({ faults });
  const { message } = await expectDoubt(bench, text);
  if (text.source.includes("cl_a")) expect(message).toContain("may have been created, but its id is not known");
});

const inList = (record: object) => [answer(record), laterLists([record])];
const calls = (name: string) => `the service calls cl_a "${name}"`;

/** What the list, or the answer, shows; and the cluster that it is. */
const taken: [string, Fault[], object, string[]?][] = [
  ["the documented id", [answer({ id: "cl_a", name: "web" })], { id: "cl_a" }],
  ["the documented id in capitals", [answer({ id: "CL_A", name: "WEB" })], { id: "CL_A" }],
  ["the documented id without a name", [answer({ id: "cl_a" })], { id: "cl_a" }],
  ["an id without a name that is new in the list", inList({ id: "web-1", status: "pending" }), { id: "web-1" }],
  ["an id with our name", inList({ id: "web-1", name: "web" }), { id: "web-1", name: "web" }],
  ["a new id with another name", inList({ id: "cl_a", name: "acme-web" }), { id: "cl_a" }, [calls("acme-web")]],
  ["a new id with a longer name", inList({ id: "cl_a", name: "acme/web" }), { id: "cl_a" }, [calls("acme/web")]],
  ["our cluster", [lostAfter, laterLists([web])], { id: "cl_a" }],
  ["our name in capitals", [lostAfter, laterLists([{ id: "cl_a", name: "Web", gpu_type: "H100" }])], { id: "cl_a" }],
  ["the GPU type with its maker", [lost, laterLists([{ ...web, gpu_type: "nvidia-h100" }])], { id: "cl_a" }],
];

test.each(taken)("%s is taken after one request", async (title, faults, record, said = []) => {
  const bench = await openBench({ faults });
  expect(await bench.run(claim(bench))).toMatchObject(record);
  expect(countOf(bench.simulator, createLine)).toBe(1);
  if (title.startsWith("the documented")) expect(countOf(bench.simulator, listLine)).toBe(1);
  expect(bench.said).toEqual(said);
});

test.each([400, 401, 404, 501])("a creation that %d refuses is not tried again", async (status) => {
  const bench = await openBench({ faults: [{ ...post, kind: "status", status, message: "no, thanks" }] });
  const error = await bench.run(failureOf(claim(bench)));
  expect(error.message).toMatch(/^(?!.*may have been created).*no, thanks/);
  expect(countOf(bench.simulator, createLine)).toBe(1);
  expect(living(bench.simulator)).toEqual([]);
});

const container = String(checked["container"]);

/** A bench on which the create request is lost, and a cluster of its name and of this age shows up that is like this. */
async function openFound(shown: Partial<ForeignCluster>, dialect: Partial<Dialect> = {}, ageMs = 0): Promise<Bench> {
  const bench: Bench = await openBench({
    dialect,
    faults: [lost],
    client: (real) => ({
      createCluster: (...args) => {
        const cluster = { gpuType: "h100", container, replicas: 2, env: { MODEL: canary }, ...shown };
        bench.simulator.addCluster({ name: "web", createdAt: bench.clock.now() - ageMs, ...cluster });
        return real.createCluster(...args);
      },
    }),
  });
  return bench;
}

const create = (bench: Bench, inputs: Properties = checked) => bench.run(bench.cluster.create(bench.ctx(), inputs));

describe("a cluster that is found after the answer to its creation was lost", () => {
  it("and shows another value of a variable is taken; a refresh shows that, and the next `up` puts it right", async () => {
    const bench = await openFound({ env: { MODEL: "other" } });
    const made = await create(bench);
    const seen = await refresh(bench, made);
    expect(toDo(bench, seen, checked)).not.toEqual([]);
    const { state } = await change(bench, seen, checked);
    expect(state).toMatchObject({ settled: true, replicas: 2, env: { MODEL: canary } });
    expect(living(bench.simulator)).toMatchObject([{ id: made.id, replicas: 2, env: { MODEL: canary } }]);
  });

  it.each([0, 4, 6, 60])("and is older is taken only where two clocks may differ so far: %d min", async (age) => {
    const bench = await openFound({}, {}, age * minute);
    const found = await create(bench).then(({ id }) => id, String);
    const [cluster] = living(bench.simulator);
    expect(found).toEqual(age > 5 ? expect.stringContaining(`it may be one of ${cluster?.id}`) : cluster?.id);
  });

  it("and shows another number of replicas is not surely ours: the error names it", async () => {
    const bench = await openFound({ replicas: 5 });
    const { message } = await bench.run(failureOf(create(bench)));
    expect(message).toContain(`it may be one of ${living(bench.simulator)[0]?.id}`);
  });

  it.each<[string, Partial<ForeignCluster>, Partial<Dialect>]>([
    ["variables that the service adds", {}, { injectedEnv: { REGION: "eu" } }],
    ["masks in place of values", { env: { MODEL: "other" } }, { envEcho: "masked" }],
    ["no variables at all", { env: { MODEL: "other" } }, { envEcho: "none" }],
  ])("and shows %s is taken", async (_title, shown, dialect) => {
    const bench = await openFound(shown, dialect);
    const { id, state } = await create(bench);
    expect(state).toMatchObject({ settled: true });
    expect(living(bench.simulator).map((made) => made.id)).toEqual([id]);
  });

  it("and has another number of replicas within the range of an autoscaler is taken", async () => {
    const bench = await openFound({ replicas: 3 });
    const extraFields = { autoscaling: { min_replicas: 1, max_replicas: 4 } };
    const { state } = await create(bench, { ...checked, extraFields, skipAwait: true });
    expect(state).toMatchObject({ settled: true });
  });
});

describe("an id that is not the cluster's", () => {
  it.each<[string, string]>([
    ["that the list had shown under another name", "other"],
    ["that another creation of this run was answered with", "first"],
  ])("%s is not taken from the answer to a creation", async (_title, name) => {
    let answered: string | undefined;
    const bench = await openBench({
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
    const made = await create(bench).catch(() => undefined);
    expect(made?.id).not.toBe(other.id);
  });

  it("in the state, of a cluster of another name, is not deleted: the error names both", async () => {
    const { bench, made: ours } = await openSettled(checked);
    const other = await settle(bench, { ...checked, name: "somebody-elses" });
    const error = await failureOf(bench.run(bench.cluster.delete(bench.ctx(), other.id, ours.state)));
    expect(error.message).toMatch(/"web".*"somebody-elses"/);
    expect(living(bench.simulator)).toHaveLength(2);
  });
});

describe("a list that cannot be read", () => {
  const unreadable = failingLists(403);

  it("leaves the name before a deletion to the cluster's own record: another one is an error", async () => {
    const { bench, made: ours } = await openSettled(checked);
    const other = await settle(bench, { ...checked, name: "somebody-elses" });
    bench.simulator.fault(unreadable);
    const error = await failureOf(bench.run(bench.cluster.delete(bench.ctx(), other.id, ours.state)));
    expect(error.message).toMatch(/"web".*"somebody-elses"/);
    await bench.run(bench.cluster.delete(bench.ctx(), ours.id, ours.state));
    expect(warnings(bench)).toEqual([]);
    expect(living(bench.simulator).map(({ id }) => id)).toEqual([other.id]);
  });

  it("and a record that cannot be read either let a deletion go on, with one warning that the name was not checked", async () => {
    const { bench, id, state } = await openSettled(checked);
    bench.simulator.fault(unreadable);
    bench.simulator.fault({ kind: "status", status: 403, method: "GET", path: `/v1/clusters/${id}`, times: 1 });
    await bench.run(bench.cluster.delete(bench.ctx(), id, state));
    expect(warnings(bench)).toEqual([
      expect.stringMatching(new RegExp(`could not check that ${id} has this name: .*HTTP 403`)),
    ]);
    expect(living(bench.simulator)).toEqual([]);
  });
});
