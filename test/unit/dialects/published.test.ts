import { diffCluster } from "../../../provider/cluster/diff/diff";
import type { Properties } from "../../../provider/contract";
import {
  closeAll,
  type Fixture,
  type FixtureOptions,
  failureOf,
  forget,
  initErrorOf,
  living,
  openFixture,
  requestLines,
  writes,
} from "../cluster/harness";
import { refresh, toDo } from "../cluster/powerHarness";
import { create, open, update, type Wanted, web } from "./harness";

/** Both published services; see docs/services.md. */

afterEach(closeAll);

const variants = ["documented", "client"] as const;
const wanted: Wanted = { ...web, gpuType: "rtx-4090" };

/** The bodies sent to a path, in their order. */
function bodiesOf({ simulator }: Fixture, path: RegExp): unknown[] {
  return simulator.requests
    .filter(({ method, path: own }) => method !== "GET" && path.test(own))
    .map(({ body }) => body);
}

const check = (bench: Fixture, news: Properties, olds?: Properties) =>
  bench.run(bench.cluster.check(bench.ctx(), news, olds));

describe.each(variants)("the published service: %s", (variant) => {
  it("creates, changes, stops, starts and deletes a cluster, and shows drift but no other spelling", async () => {
    const bench = await open(variant);
    const spelled = { ...wanted, gpuType: "RTX 4090" };
    // As the engine does: the check reads the list with all spellings.
    await check(bench, spelled);
    let held = await create(bench, spelled);
    expect(bench.simulator.cluster(held.id)?.gpuType).toBe("rtx-4090");
    expect((await refresh(bench, held)).state).toStrictEqual(held.state);
    expect(toDo(bench, held, wanted)).toEqual([]);
    held = await update(bench, held, { ...spelled, replicas: 4 });
    held = await update(bench, held, { ...spelled, replicas: 1, container: "team/server:3.0" });
    const change = async (state: Properties, news: Properties) =>
      bench.run(bench.cluster.update(bench.ctx(), held.id, state, news));
    const [last, stop] = [{ ...spelled, replicas: 1, container: "team/server:3.0" }, { desiredStatus: "stopped" }];
    const stopped = await change(held.state, { ...last, ...stop });
    expect(stopped).toMatchObject({ settled: true, readyReplicas: 0 });
    const state = await change(stopped, last);
    expect(state).toMatchObject({ settled: true, readyReplicas: 1 });
    bench.simulator.change(held.id, { replicas: 5 });
    expect(toDo(bench, await refresh(bench, { id: held.id, state }), last)).toEqual(["replicas"]);
    await bench.run(bench.cluster.delete(bench.ctx(), held.id, state));
    expect(living(bench.simulator)).toEqual([]);
  });

  it("receives extra fields unchanged, and a change of one is an update", async () => {
    const bench = await open(variant);
    const name = variant === "client" ? "containerPort" : "container_port";
    const news = { ...wanted, extraFields: { [name]: 8000 } };
    const made = await bench.run(bench.cluster.create(bench.ctx(), news));
    expect(bodiesOf(bench, /clusters$/)).toEqual([expect.objectContaining({ [name]: 8000 })]);
    expect(made.state).toMatchObject({ extraFields: { [name]: 8000 }, settled: true });
    expect(diffCluster(made.state, { ...news, extraFields: { [name]: 9000 } }).changes).toEqual({
      [`extraFields.${name}`]: { kind: "update" },
    });
  });
});

test.each([
  ["documented", "gpu_type"],
  ["client", "gpuModelId"],
] as const)("the first creation of an organization uses the right name of the GPU: %s, %s", async (dialect, name) => {
  const bench = await openFixture({ dialect });
  expect(bench.simulator.clusters()).toEqual([]);
  await create(bench, wanted);
  expect(bodiesOf(bench, /clusters$/)).toEqual([expect.objectContaining({ [name]: expect.any(String) })]);
  expect(living(bench.simulator)).toMatchObject([{ gpuType: "rtx-4090", container: wanted.container }]);
});

