import type { BadAnswer } from "./badAnswers";
import { closeSpoiled, expectAllClean, expectClean, openSpoiled, settled } from "./badAnswersHarness";
import { initErrorOf, living } from "./harness";
import { canary, checked } from "./inputs";

afterEach(closeSpoiled);

const esc = "\u001b[31m";
const record = (title: string, fields: object): BadAnswer => [
  title,
  ({ record: real }) => ({ body: JSON.stringify({ ...real, ...fields }) }),
];
const replicas = (title: string, list: unknown): BadAnswer => [
  title,
  ({ record: real }) => ({ body: JSON.stringify({ ...real, replicas: list }) }),
];

/** Words that a record may hold for its state, none of which says that the cluster is ready, failed, stopped or gone. */
const words: BadAnswer[] = [
  record("a word in an escape sequence", { status: `${esc}provisioning\u001b[0m` }),
  record("a title for the terminal", { status: "\u001b]0;owned\u0007starting" }),
  record("a word over two lines", { status: "starting\r\nrunning\nready" }),
  record("a word from right to left", { status: "\u202egninnur\u202c" }),
  record("a word with zero-width characters", { status: "\u200bpending\u200d" }),
  record("a word of spaces", { status: "   " }),
  record("an empty word", { status: "" }),
  record("__proto__", { status: "__proto__" }),
  record("constructor", { status: "constructor" }),
  record("an emoji cut in half", { status: "\ud83d" }),
  record("a word that is no word", { status: "<script>alert(1)</script>" }),
  record("the word undefined", { status: "undefined" }),
  record("a format for printf", { status: "%s%n%d" }),
  record("a number for the word", { status: 0 }),
  record("a list for the word", { status: ["running"] }),
  record("an object for the word", { status: { reason: "failed" } }),
  record("the value of a variable", { status: `starting with ${canary}` }),
];

/** What `/status` may hold for replicas that are not healthy. */
const replicaLists: BadAnswer[] = [
  replicas("no replicas", []),
  replicas("null entries", [null, null]),
  replicas("texts", ["sick", "sick"]),
  replicas("lists", [[], []]),
  replicas("numbers", [1, 1]),
  replicas("a text for healthy", [{ healthy: "perhaps" }, { healthy: "" }]),
  replicas("a number for healthy", [{ healthy: 50 }, { healthy: 0 }]),
  replicas(
    "one too many",
    Array.from({ length: 3 }, () => ({ healthy: true })),
  ),
  replicas("one too few", [{ id: "a", healthy: true }]),
  replicas("__proto__ for the health", [{ ["__proto__"]: { healthy: true } }, {}]),
  replicas("escape sequences everywhere", [
    { id: `${esc}a\r\n`, status: `${esc}sick\n`, healthy: false, message: `${esc}a\r\nb\u202e` },
  ]),
  replicas("the value of a variable in the reason", [{ id: "a", healthy: false, message: `MODEL=${canary}` }]),
  replicas("objects for texts", [{ id: {}, status: {}, healthy: {}, message: {} }]),
  replicas(
    "10 000 healthy replicas",
    Array.from({ length: 10_000 }, (_, id) => ({ id, healthy: true })),
  ),
];

describe("a wait that is shown", () => {
  it.each(words)("%s in three looks ends ready", async (_title, spoil) => {
    const bench = await openSpoiled({ provisioningMs: 4_000 });
    bench.spoil("get", spoil, { times: 3 });
    const { id, state } = await bench.run(bench.cluster.create(bench.ctx(), checked));
    expect(living(bench.simulator).map((cluster) => cluster.id)).toEqual([id]);
    expect(state).toMatchObject({ ...checked, settled: true, status: "running" });
    expectAllClean(bench);
  });

  it.each(replicaLists)("%s in three looks ends ready", async (_title, spoil) => {
    const bench = await openSpoiled({ provisioningMs: 4_000 });
    bench.spoil("status", spoil, { times: 3 });
    const { state } = await bench.run(bench.cluster.create(bench.ctx(), checked));
    expect(state).toMatchObject({ ...checked, settled: true, readyReplicas: 2 });
    expectAllClean(bench);
  });

  it.each(replicaLists)("%s for ever keeps the id, and is told in one line", async (_title, spoil) => {
    const bench = await openSpoiled();
    bench.spoil("status", spoil);
    const error = await bench.run(initErrorOf(bench.cluster.create(bench.ctx({ timeoutMs: 4_000 }), checked)));
    expect(living(bench.simulator).map(({ id }) => id)).toEqual([error.id]);
    expectAllClean(bench, error);
  });
});

describe("a read that is shown", () => {
  it.each([...words, ...["name", "endpoint", "created_at"].map((name) => record(`${name} with escapes`, odd(name)))])(
    "%s keeps it out of the state",
    async (_title, spoil) => {
      const { bench, made } = await settled();
      bench.spoil("get", spoil);
      const found = await bench.run(bench.cluster.read(bench.ctx(), made.id, made.state));
      expect(found?.inputs).toMatchObject({ replicas: 2, env: checked["env"] });
      const { env: _env, status: _status, ...state } = found?.state ?? {};
      for (const value of Object.values(state).filter((item) => typeof item === "string")) expectClean(value, bench);
      expect(String(found?.state["status"] ?? "")).not.toMatch(/[\p{Cc}\p{Cf}]/u);
    },
  );

  it.each(replicaLists)("%s is not settled, and never gone", async (_title, spoil) => {
    const { bench, made } = await settled();
    bench.spoil("status", spoil);
    const found = await bench.run(bench.cluster.read(bench.ctx(), made.id, made.state));
    expect(found?.inputs).toMatchObject(checked);
    expect(found?.state).toMatchObject({ settled: false });
    expect(JSON.stringify(found?.state["replicaStatuses"])).not.toContain(canary);
  });
});

function odd(name: string): object {
  return { [name]: `${esc}web\r\n\u202e` };
}
