import { type Properties, UNKNOWN } from "../../../provider/core";
import { type Bench, closeAll, openBench } from "./harness";
import { checked, completed, least, urnOf } from "./inputs";

afterEach(closeAll);

/** Checks in the run of the bench; the failures have to be none unless they are asked for. */
async function check({ run, cluster, ctx }: Bench, news: Properties, olds?: Properties, resource = "web") {
  return run(cluster.check(ctx({ urn: urnOf(resource) }), news, olds));
}

async function nameOf(bench: Bench, news: Properties, olds?: Properties): Promise<unknown> {
  const { inputs, failures } = await check(bench, news, olds);
  expect(failures).toEqual([]);
  return inputs["name"];
}

describe("the defaults", () => {
  it("are one running replica, deletion, and a made name, which is marked", async () => {
    const { inputs, failures } = await check(await openBench(), least);
    expect(failures).toEqual([]);
    expect(inputs).toEqual({
      ...least,
      replicas: 1,
      desiredStatus: "running",
      deletionPolicy: "delete",
      hourlyCost: 2.99,
      name: expect.stringMatching(/^web-[0-9a-f]{7}$/),
      __generatedName: true,
    });
  });

  it("leave alone what is given", async () => {
    const given = { ...completed, desiredStatus: "stopped", deletionPolicy: "stop" };
    expect(await check(await openBench(), given)).toEqual({ inputs: { ...given, hourlyCost: 0 }, failures: [] });
  });

  it.each(["name", "gpuType", "replicas", "container", "env"])("leave an unknown %s unknown", async (name) => {
    const { inputs, failures } = await check(await openBench(), { ...checked, [name]: UNKNOWN });
    expect(failures).toEqual([]);
    expect(inputs[name]).toBe(UNKNOWN);
  });
});

describe("a made name", () => {
  it("is the same in another run", async () => {
    expect(await nameOf(await openBench(), least)).toBe(await nameOf(await openBench(), least));
  });

  it("is kept from the old inputs", async () => {
    const olds = { ...least, name: "web-0000000", __generatedName: true };
    const { inputs } = await check(await openBench(), least, olds);
    expect(inputs).toMatchObject({ name: "web-0000000", __generatedName: true });
  });

  it("is another one for a replacement, which is checked with the old inputs first and without them then", async () => {
    const bench = await openBench();
    const olds = (await check(bench, least)).inputs;
    const next = await openBench();
    expect(await nameOf(next, least, olds)).toBe(olds["name"]);
    expect(await nameOf(next, least, {})).not.toBe(olds["name"]);
  });

  it("is another one each time when a cluster is replaced three times in a row", async () => {
    const seen = [await nameOf(await openBench(), least)];
    for (let step = 0; step < 3; step += 1) {
      const bench = await openBench();
      await nameOf(bench, least, { ...least, name: seen.at(-1), __generatedName: true });
      seen.push(await nameOf(bench, least, {}));
    }
    expect(new Set(seen).size).toBe(4);
  });

  it("fails when it is taken, too", async () => {
    const bench = await openBench();
    const { inputs } = await check(await openBench(), least);
    const { id } = bench.simulator.addCluster({ name: String(inputs["name"]), gpuType: "h100" });
    const { failures } = await check(bench, least);
    expect(failures).toEqual([{ property: "name", reason: expect.stringContaining(id) }]);
  });
});

describe("a name that is taken", () => {
  it("fails with the ids of all its holders, and says what to do", async () => {
    const bench = await openBench();
    const ids = [1, 2].map(() => bench.simulator.addCluster({ name: "web", gpuType: "l4" }).id);
    const { failures } = await check(bench, checked);
    expect(failures).toHaveLength(1);
    expect(failures[0]?.property).toBe("name");
    for (const id of ids) expect(failures[0]?.reason).toContain(id);
    expect(failures[0]?.reason).toMatch(/another `name`/);
  });

  it("fails with what there is to import, for the failure ends a preview", async () => {
    const bench = await openBench();
    const [web, api] = ["web", "api"].map((name) => bench.simulator.addCluster({ name, gpuType: "l4" }).id);
    const { failures } = await check(bench, checked);
    expect(failures[0]?.reason).toContain(`pulumi import gpucluster:index:Cluster web ${web}`);
    expect(failures[0]?.reason).toMatch(new RegExp(`Other clusters of the organization: api ${api}$`));
  });

  it("fails in other capitals, too, for host names know none", async () => {
    const bench = await openBench();
    bench.simulator.addCluster({ name: "web", gpuType: "l4" });
    expect((await check(bench, { ...checked, name: "WEB" })).failures).toHaveLength(1);
  });

  it("is free when its holder is on its way out", async () => {
    const bench = await openBench({ deletionMs: 60_000 });
    const { id } = bench.simulator.addCluster({ name: "web", gpuType: "l4" });
    await bench.run(bench.client.deleteCluster(id));
    expect((await check(bench, checked)).failures).toEqual([]);
  });

  it("is allowed where it is the cluster's own", async () => {
    const bench = await openBench();
    bench.simulator.addCluster({ name: "web", gpuType: "h100" });
    expect((await check(bench, checked, checked)).failures).toEqual([]);
  });

  it("is allowed for a replacement where it is the predecessor's", async () => {
    const bench = await openBench();
    bench.simulator.addCluster({ name: "web", gpuType: "h100" });
    const news = { ...checked, gpuType: "l4" };
    expect((await check(bench, news, checked)).failures).toEqual([]);
    expect((await check(bench, news, {})).failures).toEqual([]);
  });

  it("fails for a rename to it", async () => {
    const bench = await openBench();
    const { id } = bench.simulator.addCluster({ name: "api", gpuType: "h100" });
    const { failures } = await check(bench, { ...checked, name: "api" }, checked);
    expect(failures.map(({ reason }) => reason).join()).toContain(id);
  });
});

describe("two resources of one program", () => {
  it("cannot have the same name, and the second one says who has it", async () => {
    const bench = await openBench();
    expect((await check(bench, checked, {}, "one")).failures).toEqual([]);
    const { failures } = await check(bench, checked, {}, "two");
    expect(failures).toEqual([{ property: "name", reason: expect.stringContaining(urnOf("one")) }]);
  });

  it("cannot have names that differ in capitals only", async () => {
    const bench = await openBench();
    await check(bench, checked, {}, "one");
    expect((await check(bench, { ...checked, name: "WEB" }, {}, "two")).failures).toHaveLength(1);
  });

  it("get different made names", async () => {
    const bench = await openBench();
    const names = [await check(bench, least, {}, "one"), await check(bench, least, {}, "two")].map(
      ({ inputs }) => inputs["name"],
    );
    expect(names[0]).not.toBe(names[1]);
  });
});

describe("an explicit name that is taken out of the program", () => {
  it("stays, and that is said once as a warning", async () => {
    const bench = await openBench();
    const { name, ...nameless } = checked;
    for (let time = 0; time < 2; time += 1) {
      expect((await check(bench, nameless, checked)).inputs).toMatchObject({ name, __generatedName: true });
    }
    expect(bench.said).toEqual([expect.stringMatching(/^warning: .*keeps its name "web"/)]);
  });
});
