import type { Properties } from "../../../../provider/contract";
import type { Fault } from "../../../../simulator";
import { type Fixture, type FixtureOptions, openFixture } from "../harness";
import { checked, urnOf } from "../inputs";
import { check } from "./harness";

/** The names of one GPU model: no difference of names alone, and no list that cannot be read, ever replaces a cluster. */

const row = { memoryGb: 80, pricePerHour: 2, stock: 64 };
const gpuTypes = [
  { type: "h100", name: "NVIDIA H100 80GB", ...row },
  { type: "l4", name: "NVIDIA L4", ...row },
  { type: "a100-40", name: "NVIDIA A100", ...row },
  { type: "a100-80", name: "NVIDIA A100", ...row },
];
const byName = { ...checked, gpuType: "NVIDIA H100 80GB" };
const noList: Fault = { kind: "status", status: 503, path: "/v1/gpus**", times: 999 };

/** A service with a cluster that a run of this package has made, and what the engine has stored of it. */
async function openMade(news: Properties = checked, options: FixtureOptions = {}) {
  const fixture = await openFixture({ gpuTypes, ...options });
  const { inputs } = await check(fixture, news);
  const { id, state } = await fixture.make(inputs);
  fixture.forget();
  return { fixture, id, state, inputs };
}

/** What another process says to new inputs: the checked ones, refusals, what replaces the cluster, and requests about GPUs. */
async function nextRun(
  fixture: Fixture,
  held: { id: string; state: Properties; inputs: Properties },
  news: Properties,
) {
  fixture.forget();
  const cluster = fixture.as("seen");
  const { inputs, refusals } = await check({ ...fixture, cluster }, news, held.inputs);
  const { changes } = await fixture.run(cluster.diff(fixture.ctx(), held.id, held.state, inputs));
  const requests = fixture.simulator.requests.map(({ path }) => path).filter((path) => path.startsWith("/v1/gpus"));
  const replaces = Object.keys(changes).filter((path) => changes[path]?.replace);
  return { inputs, refusals, replaces, requests };
}

describe("another name of the GPU type in the program", () => {
  it.each<[string, Properties]>([
    ["the name that the list showed at the creation", byName],
    ["that name in another spelling", { ...checked, gpuType: "nvidia h100 80gb" }],
    ["that name as a fallback", { ...checked, gpuType: "l4", fallbackGpuTypes: ["NVIDIA H100 80GB"] }],
  ])("is no change, and needs no request, even if the list cannot be read: %s", async (_title, news) => {
    const { fixture, ...held } = await openMade();
    fixture.simulator.fault(noList);
    const { inputs, refusals, replaces, requests } = await nextRun(fixture, held, news);
    expect([refusals, replaces, requests]).toEqual([[], [], []]);
    expect(inputs).toMatchObject({ gpuType: "h100", hourlyCost: 4 });
    // After a refresh, whose answer shows the type alone.
    const found = await fixture.read(held);
    const again = await nextRun(fixture, { ...held, state: found?.state ?? {}, inputs: found?.inputs ?? {} }, news);
    expect([again.refusals, again.replaces, again.requests]).toEqual([[], [], []]);
  });

  it("is not known if two models share it: the other one replaces the cluster", async () => {
    const { fixture, ...held } = await openMade({ ...checked, gpuType: "a100-40" });
    const { refusals, replaces } = await nextRun(fixture, held, { ...checked, gpuType: "a100-80" });
    expect([refusals, replaces]).toEqual([[], ["gpuType"]]);
    fixture.simulator.fault(noList);
    expect((await nextRun(fixture, held, { ...checked, gpuType: "NVIDIA A100" })).refusals).toHaveLength(1);
  });
});

