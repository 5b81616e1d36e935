import type { Properties } from "../../../provider/contract";
import {
  type Fixture,
  type FixtureOptions,
  failureOf,
  openFixture,
  rewritingText,
  type Wanted,
  web,
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

const check = (fixture: Fixture, news: Properties, olds?: Properties) =>
  fixture.run(fixture.cluster.check(fixture.ctx(), news, olds));

describe.each(variants)("the published service: %s", (variant) => {
  it("creates, changes, stops, starts and deletes a cluster, and shows drift but no other spelling", async () => {
    const fixture = await openFixture({ dialect: variant });
    const spelled = { ...wanted, gpuType: "RTX 4090" };
    // As the engine does: the check reads the list with all spellings.
    await check(fixture, spelled);
    let held = await fixture.create(spelled);
    expect(fixture.simulator.cluster(held.id)?.gpuType).toBe("rtx-4090");
    expect((await fixture.refresh(held)).state).toStrictEqual(held.state);
    expect(fixture.toDo(held, wanted)).toEqual([]);
    held = await fixture.update(held, { ...spelled, replicas: 4 });
    held = await fixture.update(held, { ...spelled, replicas: 1, container: "team/server:3.0" });
    const last = { ...spelled, replicas: 1, container: "team/server:3.0" };
    held = await fixture.reach(held, { ...last, desiredStatus: "stopped" });
    held = await fixture.update(held, last);
    fixture.simulator.change(held.id, { replicas: 5 });
    expect(fixture.toDo(await fixture.refresh(held), last)).toEqual(["replicas"]);
    await fixture.remove(held);
    expect(fixture.living()).toEqual([]);
  });
});

describe("the service of the official client", () => {
  it("is detected from the list of models, before the first creation, in one request", async () => {
    const fixture = await openFixture({ dialect: "client" });
    await fixture.create(wanted);
    expect(fixture.requestLines().slice(0, 3)).toEqual([
      "GET /v1/clusters",
      "GET /v1/gpus/models",
      "POST /v1/clusters",
    ]);
    expect(bodiesOf(fixture, /clusters$/)).toEqual([
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
    const fixture = await openFixture({ dialect: "client" });
    const held = await fixture.create(wanted);
    fixture.forget();
    await fixture.update(held, { ...wanted, container: "team/server:2.0", replicas: 3 });
    expect(bodiesOf(fixture, /redeploy$/)).toEqual([{ imageUrl: "team/server:2.0" }]);
    expect(bodiesOf(fixture, /scale$/)).toEqual([{ replicaCount: 3 }]);
  });

  it("fails without a replacement if it still shows the old image after a redeploy is over", async () => {
    const client: FixtureOptions["client"] = (real) => ({
      redeployCluster: (id, options) => real.redeployCluster(id, options),
    });
    const fixture = await openFixture({ dialect: "client", client });
    const held = await fixture.create(wanted);
    const failed = await fixture.failingChange(held, { ...wanted, container: "team/server:2.0" });
    expect(failed.text).toMatch(/the service accepted a redeploy with team\/server:2\.0, but still shows .*--replace/);
    expect(failed.state).toMatchObject({ container: wanted.container, settled: false });
    expect(failed.state).not.toHaveProperty("__fixed");
  });

  it("keeps the first identifier of a cluster's GPU type, so that no preview shows another one", async () => {
    const fixture = await openFixture({ dialect: "client" });
    const before = { ...wanted, gpuType: "57ce3f69-fb36-4892-8767-e0008350b3b8" };
    expect((await check(fixture, wanted, before)).inputs["gpuType"]).toBe(before.gpuType);
  });

  it("has its models, prices and availability joined, with the price of the tier", async () => {
    const fixture = await openFixture({ dialect: "client" });
    const { gpus } = await fixture.run(fixture.client.listGpuTypes());
    const gpu = gpus.find(({ name }) => name === "RTX 4090");
    expect(gpu).toMatchObject({
      type: expect.stringMatching(/^[0-9a-f-]{36}$/),
      memoryGb: 24,
      pricePerHour: expect.any(Number),
    });
    const cost = async (extraFields?: Properties) =>
      (await check(fixture, { ...wanted, extraFields })).inputs["hourlyCost"];
    const [community, verified] = [await cost(), await cost({ tier: "verified" })];
    expect(community).toBe(Number(gpu?.pricePerHour) * 2);
    expect(Number(verified)).toBeGreaterThan(Number(community));
    expect(await cost({ gpusPerReplica: 2 })).toBe(Number(community) * 2);
  });

  it("is not sent an unknown GPU type, nor the first word of several ones", async () => {
    const fixture = await openFixture({ dialect: "client" });
    const error = await failureOf(fixture.make({ ...wanted, gpuType: "b9000" }));
    expect(error.message).toContain('"b9000" is not one of the service\'s models');
    const { failures } = await check(fixture, { ...wanted, gpuType: "rtx" });
    const reason = expect.stringMatching(/fits several.*RTX (4090.*RTX 3090|3090.*RTX 4090)/);
    expect(failures).toEqual([{ property: "gpuType", reason }]);
    expect(fixture.writes()).toEqual([]);
  });
});

describe("the names of requests", () => {
  it("follow the setting, and a cluster that is then created without GPU and image is kept, with an error", async () => {
    const fixture = await openFixture({ dialect: "client", requestNames: "specification" });
    const error = await fixture.failingCreate(wanted, {});
    expect(error.message).toContain('no GPU instead of "rtx-4090" and no image instead of "team/server:1.0"');
    expect(error.message).toContain("gpucluster:requestNames");
    expect(error.id).toBe(fixture.living()[0]?.id);
    // The next run creates nothing, and reports the error again.
    expect((await fixture.failingChange(error, wanted)).id).toBe(error.id);
    expect(fixture.living()).toHaveLength(1);
  });

  it("are checked with one read of the first cluster alone, if no answer shows them", async () => {
    const fixture = await openFixture({ wire: rewritingText((body) => body.replaceAll('"gpu_type"', '"flavor"')) });
    const readsOf = async (name: string) => {
      const before = fixture.countOf("GET /v1/clusters/:id");
      await fixture.run(fixture.cluster.create(fixture.ctx(), { ...web, name }));
      return fixture.countOf("GET /v1/clusters/:id") - before;
    };
    const first = await readsOf("web-1");
    expect([await readsOf("web-2"), await readsOf("web-3")]).toEqual([first - 1, first - 1]);
  });

  it("are not guessed: a service that refuses them gets one request, and the error names the field", async () => {
    const fixture = await openFixture({ dialect: { requestNames: "client", uniqueNames: true } });
    const error = await failureOf(fixture.make(web));
    expect(error.message).toMatch(/Unknown field "gpu_type".*set gpucluster:requestNames/s);
    expect(bodiesOf(fixture, /clusters$/)).toHaveLength(1);
    expect(fixture.living()).toEqual([]);
  });
});
