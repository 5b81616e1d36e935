import type { Properties } from "../../../../provider/contract";
import type { Dialect, Fault } from "../../../../simulator";
import { type Fixture, failureOf, type Held, openFixture, openSettled, redeploy, restart, toRun } from "../harness";

/** What an update sends, and what a half-done one leaves. */

const image = "team/server:1.0";
const env = { MODEL: "one", OLD: "old" };
const old: Properties = { ...toRun, container: image, env, extraFields: { container_port: 8000 } };
const model = (value: string): Properties => ({ ...old, env: { ...env, MODEL: value } });
const two = model("two");

const stored = (fixture: Fixture, { id }: Held) => fixture.simulator.cluster(id);
const missing = (action: string): Fault => {
  return { kind: "status", status: 404, method: "POST", path: `/v1/clusters/*/${action}`, times: 99 };
};

/** A cluster that this package has not made. */
function addExisting({ simulator }: Fixture, variables: Record<string, string>) {
  return simulator.addCluster({ name: "web", container: image, gpuType: "h100", replicas: 2, env: variables });
}

describe("what another user has set", () => {
  const masked: Partial<Dialect> = { envEcho: "masked" };

  it.each(["PATCH", "PUT", "POST"] as const)("is not emptied where the service masks it: %s", async (updateMethod) => {
    const { fixture, made } = await openSettled(old, { dialect: { ...masked, updateMethod } });
    fixture.simulator.change(made.id, { env: { ...env, THEIRS: "their-value" } });
    const { message } = await failureOf(fixture.change(made, two));
    expect(message).toMatch(
      /the service masks `env\.THEIRS`.*Nothing was sent.*`ignoreChanges`.*remove it in the service/s,
    );
    expect(stored(fixture, made)?.env).toEqual({ ...env, THEIRS: "their-value" });
    await fixture.change(made, { ...two, env: { MODEL: "two", OLD: "old", THEIRS: "ours" } });
    expect(stored(fixture, made)?.deployed.env).toEqual({ MODEL: "two", OLD: "old", THEIRS: "ours" });
  });

  it("is not emptied after an import from a service that masks, whose warning names the variables", async () => {
    const fixture = await openFixture({ dialect: masked });
    const { id } = addExisting(fixture, env);
    const found = await fixture.read({ id, state: {} });
    expect(fixture.warnings().join()).toMatch(/could not be read.*`env\.MODEL` and `env\.OLD`/);
    const inputs = { ...found?.inputs, env: { MODEL: "two", OLD: "***" } };
    const { message } = await failureOf(fixture.change({ id, state: found?.state ?? {} }, inputs));
    expect(message).toContain("the service masks `env.OLD`");
    expect(fixture.simulator.cluster(id)?.env).toEqual(env);
  });
});

it("an adoption that would have to send variables which the service masks is refused before a request", async () => {
  const fixture = await openFixture({ dialect: { envEcho: "masked" } });
  const there = { MODEL: "one", LICENSE_SERVER: "x" };
  const { id } = addExisting(fixture, there);
  const inputs = { ...toRun, container: image, env: { MODEL: "one", NEW: "new" }, adopt: id };
  const { message } = await failureOf(fixture.make(inputs));
  expect(message).toMatch(/was not adopted: `env` differs .*`LICENSE_SERVER` with values that the service masks/);
  expect(fixture.writes()).toEqual([]);
});

describe("a half-done update", () => {
  it("changes nothing in the state if a read fails before anything is sent", async () => {
    const { fixture, made: held } = await openSettled(old);
    fixture.simulator.fault({ kind: "status", status: 403, path: "**/status", method: "GET" });
    const error = await failureOf(fixture.change(held, two));
    expect(error.name).not.toBe("InitError");
    expect(error.message).toContain("was not changed: GET");
    expect(fixture.writes()).toEqual([]);
  });

  it.each<[string, string[], string[], RegExp | undefined]>([
    ["restarted where there is no redeploy", ["redeploy"], [redeploy, restart], undefined],
    [
      "named with the way out where there is neither",
      ["redeploy", "restart"],
      [redeploy, restart],
      /pulumi up --replace 'urn:/,
    ],
  ])("of a failed cluster is %s", async (_title, actions, calls, text) => {
    const { fixture, made: held } = await openSettled(old);
    fixture.simulator.change(held.id, { status: "failed" });
    const found = await fixture.refresh(held);
    for (const action of actions) fixture.simulator.fault(missing(action));
    if (text) expect((await fixture.failingChange(found, old)).text).toMatch(text);
    else await fixture.change(found, old);
    expect(fixture.writes()).toEqual(calls);
  });

  it.each<[string, Properties, string]>([
    ["restarts", { restartTriggers: ["a"] }, restart],
    ["redeploys", { redeployTriggers: ["a"] }, redeploy],
  ])("that only %s says nothing about a rollback", async (_title, trigger, call) => {
    const inputs = { ...old, onFailedUpdate: "rollBack" };
    const { fixture, made: held } = await openSettled(inputs, { provisioningMs: 60_000 });
    await fixture.failingChange(held, { ...inputs, ...trigger }, { timeoutMs: 20_000 });
    expect(fixture.writes()).toEqual([call]);
    expect(fixture.warnings()).toEqual([]);
  });

  it("that left only what the service cannot change does not hide a new trigger", async () => {
    const { fixture, made: held } = await openSettled(old, { dialect: { updateMethod: "none" } });
    const __unfinished = { kind: "update", paths: ["env.MODEL"] };
    await fixture.change({ ...held, state: { ...held.state, __unfinished } }, { ...old, restartTriggers: ["a"] });
    expect(fixture.writes().at(-1)).toBe(restart);
  });

  it("that is a creation keeps its id, limit and words, whatever the engine calls", async () => {
    const fixture = await openFixture({ provisioningMs: 40 * 60_000 });
    const left = await fixture.failingCreate(old);
    fixture.simulator.fault({ kind: "status", status: 403, method: "GET", path: "/v1/clusters/*", times: 1 });
    const again = await fixture.failingChange(left, old);
    expect(again).toMatchObject({ id: left.id, state: left.state });
    expect(again.text).toContain("was created, but is not ready: GET");
    // Longer than the limit of an update.
    const { state } = await fixture.change(again, old);
    expect(state).toMatchObject({ settled: true });
    expect(state).not.toHaveProperty("__unfinished");
  });
});
