import { diffCluster } from "../../../../provider/cluster/diff/diff";
import { describeChange } from "../../../../provider/cluster/preflight/checks";
import { asInputs, type CheckedInputs } from "../../../../provider/cluster/schema/state";
import { generatedName } from "../../../../provider/cluster/schema/validate";
import { type Properties, UNKNOWN } from "../../../../provider/contract";
import type { Fault } from "../../../../simulator";
import { openFixture, openSettled } from "../harness";
import { checked, completed, least, urnOf } from "../inputs";
import { check, old } from "./harness";

const of = (changes: Properties): CheckedInputs => asInputs({ ...completed, replicas: 4, ...changes });
const atRest = { desiredStatus: "stopped" };
const replaced =
  "so it is replaced: the old cluster with its 4 replicas is deleted, or kept and billed with `retainOnDelete`";

describe("the loss of capacity", () => {
  const restarted = "it is restarted: all 4 replicas restart";
  const smaller = "4 -> 1 replicas: 3 are removed; it is redeployed: its only replica restarts";
  it.each<[string, Properties, Properties, string?]>([
    ["is nothing without a change", {}, {}],
    ["is nothing for a scale-up", {}, { replicas: 9 }],
    ["is shown for a scale-down", {}, { replicas: 2 }, "4 -> 2 replicas: 2 are removed"],
    ["is shown for a stop", {}, atRest, "it is stopped: all 4 replicas stop"],
    ["is shown for a restart", { restartTriggers: [1] }, { restartTriggers: [2] }, restarted],
    [
      "is shown for a redeploy beside a scale-down",
      { redeployTriggers: [1] },
      { redeployTriggers: [2], replicas: 1 },
      smaller,
    ],
    ["is shown for another GPU type", {}, { gpuType: "l4" }, `\`gpuType\` changes, ${replaced}`],
    ["is shown for another name", {}, { name: "api" }, `\`name\` changes, ${replaced}`],
    ["is nothing for a replacement of a stopped cluster", atRest, { name: "api" }],
    ["is nothing for a GPU type that is not known yet", {}, { gpuType: UNKNOWN }],
    ["is nothing for replicas that are not known yet", {}, { replicas: UNKNOWN }],
  ])("%s", (_title, before, news, ...[line]) => {
    const state = of(before);
    const inputs = of(news);
    const messages = describeChange(state, inputs, diffCluster({ ...state }, { ...inputs }).changes, 0);
    expect(messages).toEqual(line === undefined ? [] : [{ kind: "warning", text: line }]);
  });
});

describe("the replicas that an autoscaler has added since the last refresh", () => {
  const generated = generatedName(urnOf("web"));
  const { name, ...unnamed } = checked;

  /** What a preview says: the engine checks a change, requests its diff, and checks a replacement once more. */
  async function said(changes: Properties, isGenerated = false) {
    const inputs = isGenerated ? { ...unnamed, name: generated, __generatedName: true } : checked;
    const { fixture, id, state } = await openSettled(inputs);
    fixture.simulator.change(id, { replicas: 5 });
    const process = { ...fixture, cluster: fixture.as("seen") };
    const news = { ...(isGenerated ? unnamed : checked), ...changes };
    const first = await check(process, news, { ...inputs, endpoint: state["endpoint"], createdAt: state["createdAt"] });
    const { changes: all } = await fixture.run(process.cluster.diff(fixture.ctx(), id, state, first.inputs));
    if (Object.values(all).some(({ replace }) => replace)) await check(process, news);
    return { lines: fixture.messages, lists: fixture.countOf("GET /v1/clusters") };
  }

  it.each<[string, Properties, string]>([
    ["in a rollout", {}, "info: web: `env` changes: in place, a rollout replaces all 5 replicas"],
    ["in a stop", atRest, "warning: web: it is stopped: all 5 replicas stop"],
    ["in a scale-down", { replicas: 1 }, "warning: web: 5 -> 1 replicas: 4 are removed"],
    ["in a restart", { restartTriggers: [1] }, "warning: web: it is restarted: all 5 replicas restart"],
  ])("count %s, if the preview reads the list anyway", async (_title, changes, line) => {
    const { lines, lists } = await said({ env: { A: "new" }, ...changes });
    expect([lines.at(-1), lists]).toEqual([line, 1]);
  });
});

