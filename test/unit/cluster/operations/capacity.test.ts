import fc from "fast-check";
import { capacityCodes } from "../../../../provider/api/http/answers";
import { AwaitingError, InterruptedError } from "../../../../provider/base/errors";
import { InitError, type Properties } from "../../../../provider/contract";
import type { Fault } from "../../../../simulator";
import { runs } from "../../../support/shares";
import { closeAll, type Fixture, failingLists, failureOf, interruptAfter, lists, openFixture, post } from "../harness";
import { checked, urnOf } from "../inputs";
import { check } from "../preflight/harness";

const minute = 60_000;
const creation = "POST /v1/clusters";
const waiting = (news: Properties = {}): Properties => ({ ...checked, onNoCapacity: "wait", ...news });
const nextRun = { onNoCapacity: "nextRun" };
const stocks = ({ simulator }: Fixture, stock: Readonly<Record<string, number>>) => {
  for (const [type, count] of Object.entries(stock)) simulator.setGpuType(type, { stock: count });
};
const statuses = ({ messages }: Fixture) => messages.filter((line) => line.startsWith("status: waiting"));
const posts = (fixture: Fixture) => fixture.countOf(creation);
/** The names of the clusters with their types, in the order of their creation. */
const made = (fixture: Fixture) => fixture.living().map(({ name, gpuType }) => `${name} ${gpuType}`);
/** Every create request is refused in this way. */
const refusing = (status: number, code: string, times = 1_000): Fault => ({
  ...post,
  kind: "status",
  status,
  code,
  times,
});

/** A check, as `up` makes it, and then the creation. */
async function begin(fixture: Fixture, news: Properties, ctx: Parameters<Fixture["ctx"]>[0] = {}) {
  const name = String(news["name"]);
  const { inputs, refusals } = await check(fixture, news, {}, name);
  expect(refusals).toEqual([]);
  const work = fixture.cluster.create(fixture.ctx({ urn: urnOf(name), ...ctx }), inputs);
  work.catch(() => undefined);
  return { work };
}

const [firstCode = ""] = capacityCodes;

describe("a refusal for lack of GPUs", () => {
  const gpus = { gpuType: "h200", fallbackGpuTypes: ["h100"] };

  it.each([
    [400, firstCode.toUpperCase()],
    [409, firstCode],
    [429, "CAPACITY_EXCEEDED"],
  ])("moves on to the next type at once: HTTP %d %s", async (status, code) => {
    const fixture = await openFixture({ faults: [refusing(status, code, 1)] });
    const startMs = fixture.clock.now();
    const { work } = await begin(fixture, { ...checked, ...gpus });
    const { state } = await fixture.run(work);
    expect(state).toMatchObject({ gpuType: "h100" });
    expect([made(fixture), posts(fixture)]).toEqual([["web h100"], 2]);
    expect(fixture.clock.now() - startMs).toBeLessThan(10_000);
  });

  it("ends a creation that does not wait after the last type, and nothing is created", async () => {
    const fixture = await openFixture({ faults: [refusing(409, firstCode)] });
    const { work } = await begin(fixture, { ...checked, ...gpus });
    expect((await fixture.run(failureOf(work))).message).toContain(firstCode);
    expect([made(fixture), posts(fixture)]).toEqual([[], 2]);
  });

  it("does not count if it is a 503 and a list shows the cluster 12 s later, so no other is bought", async () => {
    const afterEffect: Fault = { ...post, kind: "status", status: 503, code: "NODE_AT_CAPACITY", when: "after" };
    const fixture = await openFixture({ faults: [afterEffect, { kind: "hidden", ms: 12_000 }] });
    const { work } = await begin(fixture, { ...checked, ...gpus });
    const { id, state } = await fixture.run(work);
    expect(state).toMatchObject({ gpuType: "h200", settled: true });
    expect([made(fixture), posts(fixture)]).toEqual([["web h200"], 1]);
    expect(fixture.living().map((cluster) => cluster.id)).toEqual([id]);
  });

  it("counts if it is a 503 and no list shows the cluster for 20 s; then the next type is tried", async () => {
    const fixture = await openFixture({ faults: [refusing(503, firstCode, 1)] });
    const startMs = fixture.clock.now();
    const { work } = await begin(fixture, { ...checked, ...gpus });
    expect((await fixture.run(work)).state).toMatchObject({ gpuType: "h100" });
    expect([made(fixture), posts(fixture)]).toEqual([["web h100"], 2]);
    expect(fixture.warnings().join()).toMatch(/the GPU type "h200" is refused, so "h100" is next: /);
    const [refused, next] = fixture.simulator.requests.filter(({ method }) => method === "POST");
    expect(Number(next?.at) - Number(refused?.at)).toBeGreaterThanOrEqual(20_000);
    expect(fixture.clock.now() - startMs).toBeLessThan(40_000);
  });

  it("ends the creation if it is a 503 and no list can be read: a cluster may exist", async () => {
    const fixture = await openFixture({ faults: [refusing(503, firstCode, 1), failingLists(500, 1)] });
    const { work } = await begin(fixture, waiting(gpus));
    expect((await fixture.run(failureOf(work))).message).toContain("may have been created");
    expect(posts(fixture)).toBe(1);
  });

  it.each([
    ["is not assumed for the code CAPACITY_SERVICE_DOWN", 503, "CAPACITY_SERVICE_DOWN", "may have been created"],
    ["is not assumed for the code invalid_image", 422, "invalid_image", "HTTP 422"],
  ])("%s", async (_title, status, code, text) => {
    const fixture = await openFixture({ faults: [refusing(status, code)] });
    const { work } = await begin(fixture, waiting(gpus));
    expect((await fixture.run(failureOf(work))).message).toContain(text);
    expect(posts(fixture)).toBe(1);
  });
});

