import type { AddressAnswer, AddressRequest } from "../../../../provider/api/http/address";
import { InterruptedError } from "../../../../provider/base/errors";
import type { Properties } from "../../../../provider/contract";
import type { VirtualClock } from "../../../support/virtualClock";
import { type Bench, closeAll, initErrorOf, openBench, settle, writes } from "../harness";
import { canary, checked } from "../inputs";
import { change, expectAtGoal, failingChange, refresh, settleStopped, toDo, warnings } from "../powerHarness";

afterEach(closeAll);

const plain: Properties = { ...checked, desiredStatus: "running" };
const asked: Properties = { ...plain, readinessProbe: { path: "/health" } };

type Scripted = AddressAnswer | "silent";

/** An endpoint that gives these answers one after the other; the last one stays. */
function endpoint(...script: readonly Scripted[]) {
  const requests: (Omit<AddressRequest, "signal"> & { readonly atMs: number })[] = [];
  const rest = [...script];
  const answer = (...next: readonly Scripted[]) => rest.splice(0, rest.length, ...next);
  const ask =
    (clock: VirtualClock) =>
    ({ signal: _signal, ...request }: AddressRequest): Promise<AddressAnswer> => {
      requests.push({ ...request, atMs: clock.now() });
      const next = (rest.length > 1 ? rest.shift() : rest[0]) ?? ok;
      return next === "silent" ? new Promise(() => undefined) : Promise.resolve(next);
    };
  return { ask, requests, answer };
}

const ok = { status: 200 };
const busy = { status: 503 };
const refused = { problem: "the connection was refused (ECONNREFUSED)" };

const create = (bench: Bench, inputs: Properties, timeoutMs = 600_000) =>
  bench.run(bench.cluster.create(bench.ctx({ timeoutMs }), inputs));
const failing = (bench: Bench, inputs: Properties, timeoutMs = 60_000) =>
  bench.run(initErrorOf(bench.cluster.create(bench.ctx({ timeoutMs }), inputs)));

/** Without the times and ids of a run. */
const plainText = (text: string) => text.replace(/cl_[0-9a-f]+/g, "cl_1");

describe("a creation with a readiness probe", () => {
  it("is ready when the endpoint answers as told, with the reasons until then", async () => {
    const { ask, requests } = endpoint(
      refused,
      { problem: "the certificate of the host is not trusted (CERT_X)" },
      busy,
      ok,
    );
    const bench = await openBench({ ask });
    const made = await create(bench, asked);
    expect(requests.map(({ method, url, body }) => `${method} ${url.pathname} ${body}`)).toEqual(
      Array(4).fill("GET /health undefined"),
    );
    const [first = 0, second] = requests.map(({ atMs }) => atMs);
    expect(second).toBe(first + 10_000);
    const shown = bench.said
      .filter((text) => text.includes("/health"))
      .map((text) => text.replace(/, \w+ of 10m$/, ""));
    expect(shown).toEqual([
      "status: 2/2 replicas healthy, GET /health: the connection was refused (ECONNREFUSED)",
      "status: 2/2 replicas healthy, GET /health: the certificate of the host is not trusted (CERT_X)",
      "status: 2/2 replicas healthy, GET /health answers 503",
      "status: 2/2 replicas healthy, GET /health answers 200",
    ]);
    expect(writes(bench.simulator)).toEqual(["POST /v1/clusters"]);
    await expectAtGoal(bench, made, asked);
    expect(requests).toHaveLength(4);
  });

  it("fails at the time limit with what was seen; the next update probes again and sends nothing", async () => {
    const { ask, requests, answer } = endpoint(refused, refused, busy);
    const bench = await openBench({ ask });
    const error = await failing(bench, asked);
    expect(plainText(error.reasons.join("\n"))).toBe(
      [
        'cluster "web" (cl_1) was created, but is not ready: timed out after 1m: 2/2 replicas healthy, GET /health answers 503',
        "      It is kept in the state: run `pulumi up` again to continue from here",
        "      `readinessProbe` asks for a status from 200 to 299",
        "      seen: 2/2 replicas healthy, GET /health: the connection was refused (ECONNREFUSED) (2 times), then " +
          "2/2 replicas healthy, GET /health answers 503 (5 times)",
      ].join("\n"),
    );
    expect(error.state).toMatchObject({ settled: false, readinessProbe: { path: "/health" } });
    const held = await refresh(bench, error);
    expect(toDo(bench, held, asked)).toEqual(["settled"]);
    const count = requests.length;
    const again = await failingChange(bench, held, asked, { timeoutMs: 20_000 });
    expect(again.text).toMatch(/was not changed completely: timed out after 20s: .*GET \/health answers 503/);
    answer(ok);
    const ready = await change(bench, again, asked);
    expect(requests.length).toBeGreaterThan(count + 2);
    expect(writes(bench.simulator)).toEqual([]);
    await expectAtGoal(bench, ready, asked);
  });

  it("says at the time limit that the service shows no endpoint", async () => {
    const { ask, requests } = endpoint(ok);
    const bench = await openBench({ ask, endpoint: "none" });
    const error = await failing(bench, asked);
    expect(error.reasons[0]).toContain(
      "timed out after 1m: 2/2 replicas healthy, GET /health: the service shows no endpoint",
    );
    expect(requests).toEqual([]);
  });

  it("ends a request without an answer after its own time limit", async () => {
    const { ask } = endpoint("silent");
    const bench = await openBench({ ask });
    const error = await failing(bench, { ...plain, readinessProbe: { path: "/health", timeout: 3 } });
    expect(error.reasons[0]).toContain("GET /health: no complete answer came in time");
    expect(bench.clock.now() % 86_400_000).toBeLessThan(62_000);
  });

  it("ends at once if the cluster fails meanwhile", async () => {
    const { ask } = endpoint(busy);
    const bench = await openBench({ ask });
    const work = initErrorOf(bench.cluster.create(bench.ctx({ timeoutMs: 600_000 }), asked));
    await bench.clock.advance(20_000);
    const [{ id = "" } = {}] = bench.simulator.clusters();
    bench.simulator.change(id, { status: "failed" });
    const { reasons } = await bench.run(work);
    expect(reasons[0]).toMatch(/is not ready: it is failed/);
    expect(bench.clock.now() % 86_400_000).toBeLessThan(70_000);
  });

  it("ends with an interrupt in the middle of a request, and keeps the cluster", async () => {
    const { ask } = endpoint(busy, "silent");
    const bench = await openBench({ ask });
    const interrupt = new AbortController();
    const ctx = bench.ctx({ signal: interrupt.signal });
    const work = initErrorOf(bench.cluster.create(ctx, asked));
    await bench.clock.advance(16_000);
    interrupt.abort(new InterruptedError("interrupted"));
    const error = await bench.run(work);
    expect(error.reasons[0]).toContain("is not ready: interrupted");
    expect(error.state).toMatchObject({ settled: false });
    expect(bench.clock.sleeping).toBe(0);
  });
});

