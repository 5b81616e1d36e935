import type { CreateBody } from "../../../../provider/api/endpoints";
import { ConnectionError, CreateError, InterruptedError } from "../../../../provider/base/errors";
import { createDependencies } from "../../../../provider/cluster/resource";
import { Operation } from "../../../../provider/cluster/service/operation";
import type { CallContext } from "../../../../provider/contract";
import type { Fault } from "../../../../simulator";
import {
  type Fixture,
  failingLists,
  failureOf,
  laterLists,
  lists,
  lost,
  lostAfter,
  openFixture,
  post,
} from "../harness";
import { checked } from "../inputs";

const wanted: CreateBody = { name: "web", gpuType: "h100", replicas: 1, container: "a/b:1", env: {} };
const createLine = "POST /v1/clusters";
const listLine = "GET /v1/clusters";

/** One creation through `CreateOnce`. */
function claim({ service, ctx }: Fixture, body: Partial<CreateBody> = {}, overrides: Partial<CallContext> = {}) {
  const request = { ...wanted, ...body };
  const inputs = { name: request.name };
  const operation = new Operation(ctx({ timeoutMs: 600_000, ...overrides }), service, "create", { id: "", inputs });
  return service.createOnce.send(request, operation);
}

/** A creation that makes exactly one cluster, by this number of requests. */
async function expectOne(fixture: Fixture, posts: number, work = claim(fixture)) {
  const record = await fixture.run(work);
  expect(fixture.living().map(({ id }) => id)).toEqual([record.id]);
  expect(fixture.countOf(createLine)).toBe(posts);
  return record;
}

/** A creation that fails with the message that a cluster may exist, after this number of requests. */
async function expectDoubt(fixture: Fixture, text: RegExp, posts = 1, work: Promise<unknown> = claim(fixture)) {
  const error = await fixture.run(failureOf(work));
  expect(error).toBeInstanceOf(CreateError);
  expect(error.message).toMatch(/cluster "web" may have been created/);
  expect(error.message).toMatch(text);
  expect(fixture.countOf(createLine)).toBe(posts);
  return error;
}
const hidden = (ms: number): Fault => ({ kind: "hidden", ms });
const interrupt = () => new InterruptedError("interrupted");

it("a creation whose field names cannot be read says that nothing was sent", async () => {
  const failing = { kind: "status", status: 503, method: "GET", path: "/v1/gpus/**", times: 100 } as const;
  const fixture = await openFixture({ dialect: "client", faults: [failing] });
  const { message } = await fixture.run(failureOf(claim(fixture)));
  expect(message).toMatch(/^GET \/v1\/gpus\/models/);
  expect(message).not.toContain("may have been created");
  expect(fixture.countOf("POST /v1/clusters")).toBe(0);
});

describe("a name that is taken", () => {
  it("is refused with the ids before anything is sent, even in capitals", async () => {
    const fixture = await openFixture();
    const ids = [1, 2].map(() => fixture.simulator.addCluster({ name: "web", gpuType: "l4" }).id);
    const { message } = await fixture.run(failureOf(claim(fixture, { name: "Web" })));
    for (const id of ids) expect(message).toContain(id);
    expect(fixture.writes()).toEqual([]);
  });

  it("is refused if this process took it after the list", async () => {
    const fixture = await openFixture();
    await fixture.run(fixture.service.lists.recent(0));
    const { id } = await expectOne(fixture, 1);
    const { message } = await fixture.run(failureOf(claim(fixture, { name: "WEB" })));
    expect(message).toMatch(/the name ".*" is already the name of/);
    expect(message).toContain(id);
    expect(fixture.countOf(createLine)).toBe(1);
  });
});

