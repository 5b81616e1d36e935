import { InitError } from "../../../provider/core";
import { type BadAnswer, refusals, telling, withoutId } from "./badAnswers";
import { closeSpoiled, expectAllClean, type SpoiledBench, settled } from "./badAnswersHarness";
import { countOf, failureOf, initErrorOf, living, writes } from "./harness";
import { canary, checked } from "./inputs";

afterEach(closeSpoiled);

type Made = Awaited<ReturnType<typeof settled>>["made"];

const news = { ...checked, replicas: 3, env: { MODEL: `${canary}-2` } };
const update = (bench: SpoiledBench, { id, state }: Made, overrides = {}, inputs = news) =>
  bench.cluster.update(bench.ctx(overrides), id, state, inputs);

/** The cluster as the simulator itself has it. */
const truth = (bench: SpoiledBench) => living(bench.simulator).map(({ replicas, env }) => ({ replicas, env }));

/** Answers that a service may give to a method that it does not know. */
const isAboutMethod = ([title]: BadAnswer) => /^a (404|501) with/.test(title);

const asAsked = [{ replicas: 3, env: news.env }];

describe("an update that is answered with", () => {
  it.each([...telling, ...withoutId])("%s reaches what was asked for", async (_title, spoil) => {
    const { bench, made } = await settled();
    bench.spoil("update", spoil);
    const state = await bench.run(update(bench, made));
    expect(state).toMatchObject({ ...news, settled: true });
    expect(truth(bench)).toEqual(asAsked);
    expect(countOf(bench.simulator, "POST /v1/clusters")).toBe(0);
    expectAllClean(bench);
  });

  it.each(refusals.filter(isAboutMethod))(
    "%s, and was not done, leaves the state to the engine",
    async (_title, spoil) => {
      const { bench, made } = await settled();
      bench.spoil("update", spoil, { effect: false });
      const error = await bench.run(failureOf(update(bench, made)));
      expect(error).not.toBeInstanceOf(InitError);
      expect(error.message).toMatch(/was not changed: `env` cannot be changed in place/);
      expect(truth(bench)).toEqual([{ replicas: 2, env: checked["env"] }]);
      expectAllClean(bench, error);
    },
  );

  it.each(refusals.filter((answer) => !isAboutMethod(answer)))(
    "%s, and was not done, keeps the id and what runs",
    async (_title, spoil) => {
      const { bench, made } = await settled();
      bench.spoil("update", spoil, { effect: false });
      const error = await bench.run(initErrorOf(update(bench, made)));
      expect(error.id).toBe(made.id);
      expect(error.state).toMatchObject({ ...checked, settled: false });
      expect(truth(bench)).toEqual([{ replicas: 2, env: checked["env"] }]);
      expectAllClean(bench, error);
    },
  );
});

describe("a scale call that is answered with", () => {
  const scaled = { ...news, env: checked["env"] as typeof news.env };

  it.each(telling)("%s reaches what was asked for", async (_title, spoil) => {
    const { bench, made } = await settled();
    bench.spoil("scale", spoil);
    const state = await bench.run(update(bench, made, {}, scaled));
    expect(state).toMatchObject({ ...scaled, settled: true });
    expect(truth(bench)).toEqual([{ replicas: 3, env: checked["env"] }]);
    expectAllClean(bench);
  });
});

describe("a redeploy call that is answered with", () => {
  it.each(telling)("%s reaches what was asked for, by one call", async (_title, spoil) => {
    const { bench, made } = await settled({ dialect: { updateRollsOut: false } });
    bench.spoil("redeploy", spoil);
    expect(await bench.run(update(bench, made))).toMatchObject({ ...news, settled: true });
    expect(truth(bench)).toEqual(asAsked);
    expect(countOf(bench.simulator, "POST /v1/clusters/:id/redeploy")).toBe(1);
    expectAllClean(bench);
  });
});

describe("an update before which the cluster is shown as", () => {
  it.each(telling)("%s sends nothing", async (_title, spoil) => {
    const { bench, made } = await settled();
    bench.spoil("get", spoil);
    const error = await bench.run(failureOf(update(bench, made)));
    expect(error.message).toContain(made.id);
    expect(writes(bench.simulator)).toEqual([]);
    expectAllClean(bench, error);
  });
});

describe("an update after which the cluster is shown as", () => {
  it.each(telling)("%s for ever keeps the id", async (_title, spoil) => {
    const { bench, made } = await settled();
    bench.spoil("get", spoil, { after: 1 });
    const error = await bench.run(failureOf(update(bench, made, { timeoutMs: 6_000 })));
    expect(error).toBeInstanceOf(InitError);
    expect(error).toMatchObject({ id: made.id, state: { settled: false } });
    expect(living(bench.simulator)).toHaveLength(1);
    expectAllClean(bench, error);
  });
});
