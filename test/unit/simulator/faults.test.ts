import type { Fault } from "../../../simulator";
import { type Bench, start, stopAll, web } from "./harness";

afterEach(stopAll);

const creation = { method: "POST", path: "/v1/clusters" };

function withFaults(...faults: Fault[]): Promise<Bench> {
  return start({ faults });
}

test("a dropped connection before the effect leaves nothing behind", async () => {
  const { call, simulator } = await withFaults({ kind: "drop", when: "before", ...creation });
  await expect(call("POST /v1/clusters", web)).rejects.toThrow("fetch failed");
  expect(simulator.clusters()).toEqual([]);
  expect(simulator.requests).toMatchObject([{ method: "POST", status: "dropped", body: web }]);
});

test("a dropped connection after the effect leaves a cluster behind", async () => {
  const { call, simulator } = await withFaults({ kind: "drop", when: "after", ...creation });
  await expect(call("POST /v1/clusters", web)).rejects.toThrow("fetch failed");
  expect(simulator.clusters()).toMatchObject([{ name: "web", status: "provisioning" }]);
  expect((await call("GET /v1/clusters")).body.clusters).toHaveLength(1);
});

test("a status fault answers an envelope and its headers, by default without the effect", async () => {
  const { call, simulator } = await withFaults(
    { kind: "status", status: 503, code: "busy", message: "Later.", headers: { "Retry-After": "7" } },
    { kind: "status", status: 500, when: "after" },
  );
  const first = await call("POST /v1/clusters", web);
  expect(first.body).toEqual({ error: { code: "busy", message: "Later.", status: 503 } });
  expect(first.headers.get("retry-after")).toBe("7");
  expect(first.headers.get("x-ratelimit-remaining")).toBe("99");
  expect(simulator.clusters()).toHaveLength(0);
  expect((await call("POST /v1/clusters", web)).status).toBe(500);
  expect(simulator.clusters()).toHaveLength(1);
});

test("a truncated answer breaks off, but the effect is there", async () => {
  const { call, simulator } = await withFaults({ kind: "truncate" });
  await expect(call("POST /v1/clusters", web)).rejects.toThrow("terminated");
  expect(simulator.clusters()).toHaveLength(1);
});

test("an HTML page comes instead of the answer", async () => {
  const { call, simulator } = await withFaults({ kind: "html", status: 502 });
  const { status, headers, text } = await call("POST /v1/clusters", web);
  expect([status, headers.get("content-type")]).toEqual([502, "text/html"]);
  expect(text).toContain("<html>");
  expect(simulator.clusters()).toHaveLength(0);
});

test("a body fault replaces the answer, not the effect", async () => {
  const { call, simulator } = await withFaults(
    { kind: "body", body: "null" },
    { kind: "body", body: "hm", contentType: "text/plain", status: 200 },
  );
  expect(await call("POST /v1/clusters", web)).toMatchObject({ status: 201, text: "null" });
  const { headers, ...reply } = await call("POST /v1/clusters", web);
  expect(reply).toMatchObject({ status: 200, text: "hm" });
  expect(headers.get("content-type")).toBe("text/plain");
  expect(simulator.clusters()).toHaveLength(2);
});

test("a redirect has no effect", async () => {
  const { call, simulator } = await withFaults({ kind: "redirect", location: "http://127.0.0.1:1/elsewhere" });
  const { status, headers } = await call("POST /v1/clusters", web);
  expect([status, headers.get("location")]).toEqual([302, "http://127.0.0.1:1/elsewhere"]);
  expect(simulator.clusters()).toHaveLength(0);
});

test.each(["before", "after"] as const)("a delay %s the effect changes nothing but the duration", async (when) => {
  const ms = 200;
  const { call, simulator } = await withFaults({ kind: "delay", ms, when, ...creation });
  const started = performance.now();
  let answeredAfter: number | undefined;
  const pending = call("POST /v1/clusters", web).finally(() => {
    answeredAfter = performance.now() - started;
  });
  while (simulator.openRequests().length === 0) await new Promise((resolve) => setTimeout(resolve, 1));
  expect(simulator.openRequests()).toEqual([{ method: "POST", path: "/v1/clusters" }]);
  while (simulator.clusters().length === 0) await new Promise((resolve) => setTimeout(resolve, 1));
  const effectAfter = performance.now() - started;
  if (when === "before") expect(effectAfter).toBeGreaterThanOrEqual(ms - 1);
  else expect(answeredAfter).toBeUndefined();
  expect((await pending).status).toBe(201);
  expect(simulator.openRequests()).toEqual([]);
  expect(answeredAfter).toBeGreaterThanOrEqual(ms - 1);
});