it.each<[string, object]>([
  ["by its code", { code: "quota_exceeded", message: "your plan allows 2 GPUs" }],
  ["by its words", { code: "E17", message: "your plan allows 2 GPUs" }],
])(
  "a quota that comes as a 429 ends its creation at once, and holds up no other cluster: %s",
  async (_title, refusal) => {
    const fixture = await openFixture({ faults: [{ ...post, kind: "status", status: 429, ...refusal }] });
    const startMs = fixture.clock.now();
    const { message } = await fixture.run(failureOf(claim(fixture)));
    expect(message).toContain("your plan allows 2 GPUs");
    expect(message).not.toMatch(/rate limit|may have been created/);
    await expectOne(fixture, 2, claim(fixture, { name: "api" }));
    expect(fixture.clock.now()).toBe(startMs);
  },
);

it("another run of the program that creates the name is seen when the list of an earlier creation is 25 s old", async () => {
  const fixture = await openFixture();
  await fixture.run(claim(fixture, { name: "api" }));
  void fixture.clock.sleep(20_000).then(() => fixture.simulator.addCluster({ name: "web", gpuType: "h100" }));
  const { message } = await fixture.run(failureOf(fixture.clock.sleep(25_000).then(() => claim(fixture))));
  const ids = fixture.living().flatMap(({ id, name }) => (name === "web" ? [id] : []));
  expect(ids).toHaveLength(1);
  expect(message).toContain(`the name "web" is already the name of ${ids[0]}`);
});

describe("two creations at the same time", () => {
  it("make one cluster if they have one name, and one of them fails", async () => {
    const fixture = await openFixture();
    const results = await fixture.run(Promise.allSettled([claim(fixture), claim(fixture)]));
    expect(results.map(({ status }) => status).sort()).toEqual(["fulfilled", "rejected"]);
    expect(fixture.living()).toHaveLength(1);
  });
});

it("a request without an answer is searched for long enough to find a cluster that appears a minute later", async () => {
  const { name, gpuType, container } = wanted;
  let sent = 0;
  const createCluster = () => {
    sent += 1;
    void fixture.clock.sleep(80_000).then(() => fixture.simulator.addCluster({ name, gpuType, container }));
    const isLate = { outcome: "ambiguous", ...post, isLate: true } as const;
    return Promise.reject(new ConnectionError("POST /v1/clusters: no complete answer came in time", isLate));
  };
  const fixture: Fixture = await openFixture({ client: () => ({ createCluster }) });
  await expectOne(fixture, 0);
  expect(sent).toBe(1);
});

describe("an interrupt", () => {
  const ended = /the search for the cluster was interrupted/;

  /** An interrupt as soon as the create request has ended. */
  async function interrupted(faults: Fault[]) {
    const controller = new AbortController();
    const fixture = await openFixture({
      faults,
      client: (real) => ({
        createCluster: (...args) => real.createCluster(...args).finally(() => controller.abort(interrupt())),
      }),
    });
    const startMs = fixture.clock.now();
    const work = claim(fixture, {}, { signal: controller.signal });
    return { fixture, work, tookMs: () => fixture.clock.now() - startMs };
  }

  it("during the request leaves time for one list, and the cluster in it is kept", async () => {
    const { fixture, work, tookMs } = await interrupted([lostAfter]);
    await expectOne(fixture, 1, work);
    expect(fixture.countOf(listLine)).toBe(2);
    expect(tookMs()).toBe(0);
  });

  it("ends the search after one list that shows nothing", async () => {
    const { fixture, work, tookMs } = await interrupted([lostAfter, hidden(60_000)]);
    await expectDoubt(fixture, ended, 1, work);
    expect(fixture.countOf(listLine)).toBe(2);
    expect(tookMs()).toBe(0);
  });

  it("does not wait for a list that the rate limit delays", async () => {
    const fault = { ...lists, after: 1, times: 1_000, kind: "status", status: 429 } as const;
    const { fixture, work, tookMs } = await interrupted([lostAfter, { ...fault, headers: { "Retry-After": "50" } }]);
    await expectDoubt(fixture, ended, 1, work);
    expect(tookMs()).toBeLessThanOrEqual(5_000);
  });
});