describe("no probe", () => {
  it.each<[string, Properties]>([
    ["with skipAwait", { ...asked, skipAwait: true }],
    ["of a stopped cluster", { ...asked, desiredStatus: "stopped" }],
  ])("%s, nor if it changes there", async (_title, inputs) => {
    const { ask, requests } = endpoint(busy);
    const bench = await openBench({ ask });
    const stopped = inputs["desiredStatus"] === "stopped";
    const made = stopped
      ? await settleStopped(bench, { ...inputs, readinessProbe: undefined })
      : await settle(bench, inputs);
    const at = await change(bench, made, { ...inputs, readinessProbe: { path: "/ready" } });
    expect(bench.simulator.requests).toEqual([]);
    expect(requests).toEqual([]);
    expect(at.state).toMatchObject({ settled: true, readinessProbe: { path: "/ready" } });
  });

  it("by a refresh, and no request at all if the probe is removed", async () => {
    const { ask, requests } = endpoint(ok);
    const bench = await openBench({ ask });
    const made = await settle(bench, asked);
    const held = await refresh(bench, made);
    const at = await change(bench, held, plain);
    expect(bench.simulator.requests).toEqual([]);
    expect(requests).toHaveLength(1);
    expect(at.state).not.toHaveProperty("readinessProbe");
  });

  it("and no difference for a state of a version without probes", async () => {
    const bench = await openBench();
    const made = await settle(bench, plain);
    expect(toDo(bench, made, plain)).toEqual([]);
    expect(toDo(bench, made, asked)).toEqual(["readinessProbe"]);
  });
});