describe("the service of the official client", () => {
  it("is detected from the list of models, before the first creation, in one request", async () => {
    const bench = await open("client");
    await create(bench, wanted);
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
    const bench = await open("client");
    const held = await create(bench, wanted);
    forget(bench);
    await update(bench, held, { ...wanted, container: "team/server:2.0", replicas: 3 });
    expect(bodiesOf(bench, /redeploy$/)).toEqual([{ imageUrl: "team/server:2.0" }]);
    expect(bodiesOf(bench, /scale$/)).toEqual([{ replicaCount: 3 }]);
  });

  it("cannot change the image in place if it still shows the old image after a redeploy", async () => {
    const client: FixtureOptions["client"] = (real) => ({
      redeployCluster: (id, options) => real.redeployCluster(id, options),
    });
    const bench = await openFixture({ dialect: "client", client });
    const { id, state } = await create(bench, wanted);
    const news = { ...wanted, container: "team/server:2.0" };
    const error = await initErrorOf(bench.run(bench.cluster.update(bench.ctx(), id, state, news)));
    expect(error.message).toMatch(/`container` cannot be changed in place: the service accepted a redeploy/);
    expect(error.state).toMatchObject({ container: wanted.container, settled: false });
  });

  it("replaces the cluster if env changes, as the preview says, and an update fails without changing the state", async () => {
    const bench = await open("client");
    const { id, state } = await create(bench, wanted);
    const { inputs } = await check(bench, { ...wanted, env: { MODEL: "another" } }, wanted);
    const { changes } = await bench.run(bench.cluster.diff(bench.ctx(), id, state, inputs));
    expect(bench.messages.join("\n")).toContain(
      "`env.EMPTY` change, which the service cannot do in place, so it is replaced",
    );
    const paths = ["env.MODEL", "env.MODE", "env.EMPTY"];
    expect(Object.keys(changes).filter((path) => changes[path]?.replace)).toEqual(paths);
    const error = await initErrorOf(bench.run(bench.cluster.update(bench.ctx(), id, state, inputs)));
    expect(error.message).toMatch(/^cluster "web" \(.*\) was not changed completely: `env` cannot be changed in place/);
    expect(error.message).toContain("The next `pulumi up` replaces the cluster");
    expect(bench.simulator.cluster(id)).toMatchObject({ env: wanted.env, generation: 1 });
    forget(bench);
    // The change is undone.
    await update(bench, { id, state: error.state }, wanted);
    expect(writes(bench.simulator)).toEqual([]);
  });

  it("refuses an env that cannot be changed before it stops the cluster, and the diff replaces it", async () => {
    const bench = await open("client");
    const { id, state } = await create(bench, wanted);
    const news = { ...wanted, desiredStatus: "stopped", env: { MODEL: "another" } };
    const error = await initErrorOf(bench.run(bench.cluster.update(bench.ctx(), id, state, news)));
    expect(error.state).toMatchObject({ env: wanted.env, settled: false });
    expect(bench.simulator.cluster(id)?.status).toBe("running");
    expect(writes(bench.simulator).filter((line) => line.endsWith("/stop"))).toEqual([]);
    const { changes } = await bench.run(bench.cluster.diff(bench.ctx(), id, error.state, news));
    expect(changes["env.MODEL"]).toMatchObject({ replace: true });
  });

  it("keeps the first identifier of a cluster's GPU type, so that no preview shows another one", async () => {
    const bench = await open("client");
    const before = { ...wanted, gpuType: "57ce3f69-fb36-4892-8767-e0008350b3b8" };
    expect((await check(bench, wanted, before)).inputs["gpuType"]).toBe(before.gpuType);
  });

  it("gives an import the name of the GPU, which is no drift beside another identifier of the program", async () => {
    const bench = await open("client");
    const { name, container, gpuType, replicas } = wanted;
    const { id } = bench.simulator.addCluster({ name, container, gpuType, replicas });
    const found = await bench.run(bench.cluster.read(bench.ctx(), id, {}));
    const inputs = { name, container, gpuType: "RTX 4090", replicas };
    expect(found).toMatchObject({ inputs, state: { gpuType: "RTX 4090" } });
    const again = await refresh(bench, { id, state: found?.state ?? {} });
    expect(toDo(bench, again, found?.inputs ?? {})).toEqual([]);
    expect(toDo(bench, again, { ...found?.inputs, gpuType: "rtx-4090" })).toEqual([]);
  });

  it("has its models, prices and availability joined, with the price of the tier", async () => {
    const bench = await open("client");
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
    const bench = await open("client");
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
  const bench = await open("client", { wire });
  const { state } = await bench.run(bench.cluster.create(bench.ctx(), wanted));
  expect(state).toMatchObject({ settled: true, readyReplicas: 2 });
});

describe("the names of requests", () => {
  it("follow the setting, and a cluster that is then created without GPU and image is kept, with an error", async () => {
    const bench = await openFixture({ dialect: "client", requestNames: "specification" });
    const error = await initErrorOf(bench.run(bench.cluster.create(bench.ctx(), wanted)));
    expect(error.message).toContain('no GPU instead of "rtx-4090" and no image instead of "team/server:1.0"');
    expect(error.message).toContain("gpucluster:requestNames");
    expect(error.id).toBe(living(bench.simulator)[0]?.id);
    // The next run creates nothing, and reports the error again.
    const again = await initErrorOf(bench.run(bench.cluster.update(bench.ctx(), error.id, error.state, wanted)));
    expect(again.id).toBe(error.id);
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
