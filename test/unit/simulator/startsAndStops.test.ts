import type { Dialect } from "../../../simulator";
import { start, startWithCluster, stopAll, web } from "./harness";

afterEach(stopAll);

const calls = { restart: undefined, redeploy: undefined, scale: { replicas: 3 } } as const;

test.each<[Dialect["startedBy"], string[]]>([
  ["restart-or-redeploy", ["restart", "redeploy"]],
  ["redeploy", ["redeploy"]],
  ["scale", ["scale"]],
])("a stopped cluster is started by %s alone", async (startedBy, starters) => {
  for (const [action, body] of Object.entries(calls)) {
    const { call, path, simulator, id, clock } = await startWithCluster({ dialect: { startedBy } });
    await call(`POST ${path}/stop`);
    clock.advance(300);
    const reply = await call(`POST ${path}/${action}`, body);
    // A scale is never refused: it applies to the next start.
    const refused = action !== "scale" && !starters.includes(action);
    expect([reply.status, reply.body.error?.code]).toEqual(refused ? [409, "invalid_state"] : [200, undefined]);
    clock.advance(3000);
    expect([action, simulator.cluster(id)?.status]).toEqual([
      action,
      starters.includes(action) ? "running" : "stopped",
    ]);
  }
});

test("the changes of a stopped cluster take effect when a scale starts it", async () => {
  const { call, path, simulator, id, clock } = await startWithCluster({ dialect: { startedBy: "scale" } });
  await call(`POST ${path}/stop`);
  clock.advance(300);
  await call(`PATCH ${path}`, { env: { B: "2" }, replicas: 2 });
  expect(simulator.cluster(id)).toMatchObject({ status: "stopped", replicas: 2 });
  expect((await call(`POST ${path}/scale`, { replicas: 4 })).body).toMatchObject({ status: "restarting", replicas: 4 });
  clock.advance(3000);
  expect(simulator.cluster(id)).toMatchObject({ status: "running", replicas: 4, deployed: { env: { B: "2" } } });
});

test("a start by scale needs free GPUs", async () => {
  const { call, path, simulator, id, clock } = await startWithCluster({ dialect: { startedBy: "scale" } });
  await call(`POST ${path}/stop`);
  clock.advance(300);
  simulator.setGpuType("h100", { stock: 1 });
  expect((await call(`POST ${path}/scale`, { replicas: 3 })).body.error.code).toBe("insufficient_capacity");
  expect(simulator.cluster(id)?.status).toBe("stopped");
});

test("an action may be answered with an operation", async () => {
  const { call, path } = await startWithCluster({ dialect: { actionAnswer: "operation" } });
  for (const line of [`POST ${path}/restart`, `POST ${path}/redeploy`, `POST ${path}/stop`]) {
    const { status, body } = await call(line);
    expect(status).toBe(202);
    expect(body).toEqual({ id: expect.stringMatching(/^op_[0-9a-f]{8}$/), status: "accepted" });
  }
  expect((await call(`PATCH ${path}`, { replicas: 2 })).body).toMatchObject({ name: "web", replicas: 2 });
});

const changes = (path: string): [line: string, body?: unknown][] => [
  [`PATCH ${path}`, { replicas: 2 }],
  [`POST ${path}/scale`, { replicas: 2 }],
  [`POST ${path}/restart`],
  [`POST ${path}/redeploy`],
  [`POST ${path}/stop`],
  [`DELETE ${path}`],
];

test.each<Dialect["runningWhen"]>(["all-healthy", "placed", "always"])(
  "a busy cluster refuses every change until its last replica is healthy (%s)",
  async (runningWhen) => {
    const { call, clock } = await start({ dialect: { busyWhen: "changing", runningWhen } });
    const path = `/v1/clusters/${(await call("POST /v1/clusters", web)).body.id}`;
    clock.advance(2999);
    for (const [line, body] of changes(path)) {
      const reply = await call(line, body);
      expect([line, reply.status, reply.body.error.code]).toEqual([line, 409, "cluster_busy"]);
    }
    clock.advance(1);
    expect((await call(`POST ${path}/restart`)).status).toBe(200);
    expect((await call(`DELETE ${path}`)).status).toBe(409);
    clock.advance(3000);
    expect((await call(`POST ${path}/stop`)).status).toBe(200);
    expect((await call(`POST ${path}/restart`)).body.error.code).toBe("cluster_busy");
    clock.advance(300);
    expect((await call(`DELETE ${path}`)).status).toBe(200);
    expect((await call(`DELETE ${path}`)).status).toBe(200);
  },
);

test.each([
  ["a replica is sick", { kind: "sick-replica", replica: 0, message: "Xid 79" }],
  ["it failed", { kind: "fail", message: "no image" }],
] as const)("a cluster is not busy for ever because %s", async (_why, fault) => {
  const { call, path, simulator, id } = await startWithCluster({ dialect: { busyWhen: "changing" }, faults: [fault] });
  expect(simulator.cluster(id)?.status).not.toBe("running");
  expect((await call(`DELETE ${path}`)).status).toBe(200);
});

test("if the service is never busy, it accepts every change at once", async () => {
  const { call } = await start();
  const path = `/v1/clusters/${(await call("POST /v1/clusters", web)).body.id}`;
  for (const [line, body] of changes(path)) expect((await call(line, body)).status).toBe(200);
});
