import { closeSpoiled, expectAllClean, openSpoiled, type Spoil, settled } from "./badAnswersHarness";
import { countOf, failureOf, initErrorOf, living } from "./harness";
import { canary, checked } from "./inputs";

afterEach(closeSpoiled);

const post = "POST /v1/clusters";
const json =
  (value: unknown): Spoil =>
  () => ({ body: JSON.stringify(value) });
const error = { code: "internal", message: "The database is down.", status: 500 };
const news = { ...checked, env: { MODEL: `${canary}-2` } };
const gateway404: Spoil = () => ({ status: 404, body: '{"message":"no Route matched with those values"}' });
const emptyBesideError = json({ error, clusters: [] });
const other = { id: "cl_other", name: "other", gpu_type: "l4", replicas: 9, container: "a/b:1", status: "running" };

/** A creation whose answer is spoiled; whatever happens, the one cluster is in the state or named in the error. */
async function createSpoiled(spoil: Spoil, list?: Spoil): Promise<void> {
  const bench = await openSpoiled();
  bench.spoil("create", spoil);
  if (list) bench.spoil("list", list, { after: 1 });
  const work = bench.cluster.create(bench.ctx(), checked).catch((reason: unknown) => reason);
  const answer = await bench.run(work);
  expect(countOf(bench.simulator, post)).toBe(1);
  const ids = living(bench.simulator).map(({ id }) => id);
  expect(ids).toHaveLength(1);
  const isNamed = answer instanceof Error && /cluster "web" may have been created/.test(answer.message);
  expect([true, ids[0]]).toContain(isNamed || Object(answer).id);
}

/** A read of a living cluster: never gone, and no drift either, for nobody has said anything of this cluster. */
async function readSpoiled(spoil: Spoil, list?: Spoil): Promise<void> {
  const { bench, made } = await settled();
  bench.spoil("get", spoil);
  if (list) bench.spoil("list", list);
  const work = bench.cluster.read(bench.ctx(), made.id, made.state).then(
    (found) => (found ? Object.keys(bench.cluster.diff(found.state, checked).changes) : "gone"),
    () => "failed",
  );
  expect(["failed", []]).toContainEqual(await bench.run(work));
}

/** A deletion of a cluster that stays: never a success. */
async function deleteSpoiled(spoil: Spoil): Promise<void> {
  const { bench, made } = await settled({ deletionMs: 24 * 3_600_000 });
  bench.spoil("get", spoil);
  await bench.run(failureOf(bench.cluster.delete(bench.ctx({ timeoutMs: 10_000 }), made.id, made.state)));
}

/** An update of env that was not done, or not rolled out: never settled. */
async function updateSpoiled(where: "update" | "redeploy"): Promise<void> {
  const { bench, made } = await settled({ dialect: { updateRollsOut: false } });
  bench.spoil(where, json({ error }), { effect: false });
  const failure = await bench.run(initErrorOf(bench.cluster.update(bench.ctx(), made.id, made.state, news)));
  expect(failure.message).toContain("The database is down");
}

/** A wait that does not end well: what it says is one line of a readable length. */
async function waitSpoiled(where: "get" | "status", spoil: Spoil): Promise<void> {
  const bench = await openSpoiled();
  bench.spoil(where, spoil);
  const failure = await bench.run(initErrorOf(bench.cluster.create(bench.ctx({ timeoutMs: 10_000 }), checked)));
  expectAllClean(bench, failure);
}

const record =
  (fields: object): Spoil =>
  ({ record: real }) => ({ body: JSON.stringify({ ...real, ...fields }) });
const sick = (count: number, message: string): Spoil =>
  json({ status: "running", replicas: Array.from({ length: count }, (_, id) => ({ id, healthy: false, message })) });

