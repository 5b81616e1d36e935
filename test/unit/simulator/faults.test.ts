import type { Fault, SimulatorOptions } from "../../../simulator";
import { type Fixture, play, snapshotOf, start, startWithCluster, web } from "./harness";

const creation = { method: "POST", path: "/v1/clusters" };
const create = ({ call }: Fixture) => call("POST /v1/clusters", web);
const withFaults = (...faults: Fault[]) => start({ faults });

test.each<[string, Fault, string, number]>([
  ["a dropped connection before the effect", { kind: "drop", when: "before", ...creation }, "fetch failed", 0],
  ["a dropped connection after the effect", { kind: "drop", when: "after", ...creation }, "fetch failed", 1],
  ["a truncated answer", { kind: "truncate" }, "terminated", 1],
  ["a status", { kind: "status", status: 500 }, "500 application/json", 0],
  ["a status after the effect", { kind: "status", status: 500, when: "after" }, "500 application/json", 1],
  ["an HTML page", { kind: "html", status: 502 }, "502 text/html <!DOCTYPE html>", 0],
  ["a body", { kind: "body", body: "hm", contentType: "text/plain", status: 200 }, "200 text/plain hm", 1],
  ["a redirect", { kind: "redirect", location: "http://127.0.0.1:1/x" }, "302 http://127.0.0.1:1/x", 0],
])("a fault replaces the answer: %s", async (_what, fault, expected, clusters) => {
  const fixture = await withFaults(fault);
  const result = await create(fixture).then(
    ({ status, headers, text }) => [status, headers.get("location") ?? headers.get("content-type"), text].join(" "),
    ({ message }: Error) => message,
  );
  expect(result).toContain(expected);
  expect(fixture.simulator.clusters()).toHaveLength(clusters);
  expect(fixture.simulator.requests).toMatchObject([{ method: "POST", body: web }]);
});

test.each(["before", "after"] as const)("a delay changes only the duration: %s the effect", async (when) => {
  const ms = 60;
  const fixture = await withFaults({ kind: "delay", ms, when, ...creation });
  const started = performance.now();
  const pending = create(fixture);
  while (fixture.simulator.openRequests().length === 0) await new Promise((resolve) => setTimeout(resolve, 1));
  expect(fixture.simulator.openRequests()).toEqual([{ method: "POST", path: "/v1/clusters" }]);
  if (when === "before") expect(fixture.simulator.clusters()).toEqual([]);
  while (fixture.simulator.clusters().length === 0) await new Promise((resolve) => setTimeout(resolve, 1));
  if (when === "after") expect(fixture.simulator.openRequests()).toHaveLength(1);
  expect((await pending).status).toBe(201);
  expect(performance.now() - started).toBeGreaterThanOrEqual(ms - 1);
  expect([fixture.simulator.openRequests(), fixture.simulator.clusters().length]).toEqual([[], 1]);
});

const sick = { kind: "sick-replica", replica: 1, message: "CUDA error" } as const;
const failing = { kind: "fail", message: "image not found" } as const;
const hidden = { kind: "hidden", ms: 5000 } as const;
test.each<[string, Fault, string]>([
  [
    "a sick replica, and none with a new env",
    sick,
    "3600000 status=provisioning restart=restarting 3000 get=restarting env=updating 3000 get=running",
  ],
  [
    "a failure halfway, and none with a new env",
    failing,
    "1499 get=provisioning 1 get=failed restart=restarting 1500 get=failed env=updating 3000 get=running",
  ],
  [
    "a failure in each of two rollouts of one container",
    { ...failing, container: "acme/*:2", times: 2 },
    "3000 get=running update=updating 1499 get=updating 1 get=failed nothing=updating 3000 get=failed update=updating 3000 get=running",
  ],
  ["a cluster that reads do not show for a while", hidden, "4999 get=404:cluster_not_found 1 get=running"],
])("a new cluster has the fault: %s", async (_what, fault, script) => {
  const fixture = await startWithCluster({ faults: [fault] }, 0);
  expect(await play(fixture, script)).toBe(script);
});

test("a sick replica restarts and has a message; tests see a hidden cluster", async () => {
  const fixture = await startWithCluster({ faults: [sick, { kind: "hidden", ms: 5_000_000 }] }, 3_600_000);
  const { hidden, replicaStates } = snapshotOf(fixture);
  expect([hidden, replicaStates.map(({ healthy }) => healthy)]).toEqual([true, [true, false, true]]);
  expect(replicaStates[1]).toMatchObject({ status: "unhealthy", message: "CUDA error" });
  expect(replicaStates[1]?.restarts).toBeGreaterThan(10);
});