/** No wait keeps the process alive. */
async function expectNoTrace({ clock, simulator }: Fixture): Promise<void> {
  const before = simulator.requests.length;
  await clock.advance(10 * minute);
  expect(simulator.requests).toHaveLength(before);
  expect(clock.sleeping).toBe(0);
}

describe("a creation that waits for capacity", () => {
  it("is announced in its preview even under `previewChecks: strict`, and creates the cluster when there are enough GPUs", async () => {
    const fixture = await openFixture({ settings: { previewChecks: "strict" } });
    stocks(fixture, { h200: 0, h100: 1 });
    const { work } = await begin(fixture, waiting({ gpuType: "h200", fallbackGpuTypes: ["h100"] }), {
      timeoutMs: 30 * minute,
    });
    expect(fixture.messages[0]).toMatch(
      /^info: web: not enough GPUs: 2 x h200 needed, 0 available, nor enough of h100: the creation waits/,
    );
    fixture.forget();
    await fixture.clock.advance(3 * minute);
    // Rounds after about 20, 40 and 80 s, each with some jitter.
    expect(posts(fixture)).toBe(8);
    expect(statuses(fixture)).toHaveLength(4);
    for (const line of statuses(fixture))
      expect(line).toMatch(/^status: waiting for capacity of h200, h100: .*insufficient_capacity.*, \w+ of 30m$/);
    stocks(fixture, { h100: 2 });
    const { state } = await fixture.run(work);
    expect(state).toMatchObject({ gpuType: "h100", settled: true, hourlyCost: 5.98 });
    expect(fixture.messages.at(-1)).toMatch(/^status: ready after 4m\d+s: accepted 4m\d+s, 2\/2 replicas healthy 4m/);
    expect(fixture.warnings()).toEqual([
      expect.stringContaining('the GPU type "h200" is refused, so "h100" is next: '),
      expect.stringContaining('the GPU type "h100" is refused, so the creation waits for capacity: '),
    ]);
  });

  it("fails at the time limit with the missing capacity, and leaves nothing behind", async () => {
    const fixture = await openFixture({ faults: [refusing(503, "INSUFFICIENT_HOST_CAPACITY")] });
    const { work } = await begin(fixture, waiting({ gpuType: "h200", fallbackGpuTypes: ["h100"] }), {
      timeoutMs: 6 * minute,
    });
    expect((await fixture.run(failureOf(work))).message).toMatch(
      /^cluster "web" was not created: timed out after 6m, no capacity of h200, h100: .*\(INSUFFICIENT_HOST_CAPACITY\)\. To wait longer, set `customTimeouts`, and run `pulumi up` again$/,
    );
    expect(fixture.living()).toEqual([]);
    await expectNoTrace(fixture);
  });

  it("ends at once at an interrupt, and has created nothing", async () => {
    const fixture = await openFixture();
    stocks(fixture, { h100: 0 });
    const { end, lastedMs } = await interruptAfter(fixture, 5_000, (ctx) =>
      failureOf(fixture.cluster.create(fixture.ctx(ctx), waiting())),
    );
    expect(end).toBeInstanceOf(InterruptedError);
    expect(end.message).toBe('cluster "web": the wait for capacity was interrupted. Nothing was created');
    expect(lastedMs).toBe(0);
    expect(fixture.living()).toEqual([]);
  });

  it("ends at once if no node holds the number of GPUs", async () => {
    const fixture = await openFixture({ faults: [refusing(400, "GPU_COUNT_NOT_ALLOCATABLE")] });
    const { end, tookMs } = await fixture.timed(failureOf(fixture.cluster.create(fixture.ctx(), waiting())));
    expect(end.message).toContain("GPU_COUNT_NOT_ALLOCATABLE");
    expect(tookMs).toBeLessThan(10_000);
    expect(fixture.living()).toEqual([]);
    await expectNoTrace(fixture);
  });

  it("goes on after the code invalid_gpu_type for a type that the service lists", async () => {
    const fixture = await openFixture({ faults: [refusing(400, "invalid_gpu_type", 3)] });
    const { state } = await fixture.make(waiting());
    expect(state).toMatchObject({ settled: true });
    expect([made(fixture), posts(fixture)]).toEqual([["web h100"], 4]);
  });
});

