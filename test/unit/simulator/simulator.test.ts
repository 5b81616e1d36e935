import {
  type Dialect,
  type Fault,
  gpuModelId,
  type SimulatedCluster,
  type Simulator,
  type SimulatorOptions,
} from "../../../simulator";
import { closeSimulators, openSimulator } from "../../support/simulators";

/**
 * What docs/guides/testing.md promises to users of `startSimulator`. The tests of the provider show that its answers are those
 * of a service; test/contract has their shapes, and test/install runs the official client against it.
 */

interface Reply {
  status: number;
  // biome-ignore lint/suspicious/noExplicitAny: tests read bodies of many shapes
  body: any;
  text: string;
  headers: Headers;
}

/** A simulator whose clock only tests move, and a client that sends JSON to it. */
interface Fixture {
  simulator: Simulator;
  clock: { now(): number; advance(ms: number): void };
  call(line: string, body?: unknown, headers?: Record<string, string>): Promise<Reply>;
}

afterEach(closeSimulators);

async function start(options: SimulatorOptions = {}): Promise<Fixture> {
  let time = Date.parse("2030-01-01T00:00:00Z");
  const clock = {
    now: () => time,
    advance: (ms: number) => {
      time += ms;
    },
  };
  const simulator = await openSimulator({ clock, ...options });
  return {
    simulator,
    clock,
    async call(line, body, headers) {
      const [method = "", path = ""] = line.split(" ");
      const type: Record<string, string> = body === undefined ? {} : { "content-type": "application/json" };
      const response = await fetch(simulator.url + path, {
        method,
        redirect: "manual",
        headers: { authorization: `Bearer ${simulator.apiKey}`, ...type, ...headers },
        body: body === undefined || typeof body === "string" ? body : JSON.stringify(body),
      });
      const text = await response.text();
      return { status: response.status, headers: response.headers, text, body: parsed(text) };
    },
  };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** A valid create request. */
const web = { name: "web", gpu_type: "h100", replicas: 3, container: "acme/model:1", env: { A: "1" } };
const creation = { method: "POST", path: "/v1/clusters" };

type WithCluster = Fixture & { id: string; path: string };

/** A simulator with one cluster, which runs unless less time has passed. */
async function startWithCluster(options: SimulatorOptions = {}, ageMs = 3000): Promise<WithCluster> {
  const fixture = await start(options);
  const { id } = (await fixture.call("POST /v1/clusters", web)).body;
  fixture.clock.advance(ageMs);
  return { ...fixture, id, path: `/v1/clusters/${id}` };
}

const snapshotOf = ({ simulator, id }: WithCluster) => simulator.cluster(id) as SimulatedCluster;

const update = { replicas: 2, container: "acme/model:2", env: { B: "2" } };
const steps: Readonly<Record<string, readonly [line: string, body?: unknown]>> = {
  get: ["GET"],
  status: ["GET /status"],
  stop: ["POST /stop"],
  restart: ["POST /restart"],
  redeploy: ["POST /redeploy"],
  delete: ["DELETE"],
  update: ["PATCH", update],
  env: ["PATCH", { env: update.env }],
  nothing: ["PATCH", { env: { A: "1" }, replicas: 3 }],
  create: ["POST /v1/clusters", { ...update, name: "web", gpu_type: "h100" }],
};

/**
 * Plays a script such as `stop=stopping 300 scale5=409:cluster_busy stock2`: requests with their answers, pauses in
 * milliseconds, and events. Returns the script with the answers that came.
 */
async function play(fixture: WithCluster, script: string): Promise<string> {
  const played: string[] = [];
  for (const [name = ""] of script.split(" ").map((step) => step.split("="))) {
    const [, verb, number] = /^([a-z]*)(\d+)$/.exec(name) ?? [];
    const request = verb === "scale" ? (["POST /scale", { replicas: Number(number) }] as const) : steps[name];
    if (verb === "") fixture.clock.advance(Number(number));
    if (verb === "stock") fixture.simulator.setGpuType("h100", { stock: Number(number) });
    if (["running", "failed", "stopped", "gone"].includes(name))
      fixture.simulator.change(fixture.id, { status: name as "gone" });
    if (!request) {
      played.push(name);
      continue;
    }
    const [method, rest = ""] = request[0].split(" ");
    const reply = await fixture.call(`${method} ${rest.startsWith("/v1") ? rest : fixture.path + rest}`, request[1]);
    const word = reply.body?.error?.code ?? reply.body?.status ?? "-";
    played.push(`${name}=${reply.status === 200 ? word : `${reply.status}:${word}`}`);
  }
  return played.join(" ");
}

const { env } = update;
const deployed = { deployed: { env } };
const refused = "409:insufficient_capacity";
const noCluster = "404:cluster_not_found";

type Row = [what: string, script: string, then?: object, dialect?: Partial<Dialect>];

test.each<Row>([
  ["scaling out adds replicas", "scale5=scaling 3000 get=running", { replicas: 5 }],
  ["an update to the current values changes nothing", "nothing=running", { generation: 1 }],
  ["an update of env rolls out", "env=updating 3000 get=running", { ...deployed, generation: 2 }],
  ["a restart counts", "restart=restarting", { replicaStates: [{ restarts: 1, status: "pending" }, {}, {}] }],
  [
    "a stopped cluster stores changes",
    "stop=stopping 300 update=stopped restart=restarting 3000 get=running",
    deployed,
  ],
  ["an update may wait for a redeploy", "env=running redeploy=deploying", deployed, { updateRollsOut: false }],
  [
    "a deletion ends with nothing",
    `delete=terminating 200 delete=terminating restart=409:invalid_state 100 get=${noCluster}`,
    { status: "gone" },
  ],
  [
    "a tombstone is read for a minute, and holds no name and no GPU",
    `create=409:name_taken delete=terminating 60299 status=terminated stock2 create=201:provisioning 1 get=${noCluster}`,
    {},
    { tombstone: "listed", uniqueNames: true },
  ],

  [
    "only a scale starts",
    "stop=stopping 300 restart=409:invalid_state redeploy=409:invalid_state update=stopped scale4=restarting",
    { replicas: 4, ...deployed },
    { startedBy: "scale" },
  ],
  [
    "only a redeploy starts",
    "stop=stopping 300 restart=409:invalid_state scale2=stopped redeploy=deploying",
    { replicas: 2 },
    { startedBy: "redeploy" },
  ],
  ["an action has no body", "restart=202:- env=updating", {}, { actionAnswer: "empty" }],
  [
    "a stopped cluster refuses updates",
    "stop=stopping 300 update=409:invalid_state scale2=stopped",
    { replicas: 2, env: web.env, deployed: { env: web.env } },
    { stoppedUpdate: "refused" },
  ],
  [
    "an update starts the previous configuration",
    "stop=stopping 300 env=restarting",
    { env, deployed: { env: web.env } },
    { stoppedUpdate: "starts", updateRollsOut: false },
  ],
  ["a change shows no status of its own", "env=running 3000 get=running", deployed, { runningWhen: "always" }],
  ["it runs once its replicas have a place", "env=updating 1000 get=running", deployed, { runningWhen: "placed" }],
  ["a deleted one stays readable", "delete=terminating 86400000 get=terminated", {}, { tombstone: "readable" }],
  [
    "a busy cluster refuses every change, and a second deletion",
    `restart=restarting ${"update scale2 restart redeploy stop delete".replace(/\w+/g, "$&=409:cluster_busy")} 3000 delete=terminating delete=409:invalid_state`,
    {},
    { busyWhen: "changing" },
  ],
  [
    "growth beyond the stock is refused",
    `stock4 scale5=${refused} stop=stopping 300 stock2 restart=${refused}`,
    { status: "stopped", replicas: 3 },
  ],
  ["another program starts it with its stored updates", "stopped env=stopped running get=running", deployed],
  ["another program ends a failure", "failed running get=running", { status: "running" }],
  ["another program deletes it", `gone get=${noCluster}`],
])("a cluster changes as described: %s: %s", async (_what, script, then = {}, dialect = {}) => {
  const fixture = await startWithCluster({ dialect });
  expect(await play(fixture, script)).toBe(script);
  expect(snapshotOf(fixture)).toMatchObject(then);
});

test("a cluster of another program runs, is listed for its organization alone, and holds GPUs", async () => {
  const { call, simulator, clock } = await start({
    apiKeys: { a: "mine", b: "theirs" },
    dialect: { uniqueNames: true },
  });
  const createdAt = clock.now() - 86_400_000;
  const mine = simulator.addCluster({ name: "web", gpuType: "h100", replicas: 2, createdAt });
  const hidden = { name: "hidden", gpuType: "h100", organization: "theirs", status: "stopped" } as const;
  const theirs = simulator.addCluster(hidden);
  expect(mine).toMatchObject({ status: "running", createdAt: "2029-12-31T00:00:00.000Z", organization: "mine" });
  const { id, endpoint } = mine;
  expect((await call("GET /v1/clusters")).body.clusters).toMatchObject([{ id, name: "web", endpoint }]);
  expect((await call(`DELETE /v1/clusters/${theirs.id}`)).body.error.code).toBe("cluster_not_found");
  expect((await call("GET /v1/gpus/h100/availability")).body.available_count).toBe(254);
  expect((await call("POST /v1/clusters", web)).status).toBe(409);
});

test("later events do not change a snapshot, and a snapshot cannot change the simulator", async () => {
  const fixture = await startWithCluster();
  const before = snapshotOf(fixture);
  before.env["A"] = "spoiled";
  fixture.simulator.change(fixture.id, { replicas: 1 });
  expect([before.replicas, snapshotOf(fixture).env]).toEqual([3, { A: "1" }]);
  expect(fixture.simulator.cluster("cl_none")).toBeUndefined();
  expect(() => fixture.simulator.change("cl_none", {})).toThrow("cl_none");
});

test("clusters take GPUs out of the stock, and stopping or deleting gives them back", async () => {
  const fixture = await startWithCluster();
  const free: number[] = [];
  for (const step of ["", "POST /scale", "POST /stop", "POST /restart", "DELETE "]) {
    const [method, rest] = step.split(" ");
    if (step) await fixture.call(`${method} ${fixture.path}${rest}`, rest === "/scale" ? { replicas: 4 } : undefined);
    fixture.clock.advance(3000);
    free.push((await fixture.call("GET /v1/gpus/h100/availability")).body.available_count);
  }
  expect(free).toEqual([253, 252, 256, 252, 256]);
});

test("price and stock of a type can be changed, and answers can report another stock than creations find", async () => {
  const { call, simulator } = await start({
    gpuTypes: [{ type: "l4", name: "L4", memoryGb: 24, pricePerHour: 0.5, stock: 0 }],
  });
  const none = { gpu_type: "l4", available: false, available_count: 0 };
  expect((await call("GET /v1/gpus/l4/availability")).body).toEqual(none);
  simulator.setGpuType("l4", { stock: 2, reportedStock: 9, pricePerHour: undefined });
  const record = { type: "l4", name: "L4", memory_gb: 24, available: true, available_count: 9 };
  expect((await call("GET /v1/gpus")).body.gpus).toEqual([record]);
  expect((await call("POST /v1/clusters", { ...web, gpu_type: "l4" })).body.error.code).toBe("insufficient_capacity");
  expect(() => simulator.setGpuType("x900", {})).toThrow("x900");
});

describe("a request", () => {
  it.each<[string, Partial<Dialect>, unknown, string, string]>([
    ["no JSON", {}, "{", "400 invalid_request", "JSON"],
    [
      "an unknown field",
      {},
      { ...web, gpuType: "h100" },
      "400 invalid_request",
      'Unknown field "gpuType". Known here: ',
    ],
    ["no container", {}, { ...web, container: undefined }, "400 invalid_request", '"container"'],
    ["an image without a tag", {}, { ...web, container: "nginx" }, "400 invalid_request", '"container"'],
    ["env with a number", {}, { ...web, env: { A: 1 } }, "400 invalid_request", '"env.A"'],
    ["an unknown GPU type", {}, { ...web, gpu_type: "x900" }, "400 invalid_gpu_type", "x900"],
    ["more replicas than there are GPUs", {}, { ...web, replicas: 999 }, "409 insufficient_capacity", "GPU"],
    ["other names than the service's", { requestNames: "client" }, web, "400 invalid_request", '"gpu_type"'],
  ])("for an invalid cluster is refused, and makes nothing: %s", async (_what, dialect, body, expected, reason) => {
    const { call, simulator } = await start({ dialect });
    const { status, body: answer } = await call("POST /v1/clusters", body);
    expect([`${status} ${answer.error.code}`, simulator.clusters()]).toEqual([expected, []]);
    expect(answer.error.message).toContain(reason);
  });

  const keys = { updateSemantics: "merge-keys" } as const;
  const replace = { updateSemantics: "replace" } as const;
  it.each<[dialect: Partial<Dialect>, body: unknown, result: string, env?: object]>([
    [{}, { env: { C: "3" } }, "200", { C: "3" }],
    [{}, { name: "other" }, '400 Unknown field "name"'],
    [keys, { env: { A: null, C: "3" } }, "200", { C: "3" }],
    [replace, { replicas: 3, container: web.container }, "200", {}],
    [replace, { replicas: 3 }, '400 The field "container" is missing'],
    [{ updateMethod: "PUT" }, { replicas: 4 }, "405 "],
  ])("for an update has the meaning of the service: %j %j: %s", async (dialect, body, result, expected = web.env) => {
    const { call, path, simulator, id } = await startWithCluster({ dialect });
    const reply = await call(`PATCH ${path}`, body);
    expect(`${reply.status} ${reply.body.error?.message ?? ""}`).toContain(result);
    expect(simulator.cluster(id)?.env).toEqual(expected);
  });

  it("needs a key of the service, and is recorded without it", async () => {
    const { call, simulator, clock } = await start({ apiKeys: { one: "org_1", two: "org_2" } });
    const { status, headers } = await call("GET /health", undefined, { authorization: "Bearer nope" });
    expect([status, headers.get("www-authenticate")]).toEqual([401, "Bearer"]);
    await call("POST /v1/clusters", web);
    simulator.revokeKey("one");
    expect((await call("GET /health")).status).toBe(401);
    const line = { at: clock.now(), method: "POST", path: "/v1/clusters", status: 201, organization: "org_1" };
    const recorded = { ...line, body: web, headers: expect.not.objectContaining({ authorization: expect.anything() }) };
    expect(simulator.requests[1]).toEqual(recorded);
  });

  it("counts for its key in a fixed window, unless it is refused", async () => {
    const { call, clock } = await start({ rateLimit: 2, rateWindowMs: 1500, apiKeys: { a: "org", b: "org" } });
    const get = async (key = "a") => {
      const { status, headers } = await call("GET /health", undefined, { authorization: `Bearer ${key}` });
      const names = ["x-ratelimit-limit", "x-ratelimit-remaining", "x-ratelimit-reset", "retry-after"];
      return [status, ...names.map((name) => headers.get(name))].join();
    };
    expect(await get()).toBe("200,2,1,1893456002,");
    clock.advance(1000);
    const answers = [await get(), await get(), await get("b")];
    expect(answers).toEqual(["200,2,0,1893456002,", "429,2,0,1893456002,1", "200,2,1,1893456003,"]);
    clock.advance(500);
    expect(await get()).toMatch(/^200,2,1/);
  });
});

test.each<[Partial<Dialect>, string[]]>([
  [{ paging: "cursor" }, ["?cursor=from-2", "?cursor=from-4"]],
  [{ paging: "cursor", listShape: "bare" }, ["?cursor=from-2", "?cursor=from-4"]],
  [{}, []],
])("a list is whole by its pages, and every other parameter is refused: %j", async (dialect, queries) => {
  const { call, simulator } = await start({ dialect });
  for (let index = 1; index <= 5; index += 1) simulator.addCluster({ name: `c${index}`, gpuType: "h100" });
  const names: string[] = [];
  for (const query of ["", ...queries]) {
    const { text } = await call(`GET /v1/clusters${query}`);
    names.push(...Array.from(text.matchAll(/"name":"(c\d)"/g), ([, name = ""]) => name));
  }
  expect(names).toEqual(["c1", "c2", "c3", "c4", "c5"]);
  expect((await call("GET /v1/clusters?cursor=2")).body.error?.code).toBe("invalid_request");
});

const message = expect.any(String);

test.each<[Partial<Dialect>, string, number, unknown]>([
  [{}, "GET /v1/clusters/x", 404, { error: { code: "cluster_not_found", message, status: 404 } }],
  [{ errorShape: "flat" }, "GET /v1/clusters/x", 404, { code: "cluster_not_found", message }],
  [{ errorShape: "typed" }, "GET /v1/clusters/x", 404, { error: { type: "not_found_error", code: message, message } }],
  [{ recordShape: "wrapped" }, "GET /v1/clusters/:id", 200, { cluster: expect.objectContaining({ name: "a" }) }],
  [{ recordShape: "data" }, "GET /v1/clusters/:id", 200, { data: expect.objectContaining({ name: "a" }) }],
  [{ paging: "next-cursor" }, "GET /v1/clusters", 200, { clusters: [message, message], nextCursor: "from-2" }],
  [{ paging: "next-cursor" }, "GET /v1/clusters?cursor=from-2", 200, { clusters: [message] }],
])("an answer has the shape of the dialect: %j: %s", async (dialect, line, status, expected) => {
  const { call, simulator } = await start({ dialect });
  const [first] = ["a", "b", "c"].map((name) => simulator.addCluster({ name, gpuType: "h100" }));
  const reply = await call(line.replace(":id", first?.id ?? ""));
  const rows = reply.body.clusters?.map(({ name }: { name: string }) => name);
  expect(reply.status).toBe(status);
  expect(rows ? { ...reply.body, clusters: rows } : reply.body).toEqual(expected);
});

describe("a fault", () => {
  it.each<[string, Fault, string, number]>([
    ["a dropped connection before the effect", { kind: "drop", when: "before", ...creation }, "fetch failed", 0],
    ["a dropped connection after the effect", { kind: "drop", when: "after", ...creation }, "fetch failed", 1],
    ["a truncated answer", { kind: "truncate" }, "terminated", 1],
    ["a status", { kind: "status", status: 500 }, "500 application/json", 0],
    ["a status after the effect", { kind: "status", status: 500, when: "after" }, "500 application/json", 1],
    ["an HTML page", { kind: "html", status: 502 }, "502 text/html <!DOCTYPE html>", 0],
    ["a body", { kind: "body", body: "hm", contentType: "text/plain", status: 200 }, "200 text/plain hm", 1],
    ["a redirect", { kind: "redirect", location: "http://127.0.0.1:1/x" }, "302 http://127.0.0.1:1/x", 0],
  ])("replaces the answer: %s", async (_what, fault, expected, clusters) => {
    const { call, simulator } = await start({ faults: [fault] });
    const result = await call("POST /v1/clusters", web).then(
      ({ status, headers, text }) => [status, headers.get("location") ?? headers.get("content-type"), text].join(" "),
      ({ message }: Error) => message,
    );
    expect(result).toContain(expected);
    expect(simulator.clusters()).toHaveLength(clusters);
    expect(simulator.requests).toMatchObject([{ method: "POST", body: web }]);
  });

  it.each(["before", "after"] as const)("delays the answer, which is open meanwhile: %s the effect", async (when) => {
    const { call, simulator } = await start({ faults: [{ kind: "delay", ms: 60, when, ...creation }] });
    const pending = call("POST /v1/clusters", web);
    while (simulator.openRequests().length === 0) await new Promise((resolve) => setTimeout(resolve, 1));
    expect(simulator.openRequests()).toEqual([creation]);
    if (when === "before") expect(simulator.clusters()).toEqual([]);
    expect((await pending).status).toBe(201);
    expect([simulator.openRequests(), simulator.clusters().length]).toEqual([[], 1]);
  });

  const failing = { kind: "fail", message: "image not found" } as const;
  it.each<[string, Fault, string]>([
    [
      "a sick replica, and none with a new env",
      { kind: "sick-replica", replica: 1, message: "CUDA error" },
      "3600000 status=provisioning restart=restarting 3000 get=restarting env=updating 3000 get=running",
    ],
    [
      "a replica that flaps twice",
      { kind: "flap", replica: 1, periodMs: 1000, flaps: 2 },
      "3000 get=running 1000 get=provisioning 1000 get=running 1000 get=provisioning 1000 get=running 1000 get=running",
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
    ["that reads do not show it", { kind: "hidden", ms: 5000 }, `4999 get=${noCluster} 1 get=running`],
  ])("strikes a new cluster: %s", async (_what, fault, script) => {
    const fixture = await startWithCluster({ faults: [fault] }, 0);
    expect(await play(fixture, script)).toBe(script);
  });

  it("of a sick replica restarts it, with a message, even if reads hide the cluster", async () => {
    const sick = { kind: "sick-replica", replica: 1, message: "CUDA error" } as const;
    const fixture = await startWithCluster({ faults: [sick, { kind: "hidden", ms: 5_000_000 }] }, 3_600_000);
    const { hidden, replicaStates } = snapshotOf(fixture);
    expect([hidden, replicaStates.map(({ healthy }) => healthy)]).toEqual([true, [true, false, true]]);
    expect(replicaStates[1]).toMatchObject({ status: "unhealthy", message: "CUDA error" });
    expect(replicaStates[1]?.restarts).toBeGreaterThan(10);
  });

  it("of a new cluster waits for a successful creation of that name", async () => {
    const { call, simulator, clock } = await start({
      faults: [
        { kind: "fail", message: "no", name: "web-*" },
        { kind: "status", status: 500, ...creation },
      ],
    });
    for (const name of ["web-1", "api", "web-1"]) await call("POST /v1/clusters", { ...web, name });
    clock.advance(3000);
    expect(simulator.clusters().map(({ name, status }) => `${name} ${status}`)).toEqual([
      "api running",
      "web-1 failed",
    ]);
  });

  it("applies in its order, to `times` requests after the first `after`, and can be added later", async () => {
    const { call, simulator } = await start({
      faults: [
        { kind: "status", status: 500, path: "/health", after: 1, times: 2 },
        { kind: "status", status: 502, path: /^\/v1\/gpus/g, times: 3 },
        { kind: "status", status: 504, method: "get", path: "/v1/clusters/*" },
        { kind: "status", status: 410, method: "PUT" },
      ],
    });
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
});

test("the official client's service says why a cluster failed, redeploys an image, and shows a deleted cluster", async () => {
  const { call, simulator, clock } = await start({ dialect: "client" });
  const sizes = { gpusPerReplica: 1, replicaCount: 2 };
  const client = {
    name: "web",
    gpuModelId: gpuModelId("h100"),
    ...sizes,
    imageUrl: "acme/model:1",
    envVars: { A: "1" },
  };
  const { id } = (await call("POST /v1/clusters", client)).body.data;
  const path = `/v1/clusters/${id}`;
  clock.advance(3000);
  simulator.change(id, { status: "failed", message: "no memory" });
  expect((await call(`GET ${path}`)).body.data).toMatchObject({ status: "failed", statusReason: "no memory" });
  const redeploy = { imageUrl: "acme/model:2", cloudInitRuncmd: ["date"] };
  const redeployed = { id, status: "deploying", imageUrl: "acme/model:2" };
  expect((await call(`POST ${path}/redeploy`, redeploy)).body).toEqual({ data: redeployed });
  expect(simulator.cluster(id)).toMatchObject({ env: { A: "1" }, extras: { cloudInitRuncmd: ["date"] } });
  const deleted = { status: "terminated", imageUrl: "acme/model:2" };
  expect((await call(`DELETE ${path}`)).body.data).toMatchObject(deleted);
  clock.advance(86_400_000);
  expect((await call(`GET ${path}`)).body.data).toMatchObject(deleted);
  expect((await call("GET /v1/clusters")).body).toEqual({ data: [] });
});

test("a lagging list shows clusters as they were", async () => {
  const fixture = await startWithCluster({ listLagMs: 10_000 }, 0);
  const listed = async (): Promise<object[]> => (await fixture.call("GET /v1/clusters")).body.clusters;
  fixture.clock.advance(9_999);
  expect(await listed()).toEqual([]);
  fixture.clock.advance(1);
  expect(await listed()).toMatchObject([{ name: "web", status: "provisioning", replicas: 3 }]);
  await play(fixture, "60000 scale5 5000 delete");
  expect(await listed()).toMatchObject([{ status: "running", replicas: 3 }]);
  fixture.clock.advance(10_300);
  expect(await listed()).toEqual([]);
});

test("close ends waiting requests, and can be called again", async () => {
  const { call, simulator } = await start({ latencyMs: 60_000 });
  const waiting = expect(call("POST /v1/clusters", web)).rejects.toThrow("fetch failed");
  while (simulator.openRequests().length === 0) await new Promise((resolve) => setTimeout(resolve, 1));
  await simulator.close();
  await simulator.close();
  await waiting;
});