it("the time limit ends the search for a lost creation after one last list", async () => {
  const fixture = await openFixture({ faults: [lostAfter, hidden(60_000)] });
  const work = claim(fixture, {}, { timeoutMs: 6_000 });
  await expectDoubt(fixture, /the time limit ended the search/, 1, work);
  // One before the request, then at once, after 2 s, after 3 s, and at the limit.
  expect(fixture.countOf(listLine)).toBe(5);
});

const later = { ...post, when: "after" } as const;
const answer = (body: object): Fault => ({ ...post, kind: "body", body: JSON.stringify(body) });
const operation = answer({ id: "op_77", status: "pending" });

/** Faults, and the number of create requests. */
const oneCluster: [string, number, ...Fault[]][] = [
  ["the connection breaks after the effect", 1, lostAfter],
  ["a 502 follows the effect", 1, { ...later, kind: "html", status: 502 }],
  ["an answer with an unusual id", 1, answer({ id: "web-1", name: "web" })],
  ["an answer with another name", 1, answer({ id: "cl_other", name: "other" })],
  ["the id of an operation", 1, operation, hidden(2_000)],
  ["the list lags 15 s", 1, lostAfter, hidden(15_000)],
  ["a 429", 2, { ...post, kind: "status", status: 429, headers: { "Retry-After": "3" } }],
  ["lists fail for a while", 1, lostAfter, { ...lists, kind: "status", status: 503, after: 1, times: 4 }],
];

test.each(oneCluster)("a creation makes one cluster: %s", async (_title, posts, ...faults) => {
  const fixture = await openFixture({ faults });
  await expectOne(fixture, posts);
  if (posts === 1) expect(fixture.messages.filter((text) => !text.startsWith("info: "))).toEqual([]);
});

it.each([9, 10, 50])("a lost creation is found again beside %i clusters in a bare list", async (count) => {
  const fixture = await openFixture({ dialect: { listShape: "bare" }, faults: [lostAfter] });
  for (let index = 0; index < count; index += 1) fixture.simulator.addCluster({ name: `old-${index}`, gpuType: "l4" });
  const { id } = await fixture.run(claim(fixture));
  expect(fixture.simulator.cluster(id)?.name).toBe("web");
});

it("a longer list after a lost creation proves that the one before was whole, although no second page can be read", async () => {
  const failing: Fault = { ...lists, kind: "status", status: 500, after: 1, times: 1 };
  const fixture = await openFixture({ dialect: { listShape: "bare" }, faults: [lostAfter, failing] });
  for (let index = 0; index < 10; index += 1) fixture.simulator.addCluster({ name: `old-${index}`, gpuType: "l4" });
  const { id } = await fixture.run(claim(fixture));
  expect(fixture.simulator.cluster(id)?.name).toBe("web");
});

const web = { id: "cl_a", name: "web", gpu_type: "h100" };
const yesterday = { created_at: "2029-12-31T00:00:00Z" };

/** Faults before the effect, or what looks like one. */
const nothingMade: [string, ...Fault[]][] = [
  ["the connection breaks", lost],
  ["only another name is listed", lost, laterLists([{ ...web, name: "web-2" }])],
  ["a deleted cluster is listed", lost, laterLists([{ ...web, status: "deleted" }])],
];

test.each(nothingMade)("a creation without an effect sends nothing more in this run: %s", async (_title, ...faults) => {
  const fixture = await openFixture({ faults });
  const error = await expectDoubt(fixture, /no list of clusters shows it/);
  // An error hook of the program makes the engine ask again in the same run.
  expect(await fixture.run(failureOf(claim(fixture)))).toBe(error);
  const service = createDependencies(fixture.client, "seen", fixture.clock, 15_000, fixture.simulator.url);
  await expectOne(fixture, 2, claim({ ...fixture, service }));
});

