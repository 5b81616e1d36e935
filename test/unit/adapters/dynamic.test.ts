import * as adapter from "../../../provider/adapters/dynamic";
import { systemClock } from "../../../provider/base/clock";
import type { Properties } from "../../../provider/contract";
import { type Simulator, startSimulator } from "../../../simulator";
import type { VirtualClock } from "../../support/virtualClock";
import { failureOf } from "../cluster/harness";
import { canary, least, urnOf } from "../cluster/inputs";
import { forgetEnvironment, useEnvironment } from "../providerHarness";

// The adapter uses the real clock; here it is a virtual one.
jest.mock("../../../provider/base/clock", () => jest.requireActual("../../support/clockMock"));
const clock = systemClock as VirtualClock;
const run = <T>(work: Promise<T>): Promise<T> => clock.run(work);
const secret = (value: unknown) => ({ "4dabf18193072939515e22adb298388d": "1b47061264138c4ac30d75fd1eb44270", value });
const hidden = { __urn: urnOf("web"), __provider: "text of the provider" };

let simulator: Simulator;
let count = 0;

/** Inputs as check returns them, each with a new name. */
function inputsOf(more: Properties = {}): Properties {
  count += 1;
  return { ...least, ...hidden, replicas: 1, name: `web-${count}`, env: { MODEL: canary }, ...more };
}

beforeEach(async () => {
  simulator = await startSimulator({ clock, rateLimit: 1_000_000 });
  useEnvironment(simulator);
});

afterEach(async () => {
  forgetEnvironment();
  await simulator.close();
});

describe("check of the dynamic adapter", () => {
  it("names a failing property in the reason only, because the engine would print its value", async () => {
    const news = { ...inputsOf(), replicas: 0, env: { PORT: 8080, KEY: canary } };
    const { failures } = await run(adapter.check({}, news));
    expect(failures.map(({ property }) => property)).toEqual(["", ""]);
    const named = failures.map(({ reason }) => reason.split(":")[0]);
    expect(named.sort()).toEqual(["env.PORT", "replicas"]);
    expect(JSON.stringify(failures)).not.toContain(canary);
  });

  it("requires a name if pulumi:autonaming is disabled, which the engine applies to plugins only", async () => {
    await adapter.configure({ config: new Map([["pulumi:autonaming", JSON.stringify({ mode: "disabled" })]]) });
    const { name: _name, ...nameless } = inputsOf();
    const { failures } = await run(adapter.check({}, nameless));
    expect(failures.map(({ reason }) => reason)).toEqual([
      expect.stringMatching(/^name: is required: pulumi:autonaming/),
    ]);
    expect((await run(adapter.check({}, inputsOf()))).failures).toEqual([]);
    await adapter.configure({ config: new Map() });
  });
});

test("check of the dynamic adapter refuses a creation that could not end as awaiting, before any request", async () => {
  const news = { ...inputsOf(), onNoCapacity: "nextRun" };
  const { failures } = await run(adapter.check({}, news));
  expect(failures).toEqual([
    {
      property: "",
      reason: 'onNoCapacity: "nextRun" needs the plugin: use `Cluster` of `pulumi-gpucluster/native`, or set "wait"',
    },
  ]);
  expect(simulator.requests).toEqual([]);
  expect((await run(adapter.check(news, { ...news, replicas: 2 }))).failures).toEqual([]);
});

describe("diff of the dynamic adapter", () => {
  const news = inputsOf();
  const { __provider, ...withoutText } = news;
  const toEngine = { changes: undefined, replaces: [], deleteBeforeReplace: true };
  const ended = { runUntil: "2020-01-01T00:00Z", desiredStatus: "stopped" };
  const reported = { ...toEngine, changes: true };

  it.each<[string, Properties, object, Properties?]>([
    ["reports no change", {}, { ...toEngine, changes: false }],
    ["leaves the lines of a change of replicas to the engine", { replicas: 3 }, toEngine],
    ["replaces if the GPU type changes", { gpuType: "l4" }, { ...toEngine, replaces: ["gpuType"] }],
    ["leaves the lines of a stop to the engine", { desiredStatus: "stopped" }, toEngine],
    ["reports the end of a cluster, which `ignoreChanges` must not hide", ended, reported],
    ["reports outputs alone that differ", {}, reported, { ...news, settled: false }],
    ["reports a state of the plugin, which lacks the code that refresh and delete load", {}, reported, withoutText],
  ])("%s", async (_title, changed, expected, olds = news) => {
    expect(await adapter.diff("cl_1", { settled: true, ...olds }, { ...news, ...changed })).toEqual(expected);
  });
});

