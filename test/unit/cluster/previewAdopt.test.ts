import { type Properties, UNKNOWN } from "../../../provider/core";
import { check, checkTwice, old } from "./checkHarness";
import { type Bench, type BenchOptions, closeAll, openBench, requestLines, writes } from "./harness";
import { canary, checked, least, urnOf } from "./inputs";

afterEach(closeAll);

/** A bench with a cluster that somebody else made. */
async function openFound(options: BenchOptions = {}, fields: Properties = {}): Promise<{ bench: Bench; id: string }> {
  const bench = await openBench(options);
  const foreign = { name: "found", gpuType: "h100", container: "vllm/vllm-openai:v0.6.3", replicas: 2 };
  const { id } = bench.simulator.addCluster({ ...foreign, ...fields });
  return { bench, id };
}

describe("to adopt a cluster", () => {
  it("takes its name where the program gives none, and says that nothing changes", async () => {
    const { bench, id } = await openFound();
    const { inputs, refusals, said } = await check(bench, { ...least, replicas: 2, adopt: id });
    const { endpoint, createdAt } = bench.simulator.cluster(id) ?? {};
    expect(refusals).toEqual([]);
    expect(inputs).toMatchObject({ name: "found", __generatedName: true, adopt: id, endpoint, createdAt });
    expect(inputs["hourlyCost"]).toBe(5.98);
    expect(said).toEqual([`info: web: adopts ${id} ("found", 2 x h100): nothing is changed`]);
  });

  it("says what will be changed by the paths alone", async () => {
    const { bench, id } = await openFound({}, { env: { MODEL: "old", KEPT: "x" }, status: "stopped" });
    const news = { ...least, name: "found", replicas: 3, env: { MODEL: canary, NEW: canary }, adopt: id };
    const { refusals, said } = await check(bench, news);
    expect(refusals).toEqual([]);
    expect(said).toEqual([
      `info: web: adopts ${id} ("found", 2 x h100): desiredStatus, replicas, env.MODEL and env.NEW will be changed to match the program; ` +
        "variables that the program does not set may be removed",
    ]);
    expect(writes(bench.simulator)).toEqual([]);
  });

  it("says that it will be stopped where the program wants it so", async () => {
    const { bench, id } = await openFound();
    const { said } = await check(bench, { ...least, replicas: 2, desiredStatus: "stopped", adopt: id });
    expect(said).toEqual([expect.stringContaining(": desiredStatus will be changed to match the program")]);
  });

  it("asks for the one cluster, and not for all", async () => {
    const { bench, id } = await openFound();
    await check(bench, { ...least, replicas: 2, adopt: id });
    expect(requestLines(bench.simulator)).toEqual(["GET /v1/clusters/:id", "GET /v1/gpus"]);
  });

  it.each<[string, Properties, RegExp]>([
    ["another GPU type", { gpuType: "l4" }, /^gpuType: is "l4", but cl_\w+ has "h100"; set `gpuType` to that$/],
    ["another name", { name: "mine" }, /^name: is "mine", but cl_\w+ is "found"; remove `name`/],
    ["no GPU type of it in the list", { gpuType: ["l4", "h200"] }, /^gpuType: is "l4", but cl_\w+ has "h100"/],
  ])("with %s fails", async (_title, news, refusal) => {
    const { bench, id } = await openFound();
    const { refusals } = await check(bench, { ...least, replicas: 2, adopt: id, ...news });
    expect(refusals).toEqual([expect.stringMatching(refusal)]);
  });

  it("takes its GPU type out of a list, whatever the stock is", async () => {
    const { bench, id } = await openFound();
    const { inputs, refusals } = await check(bench, { ...least, replicas: 2, gpuType: ["h200", "h100"], adopt: id });
    expect(refusals).toEqual([]);
    expect(inputs["gpuType"]).toBe("h100");
  });

  it("is judged by what is known: what is not known yet is nothing else", async () => {
    const { bench, id } = await openFound();
    const unknown = { name: UNKNOWN, gpuType: UNKNOWN, replicas: UNKNOWN, container: UNKNOWN, env: { A: UNKNOWN } };
    const { refusals, said } = await check(bench, { ...unknown, adopt: id });
    expect(refusals).toEqual([]);
    expect(said).toEqual([`info: web: adopts ${id} ("found", 2 x h100): nothing is changed`]);
  });

  it("is not judged, and nobody is asked, while the id is not known yet", async () => {
    const { bench } = await openFound();
    const { refusals } = await check(bench, { ...least, adopt: UNKNOWN });
    expect(refusals).toEqual([]);
    expect(requestLines(bench.simulator).some((line) => line.includes(":id"))).toBe(false);
  });

  it.each<[string, BenchOptions]>([
    ["in the documented form", {}],
    ["in another form, which the list confirms", { dialect: { errorShape: "flat" } }],
  ])("fails where the service says %s that there is no such cluster", async (_title, options) => {
    const { refusals } = await check(await openBench(options), { ...least, adopt: "cl_0000" });
    expect(refusals).toEqual(["adopt: cl_0000 is not a cluster that this API key can see; getClusters() lists them"]);
  });

  it.each<[string, BenchOptions]>([
    ["a gateway on the way says so", { faults: [{ kind: "html", status: 404, path: "/v1/clusters/*", times: 9 }] }],
    ["the service is down for the list", { faults: [{ kind: "status", status: 503, path: "/v1/clusters", times: 9 }] }],
    [
      "nothing confirms an answer in another form",
      { dialect: { errorShape: "flat" }, faults: [{ kind: "drop", path: "/v1/clusters", times: 9 }] },
    ],
  ])("is a warning where %s", async (_title, options) => {
    const { refusals, said } = await check(await openBench(options), { ...least, adopt: "cl_0000" });
    expect(refusals).toEqual([]);
    expect(said).toEqual([expect.stringMatching(/^warning: the cluster cl_0000 could not be checked/)]);
  });

  it("fails where it is on its way out", async () => {
    const { bench, id } = await openFound({ deletionMs: 60_000 });
    await bench.run(bench.client.deleteCluster(id));
    const { refusals } = await check(bench, { ...least, adopt: id });
    expect(refusals).toEqual([`adopt: ${id} is terminating, so it cannot be adopted`]);
  });

  it("takes what the list says where the cluster itself cannot be read", async () => {
    const { bench, id } = await openFound({
      faults: [{ kind: "status", status: 500, path: "/v1/clusters/*", times: 9 }],
    });
    const { inputs, refusals } = await check(bench, { ...least, replicas: 2, adopt: id });
    expect(refusals).toEqual([]);
    expect(inputs["name"]).toBe("found");
  });

  it("is a warning where nobody can tell what there is", async () => {
    const { bench, id } = await openFound({ faults: [{ kind: "status", status: 500, times: 99 }] });
    const { refusals, said } = await check(bench, { ...least, adopt: id });
    expect(refusals).toEqual([]);
    expect(said).toEqual([expect.stringMatching(new RegExp(`^warning: the cluster ${id} and prices could not be`))]);
  });

  it("fails for the second of two resources", async () => {
    const { bench, id } = await openFound();
    expect((await check(bench, { ...least, replicas: 2, adopt: id }, {}, "one")).refusals).toEqual([]);
    const { refusals } = await check(bench, { ...least, replicas: 2, adopt: id }, {}, "two");
    expect(refusals).toContain(
      `adopt: the resource ${urnOf("one")} adopts ${id} too; two resources cannot manage the same cluster`,
    );
  });

  it("counts for the stock with what it has beyond it", async () => {
    const { bench, id } = await openFound({}, { gpuType: "h200", replicas: 30 });
    const news = { ...least, gpuType: "h200", adopt: id };
    expect((await check(bench, { ...news, replicas: 32 })).said.join()).not.toContain("not enough GPUs");
    expect((await check(bench, { ...news, replicas: 33 })).said.join()).toContain("not enough GPUs: 3 x");
  });
});

