import type { HttpResponse } from "../../../../provider/api/http/send";
import type { Properties } from "../../../../provider/contract";
import { expectClean } from "../../../support/cleanText";
import { isEverything } from "../../../support/shares";
import { type Bench, type BenchOptions, countOf, living, openBench, settle, writes } from "../harness";
import { canary, checked } from "../inputs";
import type { Held } from "../powerHarness";

/** Whatever a service answers in place of what it should: nothing is bought twice, lost, taken for gone, or shown with a secret. */

/** What comes in place of the real answer, whose text and record are given. */
type Spoil = (real: { text: string; record: Readonly<Record<string, unknown>> }) => {
  readonly status?: number;
  readonly body?: string;
  readonly headers?: Readonly<Record<string, string>>;
};
type BadAnswer = readonly [title: string, spoil: Spoil];

const body = (title: string, text: string, status?: number): BadAnswer => [
  title,
  () => ({ body: text, ...(status === undefined ? {} : { status }) }),
];
const json = (title: string, value: unknown): BadAnswer => body(title, JSON.stringify(value));
const changed = (title: string, change: (real: Readonly<Record<string, unknown>>) => unknown): BadAnswer => [
  title,
  ({ record }) => ({ body: JSON.stringify(change(record)) }),
];

const escapes = "\u001b[2J\u001b]0;owned\u0007\u009b31m";
const error = {
  code: "internal",
  message: `Something ${escapes}\r\nfailed for ${canary}: the database is down`,
  status: 500,
};
const page = `<!DOCTYPE html><html><body>\r\n${escapes}<pre>${canary}</pre></body></html>`;

/** Successes that can be no record, no list and no status, whatever a reader makes of them. */
const unreadable: readonly BadAnswer[] = [
  body("nothing", ""),
  body("a 204", "", 204),
  json("null", null),
  json("an empty object", {}),
  json("a text in place of the record", { cluster: "cl_1", clusters: "none", replicas: "two", data: "ok" }),
  json("an error envelope", { error }),
  body("a web page that calls itself JSON", page),
  body("JSON that ends in the middle", `{"id":"cl_1","env":{"MODEL":"${canary}`),
  body("5 000 objects in each other", `${'{"a":'.repeat(5_000)}1${"}".repeat(5_000)}`),
  body("__proto__ alone", '{"__proto__":{"id":"cl_1","status":"terminated","clusters":[],"replicas":[]}}'),
];

/** Records whose id cannot be one, or is not in the place of a record. */
const withoutId: readonly BadAnswer[] = [
  ...["cl_1/../..", "cl_1\r\nX-Evil: 1"].map((id) =>
    changed(`the id ${JSON.stringify(id)}`, (real) => ({ ...real, id })),
  ),
  changed("a list of the one record", (real) => [real]),
];