describe("a creation that is left to the next run", () => {
  const gpus = { gpuType: "h200", fallbackGpuTypes: ["h100"] };
  const news = { ...checked, ...gpus, ...nextRun };

  it("is announced in its preview despite strict checks", async () => {
    const fixture = await openFixture({ settings: { previewChecks: "strict" } });
    stocks(fixture, { h200: 0, h100: 1 });
    const ctx = fixture.ctx({ canAwait: true });
    expect((await fixture.run(fixture.cluster.check(ctx, news))).failures).toEqual([]);
    expect(fixture.messages[0]).toMatch(
      /^info: web: not enough GPUs: 2 x h200 needed, 0 available, nor enough of h100: the creation is left to a later/,
    );
  });

  it("ends as awaiting after one refusal of each type, with the reasons as warnings and nothing left behind", async () => {
    const fixture = await openFixture({ faults: [refusing(409, firstCode, 2)] });
    const { end, tookMs } = await fixture.timed(failureOf(fixture.cluster.create(fixture.ctx(), news)));
    expect(end).toBeInstanceOf(AwaitingError);
    expect(end.message).toMatch(
      /^cluster "web" was not created: no capacity of h200, h100: .* exists or is billed; the next `pulumi up` tries again\. A CLI before 3\.272 ends the run here$/,
    );
    expect(fixture.warnings()).toEqual([
      expect.stringContaining('the GPU type "h200" is refused, so "h100" is next: '),
      expect.stringContaining('the GPU type "h100" is refused, so the creation is left to a later `pulumi up`: '),
    ]);
    expect([made(fixture), posts(fixture)]).toEqual([[], 2]);
    expect(tookMs).toBeLessThan(10_000);
    await expectNoTrace(fixture);
    expect((await fixture.make(news)).state).toMatchObject({ gpuType: "h200" });
    expect(made(fixture)).toEqual(["web h200"]);
  });

  it.each<[string, Fault[], string]>([
    ["a cluster may exist", [refusing(503, firstCode), failingLists(500, 1)], "may have been created"],
    ["its answer is lost", [{ ...post, kind: "drop", when: "before" }], "may have been created"],
    ["no node holds the number of GPUs", [refusing(400, "GPU_COUNT_NOT_ALLOCATABLE")], "GPU_COUNT_NOT_ALLOCATABLE"],
    ["the image is refused", [refusing(409, firstCode, 1), refusing(422, "invalid_image")], "invalid_image"],
  ])("fails if %s", async (_title, faults, text) => {
    const fixture = await openFixture({ faults });
    const error = await failureOf(fixture.make(news));
    expect(error).not.toBeInstanceOf(AwaitingError);
    expect(error.message).toContain(text);
  });

  it("fails without the input, and if a name is taken", async () => {
    const fixture = await openFixture({ faults: [refusing(409, firstCode)] });
    const failing = (inputs: Properties) => failureOf(fixture.make(inputs));
    const refused = await failing({ ...checked, ...gpus });
    fixture.simulator.addCluster({ name: "web", gpuType: "h100", replicas: 1 });
    await fixture.clock.advance(minute);
    const taken = await failing(news);
    for (const error of [refused, taken]) expect(error).not.toBeInstanceOf(AwaitingError);
    expect(taken.message).toContain("is already the name of");
  });

  it("has no effect on a scale-up and an adoption: the cluster stays, with an error that has its id", async () => {
    const fixture = await openFixture();
    const inputs = { ...checked, ...nextRun };
    const { id, state } = await fixture.make(inputs);
    stocks(fixture, { h100: 0 });
    const more = { ...inputs, replicas: 4 };
    const scaled = await failureOf(fixture.change({ id, state }, more));
    const added = fixture.simulator.addCluster({
      name: "prod",
      gpuType: "h100",
      replicas: 1,
      container: "acme/model:1",
    });
    const adoption = { ...more, name: "prod", adopt: added.id };
    const adopted = await failureOf(fixture.make(adoption, { urn: urnOf("prod") }));
    for (const error of [scaled, adopted]) expect(error).toBeInstanceOf(InitError);
    expect(fixture.living()).toHaveLength(2);
  });
});

