import { InterruptedError } from "../../../../provider/base/errors";
import type { InitError, Properties } from "../../../../provider/contract";
import type { Fault } from "../../../../simulator";
import { countOf, type Fixture, initErrorOf, interruptAfter, living, openFixture, rewriting } from "../harness";
import { canary, checked } from "../inputs";

const stopRequest = { method: "POST", path: "/v1/clusters/*/stop" } as const;
/** The same answer with an unrecognized status. */
const withWord = (body: Readonly<Record<string, unknown>>) =>
  "status" in body ? { ...body, status: "whirring" } : body;

const create = (bench: Fixture, inputs: Properties = checked, overrides = {}) =>
  bench.cluster.create(bench.ctx(overrides), inputs);

describe("a creation", () => {
  it("ends with every output, as plain JSON", async () => {
    const bench = await openFixture();
    const { id, state } = await bench.run(create(bench));
    const [cluster] = bench.simulator.clusters();
    expect(id).toBe(cluster?.id);
    expect(state).toStrictEqual({
      ...checked,
      status: "running",
      endpoint: cluster?.endpoint,
      createdAt: cluster?.createdAt,
      replicaStatuses: cluster?.replicaStates.map(({ id }) => ({ id, status: "healthy", healthy: true })),
      readyReplicas: 2,
      settled: true,
      unverifiedInputs: [],
      __seenBy: "seen",
      __createdAt: "2030-01-01T00:00:00.000Z",
      __observed: {},
    });
    expect(JSON.parse(JSON.stringify(state))).toStrictEqual(state);
  });

  it("sends exactly the inputs, once", async () => {
    const bench = await openFixture();
    await bench.run(create(bench));
    expect(countOf(bench.simulator, "POST /v1/clusters")).toBe(1);
    expect(bench.simulator.requests.find(({ method }) => method === "POST")?.body).toEqual({
      name: "web",
      gpu_type: "h100",
      replicas: 2,
      container: "acme/model:1",
      env: { MODEL: canary },
    });
  });

  it("reports its progress, and first its id", async () => {
    const bench = await openFixture();
    const { id } = await bench.run(create(bench));
    expect(bench.messages.slice(0, 2)).toEqual(["status: creating", `status: created as ${id}`]);
    expect(bench.messages).toContainEqual(
      expect.stringMatching(/^status: 1\/2 replicas healthy, provisioning, \d+s of 60m$/),
    );
    expect(bench.messages.at(-1)).toBe("status: 2/2 replicas healthy");
  });
});

test("sixty creations at 30 requests a minute all end with their cluster, and no request is refused", async () => {
  const bench = await openFixture({ rateLimit: 30, provisioningMs: 60_000 });
  const names = Array.from({ length: 60 }, (_, index) => `web-${index}`);
  const made = await bench.run(Promise.all(names.map((name) => create(bench, { ...checked, name, replicas: 1 }))));
  expect(made.every(({ state }) => state["settled"] === true)).toBe(true);
  expect(living(bench.simulator)).toHaveLength(60);
  expect(bench.simulator.requests.filter(({ status }) => status === 429)).toEqual([]);
});

function expectKept(error: InitError, bench: Fixture): void {
  const [cluster] = bench.simulator.clusters();
  expect(error.id).toBe(cluster?.id);
  expect(error.state).toMatchObject({ ...checked, settled: false, endpoint: cluster?.endpoint, __seenBy: "seen" });
  expect(JSON.parse(JSON.stringify(error.state))).toStrictEqual(error.state);
  expect(error.reasons).toHaveLength(1);
  expect(error.reasons[0]).toContain(`cluster "web" (${cluster?.id}) was created, but is not ready: `);
  expect(error.reasons[0]).toMatch(/It is kept in the state: run `pulumi up` again to continue from here/);
}