/** Doubts after which the error says that a cluster may exist. */
const doubts: [string, Fault[], RegExp][] = [
  ["lists keep failing", [lostAfter, failingLists(500, 1)], /Before you run .* check the service for the name "web"/],
  [
    "the list is one page of many",
    [lostAfter, { ...lists, kind: "body", body: '{"clusters":[],"next":"p2"}' }],
    /check the service/,
  ],
  [
    "a record is unreadable",
    [lostAfter, { ...lists, kind: "body", body: JSON.stringify({ clusters: [{}, { id: "cl_z", name: "z" }] }) }],
    /it is not known which clusters existed before/,
  ],
  ["no list shows the id of the answer", [operation, laterLists([])], /op_77/],
  ["the id of the answer is older", [operation, laterLists([{ id: "op_77", name: "other" }], 0)], /op_77/],
  ["a new one has no name", [lost, laterLists([{ id: "cl_a", gpu_type: "h100" }])], /one of cl_a/],
  ["its replicas differ", [lost, laterLists([{ ...web, replicas: 5 }])], /one of cl_a/],
  ["its GPU type differs", [lost, laterLists([{ ...web, gpu_type: "l4" }])], /one of cl_a/],
  ["its image differs", [lost, laterLists([{ ...web, container: "theirs/model:1" }])], /one of cl_a/],
  ["two match", [lost, laterLists([web, { ...web, id: "cl_b" }])], /one of cl_a.*cl_b/],
];

test.each(doubts)("a creation fails, because a cluster may exist: %s", async (_title, faults, text) => {
  const fixture = await openFixture({ faults });
  const { message } = await expectDoubt(fixture, text);
  if (text.source.includes("cl_a")) expect(message).toContain("may have been created, but its id is not known");
});

const inList = (record: object) => [answer(record), laterLists([record])];
const calls = (name: string) => `warning: cluster "web": the service calls cl_a "${name}"`;

/** Answers and lists, and the cluster that the creation takes from them. */
const accepted: [string, Fault[], object, string[]?][] = [
  ["the answer alone, with its usual id in capitals", [answer({ id: "CL_A", name: "WEB" })], { id: "CL_A" }],
  ["the answer alone, with its usual id and no name", [answer({ id: "cl_a" })], { id: "cl_a" }],
  ["an unusual id without a name that is new", inList({ id: "web-1", status: "pending" }), { id: "web-1" }],
  ["a new id with another name", inList({ id: "cl_a", name: "acme-web" }), { id: "cl_a" }, [calls("acme-web")]],
  ["our name in capitals", [lostAfter, laterLists([{ id: "cl_a", name: "Web", gpu_type: "H100" }])], { id: "cl_a" }],
  ["our cluster, although its clock is a day late", [lost, laterLists([{ ...web, ...yesterday }])], { id: "cl_a" }],
  ["a number of replicas that an autoscaler can choose", [lost, laterLists([{ ...web, replicas: 3 }])], { id: "cl_a" }],
  ["the GPU type with its maker", [lost, laterLists([{ ...web, gpu_type: "nvidia-h100" }])], { id: "cl_a" }],
];

test.each(accepted)(
  "a creation takes what is certainly its cluster: %s",
  async (title, faults, record, messages = []) => {
    const fixture = await openFixture({ faults });
    const extraFields = { autoscaling: { min_replicas: 1, max_replicas: 4 } };
    expect(await fixture.run(claim(fixture, { extraFields }))).toMatchObject(record);
    expect(fixture.countOf(createLine)).toBe(1);
    if (title.startsWith("the answer alone")) expect(fixture.countOf(listLine)).toBe(1);
    expect(fixture.messages).toEqual(messages);
  },
);

it.each([
  ["the list showed it under another name", "other"],
  ["another creation of this run got it", "first"],
])("the id in an answer is not ours: %s", async (_title, name) => {
  let answered: string | undefined;
  const fixture = await openFixture({
    client: (real) => ({
      createCluster: async (...args) => {
        const record = await real.createCluster(...args);
        return { ...record, id: answered ?? record.id };
      },
    }),
  });
  const other = await fixture.settle({ ...checked, name });
  answered = other.id;
  // The cluster is found by its name; never the other one.
  const made = await fixture.make(checked).catch(() => undefined);
  expect(made?.id).not.toBe(other.id);
});
