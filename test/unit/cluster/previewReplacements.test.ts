import type { Properties } from "../../../provider/core";
import { check, checkTwice, old } from "./checkHarness";
import { closeAll, openBench } from "./harness";
import { checked, least } from "./inputs";

afterEach(closeAll);

/** A bench on which the cluster of these inputs is there. */
async function benchWith(inputs: Properties) {
  const bench = await openBench();
  const { id } = bench.simulator.addCluster({ name: String(inputs["name"]), gpuType: "h100" });
  return { bench, id };
}

async function made(): Promise<Properties> {
  return (await check(await openBench(), least)).inputs;
}

describe("a forced replacement, which the engine checks as if it were a creation", () => {
  it("of a generated name is refused as what it is, with the ways out", async () => {
    const { bench, id } = await benchWith(await made());
    const { refusals } = await check(bench, least);
    expect(refusals).toEqual([expect.stringMatching(new RegExp(`^name: "web-\\w+" is already the name of ${id} `))]);
    expect(refusals[0]).toMatch(/its own cluster.*--replace.*state taint.*new `name`.*deleteBeforeReplace: true/s);
  });

  it("of a given name is refused, with both ways out", async () => {
    const { bench } = await benchWith(checked);
    const { refusals } = await check(bench, checked);
    expect(refusals).toEqual([expect.stringMatching(/another `name`.*deleteBeforeReplace: true/s)]);
  });

  it.each([
    ["generated", least],
    ["given", checked],
  ])("of a %s name passes where the program has the old cluster deleted first", async (_kind, inputs) => {
    const { bench, id } = await benchWith(inputs === least ? await made() : inputs);
    const { refusals, said } = await check(bench, { ...inputs, __deleteBeforeReplace: true });
    expect(refusals).toEqual([]);
    expect(said).toEqual([expect.stringMatching(new RegExp(`^warning: web: .*${id}.*must be deleted before`))]);
  });
});

describe("a replacement by an option, of which the engine asks for no difference", () => {
  const replaced = async (inputs: Properties) => {
    const { bench } = await benchWith(inputs);
    await check(bench, inputs, old());
    return check(bench, inputs, {});
  };

  it("says under a given name that the creation is refused, and what to set", async () => {
    const { refusals, said } = await replaced(checked);
    expect(refusals).toEqual([]);
    expect(said).toEqual([
      expect.stringMatching(/^warning: web: "web" is the name of .*replacementTrigger.*`deleteBeforeReplace: true`/),
      "warning: web: it is replaced: its 2 replicas go away; the new cluster comes up first",
    ]);
  });

  it("is refused where the program wants the new cluster first", async () => {
    const { refusals } = await replaced({ ...checked, __deleteBeforeReplace: false });
    expect(refusals).toEqual([expect.stringMatching(/^name: .*deleteBeforeReplace: true/)]);
  });

  it("passes where the program has the old cluster deleted first, and says that order", async () => {
    const { refusals, said } = await replaced({ ...checked, __deleteBeforeReplace: true });
    expect(refusals).toEqual([]);
    expect(said).toEqual(["warning: web: it is replaced: its 2 replicas go away before the new cluster comes up"]);
  });

  it("has a new generated name", async () => {
    const olds = await made();
    const { bench } = await benchWith(olds);
    await check(bench, least, olds);
    const { refusals, inputs } = await check(bench, least, {});
    expect(refusals).toEqual([]);
    expect(inputs["name"]).not.toBe(olds["name"]);
  });
});

describe("a replacement by a change of an input", () => {
  it("under a generated name says nothing of the name: the second check makes a new one", async () => {
    const olds = await made();
    const { bench } = await benchWith(olds);
    const { refusals, said } = await check(bench, { ...least, gpuType: "l4" }, olds);
    expect(refusals).toEqual([]);
    expect(said.filter((text) => text.includes("is the name of"))).toEqual([]);
  });

  it("goes by the order that the program wants, whatever the name is", async () => {
    const { bench } = await benchWith(checked);
    const news = { ...checked, gpuType: "l4", __deleteBeforeReplace: false };
    const [, second] = await checkTwice(bench, news, old());
    expect(second.refusals).toEqual([expect.stringMatching(/^name: .*deleteBeforeReplace: true/)]);
  });

  it("says for a new name that the old cluster goes first, where the program wants that", async () => {
    const { bench } = await benchWith(checked);
    const { said } = await check(bench, { ...checked, name: "api", __deleteBeforeReplace: true }, old());
    expect(said).toEqual([expect.stringContaining("go away before the new cluster comes up")]);
  });

  it("is refused for a new name that another cluster has, whatever the order", async () => {
    const { bench, id } = await benchWith({ name: "api" });
    const { refusals } = await check(bench, { ...checked, name: "api", __deleteBeforeReplace: true }, old());
    expect(refusals).toEqual([expect.stringContaining(id)]);
  });
});
