import { mayScaleTo, withDrift } from "../../../../provider/cluster/diff/drift";
import type { Properties } from "../../../../provider/contract";
import { openSettled } from "../harness";
import { checked } from "../inputs";

describe("a number of replicas that an autoscaler has chosen", () => {
  const extraFields = { autoscaling: { min_replicas: 2, max_replicas: 6 } };
  const news = { ...checked, replicas: 2, extraFields };

  async function openScaled() {
    const { fixture, made } = await openSettled(news);
    fixture.simulator.change(made.id, { replicas: 6 });
    await fixture.run(fixture.clock.sleep(60_000));
    return { fixture, made };
  }

  it("is not drift within the range, and is drift outside of it", async () => {
    const { fixture, made } = await openScaled();
    expect(fixture.toDo(await fixture.refresh(made), news)).toEqual([]);
    fixture.simulator.change(made.id, { replicas: 7 });
    expect(fixture.toDo(await fixture.refresh(made), news)).toContain("replicas");
  });

  it("stays when only the container changes, and is waited for", async () => {
    const { fixture, made } = await openScaled();
    const container = "team/server:2.0";
    const { id, state } = await fixture.change(made, { ...news, container });
    expect(fixture.simulator.cluster(id)).toMatchObject({ replicas: 6, container });
    expect(state).toMatchObject({ replicas: 2, container, settled: true });
  });
});

describe("the drift of extra fields", () => {
  const driftOf = (extraFields: Properties, observed: Properties, ignored: string[] = []) => {
    const inputs = { name: "web", gpuType: "h100", container: "a/b:1", replicas: 1, extraFields };
    const state = { ...inputs, __observed: { extraFields: ignored } };
    return withDrift(state, { id: "cl_1", fields: new Map(Object.entries(observed)) }).extraFields;
  };

  it("is another value", () => {
    expect(driftOf({ port: 1, tier: "a" }, { port: 2 })).toEqual({ port: 2, tier: "a" });
  });

  it.each<[string, Properties, Properties, string[]]>([
    ["is not the same value", { port: 1 }, { port: "1" }, []],
    [
      "is not another spelling or an added name",
      { scaling: { minReplicas: 1 } },
      { scaling: { min_replicas: 1, more: 2 } },
      [],
    ],
    ["is not a value that differed from the start", { port: 1 }, { port: 2 }, ["port"]],
  ])("%s", (_title, extras, observed, ignored) => {
    expect(driftOf(extras, observed, ignored)).toEqual(extras);
  });
});

describe("the range of an autoscaler", () => {
  it.each<[string, Properties, number[]?]>([
    ["is read inside an object", { autoscaling: { min_replicas: 1, max_replicas: 5 } }, [1, 2, 3, 4, 5]],
    ["is read in any spelling", { minReplicas: 2, maxReplicas: 3, tier: "community" }, [2, 3]],
    ["is absent without its names", { tier: "community" }],
  ])("%s", (_title, extraFields, inside = []) => {
    const counts = [0, 1, 2, 3, 4, 5, 6, 7];
    expect(counts.filter((count) => mayScaleTo(extraFields, count))).toEqual(inside);
  });
});