test("with a sick replica, the cluster does not run until a roll-out of a new container", async () => {
  const { call, simulator, clock } = await withFaults({ kind: "sick-replica", replica: 1, message: "CUDA error" });
  const { id } = (await call("POST /v1/clusters", web)).body;
  clock.advance(3_600_000);
  const { body } = await call(`GET /v1/clusters/${id}/status`);
  expect(body.status).toBe("provisioning");
  expect(body.replicas.map((replica: { healthy: boolean }) => replica.healthy)).toEqual([true, false, true]);
  expect(body.replicas[1]).toMatchObject({ status: "unhealthy", message: "CUDA error" });
  expect(body.replicas[1].restarts).toBeGreaterThan(10);
  await call(`POST /v1/clusters/${id}/restart`);
  clock.advance(3000);
  expect(simulator.cluster(id)?.status).toBe("restarting");
  await call(`PATCH /v1/clusters/${id}`, { container: "vllm/vllm-openai:v0.6.4" });
  clock.advance(3000);
  expect(simulator.cluster(id)?.status).toBe("running");
});

test("a failing cluster fails halfway, again after a restart, and no longer with a new env", async () => {
  const { call, simulator, clock } = await withFaults({ kind: "fail", message: "image not found" });
  const { id } = (await call("POST /v1/clusters", web)).body;
  clock.advance(1499);
  expect(simulator.cluster(id)?.status).toBe("provisioning");
  clock.advance(1);
  expect((await call(`GET /v1/clusters/${id}/status`)).body).toMatchObject({
    status: "failed",
    message: "image not found",
  });
  expect((await call(`POST /v1/clusters/${id}/restart`)).body.status).toBe("restarting");
  clock.advance(1500);
  expect(simulator.cluster(id)?.status).toBe("failed");
  await call(`PATCH /v1/clusters/${id}`, { env: { FIXED: "1" } });
  clock.advance(3000);
  expect(simulator.cluster(id)?.status).toBe("running");
});

test("if updates take effect at a redeploy, a failure ends at the redeploy too", async () => {
  const { call, simulator, clock } = await start({ dialect: "terse", faults: [{ kind: "fail", message: "no" }] });
  const { id } = (await call("POST /v1/clusters", web)).body;
  clock.advance(3000);
  await call(`PATCH /v1/clusters/${id}`, { env: { FIXED: "1" } });
  clock.advance(3000);
  expect(simulator.cluster(id)?.status).toBe("failed");
  await call(`POST /v1/clusters/${id}/redeploy`);
  clock.advance(3000);
  expect(simulator.cluster(id)?.status).toBe("running");
});

test("reads do not show a hidden cluster for a while", async () => {
  const { call, simulator, clock } = await withFaults({ kind: "hidden", ms: 5000 });
  const { id } = (await call("POST /v1/clusters", web)).body;
  expect(simulator.cluster(id)?.hidden).toBe(true);
  expect((await call("GET /v1/clusters")).body.clusters).toEqual([]);
  expect((await call(`GET /v1/clusters/${id}`)).status).toBe(404);
  clock.advance(5000);
  expect((await call("GET /v1/clusters")).body.clusters).toHaveLength(1);
  expect((await call(`GET /v1/clusters/${id}`)).status).toBe(200);
});

test("faults of a new cluster wait for a creation that succeeds, and find it by name", async () => {
  const { call, simulator } = await withFaults(
    { kind: "fail", message: "no", name: "web-*" },
    { kind: "status", status: 500, ...creation },
  );
  await call("POST /v1/clusters", { ...web, name: "web-1" });
  await call("POST /v1/clusters", { ...web, name: "api" });
  await call("POST /v1/clusters", { ...web, name: "web-1" });
  expect(simulator.clusters().map(({ name }) => name)).toEqual(["api", "web-1"]);
  simulator.change(simulator.clusters()[0]?.id ?? "", { status: "running" });
  const [api, web1] = simulator.clusters();
  expect([api?.status, web1?.status]).toEqual(["running", "provisioning"]);
});

test("faults apply one after the other: `times` requests, after `after` requests", async () => {
  const { call } = await withFaults(
    { kind: "status", status: 500, path: "/health", after: 1, times: 2 },
    { kind: "status", status: 502, path: /^\/v1\/gpus/g, times: 3 },
    { kind: "status", status: 504, method: "get", path: "/v1/clusters/*" },
  );
  const statuses = async (...paths: string[]) => {
    const found: number[] = [];
    for (const path of paths) found.push((await call(`GET ${path}`)).status);
    return found;
  };
  expect(await statuses("/health", "/health", "/health", "/health")).toEqual([200, 500, 500, 200]);
  expect(await statuses("/v1/gpus", "/v1/gpus/models", "/v1/gpus", "/v1/gpus")).toEqual([502, 502, 502, 200]);
  expect(await statuses("/v1/clusters", "/v1/clusters/x/status", "/v1/clusters/x")).toEqual([200, 404, 504]);
});

test("a fault can be added while it runs, and a wrong one is refused", async () => {
  const { call, simulator } = await start();
  simulator.fault({ kind: "status", status: 500 });
  expect((await call("GET /health")).status).toBe(500);
  expect(() => simulator.fault({ kind: "status", status: 42 })).toThrow(
    "status of status must be a status from 200 to 599",
  );
});
