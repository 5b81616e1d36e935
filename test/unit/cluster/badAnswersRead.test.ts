import { oddRecords, refusals, telling, unnamed, unreadable, withoutId } from "./badAnswers";
import { closeSpoiled, expectAllClean, type SpoiledBench, settled } from "./badAnswersHarness";
import { failureOf, writes } from "./harness";
import { checked } from "./inputs";

afterEach(closeSpoiled);

type Made = Awaited<ReturnType<typeof settled>>["made"];

const read = (bench: SpoiledBench, { id, state }: Made) => bench.cluster.read(bench.ctx(), id, state);

describe("a read that is answered with", () => {
  it.each([...unreadable, ...withoutId])("%s is one clear line, and never gone", async (_title, spoil) => {
    const { bench, made } = await settled();
    bench.spoil("get", spoil);
    const error = await bench.run(failureOf(read(bench, made)));
    expect(error.message).toContain(`GET /v1/clusters/${made.id}`);
    expect(writes(bench.simulator)).toEqual([]);
    expectAllClean(bench, error);
  });

  it.each(telling)("%s by a service that also lists no better is never gone", async (_title, spoil) => {
    const { bench, made } = await settled();
    bench.spoil("get", spoil);
    bench.spoil("list", spoil);
    expectAllClean(bench, await bench.run(failureOf(read(bench, made))));
  });

  it.each(refusals)("%s is an error or what the list shows, and never gone", async (_title, spoil) => {
    const { bench, made } = await settled();
    bench.spoil("get", spoil);
    const answer = await bench.run(read(bench, made).catch((error: unknown) => error));
    if (answer instanceof Error) expectAllClean(bench, answer);
    else expect(answer).toMatchObject({ inputs: checked });
  });

  it.each([...oddRecords, ...unnamed])("%s shows no drift", async (_title, spoil) => {
    const { bench, made } = await settled();
    bench.spoil("get", spoil);
    const found = await bench.run(read(bench, made));
    expect(found?.inputs).toMatchObject(checked);
    expect(found?.state).toMatchObject({ ...checked, settled: true });
    expect(bench.cluster.diff(found?.state ?? {}, checked).changes).toEqual({});
  });
});

describe("a read in which the replicas' health is", () => {
  it.each([...telling, ...refusals])("%s is an error or not settled, and never gone", async (_title, spoil) => {
    const { bench, made } = await settled();
    bench.spoil("status", spoil);
    const answer = await bench.run(read(bench, made).catch((error: unknown) => error));
    if (answer instanceof Error) expectAllClean(bench, answer);
    else expect(answer).toMatchObject({ inputs: checked, state: { settled: false } });
  });
});
