import fc from "fast-check";
import type { AddressAnswer, AddressRequest } from "../../../../provider/api/http/address";
import { findFailures } from "../../../../provider/cluster/schema/validate";
import { addressOf, type Probe, probeOf, verdictOf } from "../../../../provider/cluster/wait/wait";
import type { Properties } from "../../../../provider/contract";
import type { VirtualClock } from "../../../support/virtualClock";
import { lists, openFixture, openSettled, toRun } from "../harness";
import { canary, least } from "../inputs";

const probeAt = (path: string, more: object = {}): Probe => {
  const probe = probeOf({ readinessProbe: { path, ...more } });
  if (!probe) throw new Error("no probe");
  return probe;
};

describe("the address of a probe", () => {
  it.each([
    ["http://gateway.example.com/cl_1/", "/health?a=b?c", {}, "http://gateway.example.com/cl_1/health?a=b?c"],
    ["https://web.example.com:444", "/health", { port: 8080 }, "https://web.example.com:8080/health"],
    ["https://web.example.com//evil.example.com", "/health", {}, "https://web.example.com//evil.example.com/health"],
  ])("is below the endpoint: %s, %s, %j", (endpoint, path, more, expected) => {
    expect(String(addressOf(endpoint, probeAt(path, more)))).toBe(expected);
  });

  it.each([
    [undefined, "the service shows no endpoint"],
    ["ftp://web.example.com", "the service shows an endpoint that is no web address"],
  ])("is not known yet: %j", (endpoint, why) => {
    expect(addressOf(endpoint, probeAt("/health"))).toBe(why);
  });

  it("is on the host of the endpoint for every valid path", () => {
    const signs = fc.constantFrom(..."/.?%2eE5cf@:a~&=;!$'()*+,-_[]");
    fc.assert(
      fc.property(fc.array(signs, { maxLength: 20 }), fc.boolean(), (letters, isDeep) => {
        const path = `/${letters.join("")}`;
        fc.pre(findFailures({ ...least, readinessProbe: { path } }).length === 0);
        const url = addressOf(`https://web.example.com:444${isDeep ? "/cl_1" : ""}`, probeAt(path));
        if (typeof url === "string") throw new Error(url);
        expect(url.origin).toBe("https://web.example.com:444");
        expect(url.pathname.startsWith(isDeep ? "/cl_1/" : "/")).toBe(true);
        expect(url.username + url.password + url.hash).toBe("");
      }),
    );
  });
});

describe("the verdict on an answer", () => {
  it.each<[AddressAnswer, object, boolean, string]>([
    [{ status: 200 }, {}, true, "GET /health answers 200"],
    [{ status: 307 }, {}, false, "GET /health answers 307, a redirect, which is not followed: set `path` to its end"],
    [{ status: 302 }, { status: 302 }, true, "GET /health answers 302"],
    [{ status: 404 }, { status: 404 }, true, "GET /health answers 404"],
    [{ status: 200 }, { status: 204, method: "HEAD", port: 81 }, false, "HEAD :81/health answers 200"],
    [{ status: 200 }, { successThreshold: 3 }, false, "GET /health answers 200 (1 of 3 in a row)"],
  ])("follows the probe: %j, %j", (result, more, isReady, summary) => {
    expect(verdictOf(result, 0, probeAt("/health?token=x", more))).toMatchObject({ isReady, summary });
  });
});

const probed: Properties = { ...toRun, readinessProbe: { path: "/health" } };

const oneCluster = { method: "GET", path: "/v1/clusters/*" } as const;

type Scripted = AddressAnswer | "silent";

/** An endpoint that gives these answers in order; the last one is repeated. */
function endpoint(...script: readonly Scripted[]) {
  const requests: (Omit<AddressRequest, "signal"> & { readonly atMs: number })[] = [];
  const answers = [...script];
  const ask =
    (clock: VirtualClock) =>
    ({ signal: _signal, ...request }: AddressRequest): Promise<AddressAnswer> => {
      requests.push({ ...request, atMs: clock.now() });
      const next = (answers.length > 1 ? answers.shift() : answers[0]) ?? ok;
      return next === "silent" ? new Promise(() => undefined) : Promise.resolve(next);
    };
  return { ask, requests, answers };
}

