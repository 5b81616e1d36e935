import type { Properties } from "../../../../provider/contract";
import type { ClusterChanges, Fault } from "../../../../simulator";
import {
  bareStatus,
  type FixtureOptions,
  initErrorOf,
  interruptAfter,
  openFixture,
  patch,
  redeploy,
  sameReplicas,
  scale,
} from "../harness";
import { canary, checked } from "../inputs";

const good: Properties = {
  ...checked,
  container: "acme/model:1",
  desiredStatus: "running",
  onFailedUpdate: "rollBack",
};
const bad: Properties = { ...good, container: "acme/model:2" };
const reason = { message: "CUDA out of memory", container: "acme/model:2", times: 9 };
const broken = { kind: "fail", ...reason } satisfies Fault;
const sick = { kind: "sick-replica", replica: 1, ...reason } satisfies Fault;

/** A settled cluster of a service on which `acme/model:2` never gets healthy. */
async function openGood(options: FixtureOptions = {}, inputs = good) {
  const fixture = await openFixture({ faults: [broken], ...options });
  return { fixture, made: await fixture.settle(inputs) };
}

const plainText = (text: string) => text.replace(/(cl|rep)_[0-9a-f]+/g, "$1_1");

describe("an update that does not get healthy", () => {
  it("is rolled back by one more rollout, and fails with what failed and what runs now", async () => {
    const { fixture, made } = await openGood();
    const failed = await fixture.failingChange(made, bad);
    expect(plainText(failed.text).split("\n")).toEqual([
      'cluster "web" (cl_1) did not get healthy with acme/model:2: it is failed',
      "      Rolled back: 2/2 replicas healthy with acme/model:1. The next `pulumi up` tries again",
      "      replica rep_1-2-3: failed, CUDA out of memory",
      "      replica rep_1-2-4: failed, CUDA out of memory",
    ]);
    expect(fixture.writes()).toEqual([patch, patch]);
    expect(fixture.running(made)).toMatchObject({ status: "running", generation: 3 });
    expect(fixture.simulator.cluster(made.id)?.deployed.container).toBe("acme/model:1");
    expect(failed.state).toMatchObject({ container: "acme/model:1", settled: true, readyReplicas: 2 });
    expect(failed.state).not.toHaveProperty("__unfinished");
    expect(fixture.toDo(failed, bad)).toEqual(["container"]);
    await fixture.expectAtGoal(failed, good);
  });

  it("is rolled back with its old probe if the endpoint does not answer", async () => {
    const ask =
      () =>
      ({ url }: { readonly url: URL }) =>
        Promise.resolve({ status: url.pathname === "/v1" ? 200 : 503 });
    const { fixture, made } = await openGood({ ask, faults: [] }, { ...good, readinessProbe: { path: "/v1" } });
    const news = { ...bad, readinessProbe: { path: "/v2" } };
    const failed = await fixture.failingChange(made, news, { timeoutMs: 60_000 });
    expect(failed.text).toContain("2/2 replicas healthy, GET /v2 answers 503");
    expect(failed.state).toMatchObject({ container: "acme/model:1", readinessProbe: { path: "/v1" }, settled: true });
    await fixture.change(failed, { ...news, readinessProbe: { path: "/v1" } });
  });

  it("is rolled back to the old env, extra fields and cost, and quotes no value", async () => {
    const before = { ...good, extraFields: { container_port: 80 }, hourlyCost: 5.98 };
    const { fixture, made } = await openGood({ faults: [] }, before);
    fixture.simulator.fault({ ...broken, container: "acme/model:1", times: 1 });
    const extraFields = { container_port: 81, tier: "verified" };
    const news = { ...good, env: { ADDED: "canary-added-1" }, extraFields, hourlyCost: 16, replicas: 4 };
    const failed = await fixture.failingChange(made, news);
    expect(failed.text).toContain("with the new `env` and `extraFields`: it is failed");
    expect(failed.text).toContain("Rolled back: 2/2 replicas healthy with the old `env` and `extraFields`");
    expect(JSON.stringify([failed.text, fixture.messages, failed.state])).not.toContain("canary-added");
    const old = { env: { MODEL: canary }, extraFields: before.extraFields };
    // More replicas would have followed the rollout.
    expect(failed.state).toMatchObject({ ...old, hourlyCost: 5.98, replicas: 2 });
    expect(fixture.writes()).not.toContain(scale);
    expect(fixture.simulator.cluster(made.id)).toMatchObject({
      replicas: 2,
      deployed: { env: { MODEL: canary } },
      extras: { containerPort: 80 },
    });
  });

  it("leads to a warning if the service keeps a variable of the failed update", async () => {
    const withoutNulls: FixtureOptions["wire"] = (real) => (request) =>
      real({ ...request, body: request.body?.replace(/,?"\w+":null/g, "") });
    const { fixture, made } = await openGood({ dialect: { updateSemantics: "merge-keys" }, wire: withoutNulls });
    await fixture.failingChange(made, { ...bad, env: { MODEL: canary, ADDED: "a" } });
    expect(fixture.running(made).env).toEqual({ MODEL: canary, ADDED: "a" });
    expect(fixture.warnings().join()).toContain("still shows env.ADDED as before");
  });

  it("keeps what another user has changed meanwhile, and does not put it into the state", async () => {
    const { fixture, made } = await openGood();
    const news = { ...bad, env: { MODEL: "another", ADDED: "a" } };
    fixture.simulator.change(made.id, { replicas: 4, env: { MODEL: canary, HOTFIX: "on" } });
    const failed = await fixture.failingChange(made, news);
    expect(fixture.simulator.cluster(made.id)).toMatchObject({
      replicas: 4,
      deployed: { container: "acme/model:1", env: { MODEL: canary, HOTFIX: "on" } },
    });
    expect(failed.state).toMatchObject({ replicas: 2, env: { MODEL: canary } });
  });

  it("removes no replica before it is healthy, so that a rollback has all of them", async () => {
    const { fixture, made } = await openGood({}, { ...good, hourlyCost: 6 });
    const failed = await fixture.failingChange(made, { ...bad, replicas: 1, hourlyCost: 3 });
    expect(failed.text).toContain("Rolled back: 2/2 replicas healthy with acme/model:1");
    expect(failed.state).toMatchObject({ container: "acme/model:1", replicas: 2, hourlyCost: 6, settled: true });
    expect(fixture.simulator.cluster(made.id)).toMatchObject({ replicas: 2, deployed: { container: "acme/model:1" } });
    expect(fixture.writes()).not.toContain(scale);
  });
});

