import { type Properties, UNKNOWN } from "../../../../provider/contract";
import type { Fault } from "../../../../simulator";
import { type Fixture, openFixture } from "../harness";
import { canary, checked, least } from "../inputs";
import { check, checkOnce, checkTwice, old } from "./harness";

/** A fixture with an unmanaged cluster. */
async function openFound(fields: Properties = {}): Promise<{ fixture: Fixture; id: string }> {
  const fixture = await openFixture();
  const foreign = { name: "found", gpuType: "h100", container: "acme/model:1", replicas: 2 };
  const { id } = fixture.simulator.addCluster({ ...foreign, ...fields });
  return { fixture, id };
}

const two = { ...least, replicas: 2 };
const unknown = { name: UNKNOWN, gpuType: UNKNOWN, replicas: UNKNOWN, container: UNKNOWN, env: { A: UNKNOWN } };
const nothing = /: nothing is changed$/;

describe("an adoption", () => {
  it("takes the name of the cluster if the program sets none, by one request for it", async () => {
    const { fixture, id } = await openFound();
    const { inputs, refusals } = await check(fixture, { ...two, adopt: id });
    const { endpoint, createdAt } = fixture.simulator.cluster(id) ?? {};
    expect(refusals).toEqual([]);
    expect(inputs).toMatchObject({ name: "found", __generatedName: true, adopt: id, endpoint, createdAt });
    expect(inputs["hourlyCost"]).toBe(5.98);
    expect(fixture.requestLines()).toEqual(["GET /v1/clusters/:id", "GET /v1/gpus"]);
  });

  it.each<[string, Properties, Properties, RegExp]>([
    ["reports that nothing is changed", {}, two, nothing],
    [
      "reports what is changed, by the paths alone",
      { env: { MODEL: "old", THEIRS: "kept" }, status: "stopped" },
      { ...two, replicas: 3, env: { MODEL: canary, NEW: canary } },
      /: replicas, env.MODEL, env.NEW and desiredStatus will be changed to match .* does not set are kept$/,
    ],
    ["reports nothing of values that are not known yet", {}, unknown, nothing],
  ])("%s", async (_title, fields, news, text) => {
    const { fixture, id } = await openFound(fields);
    const { refusals, said } = await check(fixture, { ...news, adopt: id });
    expect(refusals).toEqual([]);
    expect(said).toEqual([expect.stringMatching(text)]);
    expect(said[0]).toMatch(`info: web: adopts ${id} ("found"): `);
    expect(fixture.writes()).toEqual([]);
  });

  it("fails with the readable name of the GPU, if the service also shows an opaque id, and takes any spelling of it", async () => {
    const fixture = await openFixture({ dialect: "client" });
    const { id } = fixture.simulator.addCluster({ name: "found", gpuType: "rtx-4090", replicas: 2 });
    const { refusals } = await check(fixture, { ...two, gpuType: "rtx-3090", adopt: id });
    expect(refusals).toEqual([`gpuType: is "rtx-3090", but ${id} has "RTX 4090"; set \`gpuType\` to that`]);
    expect((await check(fixture, { ...two, gpuType: "Rtx 4090", adopt: id })).refusals).toEqual([]);
  });

  it("is not judged, and no request is sent, if the id is not known yet", async () => {
    const { fixture, refusals } = await checkOnce({ ...least, adopt: UNKNOWN });
    expect(refusals).toEqual([]);
    expect(fixture.requestLines().some((line) => line.includes(":id"))).toBe(false);
  });

  it("warns if only a gateway denies the cluster", async () => {
    const faults: Fault[] = [{ kind: "html", status: 404, path: "/v1/clusters/*", times: 9 }];
    const { refusals, said } = await checkOnce({ ...least, adopt: "cl_0" }, {}, { faults });
    expect([refusals, said]).toEqual([[], [expect.stringMatching(/^warning: the cluster cl_0 could not be checked/)]]);
  });
});

describe("an adopted cluster", () => {
  const adopted = old({ adopt: "cl_1" });

  it("needs no request when `adopt` is removed", async () => {
    const { fixture, refusals, said } = await checkOnce(checked, adopted);
    expect([refusals, said, fixture.simulator.requests]).toEqual([[], [], []]);
  });

  it("cannot become another one: its diff fails", async () => {
    const { fixture, inputs, refusals } = await checkOnce({ ...checked, adopt: "cl_2" }, adopted);
    expect(refusals).toEqual([]);
    await expect(fixture.diff({ id: "cl_1", state: adopted }, inputs)).rejects.toThrow(
      'cluster "web" (cl_1): `adopt` names cl_2, but this resource already manages cl_1',
    );
  });

  it("cannot be replaced by itself", async () => {
    const news = { ...checked, gpuType: "l4", adopt: "cl_1" };
    const [first, second] = await checkTwice(await openFixture(), news, adopted);
    expect(first.refusals).toEqual([]);
    expect(second.refusals).toEqual([expect.stringMatching(/^adopt: names the cluster that is replaced \(cl_1\)/)]);
  });
});
