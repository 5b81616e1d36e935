import { countOf } from "../harness";
import { canary, checked } from "../inputs";
import * as bad from "./badAnswers";
import { type BadAnswer, refusals, telling, unnamed, unreadable, withoutId } from "./badAnswers";
import {
  closeSpoiled,
  createSpoiled,
  day,
  expectClean,
  expectDeleted,
  expectIdKept,
  expectKnown,
  expectNotDeleted,
  expectRead,
  expectUnread,
  expectUpdated,
  idsOf,
  once,
  operate,
  posts,
  type Spoil,
  type Spoils,
  threeTimes,
  truth,
} from "./badAnswersHarness";

afterEach(closeSpoiled);

const notKey = ([title]: BadAnswer) => !/^a 40[13]/.test(title);
const scaled = { ...checked, replicas: 3 };

/** What a bad answer is given to, and what comes of it. */
const laws: [sentence: string, answers: readonly BadAnswer[], law: (spoil: Spoil) => Promise<void>][] = [
  [
    "a read is one clear line, and never gone",
    [...unreadable, ...withoutId, ...bad.brokenWire],
    async (spoil) => expectUnread(await operate("read", { get: spoil })),
  ],
  [
    "a read by a service that lists no better is never gone",
    telling,
    async (spoil) => expectUnread(await operate("read", { get: spoil, list: spoil })),
  ],
  [
    "a read is an error or what the list shows, and never gone",
    refusals,
    async (spoil) => {
      const { error, kept } = await operate("read", { get: spoil });
      if (!error) expect(kept).toMatchObject({ inputs: checked });
    },
  ],
  [
    "a read shows no drift",
    [...bad.oddRecords, ...unnamed],
    async (spoil) => expectRead(await operate("read", { get: spoil })),
  ],
  [
    "a read keeps it out of the state",
    [...bad.words, ...bad.oddTexts],
    async (spoil) => {
      const { kept, bench } = await operate("read", { get: spoil });
      expect(kept).toMatchObject({ inputs: { replicas: 2, env: checked["env"] } });
      const { env: _env, status, ...state } = kept.state ?? {};
      for (const value of Object.values(state)) if (typeof value === "string") expectClean(value, bench);
      expect(String(status ?? "")).not.toMatch(/[\p{Cc}\p{Cf}]/u);
    },
  ],
  [
    "a read with such replicas is an error or not settled, and never gone",
    [...telling, ...refusals, ...bad.badReplicas],
    async (spoil) => {
      const { error, kept } = await operate("read", { status: spoil });
      if (error) return;
      expect(kept).toMatchObject({ inputs: checked, state: { settled: false } });
      expect(JSON.stringify(kept.state?.["replicaStatuses"]) ?? "").not.toContain(canary);
    },
  ],
  [
    "a read with such replicas of a cluster that runs is no news",
    bad.silentReplicas,
    async (spoil) => expectRead(await operate("read", { status: spoil })),
  ],
  [
    "an update reaches what was asked for",
    [...telling, ...withoutId],
    async (spoil) => {
      const result = await operate("update", { update: spoil });
      expectUpdated(result);
      expect(posts(result)).toBe(0);
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
    "a scale call reaches what was asked for",
    telling,
    async (spoil) => expectUpdated(await operate("update", { scale: spoil }, { news: scaled }), scaled),
  ],
  [
    "a redeploy call reaches what was asked for, by one call",
    telling,
    async (spoil) => {
      const result = await operate("update", { redeploy: spoil }, { dialect: { updateRollsOut: false } });
      expectUpdated(result);
      expect(countOf(result.bench.simulator, "POST /v1/clusters/:id/redeploy")).toBe(1);
    },
  ],
  [
    "an update before which the cluster is shown as that sends nothing",
    telling,
    async (spoil) => expectUnread(await operate("update", { get: spoil })),
  ],
  [
    "an update after which the cluster is shown as that for ever keeps the id",
    telling,
    async (spoil) => {
      const result = await operate("update", { get: [spoil, { after: 1 }] }, { timeoutMs: 6_000 });
      expect(result.kept).toMatchObject({ id: result.made.id, state: { settled: false } });
      expect(idsOf(result)).toHaveLength(1);
    },
  ],
  [
    "a deletion goes on until the cluster is gone",
    [...unreadable, ...withoutId, ...bad.brokenWire],
    async (spoil) =>
      expectDeleted(await operate("delete", { delete: [spoil, once], get: [spoil, once] }, { deletionMs: 1_000 })),
  ],
  [
    "a deletion that was not done never counts",
    [...telling, ...refusals],
    async (spoil) =>
      expectNotDeleted(await operate("delete", { delete: [spoil, { effect: false }] }, { timeoutMs: 4_000 })),
  ],
  [
    "a wait for a deletion with three such polls ends when the cluster is gone",
    [...telling, ...refusals.filter(notKey)],
    async (spoil) => expectDeleted(await operate("delete", { get: [spoil, threeTimes] }, { deletionMs: 4_000 })),
  ],
  [
    "a wait for a deletion with no other polls is no success",
    [...telling, ...refusals],
    async (spoil) => expectNotDeleted(await operate("delete", { get: spoil }, { deletionMs: day, timeoutMs: 4_000 })),
  ],
];

describe.each(laws)("%s, if it is answered with", (_sentence, answers, law) => {
  it.each(answers)("%s", (_title, spoil) => law(spoil));
});

const json =
  (value: unknown): Spoil =>
  () => ({ body: JSON.stringify(value) });
const record =
  (fields: object): Spoil =>
  ({ record: real }) => ({ body: JSON.stringify({ ...real, ...fields }) });
const error = { code: "internal", message: "The database is down.", status: 500 };
const gateway404: Spoil = () => ({ status: 404, body: '{"message":"no Route matched with those values"}' });
const emptyBesideError = json({ error, clusters: [] });
const other = { id: "cl_other", name: "other", gpu_type: "l4", replicas: 9, container: "a/b:1", status: "running" };
const madeAt =
  (time: string): Spoil =>
  ({ text }) => ({ body: text.replace(/"created_at":"[^"]*"/g, `"created_at":"${time}"`) });
const sick = (count: number, message: string): Spoil =>
  json({ status: "running", replicas: Array.from({ length: count }, (_, id) => ({ id, healthy: false, message })) });
const retryIn300Years: Spoil = () => ({ status: 429, headers: { "Retry-After": "9999999999" }, body: "" });
const failsAnew = () => {
  let count = 0;
  return () => {
    count += 1;
    return { status: 500, body: JSON.stringify({ error: { ...error, message: `${count} ${"why ".repeat(200)}` } }) };
  };
};

describe("in doubt,", () => {
  it.each<[string, Spoils]>([
    [
      "an error envelope with an id of its own, and 200, is no new cluster",
      { create: json({ id: "req_8f2a", error }) },
    ],
    ["an error beside an empty list proves no absence", { create: json({}), list: [emptyBesideError, { after: 1 }] }],
    ["an answer that is another cluster is not ours", { create: json(other) }],
    [
      "a 303 leads to the new cluster, or names it",
      { create: () => ({ status: 303, body: "", headers: { Location: "/v1/clusters/cl_1" } }) },
    ],
    ["a list of the year 1 proves nothing", { create: json({}), list: [madeAt("0001-01-01T00:00:00Z"), { after: 1 }] }],
    [
      "a list an hour behind proves nothing",
      { create: json({}), list: [madeAt("2029-12-31T23:00:00Z"), { after: 1 }] },
    ],
  ])("%s: one create request, and one cluster", async (_title, spoils) => expectKnown(await createSpoiled(spoils)));

  it.each<[string, Spoils, fails?: boolean]>([
    ["an error envelope with an id of its own is no cluster", { get: json({ id: "req_8f2a", error }) }, true],
    ["an error envelope beside a state that is gone is no state", { get: record({ status: "gone", error }) }, true],
    ["an error beside an empty list proves no absence", { get: gateway404, list: emptyBesideError }],
    ["another cluster shows no drift", { get: json(other) }],
    ["another cluster that is terminated is not ours", { get: json({ ...other, status: "terminated" }) }],
  ])("%s: a read shows no drift, and never gone", async (_title, spoils, fails = false) => {
    const { error: failure, kept, bench } = await operate("read", spoils);
    if (fails) expect(failure).toBeDefined();
    if (!failure) expect(bench.cluster.diff(kept.state ?? {}, checked).changes).toEqual({});
  });

  it("a deletion is not over because another cluster is terminated", async () => {
    const get = json({ ...other, status: "terminated" });
    expectNotDeleted(await operate("delete", { get }, { deletionMs: day, timeoutMs: 10_000 }));
  });

  it.each(["update", "redeploy", "delete"] as const)(
    "%s is not done if it is answered 200 with an error",
    async (where) => {
      const operation = where === "delete" ? "delete" : "update";
      const options = { dialect: { updateRollsOut: false }, timeoutMs: 10_000 };
      const result = await operate(operation, { [where]: [json({ error }), { effect: false }] }, options);
      expect(result.text).toContain("The database is down");
    },
  );

  it.each<[string, Spoils]>([
    ["a word of 10 000 characters", { get: record({ status: "x".repeat(10_000) }), status: sick(2, "no memory") }],
    ["a reason of 10 000 characters", { status: sick(2, "x".repeat(10_000)) }],
    ["the reasons of 200 replicas", { status: sick(200, "no memory") }],
    ["polls that fail with long reasons of their own", { get: failsAnew() }],
    ["a 429 that asks for a wait of 300 years", { get: retryIn300Years }],
  ])("%s: the wait keeps the id, and its message is of a readable length", async (_title, spoils) => {
    expectIdKept(await createSpoiled(spoils, { timeoutMs: 10_000 }));
  });

  it("a value of env in a word stays out of the state's plain outputs", async () => {
    const status = json({ replicas: [{ id: canary, status: `no ${canary}`, healthy: false }] });
    const { kept } = await operate("read", { get: record({ status: `starting ${canary}` }), status });
    const { env: _env, ...plain } = kept.state ?? {};
    expect(JSON.stringify(plain)).not.toContain(canary);
  });
});
