import type { Client } from "../../../../provider/api/client";
import { ConfigError } from "../../../../provider/base/errors";
import { createClusterResource } from "../../../../provider/cluster/resource";
import type { Properties } from "../../../../provider/contract";
import type { Fault } from "../../../../simulator";
import { type FixtureOptions, failureOf, interruptAfter, openFixture } from "../harness";
import { canary, checked, existing, urnOf } from "../inputs";
import { check, checkAll, checkOnce, old } from "./harness";

const down: Fault = { kind: "status", status: 503, times: 10_000 };
const named = (name: string): Properties => ({ ...checked, name });
const listLine = "GET /v1/clusters";
const fail = (message: string) => () => {
  throw new ConfigError(message);
};

describe("endpoint and createdAt", () => {
  const hasNone = (inputs: Properties) => !("endpoint" in inputs) && !("createdAt" in inputs);

  it.each<[string, Properties, string[]]>([
    ["stay without a change, and need no request", {}, []],
    // The list shows whether the service has an update and a redeploy.
    ["stay with a changed env, after one list", { env: { MODEL: "x" } }, [listLine]],
  ])("%s", async (_title, news, lines) => {
    const { fixture, inputs } = await checkOnce({ ...checked, ...news }, existing);
    expect(inputs).toEqual({ ...existing, ...news });
    expect(fixture.requestLines()).toEqual(lines);
  });

  it("are left out if several clusters have the name", async () => {
    const fixture = await openFixture();
    for (let time = 0; time < 2; time += 1) fixture.simulator.addCluster({ name: "web", gpuType: "h100" });
    const { inputs, refusals } = await check(fixture, checked, checked);
    expect([refusals, hasNone(inputs)]).toEqual([[], true]);
  });
});

it("outputs among the inputs, as `ignoreChanges` for everything returns them, are accepted", async () => {
  const olds = old({ endpoint: "https://web.example.com", createdAt: "2026-11-21T00:00:00.000Z" });
  const { fixture, refusals, inputs } = await checkOnce(olds, olds);
  expect(refusals).toEqual([]);
  expect(inputs).toMatchObject({ name: existing["name"], endpoint: "https://web.example.com" });
  const other = await check(fixture, { ...olds, endpoint: "https://mine.example.com" }, olds);
  expect(other.refusals).toEqual([expect.stringMatching(/^endpoint: is not an input of a cluster/)]);
});

describe("a service that", () => {
  it("is down causes a warning only for a new name, and for a change that can need an update in place", async () => {
    const fixture = await openFixture({ faults: [down] });
    for (const name of ["a", "b", "c"]) await check(fixture, named(name), named(name), name);
    await check(fixture, { ...named("a"), skipAwait: true }, named("a"), "a");
    expect(fixture.messages.filter((text) => !text.startsWith("info: "))).toEqual([]);
    await check(fixture, { ...named("b"), env: {} }, named("b"), "b");
    expect(fixture.messages).toEqual([expect.stringMatching(/^warning: updates in place could not be checked: .*503/)]);
    const next = await openFixture({ faults: [down] });
    await check(next, named("new"), named("a"), "a");
    expect(next.messages).toContainEqual(expect.stringMatching(/^warning: taken names could not be checked: .*503/));
  });
});

describe("a warning of checks that failed", () => {
  it("is one in a run, which says that no other follows, whatever is checked after it", async () => {
    const fixture = await openFixture({ faults: [down] });
    for (const name of ["a", "b"]) await check(fixture, { ...named(name), env: {} }, named(name), name);
    await check(fixture, { ...named("c"), gpuType: "l4", replicas: 9 }, named("c"), "c");
    await checkAll(fixture, ["d", "e"].map(named));
    expect(fixture.warnings()).toEqual([
      expect.stringContaining("Further warnings of this kind are hidden in this run"),
    ]);
  });

  it("hides no failure, and no warning of another kind", async () => {
    const fixture = await openFixture({ faults: [down], settings: { maxHourlyCost: 1 } });
    await check(fixture, { ...named("a"), env: {} }, named("a"), "a");
    const { refusals } = await check(fixture, named("b"), {}, "b");
    expect(refusals).toEqual([expect.stringMatching(/^: gpucluster:maxHourlyCost cannot be checked/)]);
    const { name, ...unnamed } = checked;
    await check(fixture, { ...unnamed, skipAwait: true }, old(), "c");
    expect(fixture.warnings()).toContain('warning: c: `name` is no longer set; the cluster keeps its name "web"');
  });
});