describe("a GPU type that is not known to be that of the cluster", () => {
  const other = { ...checked, gpuType: "l4" };
  const refusal =
    /^gpuType: "l4" may be another name of "h100", the type of the cluster, and the list .*could not be read: .*503.*gpucluster:previewChecks to `warn`$/;

  it("replaces the cluster if the list shows another model", async () => {
    const { fixture, ...held } = await openMade();
    const { refusals, replaces } = await nextRun(fixture, held, other);
    expect([refusals, replaces]).toEqual([[], ["gpuType"]]);
  });

  it("fails the check if the list cannot be read, so that nothing is replaced", async () => {
    const { fixture, ...held } = await openMade();
    fixture.simulator.fault(noList);
    const { refusals } = await nextRun(fixture, held, other);
    expect(refusals).toEqual([expect.stringMatching(refusal)]);
    expect(fixture.warnings().filter((text) => text.includes("GPU types"))).toEqual([]);
  });

  it("replaces the cluster without a list under `previewChecks: warn`, by which the user decides", async () => {
    const { fixture, ...held } = await openMade(checked, { settings: { previewChecks: "warn" } });
    fixture.simulator.fault(noList);
    const { refusals, replaces } = await nextRun(fixture, held, other);
    expect([refusals, replaces]).toEqual([[], ["gpuType"]]);
    expect(fixture.warnings()).toContainEqual(
      expect.stringMatching(/could not be read: .* It counts as another type$/),
    );
  });

  it("is no obstacle for a stop of a cluster whose state has no type", async () => {
    const fixture = await openFixture({ gpuTypes, faults: [noList] });
    const { gpuType, ...untyped } = checked;
    expect((await check(fixture, { ...checked, desiredStatus: "stopped" }, untyped)).refusals).toEqual([]);
  });
});

describe("a record that calls the GPU type of its cluster by a new name", () => {
  /** Two clusters, whose records then have another type. */
  async function openRenamed(type: string, faults: Fault[] = []) {
    let isRenamed = false;
    const wire: FixtureOptions["wire"] = (real) => async (request) => {
      const answer = await real(request);
      const isRecord = isRenamed && request.path.startsWith("/v1/clusters");
      return isRecord ? { ...answer, body: answer.body.replaceAll('"h100"', `"${type}"`) } : answer;
    };
    const fixture = await openFixture({ gpuTypes, wire });
    const held: { id: string; state: Properties; inputs: Properties; name: string }[] = [];
    for (const name of ["a", "b"]) {
      const { inputs } = await check(fixture, { ...checked, name }, {}, name);
      const made = await fixture.make(inputs, { urn: urnOf(name) });
      held.push({ ...made, inputs, name });
    }
    fixture.forget();
    isRenamed = true;
    for (const fault of faults) fixture.simulator.fault(fault);
    const refresh = async () => {
      for (const one of held) {
        const found = await fixture.read(one, { urn: urnOf(one.name) });
        Object.assign(one, { state: found?.state, inputs: found?.inputs });
      }
    };
    await refresh();
    return { fixture, held, refresh };
  }

  it.each<[string, Fault[]]>([
    ["a name that no list has", []],
    ["a name while no list can be read", [noList]],
  ])("is no drift, with one warning for all clusters: %s", async (_title, faults) => {
    const { fixture, held, refresh } = await openRenamed("h100-sxm5-80gb", faults);
    expect(fixture.warnings()).toEqual([
      expect.stringMatching(/now calls the GPU type "h100" of its clusters "h100-sxm5-80gb": .* the same type$/),
    ]);
    fixture.forget();
    await refresh();
    expect(fixture.warnings()).toEqual([]);
    for (const one of held) {
      for (const gpuType of ["h100", "h100-sxm5-80gb"]) {
        const { refusals, replaces, requests } = await nextRun(fixture, one, { ...checked, name: one.name, gpuType });
        expect([refusals, replaces, requests]).toEqual([[], [], []]);
      }
    }
  });

  it("is drift if the list has it as another model, whose names are then those of the cluster", async () => {
    const { fixture, held } = await openRenamed("l4");
    expect(fixture.warnings()).toEqual([]);
    for (const one of held) {
      expect(one.state).toMatchObject({ gpuType: "l4", __gpu: ["l4"] });
      const { replaces } = await nextRun(fixture, one, { ...checked, name: one.name });
      expect(replaces).toEqual(["gpuType"]);
    }
  });
});
