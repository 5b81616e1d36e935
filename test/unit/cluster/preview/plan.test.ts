import { isAmong, lossesOf, transitionOf } from "../../../../provider/cluster/preview/plan";
import { asInputs } from "../../../../provider/cluster/state";
import type { CheckedInputs } from "../../../../provider/cluster/stateFields";
import { type Properties, UNKNOWN } from "../../../../provider/core";
import { closeAll, openBench } from "../harness";
import { checked, completed, least } from "../inputs";
import { check, checkOnce, checkTwice, old } from "./harness";

afterEach(closeAll);

const of = (changes: Properties): CheckedInputs => asInputs({ ...completed, replicas: 4, ...changes });
const made = { __generatedName: true };
const atRest = { desiredStatus: "stopped" };
const first = "; the new cluster comes up first";
const go = "so it is replaced: its 4 replicas go away";

describe("the loss of capacity by", () => {
  it.each<[string, Properties, Properties, string?]>([
    ["nothing", {}, {}],
    ["a scale-up", {}, { replicas: 9 }],
    ["a scale-down", {}, { replicas: 2 }, "4 -> 2 replicas: 2 of 4 go away"],
    ["a scale-down by one", {}, { replicas: 3 }, "4 -> 3 replicas: 1 of 4 goes away"],
    ["a stop", {}, atRest, "it is stopped: all 4 replicas stop"],
    ["a stop of one replica", { replicas: 1 }, { ...atRest, replicas: 1 }, "it is stopped: its only replica stops"],
    ["a stop and a scale-down", {}, { ...atRest, replicas: 1 }, "it is stopped: all 4 replicas stop"],
    ["a start", atRest, {}],
    ["a restart", { restartTriggers: [1] }, { restartTriggers: [2] }, "it is restarted: all 4 replicas restart"],
    ["a redeploy", {}, { redeployTriggers: ["a"] }, "it is redeployed: all 4 replicas restart"],
    ["both", {}, { redeployTriggers: ["a"], restartTriggers: ["a"] }, "it is redeployed: all 4 replicas restart"],
    ["triggers that are taken away", { restartTriggers: { v: 1 } }, {}],
    ["a restart of a stopped cluster", atRest, { ...atRest, restartTriggers: [1] }],
    ["another GPU type, generated name", made, { ...made, gpuType: "l4" }, `\`gpuType\` changes, ${go}${first}`],
    ["another GPU type", {}, { gpuType: "l4" }, `\`gpuType\` changes, ${go} before the new cluster comes up`],
    ["another name", {}, { name: "api" }, `\`name\` changes, ${go}${first}`],
    ["both of them", {}, { name: "api", gpuType: "l4", replicas: 2 }, `\`name\` and \`gpuType\` change, ${go}${first}`],
    [
      "a replacement of one replica",
      { replicas: 1 },
      { name: "api" },
      `\`name\` changes, so it is replaced: its only replica goes away${first}`,
    ],
    [
      "a replacement that only stops the old one",
      { deletionPolicy: "stop" },
      { name: "api" },
      `\`name\` changes, so it is replaced: its 4 replicas stop${first}`,
    ],
    ["a replacement of a stopped one", atRest, { name: "api" }],
    [
      "a scale-up that `replaceOnChanges` makes a replacement",
      {},
      { replicas: 9, __replaceOnChanges: ["replicas"] },
      `\`replicas\` changes, and \`replaceOnChanges\` requires a new cluster for that, ${go} before the new cluster comes up`,
    ],
    [
      "a scale-up beside another GPU type, which replaces it anyway",
      made,
      { ...made, replicas: 9, gpuType: "l4", __replaceOnChanges: ["*"] },
      `\`gpuType\` changes, ${go}${first}`,
    ],
    ["a scale-up that `replaceOnChanges` does not name", {}, { replicas: 9, __replaceOnChanges: ["env"] }],
    ["a number that is not known yet", {}, { replicas: UNKNOWN, __replaceOnChanges: ["*"] }],
    ["another container", {}, { container: "a/b:2" }],
    ["a GPU type that is not known yet", {}, { gpuType: UNKNOWN }],
    ["replicas that are not known yet", {}, { replicas: UNKNOWN }],
    ["a status that is not known yet", {}, { desiredStatus: UNKNOWN }],
    ["triggers that are not known yet", {}, { restartTriggers: { v: UNKNOWN } }],
  ])("%s is said in one line, or is none", (_title, before, news, ...lines) => {
    expect(lossesOf(transitionOf(of(before), of(news), false))).toEqual(lines);
  });

  it("a restart and a scale-down is said in two", () => {
    const news = of({ restartTriggers: [1], replicas: 2 });
    const lines = ["4 -> 2 replicas: 2 of 4 go away", "it is restarted: all 2 replicas restart"];
    expect(lossesOf(transitionOf(of({}), news, false))).toEqual(lines);
  });

  it("a creation is none", () => {
    expect(lossesOf(transitionOf(undefined, of({}), true))).toEqual([]);
  });

  it("the engine alone names the change and the option that it may be, if there is one", () => {
    expect(lossesOf(transitionOf(of({}), of({}), true))).toEqual([
      "it is replaced: its 4 replicas go away before the new cluster comes up",
    ]);
    expect(lossesOf(transitionOf(of({}), of({ replicas: 9, env: { MODEL: "x" } }), true))).toEqual([
      `\`replicas\` and \`env.MODEL\` change, and an option such as \`replaceOnChanges\` requires a new cluster for that, ${go} before the new cluster comes up`,
    ]);
  });

  it.each<[string, string, boolean]>([
    ["*", "replicas", true],
    ["replicas", "replicas", true],
    ["env", "env.MODEL", true],
    ["env.*", "env.MODEL", true],
    ["env[*]", "env.MODEL", true],
    ["env.MODEL", "env.MODEL", true],
    ['env["A.B"]', "env.A.B", true],
    ["env.MODEL", "env.OTHER", false],
    ["env", "environment", false],
  ])("the path %s of `replaceOnChanges` is about %s: %s", (option, path, isAbout) => {
    expect(isAmong([option], path)).toBe(isAbout);
  });

  it("a replacement is said once, though it is checked twice", async () => {
    const bench = await openBench();
    await checkTwice(bench, { ...checked, gpuType: "l4" }, old());
    expect(bench.said).toEqual([expect.stringMatching(/^warning: web: `gpuType` changes, so it is replaced/)]);
  });

  it("a change that fails is not said", async () => {
    const { refusals, said } = await checkOnce({ ...checked, gpuType: "h900" }, old());
    expect([refusals.length, said]).toEqual([1, []]);
  });
});