const ok = { status: 200 };
const busy = { status: 503 };
const refused = { problem: "the connection was refused (ECONNREFUSED)" };

describe("a creation with a readiness probe", () => {
  it("succeeds when the endpoint gives the expected answer, and reports the reasons until then", async () => {
    const { ask, requests } = endpoint(refused, busy, ok);
    const fixture = await openFixture({ ask });
    const made = await fixture.make(probed, { timeoutMs: 600_000 });
    const [first = 0, second] = requests.map(({ atMs }) => atMs);
    expect(second).toBe(first + 10_000);
    const progress = fixture.messages
      .filter((text) => text.includes("/health"))
      .map((text) => text.replace(/, \w+ of 10m$/, ""));
    expect(progress).toEqual([
      "status: 2/2 replicas healthy, GET /health: the connection was refused (ECONNREFUSED)",
      "status: 2/2 replicas healthy, GET /health answers 503",
      "status: ready after 24s: accepted 0s, 2/2 replicas healthy 4s, GET /health answered 24s",
    ]);
    await fixture.expectAtGoal(made, probed);
    expect(requests).toHaveLength(3);
  });

  it("names no first replica at its end if the only one was healthy before the first probe", async () => {
    const fixture = await openFixture({ ask: endpoint(busy, busy, ok).ask, provisioningMs: 40_000 });
    await fixture.make({ ...probed, replicas: 1 }, { timeoutMs: 600_000 });
    expect(fixture.messages.at(-1)).toBe(
      "status: ready after 1m1s: accepted 0s, 1/1 replicas healthy 41s, GET /health answered 1m1s",
    );
  });

  it("fails at the time limit with the last answer, and the next update only probes", async () => {
    const { ask, requests, answers } = endpoint(refused, refused, busy);
    const fixture = await openFixture({ ask });
    const error = await fixture.failingCreate(probed);
    expect(error.reasons[0]).toMatch(
      /timed out after 1m: 2\/2 replicas healthy, GET \/health answers 503; `readinessProbe` expects a status from 200 to 299\n/,
    );
    expect(error.reasons[0]).toMatch(/\n +reached: accepted 0s, 2\/2 replicas healthy \d+s\n/);
    expect(error.reasons[0]).toMatch(/\n +seen: .*\(2 times\), then .*answers 503 \(\d+ times\)$/m);
    expect(error.state).toMatchObject({ settled: false, readinessProbe: { path: "/health" } });
    const held = await fixture.refresh(error);
    expect(fixture.toDo(held, probed)).toEqual(["settled"]);
    const count = requests.length;
    answers[0] = ok;
    await fixture.reach(held, probed);
    expect(requests).toHaveLength(count + 1);
    expect(fixture.writes()).toEqual([]);
  });

  it("ends a probe without an answer at the time limit of the probe", async () => {
    const { ask } = endpoint("silent");
    const fixture = await openFixture({ ask });
    const probe = { path: "/health", timeout: 3 };
    const { end: error, tookMs } = await fixture.timed(fixture.failingCreate({ ...toRun, readinessProbe: probe }));
    expect(error.reasons[0]).toContain("GET /health: no complete answer came in time");
    expect(tookMs).toBeLessThan(62_000);
  });
});

describe("a cluster that is gone while its endpoint is probed", () => {
  const gone = { ...oneCluster, kind: "status", status: 404 } as const;

  it("ends the wait after two reads that do not show it", async () => {
    const { ask } = endpoint(busy);
    const { fixture, made } = await openSettled(toRun, { ask });
    // The absence of a younger cluster proves nothing yet.
    await fixture.clock.advance(120_000);
    const work = fixture.timed(fixture.failingChange(made, probed, { timeoutMs: 3_600_000 }));
    await fixture.clock.advance(50_000);
    fixture.simulator.change(made.id, { status: "gone" });
    const { end, tookMs } = await work;
    expect(end.text).toContain("it disappeared from the service during the wait");
    expect(tookMs).toBeLessThanOrEqual(120_000);
  });

  it("goes on if only one read and one list do not show it", async () => {
    const { ask } = endpoint(...Array(12).fill(busy), ok);
    const { fixture, made } = await openSettled(toRun, { ask });
    await fixture.clock.advance(120_000);
    fixture.simulator.fault({ ...gone, after: 1 });
    fixture.simulator.fault({ ...lists, kind: "body", body: '{"clusters":[]}' });
    expect((await fixture.change(made, probed)).state).toMatchObject({ settled: true });
  });

  it("goes on for the first two minutes of the cluster", async () => {
    const { ask } = endpoint(...Array(10).fill(busy), ok);
    const fixture = await openFixture({ ask });
    const work = fixture.cluster.create(fixture.ctx(), probed);
    work.catch(() => undefined);
    await fixture.clock.advance(10_000);
    const [{ id } = { id: "" }] = fixture.simulator.clusters();
    fixture.simulator.change(id, { hiddenMs: 90_000 });
    expect(await fixture.run(work)).toMatchObject({ id, state: { settled: true } });
  });
});