/** Records that are odd in everything but their id, or do not say it: what is odd counts as not said. */
const oddRecords: readonly BadAnswer[] = [
  changed("no id", ({ id: _id, ...rest }) => rest),
  changed("only an id", ({ id }) => ({ id })),
  ...[1e300, "two"].map((replicas) =>
    changed(`the replicas ${JSON.stringify(replicas)}`, (real) => ({ ...real, replicas })),
  ),
  changed("numbers for texts", ({ id }) => ({ id, name: 1, gpu_type: 2, endpoint: 3, created_at: 4, container: 5 })),
  changed("an object in env", (real) => ({ ...real, env: { MODEL: { secret: true } } })),
  ["an id that stands there twice", ({ text }) => ({ body: text.replace(/^\{/, '{"id":"cl_other",') })],
  ["the status 206", ({ text }) => ({ body: text, status: 206 })],
];

const quoting = JSON.stringify({
  error: { code: `c${escapes}\n${canary}`, message: `no\r\n\u202e${canary} ${"x".repeat(100_000)}` },
});

/** Answers that are no success and prove nothing. */
const refusals: readonly BadAnswer[] = [
  ["a 302", () => ({ status: 302, body: "", headers: { location: "https://evil.example/v1/clusters" } })],
  ...[400, 403, 503].map((status) => body(`a ${status} with a page`, page, status)),
  body("a 500 that quotes everything", quoting, 500),
  body("a 400 that quotes everything", quoting, 400),
  body("a 404 with a page", page, 404),
  body("a 404 with JSON that ends in the middle", '{"error":{"code":"cluster_not', 404),
  body("a 410 with a page", page, 410),
];

const withFields = (fields: object): BadAnswer =>
  changed(JSON.stringify(fields).slice(0, 60), (real) => ({ ...real, ...fields }));

/** Words for a state, none of which says that the cluster is ready, failed, stopped or gone; and texts to be cleaned. */
const words: readonly BadAnswer[] = [
  ...["\u001b[31mprovisioning\u001b[0m", "starting\r\nrunning\nready", "   ", "\u202egninnur\u202c", "__proto__"],
  ...[0, { reason: "failed" }, `starting with ${canary}`],
].map((status) => withFields({ status }));
const oddTexts = ["name", "endpoint", "created_at"].map((name) => withFields({ [name]: `${escapes}web\r\n\u202e` }));

/** What `/status` may hold for replicas that are not healthy. */
const badReplicas: readonly BadAnswer[] = [
  ...[
    [],
    [null, null],
    [[], []],
    [50, 0].map((healthy) => ({ healthy })),
    [true, true, true].map((healthy) => ({ healthy })),
  ],
  ...[[{ id: `${escapes}a\r\n`, status: `${escapes}sick\n`, healthy: false, message: `${escapes}a\r\nb\u202e` }]],
  [{ id: "a", healthy: false, message: `MODEL=${canary}` }],
].map((replicas) => withFields({ replicas }));

/** Replicas that show no health which is known: they are neither healthy nor sick. */
const silentReplicas = [withFields({ replicas: [{ healthy: "perhaps" }, {}] })];

/** A bare list of clusters, changed. */
const list = (title: string, change: (clusters: Record<string, unknown>[]) => unknown): BadAnswer => [
  title,
  ({ text }) => ({ body: JSON.stringify(change(JSON.parse(text))) }),
];
const eachWith = (title: string, fields: object): BadAnswer =>
  list(title, (clusters) => clusters.map((record) => ({ ...record, ...fields })));

/** Lists with the new cluster in them, and with what is odd about them. */
const oddLists: readonly BadAnswer[] = [
  list("null beside it", (clusters) => [null, ...clusters]),
  list("ids of others that leave their place", (clusters) => [{ id: "../x", name: "web" }, ...clusters]),
  list("itself twice", (clusters) => [...clusters, ...clusters]),
  eachWith("no name", { name: undefined }),
  eachWith("its name in an escape sequence", { name: "\u001b[1mweb" }),
  eachWith("no id", { id: undefined }),
];

const endpoints = {
  create: /^POST \/v1\/clusters$/,
  list: /^GET \/v1\/clusters$/,
  get: /^GET \/v1\/clusters\/[^/]+$/,
  status: /^GET \/v1\/clusters\/[^/]+\/status$/,
  update: /^PATCH /,
  scale: /^POST .*\/scale$/,
  redeploy: /^POST .*\/redeploy$/,
  delete: /^DELETE /,
};
type Where = keyof typeof endpoints;

/** Which answers are spoiled: by default all of that endpoint; without an effect, the request never reaches the service. */
interface SpoilOptions {
  readonly times?: number;
  readonly after?: number;
  readonly effect?: boolean;
}
type Spoils = Partial<Record<Where, Spoil | [Spoil, SpoilOptions]>>;

const recordIn = (text: string): Readonly<Record<string, unknown>> => (text.startsWith("{") ? JSON.parse(text) : {});

/** A service whose answers are spoiled from the moment on at which `begin` is called. */
async function openSpoiled(options: BenchOptions = {}) {
  const rules: { where: Where; spoil: Spoil; options: SpoilOptions; seen: number }[] = [];
  const takeRule = (line: string) =>
    rules.find((rule) => {
      if (!endpoints[rule.where].test(line)) return false;
      rule.seen += 1;
      const { after = 0, times = Number.POSITIVE_INFINITY } = rule.options;
      return rule.seen > after && rule.seen <= after + times;
    });
  const wire: BenchOptions["wire"] = (real) => async (request) => {
    const rule = takeRule(`${request.method} ${request.path}`);
    const isSent = rule?.options.effect !== false;
    const answer: HttpResponse = isSent ? await real(request) : { status: 200, headers: {}, body: "{}" };
    if (!rule) return answer;
    return { ...answer, ...rule.spoil({ text: answer.body, record: recordIn(answer.body) }) };
  };
  const bench = await openBench({ provisioningMs: 0, ...options, wire });
  const begin = (spoils: Spoils) => {
    for (const [where, how] of Object.entries(spoils) as [Where, Spoil | [Spoil, SpoilOptions]][]) {
      const [spoil, own] = Array.isArray(how) ? how : [how, {}];
      rules.push({ where, spoil, options: own, seen: 0 });
    }
  };
  return { bench, begin };
}

/** What has become of an operation: its error, the text of that, and the id and state that the engine keeps. */
async function outcomeOf(bench: Bench, made: Held, work: Promise<Partial<Held & { inputs: Properties }> | undefined>) {
  const end = await bench.run(
    work.then(
      (value) => value ?? {},
      (reason: Error) => reason,
    ),
  );
  const failure = end instanceof Error ? end : undefined;
  for (const text of [...bench.said, ...(failure ? [failure.message] : [])]) {
    expectClean(text);
    expect(text).not.toContain(bench.simulator.apiKey);
  }
  const kept = end as Partial<Held & { inputs: Properties }>;
  const posts = countOf(bench.simulator, "POST /v1/clusters");
  const ids = living(bench.simulator).map(({ id }) => id);
  return { bench, made, failure, text: failure?.message ?? "", kept, posts, ids };
}
type Outcome = Awaited<ReturnType<typeof outcomeOf>>;
type Limits = BenchOptions & { timeoutMs?: number; news?: Properties };

async function createSpoiled(spoils: Spoils, { timeoutMs, ...options }: Limits = {}): Promise<Outcome> {
  const { bench, begin } = await openSpoiled(options);
  begin(spoils);
  return outcomeOf(bench, { id: "", state: {} }, bench.cluster.create(bench.ctx({ timeoutMs }), checked));
}

const news = { ...checked, replicas: 3, env: { MODEL: `${canary}-2` } };

/** An operation on a healthy cluster, in a service that spoils its answers from then on. */
async function operate(operation: "read" | "update" | "delete", spoils: Spoils, limits: Limits = {}): Promise<Outcome> {
  const { timeoutMs, news: wanted = news, ...options } = limits;
  const { bench, begin } = await openSpoiled(options);
  const made = await settle(bench, checked);
  begin(spoils);
  const { id, state } = made;
  const ctx = bench.ctx({ timeoutMs });
  const works = {
    read: () => bench.cluster.read(ctx, id, state),
    update: () => bench.cluster.update(ctx, id, state, wanted).then((next) => ({ id, state: next })),
    delete: () => bench.cluster.delete(ctx, id, state).then(() => ({})),
  };
  return outcomeOf(bench, made, works[operation]());
}

const day = 24 * 3_600_000;
const once = { times: 1 };
const threeTimes = { times: 3 };
const lost: Spoil = () => ({ body: "" });
const truth = ({ bench }: Outcome) => living(bench.simulator).map(({ replicas, env }) => ({ replicas, env }));
const wordOf = ({ bench, made }: Outcome) => bench.simulator.cluster(made.id)?.status;

function expectCreated({ failure, ids, kept, posts }: Outcome): void {
  expect(failure).toBeUndefined();
  expect(ids).toEqual([kept.id]);
  expect(kept.state).toMatchObject({ ...checked, settled: true, readyReplicas: 2 });
  expect(posts).toBe(1);
}

/** One cluster at the most is paid for, and it is in the state, or the error says that it may be there. */
function expectKnown({ failure, text, ids, kept, posts }: Outcome): void {
  expect([ids.length, posts]).toEqual([1, 1]);
  if (failure) expect(text).toContain('cluster "web" may have been created');
  else expect(kept.id).toBe(ids[0]);
}

function expectIdKept({ ids, kept, posts }: Outcome): void {
  expect(ids).toEqual([kept.id]);
  expect(kept.state).toMatchObject({ ...checked, settled: false });
  expect(posts).toBe(1);
}

function expectRead({ kept, bench }: Outcome): void {
  expect(kept).toMatchObject({ inputs: checked, state: { ...checked, settled: true } });
  expect(bench.cluster.diff(kept.state ?? {}, checked).changes).toEqual({});
}

function expectUnread({ text, bench, made }: Outcome): void {
  expect(text).toContain(`GET /v1/clusters/${made.id}`);
  expect(writes(bench.simulator)).toEqual([]);
}

function expectDeleted(result: Outcome): void {
  expect(result.failure).toBeUndefined();
  expect(wordOf(result)).toBe("gone");
}

function expectNotDeleted(result: Outcome): void {
  expect(result.text).toMatch(new RegExp(`^cluster "web" \\(${result.made.id}\\) was not deleted: `));
  expect(result.bench.said).not.toContain("status: deleted");
  expect(wordOf(result)).not.toBe("gone");
}

function expectUpdated(result: Outcome, wanted: Properties = news): void {
  expect(result.kept.state).toMatchObject({ ...wanted, settled: true });
  expect(truth(result)).toEqual([{ replicas: wanted["replicas"], env: wanted["env"] }]);
}

const isNoKey = ([title]: BadAnswer) => title !== "a 403 with a page";
const isLost = ([title]: BadAnswer) => /^a 50[03]/.test(title);
const slow = { provisioningMs: 4_000 };

/** What a bad answer is given to, and what comes of it. */
const laws: [sentence: string, answers: readonly BadAnswer[], law: (spoil: Spoil) => Promise<void>][] = [
  [
    "a creation finds its one cluster in the list",
    [...unreadable, ...withoutId, ...oddRecords, ...refusals.filter(isLost)],
    async (spoil) => expectCreated(await createSpoiled({ create: spoil })),
  ],
  [
    "a creation whose lists are like that too names what may exist",
    unreadable,
    async (spoil) => {
      const result = await createSpoiled({ create: spoil, list: [spoil, { after: 1 }] });
      expect(result.text).toMatch(/may have been created, but its id is not known: .*check the service for the name/);
      expectKnown(result);
    },
  ],
  [
    "a creation that made nothing is not sent again, and the error says that nothing was found",
    unreadable,
    async (spoil) => {
      const result = await createSpoiled({ create: [spoil, { effect: false, times: 1 }] });
      expect(result.text).toMatch(/may have been created, but its id is not known: .*no list of clusters/);
      expect([result.posts, result.kept.id, result.ids]).toEqual([0, undefined, []]);
    },
  ],
  [
    "a creation that is refused by it is one clear line, and never a second cluster",
    refusals,
    async (spoil) => {
      const result = await createSpoiled({ create: [spoil, { effect: false }] });
      expect(result.text).toContain('cluster "web"');
      expect([result.kept.id, result.ids]).toEqual([undefined, []]);
    },
  ],
  [
    "a creation before which the list is that buys nothing, and says why",
    unreadable,
    async (spoil) => {
      const result = await createSpoiled({ list: spoil });
      expect(result.text).toContain("GET /v1/clusters");
      expect(result.posts).toBe(0);
    },
  ],
  [
    "a lost answer to a creation, after which the list shows that, finds the cluster or names it",
    oddLists,
    async (spoil) => {
      const options = { dialect: { listShape: "bare" } } as const;
      expectKnown(await createSpoiled({ create: lost, list: [spoil, { after: 1 }] }, options));
    },
  ],
  [
    "a wait with three such polls of the cluster ends ready",
    [...unreadable, ...withoutId, ...refusals.filter(isNoKey), ...words],
    async (spoil) => expectCreated(await createSpoiled({ get: [spoil, threeTimes] }, slow)),
  ],
  [
    "a wait with three such polls of the replicas ends ready",
    [...unreadable, ...badReplicas, ...silentReplicas],
    async (spoil) => expectCreated(await createSpoiled({ status: [spoil, threeTimes] }, slow)),
  ],
  [
    "a wait with no other polls of the cluster keeps the id",
    [...unreadable, ...refusals],
    async (spoil) => expectIdKept(await createSpoiled({ get: spoil }, { timeoutMs: 4_000 })),
  ],
  [
    "a wait with no other polls of the replicas keeps the id",
    [...badReplicas, ...silentReplicas],
    async (spoil) => expectIdKept(await createSpoiled({ status: spoil }, { timeoutMs: 4_000 })),
  ],
  [
    "a read is one clear line, and never gone",
    [...unreadable, ...withoutId],
    async (spoil) => {
      expectUnread(await operate("read", { get: spoil }));
      expectUnread(await operate("read", { get: spoil, list: spoil }));
    },
  ],
  [
    "a read is an error or what the list shows, and never gone",
    refusals,
    async (spoil) => {
      const { failure, kept } = await operate("read", { get: spoil });
      if (!failure) expect(kept).toMatchObject({ inputs: checked });
    },
  ],
  ["a read shows no drift", oddRecords, async (spoil) => expectRead(await operate("read", { get: spoil }))],
  [
    "a read keeps it out of the state",
    [...words, ...oddTexts],
    async (spoil) => {
      const { kept } = await operate("read", { get: spoil });
      expect(kept).toMatchObject({ inputs: { replicas: 2, env: checked["env"] } });
      const { env: _env, ...state } = kept.state ?? {};
      for (const value of Object.values(state)) if (typeof value === "string") expectClean(value);
    },
  ],
  [
    "a read with such replicas is an error or not settled, and never gone",
    [...unreadable, ...refusals, ...badReplicas],
    async (spoil) => {
      const { failure, kept } = await operate("read", { status: spoil });
      if (failure) return;
      expect(kept).toMatchObject({ inputs: checked, state: { settled: false } });
      expect(JSON.stringify(kept.state?.["replicaStatuses"]) ?? "").not.toContain(canary);
    },
  ],
  [
    "a read with such replicas of a cluster that runs is no news",
    silentReplicas,
    async (spoil) => expectRead(await operate("read", { status: spoil })),
  ],
  [
    "an update, a scale and a redeploy reach what was asked for, by one request each",
    [...unreadable, ...withoutId],
    async (spoil) => {
      expectUpdated(await operate("update", { update: spoil }));
      const scaled = { ...checked, replicas: 3 };
      expectUpdated(await operate("update", { scale: spoil }, { news: scaled }), scaled);
      const result = await operate("update", { redeploy: spoil }, { dialect: { updateRollsOut: false } });
      expectUpdated(result);
      expect(countOf(result.bench.simulator, "POST /v1/clusters/:id/redeploy")).toBe(1);
    },
  ],
  [
    "an update that was not done keeps the id and what runs, and is not remembered as one that cannot be done",
    refusals,
    async (spoil) => {
      const result = await operate("update", { update: [spoil, { effect: false }] });
      expect(result.kept).toMatchObject({ id: result.made.id, state: { ...checked, settled: false } });
      expect(result.kept.state).not.toHaveProperty("__fixed");
      expect(truth(result)).toEqual([{ replicas: 2, env: checked["env"] }]);
    },
  ],
  [
    "an update before which the cluster is shown as that sends nothing; after which it is, keeps the id",
    unreadable,
    async (spoil) => {
      expectUnread(await operate("update", { get: spoil }));
      const { kept, made, ids } = await operate("update", { get: [spoil, { after: 1 }] }, { timeoutMs: 6_000 });
      expect(kept).toMatchObject({ id: made.id, state: { settled: false } });
      expect(ids).toHaveLength(1);
    },
  ],
  [
    "a deletion goes on until the cluster is gone",
    [...unreadable, ...withoutId],
    async (spoil) => {
      const spoils = { delete: [spoil, once], get: [spoil, once] } satisfies Spoils;
      expectDeleted(await operate("delete", spoils, { deletionMs: 1_000 }));
    },
  ],
  [
    "a deletion that was not done never counts",
    [...unreadable, ...refusals],
    async (spoil) =>
      expectNotDeleted(await operate("delete", { delete: [spoil, { effect: false }] }, { timeoutMs: 4_000 })),
  ],
  [
    "a wait for a deletion with three such polls ends when the cluster is gone; with no others, it is no success",
    [...unreadable, ...refusals.filter(isNoKey)],
    async (spoil) => {
      expectDeleted(await operate("delete", { get: [spoil, threeTimes] }, { deletionMs: 4_000 }));
      expectNotDeleted(await operate("delete", { get: spoil }, { deletionMs: day, timeoutMs: 4_000 }));
    },
  ],
];

describe.each(laws)("%s, if it is answered with", (_sentence, answers, law) => {
  // A share is every other answer.
  it.each(answers.filter((_, index) => isEverything || index % 2 === 0))("%s", (_title, spoil) => law(spoil));
});

const answer =
  (value: unknown): Spoil =>
  () => ({ body: JSON.stringify(value) });
const record =
  (fields: object): Spoil =>
  ({ record: real }) => ({ body: JSON.stringify({ ...real, ...fields }) });
const gateway404: Spoil = () => ({ status: 404, body: '{"message":"no Route matched with those values"}' });
const other = { id: "cl_other", name: "other", gpu_type: "l4", replicas: 9, container: "a/b:1", status: "running" };
const sick = (count: number, message: string): Spoil =>
  answer({ status: "running", replicas: Array.from({ length: count }, (_, id) => ({ id, healthy: false, message })) });

describe("in doubt,", () => {
  it.each<[string, Spoils]>([
    ["an error envelope with an id of its own is no new cluster", { create: answer({ id: "req_8f2a", error }) }],
    [
      "an error beside an empty list proves no absence",
      { create: answer({}), list: [answer({ error, clusters: [] }), { after: 1 }] },
    ],
    ["an answer that is another cluster is not ours", { create: answer(other) }],
    [
      "a list of the year 1 proves nothing",
      {
        create: answer({}),
        list: [
          ({ text }) => ({ body: text.replace(/"created_at":"[^"]*"/g, '"created_at":"0001-01-01T00:00:00Z"') }),
          { after: 1 },
        ],
      },
    ],
  ])("%s: one create request, and one cluster", async (_title, spoils) => expectKnown(await createSpoiled(spoils)));

  it.each<[string, Spoils, fails?: boolean]>([
    ["an error envelope with an id of its own is no cluster", { get: answer({ id: "req_8f2a", error }) }, true],
    ["an error envelope beside a state that is gone is no state", { get: record({ status: "gone", error }) }, true],
    ["an error beside an empty list proves no absence", { get: gateway404, list: answer({ error, clusters: [] }) }],
    ["another cluster that is terminated is not ours", { get: answer({ ...other, status: "terminated" }) }],
  ])("%s: a read shows no drift, and never gone", async (_title, spoils, fails = false) => {
    const { failure, kept, bench } = await operate("read", spoils);
    if (fails) expect(failure).toBeDefined();
    if (!failure) expect(bench.cluster.diff(kept.state ?? {}, checked).changes).toEqual({});
  });

  it("a deletion is not over because another cluster is terminated", async () => {
    const get = answer({ ...other, status: "terminated" });
    expectNotDeleted(await operate("delete", { get }, { deletionMs: day, timeoutMs: 10_000 }));
  });

  it.each(["update", "redeploy", "delete"] as const)(
    "%s is not done if it is answered 200 with an error",
    async (where) => {
      const options = { dialect: { updateRollsOut: false }, timeoutMs: 10_000 };
      const spoils = { [where]: [answer({ error }), { effect: false }] };
      const { text } = await operate(where === "delete" ? "delete" : "update", spoils, options);
      expect(text).toContain("the database is down");
    },
  );

  let failed = 0;
  it.each<[string, Spoils]>([
    ["a word of 10 000 characters", { get: record({ status: "x".repeat(10_000) }), status: sick(2, "no memory") }],
    ["a reason of 10 000 characters", { status: sick(2, "x".repeat(10_000)) }],
    ["the reasons of 200 replicas", { status: sick(200, "no memory") }],
    [
      "polls that fail with long reasons of their own",
      {
        get: () => ({
          status: 500,
          body: JSON.stringify({ error: { ...error, message: `${failed++} ${"why ".repeat(200)}` } }),
        }),
      },
    ],
    [
      "a 429 that asks for a wait of 300 years",
      { get: () => ({ status: 429, headers: { "retry-after": "9999999999" }, body: "" }) },
    ],
  ])("%s: the wait keeps the id, and its message is of a readable length", async (_title, spoils) => {
    expectIdKept(await createSpoiled(spoils, { timeoutMs: 10_000 }));
  });
});
