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
const replaced =
  "so it is replaced: the old cluster with its 4 replicas is deleted, or kept and billed with `retainOnDelete`";

describe("the loss of capacity", () => {
  it.each<[string, Properties, Properties, string?]>([
    ["is nothing without a change", {}, {}],
    ["is nothing for a scale-up", {}, { replicas: 9 }],
    ["is shown for a scale-down", {}, { replicas: 2 }, "4 -> 2 replicas: 2 are removed"],
    ["is shown for a stop", {}, atRest, "it is stopped: all 4 replicas stop"],
    [
      "is shown for a restart",
      { restartTriggers: [1] },
      { restartTriggers: [2] },
      "it is restarted: all 4 replicas restart",
    ],
    [
      "is shown for a scale-down with a redeploy",
      { redeployTriggers: [1] },
      { redeployTriggers: [2], replicas: 1 },
      "4 -> 1 replicas: 3 are removed; it is redeployed: its only replica restarts",
    ],
    ["is shown for another GPU type", {}, { gpuType: "l4" }, `\`gpuType\` changes, ${replaced}`],
    ["is shown for another name", {}, { name: "api" }, `\`name\` changes, ${replaced}`],
    ["is nothing for a replacement of a stopped cluster", atRest, { name: "api" }],
    ["is nothing for a GPU type that is not known yet", {}, { gpuType: UNKNOWN }],
    ["is nothing for replicas that are not known yet", {}, { replicas: UNKNOWN }],
  ])("%s", (_title, before, news, ...[line]) => {
    const state = of(before);
    const inputs = of(news);
    expect(lossOf(state, inputs, diffCluster({ ...state }, { ...inputs }).changes)).toBe(line);
  });

  it("is shown once for a replacement, which is checked twice", async () => {
    const fixture = await openFixture();
    await checkTwice(fixture, { ...checked, gpuType: "l4" }, old());
    expect(fixture.messages).toEqual([expect.stringMatching(/^warning: web: `gpuType` changes, so it is replaced/)]);
  });

  it("is one message without an order even if pulumi:autonaming makes the same name again: only the engine knows the order", async () => {
    const fixture = await openFixture();
    const { name: _name, ...nameless } = checked;
    const olds = old({ ...made, name: "web" });
    const ctx = fixture.ctx({ naming: { proposed: "web" } });
    const { inputs, failures } = await fixture.run(fixture.cluster.check(ctx, { ...nameless, gpuType: "l4" }, olds));
    expect(failures).toEqual([]);
    await fixture.run(fixture.cluster.diff(ctx, "cl_1", olds, inputs));
    expect(fixture.messages).toEqual([
      "warning: web: `gpuType` changes, so it is replaced: the old cluster with its 2 replicas is deleted, or kept and billed with `retainOnDelete`",
    ]);
  });
});

/** A fixture with the cluster of these inputs. */
async function benchWith(inputs: Properties) {
  const fixture = await openFixture();
  const { id } = fixture.simulator.addCluster({ name: String(inputs["name"]), gpuType: "h100" });
  return { fixture, id };
}

const generated = async (): Promise<Properties> => (await checkOnce(least)).inputs;

describe("a forced replacement, which the engine checks like a creation,", () => {
  it("of a generated name is refused with the ways out", async () => {
    const { fixture, id } = await benchWith(await generated());
    const { refusals } = await check(fixture, least);
    expect(refusals[0]?.length).toBeLessThanOrEqual(500);
    expect(refusals).toEqual([expect.stringMatching(new RegExp(`^name: "web-\\w+" is already the name of ${id} `))]);
    expect(refusals[0]).toMatch(
      /kept by `retainOnDelete`.*compare age and image: stacks of one name generate the same names.*set `adopt: "cl_.*--replace.*`deleteBeforeReplace: true`.*another `name`/s,
    );
  });

  it.each([
    ["of a generated name passes with `deleteBeforeReplace`", least],
    ["of an explicit name passes with `deleteBeforeReplace`", checked],
  ])("%s", async (_title, inputs) => {
    const { fixture, id } = await benchWith(inputs === least ? await generated() : inputs);
    const { refusals, said } = await check(fixture, { ...inputs, __deleteBeforeReplace: true });
    expect(refusals).toEqual([]);
    expect(said).toEqual([expect.stringMatching(new RegExp(`^warning: web: .*${id}.*must be deleted before`))]);
  });
});

describe("a replacement by an option, for which the engine requests no diff,", () => {
  const away =
    "warning: web: it is replaced: the old cluster with its 2 replicas is deleted, or kept and billed with `retainOnDelete`";

  it.each<[string, Properties, RegExp[], unknown[]]>([
    ["warns of the loss", {}, [], [away]],
    ["is refused without `deleteBeforeReplace`", { __deleteBeforeReplace: false }, [/^name: "web" is already/], [away]],
    ["passes with `deleteBeforeReplace`", { __deleteBeforeReplace: true }, [], [away]],
  ])("%s", async (_title, option, failures, lines) => {
    const { fixture } = await benchWith(checked);
    await check(fixture, { ...checked, ...option }, old());
    const { refusals, said } = await check(fixture, { ...checked, ...option }, {});
    expect(refusals).toEqual(failures.map((text) => expect.stringMatching(text)));
    expect(said).toEqual(lines);
  });
});

describe("a service that cannot update clusters in place", () => {
  const env = { MODEL: "another" };
  const olds = old({ ...made, gpuType: "rtx-4090" });
  const news = { ...least, gpuType: "rtx-4090", replicas: 2, env };

  async function open(options: FixtureOptions = {}) {
    const fixture = await openFixture({ dialect: "client", ...options });
    fixture.simulator.addCluster({ name: "web", gpuType: "rtx-4090", replicas: 2 });
    return fixture;
  }

  it("is not assumed if the descriptor cannot be read: one warning, and no replacement", async () => {
    const fault: Fault = { kind: "status", status: 429, headers: { "Retry-After": "40" }, path: "/", times: 99 };
    const fixture = await open({ faults: [fault] });
    const { refusals, said, inputs } = await check(fixture, news, olds);
    expect(refusals).toEqual([]);
    expect(said).toEqual([expect.stringMatching(/^warning: updates in place could not be checked: .*rate limit/)]);
    const { changes } = await fixture.run(
      fixture.cluster.diff(fixture.ctx(), "cl_1", { ...olds, settled: true }, inputs),
    );
    expect(changes["env.MODEL"]).toEqual({ kind: "update" });
    const strict = await open({ faults: [fault], settings: { strictPreview: true } });
    expect((await check(strict, news, olds)).refusals).toEqual([expect.stringContaining("updates in place could not")]);
  });
});