describe("a failed update that is not rolled back", () => {
  it.each<[string, Properties, Properties, ClusterChanges, string?]>([
    ["by default", {}, { onFailedUpdate: undefined }, {}],
    ["it only scales", {}, { container: "acme/model:1", replicas: 3 }, {}],
    ["it was not ready before", { settled: false }, {}, {}, "it was not ready before"],
    ["it had failed before", {}, {}, { status: "failed" }, "it did not run before"],
    ["the old image is not known", { container: undefined }, {}, {}, "its old `container` is not"],
  ])("stays as it is: %s", async (_title, state, news, changes, reason = "") => {
    const { fixture, made } = await openGood();
    fixture.simulator.change(made.id, changes);
    if ("replicas" in news) fixture.simulator.fault({ kind: "status", status: 403, path: "/v1/clusters/*/scale" });
    const held = { id: made.id, state: { ...made.state, ...state } };
    await fixture.failingChange(held, { ...bad, ...news }, { timeoutMs: 60_000 });
    expect(fixture.writes().filter((line) => line === patch).length).toBeLessThan(2);
    const warning = `it is not rolled back, because ${reason}`;
    expect(fixture.warnings()).toEqual(reason === "" ? [] : [expect.stringContaining(warning)]);
  });

  it("was interrupted", async () => {
    const { fixture, made } = await openGood({ provisioningMs: 60_000 });
    const { end } = await interruptAfter(fixture, 10_000, (ctx) =>
      initErrorOf(fixture.cluster.update(fixture.ctx(ctx), made.id, made.state, bad)),
    );
    expect(end.state).toMatchObject({ container: "acme/model:2", settled: false });
    expect(fixture.writes()).toEqual([patch]);
    expect(fixture.warnings()).toEqual([]);
  });

  it("has no verdict, because the service shows only unrecognized words", async () => {
    const { fixture, made } = await openGood({ faults: [] });
    const body = JSON.stringify({ id: made.id, name: "web", status: "glowing", replicas: [] });
    // After the reads before the update.
    fixture.simulator.fault({ kind: "body", method: "GET", path: "/v1/clusters/**", body, after: 2, times: 1_000 });
    const failed = await fixture.failingChange(made, bad);
    expect(failed.text).toContain('the service shows "glowing"');
    expect(fixture.writes().filter((line) => line === patch)).toHaveLength(1);
  });

  it("is that of a cluster that another user stops meanwhile", async () => {
    const { fixture, made } = await openGood({ provisioningMs: 60_000 });
    void fixture.clock.sleep(20_000).then(() => fixture.simulator.change(made.id, { status: "stopped" }));
    const { text } = await fixture.failingChange(made, bad);
    expect(text).toContain("someone else stopped it");
    expect(fixture.writes()).toEqual([patch]);
  });
});