describe("an update", () => {
  it("of the probe alone probes, and sends nothing, whatever others have changed", async () => {
    const { ask, requests } = endpoint(busy, ok);
    const bench = await openBench({ ask });
    const made = await settle(bench, plain);
    bench.simulator.change(made.id, { replicas: 3, env: { MODEL: "another" } });
    const at = await change(bench, made, asked);
    expect(writes(bench.simulator)).toEqual([]);
    expect(requests).toHaveLength(2);
    expect(at.state).toMatchObject({ settled: true, replicas: 2, readinessProbe: { path: "/health" } });
    expect(warnings(bench)).toEqual([]);
  });

  it("of the probe alone that fails is probed again, with no write", async () => {
    const { ask, answer } = endpoint(busy);
    const bench = await openBench({ ask });
    const failed = await failingChange(bench, await settle(bench, plain), asked, { timeoutMs: 30_000 });
    expect(failed.text).toMatch(/^cluster "web" \(cl_\w+\) is not ready: timed out after 30s: .*answers 503\n/);
    expect(failed.state).toMatchObject({ settled: false, readinessProbe: { path: "/health" } });
    answer(ok);
    await expectAtGoal(bench, await change(bench, failed, asked), asked);
    expect(writes(bench.simulator)).toEqual([]);
  });

  it.each<[string, Properties]>([
    ["env", { env: { MODEL: "another" } }],
    ["container", { container: "acme/model:2" }],
    ["replicas", { replicas: 3 }],
    ["a trigger", { restartTriggers: ["b"] }],
  ])("of %s is followed by the probe; after a failure, the next one only probes", async (_title, news) => {
    const { ask, requests, answer } = endpoint(ok);
    const bench = await openBench({ ask });
    const made = await settle(bench, asked);
    requests.length = 0;
    answer(busy);
    const failed = await failingChange(bench, made, { ...asked, ...news }, { timeoutMs: 120_000 });
    expect(failed.text).toContain("replicas healthy, GET /health answers 503");
    expect(writes(bench.simulator)).toHaveLength(1);
    answer(ok);
    const at = await change(bench, failed, { ...asked, ...news });
    expect(writes(bench.simulator)).toEqual([]);
    await expectAtGoal(bench, at, { ...asked, ...news });
  });
});

describe("a cluster that was not created here, or did not run", () => {
  it("is probed when it is adopted", async () => {
    const { ask, requests } = endpoint(busy, ok);
    const bench = await openBench({ ask });
    const found = { name: "web", gpuType: "h100", replicas: 2, container: String(asked["container"]) };
    const { id } = bench.simulator.addCluster({ ...found, env: { MODEL: canary } });
    const made = await create(bench, { ...asked, adopt: id });
    expect(requests).toHaveLength(2);
    expect(writes(bench.simulator)).toEqual([]);
    await expectAtGoal(bench, made, asked);
  });

  it("is probed after its start", async () => {
    const { ask, requests } = endpoint(busy, ok);
    const bench = await openBench({ ask });
    const stopped = await settleStopped(bench, { ...plain, desiredStatus: "stopped" });
    const at = await change(bench, stopped, asked);
    expect(requests).toHaveLength(2);
    await expectAtGoal(bench, at, asked);
  });

  it("is not started by a change of the probe alone, if somebody else has stopped it", async () => {
    const { ask, requests } = endpoint(ok);
    const bench = await openBench({ ask });
    const made = await settle(bench, plain);
    bench.simulator.change(made.id, { status: "stopped" });
    const failed = await failingChange(bench, made, asked);
    expect(failed.text).toMatch(/is not ready: it is stopped: someone else stopped it/);
    expect(writes(bench.simulator)).toEqual([]);
    expect(requests).toEqual([]);
    await expectAtGoal(bench, await change(bench, failed, asked), asked);
    expect(requests).toHaveLength(1);
  });
});

describe("secrets of a probe", () => {
  const probe = {
    path: "/health?token=hidden-in-messages",
    method: "POST",
    headers: { Authorization: `Bearer ${canary}-header`, "X-Key": "canary-short" },
    body: JSON.stringify({ prompt: `${canary}-body` }),
  };
  const inputs: Properties = { ...plain, readinessProbe: probe };

  it("are sent as they are, with the type of a JSON body, and without the API key", async () => {
    const { ask, requests } = endpoint(ok);
    const bench = await openBench({ ask });
    await settle(bench, inputs);
    const [request] = requests;
    expect(request).toMatchObject({ method: "POST", body: probe.body });
    expect(request?.url.search).toBe("?token=hidden-in-messages");
    expect(request?.headers).toEqual({
      ...probe.headers,
      "Content-Type": "application/json",
      "User-Agent": expect.stringMatching(/^pulumi-gpucluster\//),
    });
    expect(JSON.stringify(request)).not.toContain(bench.simulator.apiKey);
  });

  it("show in no text, also if the service quotes them", async () => {
    const { ask } = endpoint({ problem: `no route for ${canary}-header and ${canary}-body` });
    const bench = await openBench({ ask });
    const error = await failing(bench, inputs);
    const texts = [...bench.said, ...error.reasons, error.message].join("\n");
    expect(texts).toContain("POST /health: no route for [secret]");
    expect(texts).not.toMatch(/canary|hidden-in-messages/);
  });
});
