import type { Properties } from "../../../provider/core";
import { traced } from "../../../provider/trace";
import { recordSpans } from "../../support/spans";
import { type Bench, type BenchOptions, closeAll, openBench, settle } from "./harness";
import { canary, checked } from "./inputs";
import { failingChange } from "./powerHarness";
import { bad, broken, good } from "./rollBackHarness";

afterEach(closeAll);

/** A bench whose operations run in a span of this name. */
async function open(options: BenchOptions = {}) {
  const recorded = recordSpans();
  const bench = await openBench({ tracer: recorded.tracer, ...options });
  const within = <T>(name: string, work: (bench: Bench) => Promise<T>) =>
    traced(recorded.tracer, name, {}, () => work(bench));
  /** What the core did in an operation, without its requests. */
  const steps = async () =>
    (await recorded.spans())
      .filter(({ attributes }) => attributes["server.port"] === undefined)
      .map(({ name, below, failure }) => [name, below, failure].filter(Boolean).join(" | "));
  return { bench, within, steps, ...recorded };
}

const probed: Properties = {
  ...checked,
  desiredStatus: "running",
  readinessProbe: { path: "/canary-path?canary-query", headers: { "X-Token": "canary-header" }, body: "canary-body" },
};

it("the waits of a creation and of a deletion have spans, and their polls are below them", async () => {
  const { bench, within, steps, spans } = await open();
  const { id, state } = await within("create", () => settle(bench, checked));
  await within("delete", () => bench.run(bench.cluster.delete(bench.ctx(), id, state)));
  expect(await steps()).toEqual(["create", "wait for replicas | create", "delete", "wait for deletion | delete"]);
  const all = await spans();
  const requests = all.filter(({ name }) => name === "GET /v1/clusters/{id}/status").map(({ below }) => below);
  expect(new Set(requests)).toEqual(new Set(["wait for replicas < create"]));
  const own = all.filter(({ below }) => below === "").map(({ attributes }) => attributes["gpucluster.cluster.id"]);
  expect(own).toEqual([id, id]);
});

it("the wait for capacity has a span with the lookups of the stock in it, for each wait of a creation", async () => {
  const { bench, within, steps, spans, text } = await open();
  bench.simulator.setGpuType("h100", { stock: 0 });
  const inputs = { ...checked, waitForCapacity: true };
  const made = within("create", () => bench.cluster.create(bench.ctx(), inputs));
  await bench.clock.advance(60_000);
  bench.simulator.fault({ kind: "status", status: 409, code: "insufficient_capacity", method: "POST", times: 1 });
  bench.simulator.setGpuType("h100", { stock: 8 });
  await bench.run(made);
  const wait = "wait for capacity | create";
  expect(await steps()).toEqual(["create", wait, wait, "wait for replicas | create"]);
  const all = await spans();
  const lookups = all.filter(({ attributes }) => String(attributes["url.template"]).startsWith("/v1/gpus"));
  expect(lookups.length).toBeGreaterThan(3);
  expect(new Set(lookups.map(({ below }) => below))).toEqual(new Set(["wait for capacity < create"]));
  expect(all.find(({ name }) => name === "wait for capacity")?.attributes).toEqual({
    "gpucluster.subject": 'cluster "web"',
  });
  expect(await text()).not.toContain(canary);
});

it("a wait for capacity that ends at the time limit has failed", async () => {
  const { bench, within, steps } = await open();
  bench.simulator.setGpuType("h100", { stock: 0 });
  const ctx = bench.ctx({ timeoutMs: 60_000 });
  const create = () => bench.run(bench.cluster.create(ctx, { ...checked, waitForCapacity: true }));
  await expect(within("create", create)).rejects.toThrow("was not created: timed out after 1m");
  expect(await steps()).toEqual(["create | GpuClusterError", "wait for capacity | create | GpuClusterError"]);
});

it("each probe has a span with its result, and nothing of what the program sends", async () => {
  const answers = [{ problem: "the connection was refused (ECONNREFUSED)" }, { status: 503 }, { status: 200 }];
  const ask = () => async () => answers.shift() ?? { status: 200 };
  const { bench, within, spans, text } = await open({ ask });
  await within("create", () => settle(bench, probed));
  const probes = (await spans()).filter(({ name }) => name === "probe");
  expect(probes.map(({ attributes, failure }) => [attributes["http.response.status_code"], failure])).toEqual([
    [undefined, "no-answer: the connection was refused (ECONNREFUSED)"],
    [503, undefined],
    [200, undefined],
  ]);
  expect(probes[0]).toMatchObject({ below: "create", attributes: { "http.request.method": "GET" } });
  expect((await text()).match(/canary[-\w]*/g)).toBeNull();
});

it("a roll-back has a span with the wait for the old configuration in it", async () => {
  const { bench, within, steps, text } = await open({ faults: [broken] });
  const made = await within("create", () => settle(bench, good));
  await within("update", () => failingChange(bench, made, bad));
  expect(await steps()).toEqual([
    "create",
    "wait for replicas | create",
    "update",
    "wait for replicas | update | failed",
    "roll back | update",
    "wait for replicas | roll back < update",
  ]);
  expect(await text()).not.toContain(canary);
});

it("polls that several waits share are below the one that sent them", async () => {
  const { bench, within, spans } = await open();
  const create = (name: string) => within(name, () => settle(bench, { ...checked, name }));
  await Promise.all(["one", "two", "three"].map(create));
  const lists = (await spans()).filter(({ name }) => name === "GET /v1/clusters").map(({ below }) => below);
  expect(lists.length).toBeGreaterThan(0);
  expect(lists.filter((below) => !/^(wait for replicas < )?(one|two|three)$/.test(below))).toEqual([]);
});
