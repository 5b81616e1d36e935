import {
  driftedExtras,
  extrasObserved,
  mayScaleTo,
  scalingRange,
} from "../../../../provider/cluster/schema/extraFields";
import { type Properties, UNKNOWN } from "../../../../provider/contract";
import { openFixture, openSettled, settle } from "../harness";
import { checked } from "../inputs";
import { change, failingChange, patch, reach, refresh, toDo } from "../powerHarness";

const check = async (news: Properties) => {
  const bench = await openFixture();
  return { bench, ...(await bench.run(bench.cluster.check(bench.ctx(), { ...checked, ...news }))) };
};

describe("extra fields are refused before any request", () => {
  it.each<[string, unknown, RegExp]>([
    ["a name of the specification", { gpu_type: "h100" }, /extraFields.*is sent by this package: .*`gpuType`/],
    ["a name of the official client", { replicaCount: 3 }, /use the input `replicas`/],
    ["the credential of a registry", { registryCredentialId: "cred_1" }, /use the input `registryCredentialId`/],
    ["no JSON", { port: () => 1 }, /JSON/],
    ["1 MB", { notes: "canary".repeat(200_000) }, /must be at most 64 KiB/],
    ["a name that means something to JavaScript", JSON.parse('{"__proto__": 1}'), /cannot be the name of a request/],
  ])("for %s", async (_title, extraFields, reason) => {
    const { bench, failures } = await check({ extraFields });
    expect(failures.map(({ property, reason: text }) => `${property} ${text}`).join("\n")).toMatch(reason);
    expect(JSON.stringify(failures)).not.toMatch(/canary-?canary/);
    expect(bench.simulator.requests).toEqual([]);
  });

  it.each([
    ["a value that is not known yet", { containerPort: UNKNOWN }],
    ["more GPUs in a replica", { gpusPerReplica: 2 }],
  ])("but not for %s", async (_title, extraFields) => {
    expect((await check({ extraFields })).failures).toEqual([]);
  });
});

describe("extra fields", () => {
  it("change by one update, without a roll-out of their own; an update that fails leaves the old ones in the state", async () => {
    const bench = await openFixture();
    const first = { ...checked, extraFields: { container_port: 8000 } };
    const { id, state } = await settle(bench, first);
    const news = { ...first, extraFields: { container_port: 9000 } };
    bench.simulator.fault({ kind: "status", status: 403, method: "PATCH" });
    const failed = await failingChange(bench, { id, state }, news);
    expect(failed.state).toMatchObject({ extraFields: { container_port: 8000 }, settled: false });
    const next = await reach(bench, failed, news, [patch]);
    expect(next.state["extraFields"]).toEqual({ container_port: 9000 });
  });
});

describe("a number of replicas that an autoscaler has chosen", () => {
  const extraFields = { autoscaling: { min_replicas: 2, max_replicas: 6 } };
  const news = { ...checked, replicas: 2, extraFields };

  async function openScaled() {
    const { bench, made } = await openSettled(news);
    bench.simulator.change(made.id, { replicas: 6 });
    await bench.run(bench.clock.sleep(60_000));
    return { bench, made };
  }

  it("is no drift within the range, and drift outside of it", async () => {
    const { bench, made } = await openScaled();
    expect(toDo(bench, await refresh(bench, made), news)).toEqual([]);
    bench.simulator.change(made.id, { replicas: 7 });
    expect(toDo(bench, await refresh(bench, made), news)).toContain("replicas");
  });

  it("stays when only the container changes, and is waited for", async () => {
    const { bench, made } = await openScaled();
    const container = "team/server:2.0";
    const { id, state } = await change(bench, made, { ...news, container });
    expect(bench.simulator.cluster(id)).toMatchObject({ replicas: 6, container });
    expect(state).toMatchObject({ replicas: 2, container, settled: true });
  });
});

test.each<[string, Properties, Properties, string[]]>([
  ["the same value", { port: 1 }, { port: 1 }, []],
  ["another spelling of a name inside", { scaling: { minReplicas: 1 } }, { scaling: { min_replicas: 1, more: 2 } }, []],
  ["another value", { port: 1 }, { port: 2 }, ["port"]],
])("a record that shows %s", (_title, asked, shown, different) => {
  const fields = new Map(Object.entries(shown));
  expect(extrasObserved(asked, { fields }, "other")).toEqual(different);
  expect(Object.keys(driftedExtras(asked, { fields })).length > 0).toBe(different.length > 0);
});

test.each<[Properties, object?]>([
  [{ autoscaling: { min_replicas: 1, max_replicas: 5 } }, { min: 1, max: 5 }],
  [
    { minReplicas: 2, maxReplicas: 3, tier: "community" },
    { min: 2, max: 3 },
  ],
  [{ tier: "community" }],
])("the range of %j", (extraFields, range = undefined) => {
  expect(scalingRange(extraFields)).toEqual(range);
  expect([mayScaleTo(extraFields, 2), mayScaleTo(extraFields, 9)]).toEqual([range !== undefined, false]);
});

test("a field that the service showed otherwise from the start is no drift", () => {
  expect(driftedExtras({ port: 1 }, { fields: new Map([["port", 2]]) }, ["port"])).toEqual({});
});