describe("a failure after the creation has an id", () => {
  it.each<[string, Fault, RegExp]>([
    [
      "keeps the cluster if a replica stays unhealthy",
      { kind: "sick-replica", replica: 1, message: "image not found" },
      /timed out after 2m: 1\/2 replicas healthy, provisioning\n[\s\S]*: unhealthy, image not found/,
    ],
    [
      "keeps the cluster if the key is rejected from then on",
      { kind: "status", status: 401, method: "GET", path: "/v1/clusters/**", times: 1_000, after: 2 },
      /HTTP 401/,
    ],
  ])("%s", async (_title, fault, reason) => {
    const bench = await openFixture({ faults: [fault] });
    const error = await bench.run(initErrorOf(create(bench, checked, { timeoutMs: 120_000 })));
    expectKept(error, bench);
    expect(error.reasons[0]).toMatch(reason);
    expect(countOf(bench.simulator, "POST /v1/clusters")).toBe(1);
  });

  it("keeps the cluster at an interrupt, and ends at once", async () => {
    const bench = await openFixture({ provisioningMs: 600_000 });
    const { end: error, lastedMs } = await interruptAfter(bench, 60_000, (ctx) =>
      initErrorOf(create(bench, checked, ctx)),
    );
    expectKept(error, bench);
    expect(lastedMs).toBe(0);
    expect(error.reasons[0]).toContain("is not ready: interrupted\n");
    expect(error.cause).toBeInstanceOf(InterruptedError);
  });

  it("keeps the id of a cluster that disappears", async () => {
    const bench = await openFixture({ provisioningMs: 600_000 });
    const failed = initErrorOf(create(bench));
    await bench.clock.advance(20_000);
    bench.simulator.change(bench.simulator.clusters()[0]?.id ?? "", { status: "gone" });
    const error = await bench.run(failed);
    expectKept(error, bench);
    expect(error.reasons[0]).toMatch(/it disappeared/);
  });
});

test("a stop that is refused leaves a running cluster in the state, even with an unrecognized status, and the next update stops it", async () => {
  const bench = await openFixture({
    wire: rewriting(/^\/v1\/clusters/, withWord),
    faults: [{ ...stopRequest, kind: "status", status: 403 }],
  });
  const inputs = { ...checked, desiredStatus: "stopped" };
  const { id, state } = await bench.run(initErrorOf(create(bench, inputs)));
  expect(state).toMatchObject({ ...inputs, desiredStatus: "running", settled: false });
  const again = await bench.run(bench.cluster.update(bench.ctx(), id, state, inputs));
  expect(again).toMatchObject({ desiredStatus: "stopped", settled: true });
  expect(bench.simulator.cluster(id)?.status).toBe("stopped");
});

describe("a creation that an error hook of the program repeats", () => {
  const sick = { kind: "sick-replica", replica: 0, message: "no driver" } as const;

  it("continues with the existing cluster", async () => {
    const bench = await openFixture({ faults: [sick] });
    const createIn = (timeoutMs: number) => create(bench, checked, { timeoutMs });
    const first = await bench.run(initErrorOf(createIn(60_000)));
    // Even an error of a read must keep the id.
    bench.simulator.fault({ kind: "status", status: 403, method: "GET", path: "/v1/clusters/*", times: 1 });
    const second = await bench.run(initErrorOf(createIn(60_000)));
    expect([second.id, second.message]).toEqual([first.id, expect.stringContaining("HTTP 403")]);
    bench.simulator.change(first.id, { sickReplica: undefined });
    const { id, state } = await bench.run(createIn(600_000));
    expect([id, state["settled"]]).toEqual([first.id, true]);
    expect(living(bench.simulator)).toHaveLength(1);
    expect(countOf(bench.simulator, "POST /v1/clusters")).toBe(1);
  });

  it("makes a new cluster once the first one was deleted, in a process that outlives its run", async () => {
    const bench = await openFixture({ faults: [sick] });
    const { id, state } = await bench.run(initErrorOf(create(bench, checked, { timeoutMs: 60_000 })));
    await bench.run(bench.cluster.delete(bench.ctx(), id, state));
    expect((await bench.run(create(bench, checked, { timeoutMs: 60_000 }))).id).not.toBe(id);
    expect(living(bench.simulator)).toHaveLength(1);
  });
});