/** Replicas that are not healthy cannot show that the rollback has begun: the update before it has shown it. */
const unnamed: FixtureOptions["wire"] = (real, clock) => bareStatus(sameReplicas(real, clock), clock);

it.each<[string, boolean, FixtureOptions]>([
  ["new replicas", true, {}],
  ["new replicas", false, {}],
  ["the same replicas", true, { wire: unnamed }],
  ["the same replicas", false, { wire: unnamed }],
])(
  "a rollback is sent like the update: the service shows %s, rolls out by itself: %s",
  async (_title, updateRollsOut, options) => {
    const dialect = { updateRollsOut };
    const { fixture, made } = await openGood({ ...options, dialect, faults: [sick], provisioningMs: 60_000 });
    const failed = await fixture.failingChange(made, bad, { timeoutMs: 120_000 });
    const one = updateRollsOut ? [patch] : [patch, redeploy];
    expect(fixture.writes()).toEqual([...one, ...one]);
    expect(fixture.warnings().filter((text) => text.includes("no poll showed"))).toEqual([]);
    expect(failed.text).toContain("Rolled back: 2/2 replicas healthy with acme/model:1");
    expect(failed.state).toMatchObject({ container: "acme/model:1", settled: true, readyReplicas: 2 });
    expect(fixture.running(made)).toMatchObject({ status: "running", generation: 3 });
    expect(fixture.simulator.cluster(made.id)?.deployed.container).toBe("acme/model:1");
  },
);

describe("a rollback that fails", () => {
  it("ends with both errors, and the next update continues from the old configuration", async () => {
    const { fixture, made } = await openGood();
    fixture.simulator.fault({ kind: "fail", message: "image is gone", container: "acme/model:1" });
    const left = await fixture.failingChange(made, bad);
    expect(plainText(left.text).split("\n")).toEqual([
      'cluster "web" (cl_1) did not get healthy with acme/model:2: it is failed',
      "      The rollback to acme/model:1 failed too",
      "      replica rep_1-2-3: failed, CUDA out of memory",
      "      replica rep_1-2-4: failed, CUDA out of memory",
      'cluster "web" (cl_1) was not rolled back to acme/model:1 completely: it is failed',
      "      It is kept in the state: correct `container`, or what the reasons name, then run `pulumi up`. Without a change, it continues",
      "      replica rep_1-3-5: failed, image is gone",
      "      replica rep_1-3-6: failed, image is gone",
    ]);
    expect(left.state).toMatchObject({ container: "acme/model:1", settled: false });
    fixture.simulator.change(made.id, { status: "running" });
    await fixture.reach(left, good, []);
  });

  it("sends nothing if the service cannot be reached after the failure", async () => {
    let isLost = false;
    const wire: FixtureOptions["wire"] = (real) => async (request) => {
      if (isLost) return { status: 503, headers: {}, body: "" };
      const answer = await real(request);
      isLost = JSON.stringify(answer).includes("CUDA");
      return answer;
    };
    const { fixture, made } = await openGood({ wire });
    const failed = await fixture.failingChange(made, bad);
    expect(failed.text).toContain("was not changed completely: it is failed");
    expect(failed.state).toMatchObject({ container: "acme/model:2", settled: false });
    expect(fixture.writes()).toEqual([patch]);
  });
});
