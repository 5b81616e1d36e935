import { type Properties, UNKNOWN } from "../../../../provider/contract";
import { type Fixture, type FixtureOptions, openFixture, requestLines, writes } from "../harness";
import { canary, checked, least, urnOf } from "../inputs";
import { check, checkOnce, checkTwice, old } from "./harness";

/** A bench with a cluster that somebody else made. */
async function openFound(
  options: FixtureOptions = {},
  fields: Properties = {},
): Promise<{ bench: Fixture; id: string }> {
  const bench = await openFixture(options);
  const foreign = { name: "found", gpuType: "h100", container: "vllm/vllm-openai:v0.6.3", replicas: 2 };
  const { id } = bench.simulator.addCluster({ ...foreign, ...fields });
  return { bench, id };
}

const two = { ...least, replicas: 2 };
const unknown = { name: UNKNOWN, gpuType: UNKNOWN, replicas: UNKNOWN, container: UNKNOWN, env: { A: UNKNOWN } };
const nothing = "nothing is changed";
const env = { MODEL: canary, NEW: canary };
const puts =
  "desiredStatus, replicas, env.MODEL and env.NEW will be changed to match the program; variables that the program does not set may be removed";

describe("an adoption", () => {
  it("takes the name of the cluster if the program gives none, by the request for that one", async () => {
    const { bench, id } = await openFound();
    const { inputs, refusals } = await check(bench, { ...two, adopt: id });
    const { endpoint, createdAt } = bench.simulator.cluster(id) ?? {};
    expect(refusals).toEqual([]);
    expect(inputs).toMatchObject({ name: "found", __generatedName: true, adopt: id, endpoint, createdAt });
    expect(inputs["hourlyCost"]).toBe(5.98);
    expect(requestLines(bench.simulator)).toEqual(["GET /v1/clusters/:id", "GET /v1/gpus"]);
  });

  it.each<[string, Properties, Properties, string]>([
    ["nothing", {}, two, nothing],
    [
      "what differs, by the paths alone",
      { env: { MODEL: "old" }, status: "stopped" },
      { ...two, replicas: 3, env },
      puts,
    ],
    ["nothing of what is not known yet", {}, unknown, nothing],
  ])("says what is changed: %s", async (_title, fields, news, text) => {
    const { bench, id } = await openFound({}, fields);
    const { refusals, said } = await check(bench, { ...news, adopt: id });
    expect(refusals).toEqual([]);
    expect(said).toEqual([`info: web: adopts ${id} ("found"): ${text}`]);
    expect(writes(bench.simulator)).toEqual([]);
  });

  it.each<[string, Properties, RegExp]>([
    ["another GPU type", { gpuType: "l4" }, /^gpuType: is "l4", but cl_\w+ has "h100"; set `gpuType` to that$/],
    ["another name", { name: "mine" }, /^name: is "mine", but cl_\w+ is "found"; remove `name`/],
  ])("with %s fails", async (_title, news, refusal) => {
    const { bench, id } = await openFound();
    expect((await check(bench, { ...two, adopt: id, ...news })).refusals).toEqual([expect.stringMatching(refusal)]);
  });

  it("is not judged, and nobody is asked, while the id is not known yet", async () => {
    const { bench, refusals } = await checkOnce({ ...least, adopt: UNKNOWN });
    expect(refusals).toEqual([]);
    expect(requestLines(bench.simulator).some((line) => line.includes(":id"))).toBe(false);
  });

  it.each<[string, FixtureOptions, boolean]>([
    ["in the documented form", {}, true],
    ["by a gateway", { faults: [{ kind: "html", status: 404, path: "/v1/clusters/*", times: 9 }] }, false],
  ])("of a cluster that the service denies %s fails: %j", async (_title, options, fails) => {
    const { refusals, said } = await checkOnce({ ...least, adopt: "cl_0000" }, {}, options);
    const refusal = "adopt: cl_0000 is not a cluster that this API key can see; getClusters() lists them";
    expect(refusals).toEqual(fails ? [refusal] : []);
    if (!fails) expect(said).toEqual([expect.stringMatching(/^warning: the cluster cl_0000 could not be checked/)]);
  });

  it("fails for the second of two resources", async () => {
    const { bench, id } = await openFound();
    expect((await check(bench, { ...two, adopt: id }, {}, "one")).refusals).toEqual([]);
    expect((await check(bench, { ...two, adopt: id }, {}, "two")).refusals).toContain(
      `adopt: the resource ${urnOf("one")} adopts ${id} too; two resources cannot manage the same cluster`,
    );
  });
});

describe("an adopted cluster", () => {
  const adopted = old({ adopt: "cl_1" });

  it.each<[string, Properties]>([
    ["that keeps its line", { adopt: "cl_1" }],
    ["whose line is removed", {}],
  ])("%s is one like any other, without a request", async (_title, news) => {
    const { bench, refusals, said } = await checkOnce({ ...checked, ...news }, adopted);
    expect([refusals, said, bench.simulator.requests]).toEqual([[], [], []]);
  });

  it("cannot become another one: its difference is an error", async () => {
    const { bench, inputs, refusals } = await checkOnce({ ...checked, adopt: "cl_2" }, adopted);
    expect(refusals).toEqual([]);
    await expect(bench.run(bench.cluster.diff(bench.ctx(), "cl_1", adopted, inputs))).rejects.toThrow(
      'cluster "web" (cl_1): `adopt` names cl_2, but this resource already manages cl_1',
    );
  });

  it.each<[string, Properties, RegExp[]]>([
    ["not by itself", { gpuType: "l4", adopt: "cl_1" }, [/^adopt: names the cluster that is replaced \(cl_1\)/]],
    ["by a new one once its line is removed", { gpuType: "l4" }, []],
  ])("can be replaced, %s", async (_title, news, refused) => {
    const [first, second] = await checkTwice(await openFixture(), { ...checked, ...news }, adopted);
    expect(first.refusals).toEqual([]);
    expect(second.refusals).toEqual(refused.map((text) => expect.stringMatching(text)));
  });
});