describe("the time limit of the reads of a run", () => {
  it("holds for all of them together, and a check with a limit on costs has one of its own", async () => {
    const waitMs = { each: 3_000 };
    const fixture = await openFixture({
      client: ({ listClusters, listGpuTypes }) => ({
        listClusters: (...args) => fixture.clock.sleep(waitMs.each).then(() => listClusters(...args)),
        listGpuTypes: (...args) => fixture.clock.sleep(waitMs.each).then(() => listGpuTypes(...args)),
      }),
    });
    const startMs = fixture.clock.now();
    await checkAll(fixture, ["a", "b", "c"].map(named));
    expect(fixture.messages).toEqual([expect.stringMatching(/could not be checked: no answer within 5 s/)]);
    expect(fixture.clock.now() - startMs).toBe(5_000);
    waitMs.each = 10_000;
    const { refusals, inputs } = await check(fixture, { ...named("d"), maxHourlyCost: 100 }, {}, "d");
    expect([refusals, inputs["hourlyCost"]]).toEqual([[], 5.98]);
  });

  it("counts time in which several are in flight once, and no longer", async () => {
    const fixture = await openFixture({
      client: ({ getCluster }) => ({
        getCluster: (...args) => fixture.clock.sleep(2_000).then(() => getCluster(...args)),
      }),
    });
    const adopt = (name: string) => {
      const { id } = fixture.simulator.addCluster({ name, gpuType: "h100", container: String(checked["container"]) });
      return fixture.cluster.check(fixture.ctx({ urn: urnOf(name) }), { ...checked, name, replicas: 1, adopt: id });
    };
    await fixture.run(Promise.all(["a", "b", "c"].map(adopt)));
    await fixture.run(adopt("d"));
    expect(fixture.warnings()).toEqual([]);
    await fixture.run(adopt("e"));
    expect(fixture.warnings()).toEqual([expect.stringMatching(/could not be checked: no answer within 5 s/)]);
  });
});

it("a check without a limit on costs uses what a slow check with one has read", async () => {
  // Longer than such a check waits, but not longer than one with a limit.
  const fixture = await openFixture({
    settings: { previewChecks: "strict" },
    client: ({ listClusters, listGpuTypes }) => ({
      listClusters: (...args) => fixture.clock.sleep(10_000).then(() => listClusters(...args)),
      listGpuTypes: (...args) => fixture.clock.sleep(10_000).then(() => listGpuTypes(...args)),
    }),
  });
  expect((await check(fixture, { ...named("a"), maxHourlyCost: 100 }, {}, "a")).refusals).toEqual([]);
  const startMs = fixture.clock.now();
  expect((await check(fixture, named("b"), {}, "b")).refusals).toEqual([]);
  expect([fixture.clock.now(), fixture.countOf(listLine)]).toEqual([startMs, 1]);
});

describe("an interrupt", () => {
  it("ends a check and its request at once, even one that shares a read and waits for a limit on costs", async () => {
    const signals: (AbortSignal | undefined)[] = [];
    const listClusters: Client["listClusters"] = (options) => {
      signals.push(options?.signal);
      return new Promise(() => undefined);
    };
    const fixture = await openFixture({ client: () => ({ listClusters }), settings: { maxHourlyCost: 100 } });
    const { end, lastedMs } = await interruptAfter(fixture, 1_000, (ctx) =>
      Promise.all(
        ["a", "b"].map((name) =>
          failureOf(fixture.cluster.check(fixture.ctx({ urn: urnOf(name), ...ctx }), named(name))),
        ),
      ),
    );
    expect(end.map(({ message }) => message)).toEqual(["interrupted", "interrupted"]);
    expect(lastedMs).toBe(0);
    expect(signals.map((signal) => signal?.aborted)).toEqual([true]);
    expect(fixture.messages).toEqual([]);
  });
});

it("wrong settings are reported together with wrong inputs, without a request", async () => {
  const fixture = await openFixture();
  const setting = "gpucluster:previewChecks must be one of two";
  const cluster = createClusterResource(fail("The key is missing"), fail(setting));
  const { refusals } = await check({ ...fixture, cluster }, { ...checked, replicas: 0 });
  expect(refusals).toEqual([expect.stringMatching(/^replicas: must be/), `: ${setting}`, ": The key is missing"]);
});

describe("a secret that the service quotes to a check", () => {
  const short = "h-42xy";
  const replaced = "canary-old-0b1c2d";
  const extraFields = { token: "canary-extra-0123456789" };
  const news: Properties = { ...checked, env: { TOKEN: canary, PIN: short }, extraFields, __secrets: ["env.PIN"] };
  const olds: Properties = { ...news, replicas: 1, env: { TOKEN: replaced }, settled: true };
  const quote = `not for ${canary}, ${btoa(canary)}, ${short}, canary-extra-0123456789 or ${replaced}`;
  const failing: Fault = { kind: "status", status: 422, message: quote, code: "bad_env", times: 99 };

  it.each<[string, FixtureOptions, RegExp]>([
    ["is hidden in a warning", {}, /^warning: .*could not be checked/m],
    [
      "is hidden in a failure",
      { settings: { previewChecks: "strict" } },
      /an error because gpucluster:previewChecks is `strict`/,
    ],
  ])("%s", async (_what, options, text) => {
    const { refusals, said } = await checkOnce(news, olds, { faults: [failing], ...options });
    const output = [...said, ...refusals].join("\n");
    expect(output).toMatch(text);
    expect(output).toContain("not for [secret], [secret], [secret], [secret] or [secret]");
  });
});