describe("the reason of an update", () => {
  it.each<[string, Properties, Properties, RegExp | undefined]>([
    ["is shown for an unfinished operation", { settled: false }, {}, /^no input changes; the update continues /],
    ["is shown for new time limits", {}, { __timeouts: { create: "1h" } }, /^only `customTimeouts` changes; /],
    ["is shown for a new secret", {}, { __secrets: ["env.A"] }, /^the program marks more as secret; /],
    ["is not shown beside a changed input", { settled: false }, { replicas: 9 }, undefined],
  ])("%s", (_title, state, news, reason) => {
    const { changes } = diffCluster({ ...checked, ...state }, { ...checked, ...news });
    const messages = describeChange(of(state), of(news), changes, 0);
    expect(messages).toEqual(reason ? [{ kind: "info", text: expect.stringMatching(reason) }] : []);
  });

  const changed = { ...checked, env: { A: "new" } };
  it.each<[string, Properties, Properties, string[]]>([
    ["is a rollout for a changed env", changed, checked, ["`env` changes: in place, a rollout replaces both replicas"]],
    ["is none for what runs already, even after a failed attempt to change it", checked, changed, []],
  ])("%s", async (_title, news, olds, lines) => {
    const { fixture, id, state } = await openSettled(checked);
    const { inputs } = await check(fixture, news, olds);
    await fixture.diff({ id, state }, inputs);
    expect(fixture.messages).toEqual(lines.map((line) => `info: web: ${line}`));
  });
});

/** A fixture with the cluster that has the generated name, or another one. */
async function openWith(name = generatedName(urnOf("web"))) {
  const fixture = await openFixture();
  const { id } = fixture.simulator.addCluster({ name, gpuType: "h100", replicas: 5 });
  return { fixture, id };
}

describe("a forced replacement, which the engine checks like a creation,", () => {
  it("is refused with the ways out", async () => {
    const { fixture, id } = await openWith();
    const { refusals } = await check(fixture, least);
    expect(refusals).toEqual([expect.stringMatching(`^name: "web-\\w+" is already the name of ${id} `)]);
    expect(refusals[0]).toMatch(
      /kept by `retainOnDelete`.*compare age and image: stacks of one name make the same.*set `adopt: "cl_.*--replace.*`deleteBeforeReplace: true`.*another `name`/s,
    );
  });
});

describe("a replacement by an option, for which the engine requests no diff,", () => {
  const text = "warning: web: it is replaced: the old cluster with its";
  it.each<[string, boolean, RegExp[], string]>([
    // The check of the name has read the list, which shows five replicas.
    ["is refused without `deleteBeforeReplace`", false, [/^name: "web" is already/], "5 replicas"],
    ["passes with `deleteBeforeReplace`", true, [], "2 replicas"],
  ])("%s, with one warning of the loss", async (_title, __deleteBeforeReplace, failures, loss) => {
    const { fixture } = await openWith("web");
    await check(fixture, { ...checked, __deleteBeforeReplace }, old());
    const { refusals, said } = await check(fixture, { ...checked, __deleteBeforeReplace }, {});
    expect(refusals).toEqual(failures.map((reason) => expect.stringMatching(reason)));
    expect(said).toEqual([expect.stringMatching(`^${text} ${loss} is deleted`)]);
  });
});

it("a replacement whose name comes from a fixed pattern of `pulumi:autonaming` keeps it: the engine deletes the old cluster first", async () => {
  const { fixture } = await openWith("web");
  const { name, ...unnamed } = checked;
  const news = { ...unnamed, __deleteBeforeReplace: false };
  const checkAs = async (olds: Properties) => {
    const ctx = fixture.ctx({ naming: { proposed: "web" } });
    return fixture.run(fixture.cluster.check(ctx, news, olds));
  };
  await checkAs(old({ __generatedName: true }));
  const { inputs, failures } = await checkAs({});
  expect([failures, inputs["name"]]).toEqual([[], "web"]);
});

describe("a service that cannot update clusters in place", () => {
  it("is not assumed if the descriptor cannot be read: one warning, and no replacement", async () => {
    const fault: Fault = { kind: "status", status: 429, headers: { "Retry-After": "40" }, path: "/", times: 99 };
    const fixture = await openFixture({ dialect: "client", faults: [fault] });
    fixture.simulator.addCluster({ name: "web", gpuType: "rtx-4090", replicas: 2 });
    const olds = old({ gpuType: "rtx-4090" });
    const { refusals, said, inputs } = await check(fixture, { ...olds, env: { MODEL: "another" } }, olds);
    expect(refusals).toEqual([]);
    expect(said).toEqual([
      expect.stringMatching(/^warning: updates in place could not be checked: .*asks to wait 40s/),
    ]);
    const { changes } = await fixture.diff({ id: "cl_1", state: olds }, inputs);
    expect(changes["env.MODEL"]).toEqual({ kind: "update" });
  });
});