const types = ["h200", "h100", "l4"] as const;

const request = fc.record({
  gpuTypes: fc.shuffledSubarray([...types], { minLength: 1 }),
  replicas: fc.integer({ min: 1, max: 4 }),
  /** The pause before it arrives. */
  afterMs: fc.constantFrom(0, 700, 15_000, 25_000),
});
const requests = fc.array(request, { minLength: 1, maxLength: 5 });
const stockStep = fc.record({ type: fc.constantFrom(...types), count: fc.nat(6), afterMs: fc.nat(60_000) });

/** Lost answers, refusals for the type despite the stock, and faults of the lists after them. */
const fault: fc.Arbitrary<Fault> = fc.constantFrom<Fault[]>(
  { ...post, kind: "drop", when: "before" },
  { ...post, kind: "drop", when: "after" },
  { ...post, kind: "body", body: '{"id":"a/b"}' },
  { ...post, kind: "html", status: 502, when: "after" },
  { ...post, kind: "status", status: 429, headers: { "Retry-After": "2" } },
  { ...post, kind: "status", status: 503, when: "after", code: "NODE_AT_CAPACITY" },
  refusing(409, "insufficient_capacity", 1),
  refusing(400, "invalid_gpu_type", 1),
  { kind: "hidden", ms: 12_000 },
  { ...lists, kind: "status", status: 503, times: 12 },
  { ...lists, kind: "body", body: '{"clusters":[{}]}' },
);
const spread = fc
  .array(fc.tuple(fault, fc.nat(4)), { maxLength: 5 })
  .map((faults) => faults.map(([one, after]) => ({ ...one, after })));

it("waiting creations make one cluster each, of a type of their list, despite lost answers, refusals and sold GPUs", async () => {
  const law = fc.asyncProperty(requests, fc.array(stockStep, { maxLength: 8 }), spread, async (list, steps, faults) => {
    const fixture = await openFixture({ faults });
    stocks(fixture, { h200: 0, h100: 0, l4: 0 });
    const begun = [];
    for (const [index, { gpuTypes, replicas, afterMs }] of list.entries()) {
      await fixture.clock.advance(afterMs);
      const name = `web-${index}`;
      const news = waiting({ name, replicas, gpuType: gpuTypes[0] });
      if (gpuTypes.length > 1) news["fallbackGpuTypes"] = gpuTypes.slice(1);
      begun.push({ name, gpuTypes, ...(await begin(fixture, news)) });
    }
    for (const { type, count, afterMs } of steps) {
      await fixture.clock.advance(afterMs);
      // The reported stock can differ from the actual one.
      fixture.simulator.setGpuType(type, { stock: count, reportedStock: (count * 7) % 5 });
    }
    for (const type of types) fixture.simulator.setGpuType(type, { stock: 100, reportedStock: undefined });
    for (const { name, gpuTypes, work } of begun) {
      const result = await fixture.run(work.catch((error: Error) => error));
      const alive = fixture.living().filter((cluster) => cluster.name === name);
      if (result instanceof Error) expect(alive.length).toBeLessThanOrEqual(1);
      else expect(alive.map(({ id }) => id)).toEqual([result.id]);
      if (result instanceof Error && alive.length > 0) expect(result.message).toContain(`"${name}"`);
      for (const { gpuType } of alive) expect(gpuTypes).toContain(gpuType);
    }
    await closeAll();
  });
  await fc.assert(law, { numRuns: runs(150) });
}, 120_000);