test("faults of a new cluster wait for a successful creation of that name", async () => {
  const { call, simulator, clock } = await withFaults(
    { kind: "fail", message: "no", name: "web-*" },
    { kind: "status", status: 500, ...creation },
  );
  for (const name of ["web-1", "api", "web-1"]) await call("POST /v1/clusters", { ...web, name });
  clock.advance(3000);
  expect(simulator.clusters().map(({ name, status }) => `${name} ${status}`)).toEqual(["api running", "web-1 failed"]);
});

test("faults apply in their order, to `times` requests after the first `after`, and can be added later", async () => {
  const { call, simulator } = await withFaults(
    { kind: "status", status: 500, path: "/health", after: 1, times: 2 },
    { kind: "status", status: 502, path: /^\/v1\/gpus/g, times: 3 },
    { kind: "status", status: 504, method: "get", path: "/v1/clusters/*" },
    { kind: "status", status: 410, method: "PUT" },
  );
  const statuses = async (...paths: string[]) => {
    const found: number[] = [];
    for (const path of paths) found.push((await call(`GET ${path}`)).status);
    return found;
  };
  expect(await statuses("/health", "/health", "/health", "/health")).toEqual([200, 500, 500, 200]);
  expect(await statuses("/v1/gpus", "/v1/gpus/models", "/v1/gpus", "/v1/gpus")).toEqual([502, 502, 502, 200]);
  expect(await statuses("/v1/clusters", "/v1/clusters/x/status", "/v1/clusters/x")).toEqual([200, 404, 504]);
  simulator.fault({ kind: "status", status: 500 });
  expect(await statuses("/health")).toEqual([500]);
  expect(() => simulator.fault({ kind: "status", status: 42 })).toThrow(
    "status: Too small: expected number to be >=200",
  );
});

test("close ends waiting requests, and can be called again", async () => {
  const fixture = await start({ latencyMs: 60_000 });
  const waiting = expect(create(fixture)).rejects.toThrow("fetch failed");
  while (fixture.simulator.openRequests().length === 0) await new Promise((resolve) => setTimeout(resolve, 1));
  await fixture.simulator.close();
  await fixture.simulator.close();
  await waiting;
});

const lagMs = 10_000;

/** One cluster in a service whose lists lag; `listed` reads the list. */
async function lagging(options: SimulatorOptions = {}) {
  const fixture = await startWithCluster({ listLagMs: lagMs, ...options }, 0);
  const listed = async (): Promise<object[]> => (await fixture.call("GET /v1/clusters")).body.clusters;
  return { ...fixture, listed };
}

test("a lagging list shows clusters as they were", async () => {
  const fixture = await lagging({ dialect: { uniqueNames: true } });
  const fields = (status: string, replicas: number) => [{ name: "web", status, replicas }];
  expect(await play(fixture, "get create")).toBe("get=provisioning create=409:name_taken");
  fixture.clock.advance(lagMs - 1);
  expect(await fixture.listed()).toEqual([]);
  fixture.clock.advance(1);
  expect(await fixture.listed()).toMatchObject(fields("provisioning", 3));
  await play(fixture, "60000 scale5 5000 stop");
  expect(await fixture.listed()).toMatchObject(fields("running", 3));
  fixture.clock.advance(5000);
  expect(await fixture.listed()).toMatchObject(fields("scaling", 5));
  fixture.clock.advance(5300);
  expect(await fixture.listed()).toMatchObject(fields("stopped", 5));
});

test.each<[string, SimulatorOptions, string, number]>([
  ["a deleted cluster is still listed", {}, "60000 delete 300 get=404:cluster_not_found", 1],
  ["and no longer after the lag", {}, "60000 delete 10300", 0],
  ["a hidden cluster is hidden for as long, later", { faults: [{ kind: "hidden", ms: 5000 }] }, "14999", 0],
])("a lagging list shows changes late: %s", async (_what, options, script, count) => {
  const fixture = await lagging(options);
  expect(await play(fixture, script)).toContain(script.split(" ").at(-1));
  expect(await fixture.listed()).toHaveLength(count);
});
