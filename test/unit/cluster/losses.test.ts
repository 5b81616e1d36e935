import type { CheckedInputs } from "../../../provider/cluster/fields";
import { isAmong, lossesOf, transitionOf } from "../../../provider/cluster/preview/plan";
import { asInputs } from "../../../provider/cluster/state";
import { type Properties, UNKNOWN } from "../../../provider/core";
import { check, checkTwice, old } from "./checkHarness";
import { closeAll, openBench } from "./harness";
import { checked, completed } from "./inputs";

afterEach(closeAll);

const of = (changes: Properties): CheckedInputs => asInputs({ ...completed, replicas: 4, ...changes });
const made = { __generatedName: true };

describe("what a change takes away is said:", () => {
  it.each<[string, Properties, Properties, string[]]>([
    ["nothing", {}, {}, []],
    ["a scale-up", {}, { replicas: 9 }, []],
    ["a scale-down", {}, { replicas: 2 }, ["4 -> 2 replicas: 2 of 4 go away"]],
    ["a scale-down by one", {}, { replicas: 3 }, ["4 -> 3 replicas: 1 of 4 goes away"]],
    ["a stop", {}, { desiredStatus: "stopped" }, ["it is stopped: all 4 replicas stop"]],
    [
      "a stop of one replica",
      { replicas: 1 },
      { desiredStatus: "stopped", replicas: 1 },
      ["it is stopped: its only replica stops"],
    ],
    ["a stop and a scale-down", {}, { desiredStatus: "stopped", replicas: 1 }, ["it is stopped: all 4 replicas stop"]],
    ["a start", { desiredStatus: "stopped" }, {}, []],
    [
      "a restart",
      { restartTriggers: { v: 1 } },
      { restartTriggers: { v: 2 } },
      ["it is restarted: all 4 replicas restart"],
    ],
    ["a redeploy", {}, { redeployTriggers: ["a"] }, ["it is redeployed: all 4 replicas restart"]],
    ["both", {}, { redeployTriggers: ["a"], restartTriggers: ["a"] }, ["it is redeployed: all 4 replicas restart"]],
    ["triggers that are taken away", { restartTriggers: { v: 1 } }, {}, []],
    [
      "a restart and a scale-down",
      {},
      { restartTriggers: [1], replicas: 2 },
      ["4 -> 2 replicas: 2 of 4 go away", "it is restarted: all 2 replicas restart"],
    ],
    [
      "a restart of a stopped cluster",
      { desiredStatus: "stopped" },
      { desiredStatus: "stopped", restartTriggers: [1] },
      [],
    ],
    [
      "another GPU type under a made name",
      made,
      { ...made, gpuType: "l4" },
      ["`gpuType` changes, so it is replaced: its 4 replicas go away; the new cluster comes up first"],
    ],
    [
      "another GPU type under a given name",
      {},
      { gpuType: "l4" },
      ["`gpuType` changes, so it is replaced: its 4 replicas go away before the new cluster comes up"],
    ],
    [
      "another name",
      {},
      { name: "api" },
      ["`name` changes, so it is replaced: its 4 replicas go away; the new cluster comes up first"],
    ],
    [
      "both",
      {},
      { name: "api", gpuType: "l4", replicas: 2 },
      ["`name` and `gpuType` change, so it is replaced: its 4 replicas go away; the new cluster comes up first"],
    ],
    [
      "a replacement of one replica",
      { replicas: 1 },
      { name: "api" },
      ["`name` changes, so it is replaced: its only replica goes away; the new cluster comes up first"],
    ],
    [
      "a replacement that only stops the old one",
      { deletionPolicy: "stop" },
      { name: "api" },
      ["`name` changes, so it is replaced: its 4 replicas stop; the new cluster comes up first"],
    ],
    ["a replacement of a stopped one", { desiredStatus: "stopped" }, { name: "api" }, []],
    [
      "a scale-up that `replaceOnChanges` makes a replacement",
      {},
      { replicas: 9, __replaceOnChanges: ["replicas"] },
      [
        "`replicas` changes, and `replaceOnChanges` requires a new cluster for that, so it is replaced: its 4 replicas go " +
          "away before the new cluster comes up",
      ],
    ],
    [
      "a scale-up beside another GPU type, which replaces it anyway",
      made,
      { ...made, replicas: 9, gpuType: "l4", __replaceOnChanges: ["*"] },
      ["`gpuType` changes, so it is replaced: its 4 replicas go away; the new cluster comes up first"],
    ],
    ["a scale-up that `replaceOnChanges` does not name", {}, { replicas: 9, __replaceOnChanges: ["env"] }, []],
    [
      "a number that is not known yet, of which `replaceOnChanges` speaks",
      {},
      { replicas: UNKNOWN, __replaceOnChanges: ["*"] },
      [],
    ],
    ["another container", {}, { container: "a/b:2" }, []],
    ["a GPU type that is not known yet", {}, { gpuType: UNKNOWN }, []],
    ["replicas that are not known yet", {}, { replicas: UNKNOWN }, []],
    ["a status that is not known yet", {}, { desiredStatus: UNKNOWN }, []],
    ["triggers that are not known yet", {}, { restartTriggers: { v: UNKNOWN } }, []],
  ])("%s", (_title, before, news, lines) => {
    expect(lossesOf(transitionOf(of(before), of(news), false))).toEqual(lines);
  });

  it("not at a creation", () => {
    expect(lossesOf(transitionOf(undefined, of({}), true))).toEqual([]);
  });

  it("where an option wants a replacement that nobody has told of: the change, and which option it may be", () => {
    expect(lossesOf(transitionOf(of({}), of({ replicas: 9, env: { MODEL: "x" } }), true))).toEqual([
      "`replicas` and `env.MODEL` change, and an option such as `replaceOnChanges` requires a new cluster for that, so it is " +
        "replaced: its 4 replicas go away before the new cluster comes up",
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

  it("where the engine alone wants a replacement", () => {
    expect(lossesOf(transitionOf(of({}), of({}), true))).toEqual([
      "it is replaced: its 4 replicas go away before the new cluster comes up",
    ]);
  });
});

describe("a preview", () => {
  it("says each loss once as a warning, also where a replacement is checked twice", async () => {
    const bench = await openBench();
    await checkTwice(bench, { ...checked, gpuType: "l4" }, old());
    expect(bench.said).toEqual([
      "warning: web: `gpuType` changes, so it is replaced: its 2 replicas go away before the new cluster comes up",
    ]);
  });

  it("says no loss of a change that fails", async () => {
    const { refusals, said } = await check(await openBench(), { ...checked, gpuType: "h900" }, old());
    expect(refusals).toHaveLength(1);
    expect(said).toEqual([]);
  });
});