test("a result of the dynamic adapter has the secret values of env as secrets, and all others readable", async () => {
  const inputs = inputsOf({ env: { MODEL: canary, LEVEL: "" } });
  const { outs } = await run(adapter.create(inputs));
  expect(outs).toMatchObject({ ...inputs, env: { MODEL: secret(canary), LEVEL: "" }, settled: true });
});

describe("the dynamic adapter returns plain JSON, because the engine takes no `undefined`", () => {
  const expectPlain = (value: unknown) => expect(value).toStrictEqual(JSON.parse(JSON.stringify(value)));

  it("after a creation that has failed", async () => {
    simulator.fault({ kind: "sick-replica", replica: 0, message: "no driver" });
    const inputs = inputsOf({ env: {}, __timeouts: { create: "1m" } });
    const { properties } = (await run(failureOf(adapter.create(inputs)))) as Error & { properties: Properties };
    expectPlain(properties);
    expectPlain((await run(adapter.check(properties, inputs))).inputs);
  });

  it("with a state in which no identifiers of the GPU type are known", async () => {
    const inputs = inputsOf({ env: {} });
    const { id, outs } = await run(adapter.create(inputs));
    expectPlain(outs);
    const { __gpu, ...state } = { __gpu: undefined, ...outs };
    simulator.fault({ kind: "status", status: 403, path: "/v1/gpus**", times: 99 });
    expectPlain((await run(adapter.check(state, { ...inputs, replicas: 2 }))).inputs);
    expectPlain(await run(adapter.read(id, state)));
  });
});

describe("a failure after the id", () => {
  it("has what the engine needs: id, properties with the provider's code, reasons", async () => {
    simulator.fault({ kind: "fail", message: "no driver" });
    const inputs = inputsOf();
    const error = await run(failureOf(adapter.create(inputs)));
    expect(error).toMatchObject({
      id: simulator.clusters()[0]?.id,
      reasons: [
        expect.stringMatching(/it is failed\n +It is kept.*\n(?: +seen: .*\n)? +replica \S+: failed, no driver$/),
      ],
      properties: { ...inputs, env: { MODEL: secret(canary) }, settled: false },
    });
    expect(error.message).not.toContain(canary);
    expect(error.stack).not.toContain(canary);
  });

  it("comes at the end of the program's customTimeouts", async () => {
    simulator.fault({ kind: "sick-replica", replica: 0, message: "hot" });
    const startMs = clock.now();
    const error = await run(failureOf(adapter.create(inputsOf({ __timeouts: { create: "1m30s" } }))));
    expect(error).toHaveProperty("reasons");
    expect(clock.now() - startMs).toBe(90_000);
  });

  it("has the provider's code of the new inputs of an update", async () => {
    const inputs = inputsOf({ env: {} });
    const { id, outs } = await run(adapter.create(inputs));
    simulator.fault({ kind: "sick-replica", replica: 0, message: "hot", container: "a/b:2" });
    const news = { ...inputs, container: "a/b:2", __provider: "newer text", __timeouts: { update: "1m" } };
    const error = await run(failureOf(adapter.update(id, outs, news)));
    expect(error).toMatchObject({ id, properties: { __provider: "newer text", settled: false } });
  });
});

describe("a failure without an id", () => {
  it("is one readable line when the SDK prints the error and its stack", async () => {
    simulator.fault({ kind: "status", status: 422, method: "POST", message: "no such image" });
    const error = await run(failureOf(adapter.create(inputsOf())));
    expect(`${error}: ${error.stack}`).toMatch(/^gpucluster: POST \/v1\/clusters for cluster "web-\d+": no such image/);
    expect(error.stack).not.toContain("\n");
    expect(error).not.toHaveProperty("id");
  });
});

describe("a read of a cluster that does not exist", () => {
  it("returns nothing to the engine if a state contains the cluster, and fails if a program looks it up", async () => {
    expect(await run(adapter.read("cl_nothing", inputsOf({ settled: false })))).toEqual({});
    const error = await run(failureOf(adapter.read("cl_nothing", inputsOf())));
    expect(error.message).toBe("there is no cluster cl_nothing in this organization");
  });
});