describe("an adopted cluster", () => {
  const adopted = old({ adopt: "cl_1" });

  it.each<[string, Properties]>([
    ["that keeps its line", { adopt: "cl_1" }],
    ["whose line is removed", {}],
    ["whose line is not known yet", { adopt: UNKNOWN }],
  ])("%s is one like any other, without a request", async (_title, news) => {
    const bench = await openBench();
    const { refusals, said } = await check(bench, { ...checked, ...news }, adopted);
    expect([refusals, said]).toEqual([[], []]);
    expect(bench.simulator.requests).toEqual([]);
  });

  it("cannot become another one", async () => {
    const { refusals } = await check(await openBench(), { ...checked, adopt: "cl_2" }, adopted);
    expect(refusals).toEqual([
      "adopt: is used at creation only, and this resource manages cl_1: remove it, or set it to cl_1",
    ]);
  });

  it("cannot replace itself", async () => {
    const news = { ...checked, gpuType: "l4", adopt: "cl_1" };
    for (const { refusals } of await checkTwice(await openBench(), news, adopted)) {
      expect(refusals).toEqual([
        "adopt: names the cluster that is replaced (cl_1): remove it, because the replacement is a new cluster",
      ]);
    }
  });

  it("can be replaced by a new one once its line is removed", async () => {
    for (const { refusals } of await checkTwice(await openBench(), { ...checked, gpuType: "l4" }, adopted)) {
      expect(refusals).toEqual([]);
    }
  });

  it("can be replaced by another one that is adopted in its place", async () => {
    const { bench, id } = await openFound();
    const news = { ...least, replicas: 2, name: "found", adopt: id };
    const [first, second] = await checkTwice(bench, news, adopted);
    expect([...first.refusals, ...second.refusals]).toEqual([]);
    expect(bench.said.filter((line) => line.startsWith("info: web: adopts"))).toHaveLength(1);
  });
});

describe("a replacement under the same name", () => {
  const stays = old({ deletionPolicy: "stop" });

  it("fails where the old cluster is only stopped, for that keeps the name", async () => {
    for (const { refusals } of await checkTwice(await openBench(), { ...checked, gpuType: "l4" }, stays)) {
      expect(refusals).toEqual([
        'name: "web" stays in use: the replaced cluster is stopped and not deleted ' +
          '(`deletionPolicy: "stop"`): use another name, or set `deletionPolicy: "delete"` and run `pulumi up` first',
      ]);
    }
  });

  it.each<[string, Properties, Properties]>([
    ["another name is given", { gpuType: "l4", name: "api", deletionPolicy: "stop" }, stays],
    ["the name is a made one", { gpuType: "l4", name: undefined }, { ...stays, __generatedName: true }],
    ["the old cluster is deleted", { gpuType: "l4", deletionPolicy: "stop" }, old()],
    ["nothing replaces it", { replicas: 1, deletionPolicy: "stop" }, stays],
    ["it is not known yet whether there is one", { gpuType: UNKNOWN }, stays],
  ])("is no matter where %s", async (_title, news, olds) => {
    const { refusals } = await check(await openBench(), { ...checked, ...news }, olds);
    expect(refusals).toEqual([]);
  });
});
