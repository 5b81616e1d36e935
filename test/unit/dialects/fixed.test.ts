import { type Properties, UNKNOWN } from "../../../provider/contract";
import type { Fault } from "../../../simulator";
import { type Fixture, type Held, openFixture, rewriting, type Wanted, web } from "../cluster/harness";

/** Inputs that the service cannot change in place: a change of one replaces the cluster, and the preview says so. */

const refusedUpdates = (["PATCH", "PUT", "POST"] as const).map((method): Fault => {
  return { kind: "status", status: 405, method, path: "/v1/clusters/*", times: 99 };
});
const noRedeploy: Fault = { kind: "status", status: 404, method: "POST", path: "/v1/clusters/*/redeploy", times: 99 };

/** The engine's calls before an update, in another process: the inputs, and the paths that replace the cluster. */
async function plan(fixture: Fixture, { id, state }: Held, olds: Properties, news: Properties) {
  const process = fixture.as("seen");
  const { inputs } = await fixture.run(process.check(fixture.ctx(), news, olds));
  const { changes } = await fixture.run(process.diff(fixture.ctx(), id, state, inputs));
  return { inputs, changes, replaces: Object.keys(changes).filter((path) => changes[path]?.replace) };
}

it.each<[string, Partial<Wanted>, Fault[], string]>([
  ["env, without an update", { env: { ...web.env, MODEL: "another" } }, refusedUpdates, "env.MODEL"],
  ["the image, without an update and a redeploy", { container: "a/b:2" }, [...refusedUpdates, noRedeploy], "container"],
])(
  "a refused change is replaced by the next `up`, and sends nothing if it is undone: %s",
  async (_title, changes, faults, path) => {
    const fixture = await openFixture({ faults });
    const made = await fixture.create();
    const news = { ...web, ...changes };
    const first = await plan(fixture, made, web, news);
    expect(first.replaces).toEqual([]);
    // The engine stores the new inputs and this state.
    const left = await fixture.failingChange(made, first.inputs);
    expect((await plan(fixture, left, first.inputs, news)).replaces).toEqual([path]);
    const back = await plan(fixture, left, first.inputs, web);
    expect(Object.keys(back.changes)).toEqual(["settled"]);
    expect(await fixture.change(left, back.inputs)).toMatchObject({ state: { settled: true } });
    expect(fixture.writes()).toEqual([]);
  },
);

describe("a service with the client's names, and without an update, a redeploy and a restart", () => {
  const image = { ...web, gpuType: "rtx-4090", container: "team/server:2.0" };
  const base = { ...web, gpuType: "rtx-4090" };
  const noRestart: Fault = { ...noRedeploy, path: "/v1/clusters/*/restart" };

  /** @param actions The actions of clusters that the descriptor names. */
  async function openWithout(actions: object, inputs: Wanted = base) {
    const wire = rewriting(/^\/$/, ({ name }) => ({ name, endpoints: { clusters: actions } }));
    const fixture = await openFixture({ dialect: "client", faults: [noRedeploy, noRestart], wire });
    return { fixture, made: await fixture.create(inputs) };
  }

  it("gets another image by a replacement, as the first preview says, if its descriptor names its actions", async () => {
    const { fixture, made } = await openWithout({
      stop: "POST /v1/clusters/:id/stop",
      scale: "POST /v1/clusters/:id/scale",
    });
    expect((await plan(fixture, made, base, image)).replaces).toEqual(["container"]);
    expect(fixture.messages.at(-1)).toMatch(
      /`container` changes, which the service cannot do in place, so it is replaced/,
    );
    expect((await plan(fixture, made, base, { ...base, replicas: 3 })).replaces).toEqual([]);
  });

  it.each<[string, object]>([
    ["names no action of clusters", { list: "GET /v1/clusters", get: "GET /v1/clusters/:id" }],
    [
      "names a redeploy that is not there",
      { scale: "POST /v1/clusters/:id/scale", redeploy: "POST /v1/clusters/:id/redeploy" },
    ],
  ])("gets it after one error by the next `up`, if its descriptor %s", async (_title, actions) => {
    const { fixture, made } = await openWithout(actions);
    const first = await plan(fixture, made, base, image);
    expect(first.replaces).toEqual([]);
    const left = await fixture.failingChange(made, first.inputs);
    expect(left.text).toMatch(/`container` cannot be changed in place: .*The next `pulumi up` replaces the cluster/s);
    expect((await plan(fixture, left, first.inputs, image)).replaces).toEqual(["container"]);
  });

  it.each([
    { update: "PATCH /v1/clusters/:id" },
    { updateCluster: "/v1/clusters/:id" },
    { change: "put /v1/clusters/:id" },
  ])("is to change env in place if its descriptor names an update: %j", async (actions) => {
    const { fixture, made } = await openWithout(actions);
    const news = { ...base, env: { ...base.env, MODEL: "another" } };
    expect((await plan(fixture, made, base, news)).replaces).toEqual([]);
  });

  it("is to change a cluster in place that an earlier run has updated, although its descriptor names no update", async () => {
    const { fixture, made } = await openWithout({ list: "GET /v1/clusters" });
    const news = { ...base, env: { ...base.env, MODEL: "another" } };
    expect((await plan(fixture, made, base, news)).replaces).toEqual(["env.MODEL"]);
    const updated = { ...made, state: { ...made.state, __fixed: [] } };
    expect((await plan(fixture, updated, base, news)).replaces).toEqual([]);
  });

  it.each(["restart", "redeploy"] as const)("says in one error that it has no %s for a trigger", async (action) => {
    const { fixture, made } = await openWithout({});
    const left = await fixture.failingChange(made, { ...base, [`${action}Triggers`]: ["a"] });
    expect(left.text).toContain(
      `the service has no ${action} of clusters: remove \`${action}Triggers\` from the program`,
    );
    expect(fixture.running(made)).toMatchObject({ status: "running", restarts: 0 });
    expect(await fixture.change(left, base)).toMatchObject({ state: { settled: true } });
    expect(fixture.writes()).toEqual([]);
  });
});

