import type { Properties } from "../../../provider/contract";
import {
  type Fixture,
  type FixtureOptions,
  failureOf,
  forget,
  living,
  openFixture,
  requestLines,
  type Wanted,
  web,
  writes,
} from "../cluster/harness";

/** Both published services; see docs/services.md. */

const variants = ["documented", "client"] as const;
const wanted: Wanted = { ...web, gpuType: "rtx-4090" };

/** The bodies sent to a path, in their order. */
function bodiesOf({ simulator }: Fixture, pattern: RegExp): unknown[] {
  return simulator.requests
    .filter(({ method, path }) => method !== "GET" && pattern.test(path))
    .map(({ body }) => body);
}

const check = (bench: Fixture, news: Properties, olds?: Properties) =>
  bench.run(bench.cluster.check(bench.ctx(), news, olds));

describe.each(variants)("the published service: %s", (variant) => {
  it("creates, changes, stops, starts and deletes a cluster, and shows drift but no other spelling", async () => {
    const bench = await openFixture({ dialect: variant });
    const spelled = { ...wanted, gpuType: "RTX 4090" };
    // As the engine does: the check reads the list with all spellings.
    await check(bench, spelled);
    let held = await bench.create(spelled);
    expect(bench.simulator.cluster(held.id)?.gpuType).toBe("rtx-4090");
    expect((await bench.refresh(held)).state).toStrictEqual(held.state);
    expect(bench.toDo(held, wanted)).toEqual([]);
    held = await bench.update(held, { ...spelled, replicas: 4 });
    held = await bench.update(held, { ...spelled, replicas: 1, container: "team/server:3.0" });
    const last = { ...spelled, replicas: 1, container: "team/server:3.0" };
    held = await bench.reach(held, { ...last, desiredStatus: "stopped" });
    held = await bench.update(held, last);
    bench.simulator.change(held.id, { replicas: 5 });
    expect(bench.toDo(await bench.refresh(held), last)).toEqual(["replicas"]);
    await bench.remove(held);
    expect(living(bench.simulator)).toEqual([]);
  });
});