it.each<[string, Properties]>([
  ["with skipAwait", { ...probed, skipAwait: true }],
  ["of a stopped cluster", { ...probed, desiredStatus: "stopped" }],
])("no probe is sent, even if it changes: %s", async (_title, inputs) => {
  const { ask, requests } = endpoint(busy);
  const fixture = await openFixture({ ask });
  const made = await fixture.settle(inputs);
  const at = await fixture.change(made, { ...inputs, readinessProbe: { path: "/ready" } });
  expect(fixture.simulator.requests).toEqual([]);
  expect(requests).toEqual([]);
  expect(at.state).toMatchObject({ settled: true, readinessProbe: { path: "/ready" } });
});

describe("an update with a readiness probe", () => {
  it("of the probe alone only probes, whatever another user has changed", async () => {
    const { ask, requests } = endpoint(busy, ok);
    const { fixture, made } = await openSettled(toRun, { ask });
    fixture.simulator.change(made.id, { replicas: 3, env: { MODEL: "another" } });
    const at = await fixture.change(made, probed);
    expect(fixture.writes()).toEqual([]);
    expect(requests).toHaveLength(2);
    expect(at.state).toMatchObject({ settled: true, replicas: 2, readinessProbe: { path: "/health" } });
    expect(fixture.warnings()).toEqual([]);
  });

  it("of the probe alone does not start a cluster that another user has stopped; an update after a refresh does", async () => {
    const { ask, requests } = endpoint(ok);
    const { fixture, made } = await openSettled(toRun, { ask });
    fixture.simulator.change(made.id, { status: "stopped" });
    const kept = await fixture.change(made, probed);
    expect(fixture.warnings().join()).toContain("it was stopped by another user, and stays so; a refresh shows it");
    expect([fixture.writes(), requests]).toEqual([[], []]);
    const found = await fixture.refresh(kept);
    expect(fixture.toDo(found, probed)).toEqual(["desiredStatus"]);
    await fixture.expectAtGoal(await fixture.change(found, probed), probed);
    expect(requests).toHaveLength(1);
  });
});

it("secrets of a probe are sent without the API key, and appear in no message even if they are quoted", async () => {
  const { ask, requests } = endpoint({ problem: `no route for ${canary}-header and ${canary}-body` });
  const probe = {
    path: "/health?token=hidden-in-messages",
    method: "POST",
    headers: { Authorization: `Bearer ${canary}-header`, "X-Key": "canary-short" },
    body: JSON.stringify({ prompt: `${canary}-body` }),
  };
  const fixture = await openFixture({ ask });
  const error = await fixture.failingCreate({ ...toRun, readinessProbe: probe });
  const [request] = requests;
  expect(request).toMatchObject({ method: "POST", body: probe.body });
  expect(request?.url.search).toBe("?token=hidden-in-messages");
  expect(request?.headers).toEqual({
    ...probe.headers,
    "Content-Type": "application/json",
    "User-Agent": expect.stringMatching(/^pulumi-gpucluster\//),
  });
  expect(JSON.stringify(request)).not.toContain(fixture.simulator.apiKey);
  const texts = [...fixture.messages, ...error.reasons, error.message].join("\n");
  expect(texts).toContain("POST /health: no route for [secret]");
  expect(texts).not.toMatch(/canary|hidden-in-messages/);
});
