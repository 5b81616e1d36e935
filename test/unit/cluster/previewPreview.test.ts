import { type Properties, UNKNOWN } from "../../../provider/core";
import type { Fault } from "../../../simulator";
import { type Bench, closeAll, openBench, requestLines } from "./harness";
import { checked, existing, urnOf } from "./inputs";

afterEach(closeAll);

const { endpoint, createdAt } = existing;
const known = { endpoint, createdAt };
const olds = existing;

async function check({ run, cluster, ctx }: Bench, news: Properties, before?: Properties, resource = "web") {
  const { inputs, failures } = await run(cluster.check(ctx({ urn: urnOf(resource) }), news, before));
  expect(failures).toEqual([]);
  return inputs;
}

function expectNone(inputs: Properties): void {
  for (const name of Object.keys(known)) expect(inputs).not.toHaveProperty(name);
}

describe("an in-place change of a cluster that exists", () => {
  it.each<[string, Properties]>([
    ["nothing", {}],
    ["the container", { container: "a/b:2" }],
    ["an env that is not known yet", { env: UNKNOWN }],
    ["the timeouts", { __timeouts: { create: "2h" } }],
  ])("of %s keeps endpoint and createdAt, without a request", async (_title, news) => {
    const bench = await openBench();
    expect(await check(bench, { ...checked, ...news }, olds)).toEqual({ ...existing, ...news });
    expect(bench.simulator.requests).toEqual([]);
  });

  it("of the env keeps both, with one look at the list, which tells whether there is an update", async () => {
    const bench = await openBench();
    const news = { env: { MODEL: "x" } };
    expect(await check(bench, { ...checked, ...news }, olds)).toEqual({ ...existing, ...news });
    expect(requestLines(bench.simulator)).toEqual(["GET /v1/clusters"]);
  });

  it("of the replicas keeps both, too", async () => {
    expect(await check(await openBench(), { ...checked, replicas: 7 }, olds)).toMatchObject(known);
  });

  it("finds both in the list where the old inputs lack them", async () => {
    const bench = await openBench();
    const { endpoint, createdAt } = bench.simulator.addCluster({ name: "web", gpuType: "h100" });
    expect(await check(bench, { ...checked, replicas: 7 }, checked)).toMatchObject({ endpoint, createdAt });
  });
});

describe("a replacement", () => {
  it.each<[string, Properties]>([
    ["the GPU type", { gpuType: "l4" }],
    ["a GPU type that is not known yet", { gpuType: UNKNOWN }],
    ["the name", { name: "api" }],
    ["both", { name: "api", gpuType: "l4" }],
    ["the GPU type and more", { gpuType: "l4", replicas: 7, env: {} }],
  ])("by a change of %s adds neither endpoint nor createdAt", async (_title, news) => {
    const bench = await openBench();
    expectNone(await check(bench, { ...checked, ...news }, olds));
  });

  it("that `replaceOnChanges` wants adds neither, in either check, so no line of a preview is about them", async () => {
    const bench = await openBench();
    bench.simulator.addCluster({ name: "web", gpuType: "h100" });
    const news = { ...checked, replicas: 7, __replaceOnChanges: ["replicas"] };
    expectNone(await check(bench, news, checked));
    bench.cluster.diff(checked, news, { urn: urnOf("web") });
    expectNone(await check(bench, news, {}));
  });

  it("does not look them up either, and not in its second check, which has no old inputs", async () => {
    const bench = await openBench();
    bench.simulator.addCluster({ name: "web", gpuType: "h100" });
    const news = { ...checked, gpuType: "l4" };
    expectNone(await check(bench, news, checked));
    bench.cluster.diff(checked, news, { urn: urnOf("web") });
    expectNone(await check(bench, news, {}));
    expect(requestLines(bench.simulator)).toEqual(["GET /v1/gpus"]);
  });

  it("of a made name adds neither", async () => {
    const bench = await openBench();
    const { name: _name, ...nameless } = checked;
    const before = { ...olds, name: "web-0000000", __generatedName: true };
    expectNone(await check(bench, { ...nameless, gpuType: "l4" }, before));
    expectNone(await check(bench, { ...nameless, gpuType: "l4" }, {}));
  });
});

describe("while the service is down", () => {
  const down: Fault = { kind: "status", status: 503, times: 10_000 };
  const named = (name: string): Properties => ({ ...checked, name });
  const aWarning = expect.stringMatching(/^warning: taken names, .*could not be checked: .*HTTP 503/);

  it("clusters that do not change are no reason for a warning", async () => {
    const bench = await openBench({ faults: [down] });
    for (const name of ["a", "b", "c"]) expectNone(await check(bench, named(name), named(name), name));
    expect(bench.said).toEqual([]);
  });

  it("nor are clusters whose containers or variables change", async () => {
    const bench = await openBench({ faults: [down] });
    await check(bench, { ...named("a"), container: "a/b:2" }, named("a"), "a");
    await check(bench, { ...named("b"), env: {} }, named("b"), "b");
    expect(bench.said.filter((text) => !text.startsWith("info: "))).toEqual([]);
  });

  it("the first new name gives the one warning of the run", async () => {
    const bench = await openBench({ faults: [down] });
    await check(bench, named("a"), named("a"), "a");
    for (const name of ["new-0", "new-1", "new-2"]) await check(bench, named(name), {}, name);
    await check(bench, named("new-0"), {}, "new-0");
    expect(bench.said).toEqual([aWarning]);
  });

  it("another name for a cluster that exists is a new name, too", async () => {
    const bench = await openBench({ faults: [down] });
    await check(bench, named("new-0"), named("a"), "a");
    expect(bench.said).toContainEqual(aWarning);
  });

  it("all checks of a run wait for the service once", async () => {
    const bench = await openBench({ faults: [{ ...down, status: 429, headers: { "Retry-After": "50" } }] });
    const startMs = bench.clock.now();
    for (const name of ["a", "b", "c"]) await check(bench, named(name), named(name), name);
    for (const name of ["new-0", "new-1"]) await check(bench, named(name), {}, name);
    expect(bench.clock.now() - startMs).toBeLessThanOrEqual(5_000);
  });
});