describe("a value that is not known yet, at a service that cannot update clusters,", () => {
  const env = { MODEL: "one", DB: "db-1" };
  const base: Wanted = { ...web, gpuType: "rtx-4090", env };
  const tier = "community";
  const withFields = { ...base, extraFields: { containerPort: 8000, tier } };
  const two = { ...env, MODEL: "two" };
  const port = { containerPort: 9000 };
  const container = "team/server:2.0";
  const becauseOf = (path: string) => `\`${path}\` changes, which the service cannot do in place, so it is replaced`;
  const becauseOfPort = becauseOf("extraFields.containerPort");
  const rollout = "`container` changes: in place, a rollout replaces both replicas";

  it.each<[string, Wanted, Properties, string]>([
    ["a variable beside another one", base, { env: { ...two, DB: UNKNOWN } }, becauseOf("env.MODEL")],
    ["a new variable beside another one", base, { env: { ...two, NEW: UNKNOWN } }, "`env.NEW` change, which"],
    ["an extra field beside another one", withFields, { extraFields: { ...port, tier: UNKNOWN } }, becauseOfPort],
    [
      "the whole env beside an extra field",
      withFields,
      { env: UNKNOWN, extraFields: { ...port, tier } },
      becauseOfPort,
    ],
    ["the number of replicas beside a variable", base, { replicas: UNKNOWN, env: two }, becauseOf("env.MODEL")],
    ["a fallback beside the image", base, { fallbackGpuTypes: [UNKNOWN, "h100"], container }, rollout],
  ])("hides only itself: %s", async (_title, inputs, changes, line) => {
    const fixture = await openFixture({ dialect: "client" });
    const made = await fixture.create(inputs);
    fixture.forget();
    await plan(fixture, made, inputs, { ...inputs, ...changes });
    expect(fixture.messages.join("\n")).toContain(line);
    expect(fixture.messages).toHaveLength(1);
  });

  it.each<[string, Properties]>([
    ["a variable", { env: { ...env, DB: UNKNOWN } }],
    ["the whole env", { env: UNKNOWN }],
    ["the credential, beside an image that could change in place", { registryCredentialId: UNKNOWN, container }],
  ])(
    "may replace the cluster, so that neither the cluster nor its endpoint counts as kept: %s",
    async (_title, changes) => {
      const fixture = await openFixture({ dialect: "client" });
      const made = await fixture.create(base);
      fixture.forget();
      const { inputs, replaces } = await plan(fixture, made, base, { ...base, ...changes });
      expect(replaces).toHaveLength(1);
      expect(inputs).not.toHaveProperty("endpoint");
      expect(fixture.messages).toEqual([]);
    },
  );
});