/** A bench on which the cluster of these inputs is there. */
async function benchWith(inputs: Properties) {
  const bench = await openBench();
  const { id } = bench.simulator.addCluster({ name: String(inputs["name"]), gpuType: "h100" });
  return { bench, id };
}

const generated = async (): Promise<Properties> => (await checkOnce(least)).inputs;

describe("a forced replacement, which the engine checks as if it were a creation,", () => {
  it("of a generated name is refused as what it is, with the ways out", async () => {
    const { bench, id } = await benchWith(await generated());
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
  ])("of a %s name passes if the program has the old cluster deleted first", async (_kind, inputs) => {
    const { bench, id } = await benchWith(inputs === least ? await generated() : inputs);
    const { refusals, said } = await check(bench, { ...inputs, __deleteBeforeReplace: true });
    expect(refusals).toEqual([]);
    expect(said).toEqual([expect.stringMatching(new RegExp(`^warning: web: .*${id}.*must be deleted before`))]);
  });
});

describe("a replacement by an option, of which the engine asks for no difference,", () => {
  const away = "warning: web: it is replaced: its 2 replicas go away";
  const taken = /^warning: web: "web" is the name of .*replacementTrigger.*`deleteBeforeReplace: true`/;

  it.each<[string, Properties, RegExp[], unknown[]]>([
    [
      "warns under a given name that the creation is refused",
      {},
      [],
      [expect.stringMatching(taken), `${away}${first}`],
    ],
    [
      "is refused if the new cluster comes first",
      { __deleteBeforeReplace: false },
      [/^name: .*BeforeReplace: true/],
      [],
    ],
    [
      "passes if the old one goes first",
      { __deleteBeforeReplace: true },
      [],
      [`${away} before the new cluster comes up`],
    ],
  ])("%s", async (_title, option, failures, lines) => {
    const { bench } = await benchWith(checked);
    await check(bench, { ...checked, ...option }, old());
    const { refusals, said } = await check(bench, { ...checked, ...option }, {});
    expect(refusals).toEqual(failures.map((text) => expect.stringMatching(text)));
    if (lines.length > 0) expect(said).toEqual(lines);
  });

  it("has a new generated name", async () => {
    const olds = await generated();
    const { bench } = await benchWith(olds);
    await check(bench, least, olds);
    const { refusals, inputs } = await check(bench, least, {});
    expect(refusals).toEqual([]);
    expect(inputs["name"]).not.toBe(olds["name"]);
  });
});

describe("a replacement by a change of an input", () => {
  it("under a generated name says nothing of the name: the second check makes a new one", async () => {
    const olds = await generated();
    const { bench } = await benchWith(olds);
    const { refusals, said } = await check(bench, { ...least, gpuType: "l4" }, olds);
    expect([refusals, said.filter((text) => text.includes("is the name of"))]).toEqual([[], []]);
  });

  it("goes by the order that the program wants, whatever the name is", async () => {
    const { bench } = await benchWith(checked);
    const [, second] = await checkTwice(bench, { ...checked, gpuType: "l4", __deleteBeforeReplace: false }, old());
    expect(second.refusals).toEqual([expect.stringMatching(/^name: .*deleteBeforeReplace: true/)]);
    const { said } = await check(bench, { ...checked, name: "api", __deleteBeforeReplace: true }, old());
    expect(said).toEqual([expect.stringContaining("go away before the new cluster comes up")]);
  });

  it("is refused for a new name that another cluster has, whatever the order", async () => {
    const { bench, id } = await benchWith({ name: "api" });
    const { refusals } = await check(bench, { ...checked, name: "api", __deleteBeforeReplace: true }, old());
    expect(refusals).toEqual([expect.stringContaining(id)]);
  });
});