describe("the service of the official client", () => {
  it("is detected from the list of models, before the first creation, in one request", async () => {
    const bench = await openFixture({ dialect: "client" });
    await bench.create(wanted);
    expect(requestLines(bench.simulator).slice(0, 3)).toEqual([
      "GET /v1/clusters",
      "GET /v1/gpus/models",
      "POST /v1/clusters",
    ]);
    expect(bodiesOf(bench, /clusters$/)).toEqual([
      {
        gpusPerReplica: 1,
        name: "web",
        gpuModelId: expect.stringMatching(/^[0-9a-f-]{36}$/),
        replicaCount: 2,
        imageUrl: "team/server:1.0",
        envVars: wanted.env,
      },
    ]);
  });

  it("has no update: a redeploy changes the image, and a scale the number of replicas", async () => {
    const bench = await openFixture({ dialect: "client" });
    const held = await bench.create(wanted);
    forget(bench);
    await bench.update(held, { ...wanted, container: "team/server:2.0", replicas: 3 });
    expect(bodiesOf(bench, /redeploy$/)).toEqual([{ imageUrl: "team/server:2.0" }]);
    expect(bodiesOf(bench, /scale$/)).toEqual([{ replicaCount: 3 }]);
  });

  it("cannot change the image in place if it still shows the old image after a redeploy", async () => {
    const client: FixtureOptions["client"] = (real) => ({
      redeployCluster: (id, options) => real.redeployCluster(id, options),
    });
    const bench = await openFixture({ dialect: "client", client });
    const held = await bench.create(wanted);
    const failed = await bench.failingChange(held, { ...wanted, container: "team/server:2.0" });
    expect(failed.text).toMatch(/`container` cannot be changed in place: the service accepted a redeploy/);
    expect(failed.state).toMatchObject({ container: wanted.container, settled: false });
  });

  it("replaces the cluster if env changes, as the preview says, and an update fails without changing the state", async () => {
    const bench = await openFixture({ dialect: "client" });
    const { id, state } = await bench.create(wanted);
    const { inputs } = await check(bench, { ...wanted, env: { MODEL: "another" } }, wanted);
    const { changes } = await bench.run(bench.cluster.diff(bench.ctx(), id, state, inputs));
    expect(bench.messages.join("\n")).toContain(
      "`env.EMPTY` change, which the service cannot do in place, so it is replaced",
    );
    const paths = ["env.MODEL", "env.MODE", "env.EMPTY"];
    expect(Object.keys(changes).filter((path) => changes[path]?.replace)).toEqual(paths);
    const failed = await bench.failingChange({ id, state }, inputs);
    expect(failed.text).toMatch(/^cluster "web" \(.*\) was not changed completely: `env` cannot be changed in place/);
    expect(failed.text).toContain("The next `pulumi up` replaces the cluster");
    expect(bench.simulator.cluster(id)).toMatchObject({ env: wanted.env, generation: 1 });
    forget(bench);
    // The change is undone.
    await bench.update(failed, wanted);
    expect(writes(bench.simulator)).toEqual([]);
  });

  it("keeps the first identifier of a cluster's GPU type, so that no preview shows another one", async () => {
    const bench = await openFixture({ dialect: "client" });
    const before = { ...wanted, gpuType: "57ce3f69-fb36-4892-8767-e0008350b3b8" };
    expect((await check(bench, wanted, before)).inputs["gpuType"]).toBe(before.gpuType);
  });

  it("gives an import the name of the GPU, which is no drift beside another identifier of the program", async () => {
    const bench = await openFixture({ dialect: "client" });
    const { name, container, gpuType, replicas } = wanted;
    const { id } = bench.simulator.addCluster({ name, container, gpuType, replicas });
    const found = await bench.run(bench.cluster.read(bench.ctx(), id, {}));
    const inputs = { name, container, gpuType: "RTX 4090", replicas };
    expect(found).toMatchObject({ inputs, state: { gpuType: "RTX 4090" } });
    const again = await bench.refresh({ id, state: found?.state ?? {} });
    expect(bench.toDo(again, found?.inputs ?? {})).toEqual([]);
    expect(bench.toDo(again, { ...found?.inputs, gpuType: "rtx-4090" })).toEqual([]);
  });

  it("has its models, prices and availability joined, with the price of the tier", async () => {
    const bench = await openFixture({ dialect: "client" });
    const { gpus } = await bench.run(bench.client.listGpuTypes());
    const gpu = gpus.find(({ name }) => name === "RTX 4090");
    expect(gpu).toMatchObject({
      type: expect.stringMatching(/^[0-9a-f-]{36}$/),
      memoryGb: 24,
      pricePerHour: expect.any(Number),
    });
    const cost = async (extraFields?: Properties) =>
      (await check(bench, { ...wanted, extraFields })).inputs["hourlyCost"];
    const [community, verified] = [await cost(), await cost({ tier: "verified" })];
    expect(community).toBe(Number(gpu?.pricePerHour) * 2);
    expect(Number(verified)).toBeGreaterThan(Number(community));
    expect(await cost({ gpusPerReplica: 2 })).toBe(Number(community) * 2);
  });

  it("is not sent an unknown GPU type, nor the first word of several ones", async () => {
    const bench = await openFixture({ dialect: "client" });
    const error = await failureOf(bench.run(bench.cluster.create(bench.ctx(), { ...wanted, gpuType: "b9000" })));
    expect(error.message).toContain('"b9000" is not one of the service\'s models');
    const { failures } = await check(bench, { ...wanted, gpuType: "rtx" });
    const reason = expect.stringMatching(/fits several.*RTX (4090.*RTX 3090|3090.*RTX 4090)/);
    expect(failures).toEqual([{ property: "gpuType", reason }]);
    expect(writes(bench.simulator)).toEqual([]);
  });
});

it("replicas without a health check are judged by their states", async () => {
  const wire: FixtureOptions["wire"] = (real) => async (request) => {
    const answer = await real(request);
    return { ...answer, body: answer.body.replaceAll('"healthy":true', '"healthy":false') };
  };
  const bench = await openFixture({ dialect: "client", wire });
  const { state } = await bench.run(bench.cluster.create(bench.ctx(), wanted));
  expect(state).toMatchObject({ settled: true, readyReplicas: 2 });
});

describe("the names of requests", () => {
  it("follow the setting, and a cluster that is then created without GPU and image is kept, with an error", async () => {
    const bench = await openFixture({ dialect: "client", requestNames: "specification" });
    const error = await bench.failingCreate(wanted, {});
    expect(error.message).toContain('no GPU instead of "rtx-4090" and no image instead of "team/server:1.0"');
    expect(error.message).toContain("gpucluster:requestNames");
    expect(error.id).toBe(living(bench.simulator)[0]?.id);
    // The next run creates nothing, and reports the error again.
    expect((await bench.failingChange(error, wanted)).id).toBe(error.id);
    expect(living(bench.simulator)).toHaveLength(1);
  });

  it("are not guessed: a service that refuses them gets one request, and the error names the field", async () => {
    const bench = await openFixture({ dialect: { requestNames: "client", uniqueNames: true } });
    const error = await failureOf(bench.run(bench.cluster.create(bench.ctx(), web)));
    expect(error.message).toMatch(/Unknown field "gpu_type".*set gpucluster:requestNames/s);
    expect(bodiesOf(bench, /clusters$/)).toHaveLength(1);
    expect(living(bench.simulator)).toEqual([]);
  });
});