/** Answers that could be taken for something else; each says what has to be true. */
const scenarios: [title: string, scenario: () => Promise<void>][] = [
  [
    "an error envelope with an id of its own, and 200, is no new cluster",
    () => createSpoiled(json({ id: "req_8f2a", error })),
  ],
  [
    "an error envelope with an id of its own, and 200, is no cluster to a read",
    async () => {
      const { bench, made } = await settled();
      bench.spoil("get", json({ id: "req_8f2a", error }));
      await bench.run(failureOf(bench.cluster.read(bench.ctx(), made.id, made.state)));
    },
  ],
  [
    "an error envelope beside the cluster's own id is no cluster to a read",
    async () => {
      const { bench, made } = await settled();
      bench.spoil("get", json({ id: made.id, status: "gone", error: { ...error, code: "upstream", status: 502 } }));
      await bench.run(failureOf(bench.cluster.read(bench.ctx(), made.id, made.state)));
    },
  ],
  [
    "an error beside an empty list proves no absence: no second request",
    () => createSpoiled(json({}), emptyBesideError),
  ],
  ["an error beside an empty list proves no absence: not gone", () => readSpoiled(gateway404, emptyBesideError)],
  ["a creation that is answered with another cluster is not lost", () => createSpoiled(json(other))],
  ["a read that is answered with another cluster shows no drift", () => readSpoiled(json(other))],
  [
    "a read that is answered with another cluster, which is terminated, is not gone",
    () => readSpoiled(json({ ...other, status: "terminated" })),
  ],
  [
    "a deletion is not over because another cluster is terminated",
    () => deleteSpoiled(json({ ...other, status: "terminated" })),
  ],
  [
    "a 303 after a creation leads to its cluster, or names it",
    () => createSpoiled(() => ({ status: 303, body: "", headers: { Location: "/v1/clusters/cl_1" } })),
  ],
  [
    "a list in which the new cluster was made in the year 1 forbids a second request",
    () =>
      createSpoiled(json({}), ({ text }) => ({
        body: text.replace(/"created_at":"[^"]*"/g, '"created_at":"0001-01-01T00:00:00Z"'),
      })),
  ],
  [
    "a list whose clock is an hour behind ours forbids a second request",
    () =>
      createSpoiled(json({}), ({ text }) => ({
        body: text.replace(/"created_at":"[^"]*"/g, '"created_at":"2029-12-31T23:00:00Z"'),
      })),
  ],
  ["an update that is answered 200 with an error was not done", () => updateSpoiled("update")],
  ["a redeploy that is answered 200 with an error was not done", () => updateSpoiled("redeploy")],
  [
    "a deletion that is answered 200 with an error says which",
    async () => {
      const { bench, made } = await settled();
      bench.spoil("delete", json({ error }), { effect: false });
      const work = bench.cluster.delete(bench.ctx({ timeoutMs: 10_000 }), made.id, made.state);
      expect((await bench.run(failureOf(work))).message).toContain("The database is down");
    },
  ],
  [
    "a word of 10 000 characters does not flood the message",
    async () => {
      const bench = await openSpoiled();
      bench.spoil("get", record({ status: "x".repeat(10_000) }));
      bench.spoil("status", sick(2, "no memory"));
      const work = bench.cluster.create(bench.ctx({ timeoutMs: 10_000 }), checked);
      expectAllClean(bench, await bench.run(initErrorOf(work)));
    },
  ],
  ["the reason of a replica does not flood the message", () => waitSpoiled("status", sick(2, "x".repeat(10_000)))],
  ["the reasons of 200 replicas do not flood the message", () => waitSpoiled("status", sick(200, "no memory"))],
  [
    "looks that fail with long reasons of their own do not flood the message",
    async () => {
      let count = 0;
      await waitSpoiled("get", () => {
        count += 1;
        const message = `${count} ${"why ".repeat(200)}`;
        return { status: 500, body: JSON.stringify({ error: { ...error, message } }) };
      });
    },
  ],
  [
    "a value of env in a word stays out of the state's plain outputs",
    async () => {
      const { bench, made } = await settled();
      bench.spoil("get", record({ status: `starting ${canary}` }));
      bench.spoil("status", json({ replicas: [{ id: canary, status: `no ${canary}`, healthy: false }] }));
      const found = await bench.run(bench.cluster.read(bench.ctx(), made.id, made.state));
      const { env: _env, ...plain } = found?.state ?? {};
      expect(JSON.stringify(plain)).not.toContain(canary);
    },
  ],
];

describe("in doubt,", () => {
  it.each(scenarios)("%s", (_title, scenario) => scenario());
});
