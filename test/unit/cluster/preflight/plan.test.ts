import { diffCluster } from "../../../../provider/cluster/diff/diff";
import { lossOf } from "../../../../provider/cluster/preflight/summary";
import { asInputs } from "../../../../provider/cluster/schema/state";
import type { CheckedInputs } from "../../../../provider/cluster/schema/stateFields";
import { type Properties, UNKNOWN } from "../../../../provider/contract";
import type { Fault } from "../../../../simulator";
import { type FixtureOptions, openFixture } from "../harness";
import { checked, completed, least } from "../inputs";
import { check, checkOnce, checkTwice, old } from "./harness";

const of = (changes: Properties): CheckedInputs => asInputs({ ...completed, replicas: 4, ...changes });
const made = { __generatedName: true };
const atRest = { desiredStatus: "stopped" };
const replaced = "so it is replaced: the old cluster with its 4 replicas is deleted";

describe("the loss of capacity by", () => {
  it.each<[string, Properties, Properties, string?]>([
    ["nothing", {}, {}],
    ["a scale-up", {}, { replicas: 9 }],
    ["a scale-down", {}, { replicas: 2 }, "4 -> 2 replicas: 2 are removed"],
    ["a stop", {}, atRest, "it is stopped: all 4 replicas stop"],
    ["a restart", { restartTriggers: [1] }, { restartTriggers: [2] }, "it is restarted: all 4 replicas restart"],
    [
      "a scale-down with a redeploy",
      { redeployTriggers: [1] },
      { redeployTriggers: [2], replicas: 1 },
      "4 -> 1 replicas: 3 are removed; it is redeployed: its only replica restarts",
    ],
    ["another GPU type, generated name", made, { ...made, gpuType: "l4" }, `\`gpuType\` changes, ${replaced}`],
    ["another GPU type", {}, { gpuType: "l4" }, `\`gpuType\` changes, ${replaced}`],
    ["another name", {}, { name: "api" }, `\`name\` changes, ${replaced}`],
    ["a replacement of a stopped one", atRest, { name: "api" }],
    ["a GPU type that is not known yet", {}, { gpuType: UNKNOWN }],
    ["replicas that are not known yet", {}, { replicas: UNKNOWN }],
  ])("%s is said in one line, or is none", (_title, before, news, ...[line]) => {
    const [state, inputs] = [of(before), of(news)];
    expect(lossOf(state, inputs, diffCluster({ ...state }, { ...inputs }).changes)).toBe(line);
  });

  it("a replacement is said once, though it is checked twice", async () => {
    const bench = await openFixture();
    await checkTwice(bench, { ...checked, gpuType: "l4" }, old());
    expect(bench.said).toEqual([expect.stringMatching(/^warning: web: `gpuType` changes, so it is replaced/)]);
  });

  it.each<[string, Properties, string | undefined]>([
    ["that keeps its name", {}, undefined],
    ["by a pattern of pulumi:autonaming, which makes the same name again", made, "web"],
    ["whose order the program gives", { __deleteBeforeReplace: true }, undefined],
    ["whose order the program gives the other way", { ...made, __deleteBeforeReplace: false }, undefined],
  ])("a replacement %s claims nothing about its order: only the engine knows it", async (_title, option, proposed) => {
    const bench = await openFixture();
    const naming = proposed === undefined ? undefined : { proposed };
    const { name, ...nameless } = checked;
    const program = { ...(option["__generatedName"] ? nameless : { ...nameless, name }), ...option, gpuType: "l4" };
    const olds = old({ name: "web", ...option });
    const ctx = bench.ctx({ naming });
    const { inputs, failures } = await bench.run(
      bench.cluster.check(ctx, { ...program, __generatedName: undefined }, olds),
    );
    expect(failures).toEqual([]);
    await bench.run(bench.cluster.diff(ctx, "cl_1", olds, inputs));
    expect(bench.said).toEqual([
      "warning: web: `gpuType` changes, so it is replaced: the old cluster with its 2 replicas is deleted",
    ]);
  });
});

/** A bench on which the cluster of these inputs is there. */
async function benchWith(inputs: Properties) {
  const bench = await openFixture();
  const { id } = bench.simulator.addCluster({ name: String(inputs["name"]), gpuType: "h100" });
  return { bench, id };
}

const generated = async (): Promise<Properties> => (await checkOnce(least)).inputs;

describe("a forced replacement, which the engine checks as if it were a creation,", () => {
  it("of a generated name is refused as what it is, with the ways out", async () => {
    const { bench, id } = await benchWith(await generated());
    const { refusals } = await check(bench, least);
    expect(refusals[0]?.length).toBeLessThanOrEqual(500);
    expect(refusals).toEqual([expect.stringMatching(new RegExp(`^name: "web-\\w+" is already the name of ${id} `))]);
    expect(refusals[0]).toMatch(
      /compare age and image: two stacks of one name generate the same names.*set `adopt: "cl_.*--replace.*state taint.*`deleteBeforeReplace: true`.*another `name`/s,
    );
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
  const away = "warning: web: it is replaced: the old cluster with its 2 replicas is deleted";

  it.each<[string, Properties, RegExp[], unknown[]]>([
    ["says what is lost under a given name", {}, [], [away]],
    [
      "is refused if the program wants the new cluster first",
      { __deleteBeforeReplace: false },
      [/^name: "web" is already/],
      [away],
    ],
    ["passes if the old one goes first", { __deleteBeforeReplace: true }, [], [away]],
  ])("%s", async (_title, option, failures, lines) => {
    const { bench } = await benchWith(checked);
    await check(bench, { ...checked, ...option }, old());
    const { refusals, said } = await check(bench, { ...checked, ...option }, {});
    expect(refusals).toEqual(failures.map((text) => expect.stringMatching(text)));
    expect(said).toEqual(lines);
  });
});

describe("a service that cannot update clusters in place", () => {
  const env = { MODEL: "another" };
  const olds = old({ ...made, gpuType: "rtx-4090" });
  const news = { ...least, gpuType: "rtx-4090", replicas: 2, env };

  async function open(options: FixtureOptions = {}) {
    const bench = await openFixture({ dialect: "client", ...options });
    bench.simulator.addCluster({ name: "web", gpuType: "rtx-4090", replicas: 2 });
    return bench;
  }

  it.each<[string, Fault, RegExp]>([
    ["/", { kind: "status", status: 503 }, /HTTP 503/],
    ["/", { kind: "status", status: 429, headers: { "Retry-After": "40" } }, /rate limit/],
  ])("is not assumed if %s cannot be read (%j): one warning, and no replacement", async (path, failure, why) => {
    const fault = { ...failure, method: "GET", path, times: 99 } as const;
    const bench = await open({ faults: [fault] });
    const { refusals, said, inputs } = await check(bench, news, olds);
    expect(refusals).toEqual([]);
    expect(said).toEqual([expect.stringMatching(/^warning: updates in place could not be checked: /)]);
    expect(said[0]).toMatch(why);
    const { changes } = await bench.run(bench.cluster.diff(bench.ctx(), "cl_1", { ...olds, settled: true }, inputs));
    expect(changes["env.MODEL"]).toEqual({ kind: "update" });
    const strict = await open({ faults: [fault], settings: { strictPreview: true } });
    expect((await check(strict, news, olds)).refusals).toEqual([expect.stringContaining("updates in place could not")]);
  });
});
