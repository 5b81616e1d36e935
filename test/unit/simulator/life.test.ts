import type { Dialect, SimulatorOptions } from "../../../simulator";
import { play, snapshotOf, start, startWithCluster, type WithCluster, web } from "./harness";

const env = { B: "2" };
const three = (status: string) => Array(3).fill({ status });

test("the create answer has exactly the specified fields, and is provisioning even if nothing takes time", async () => {
  const { call, simulator } = await start({ provisioningMs: 0 });
  const { status, body } = await call("POST /v1/clusters", web);
  expect(status).toBe(201);
  expect(body).toEqual({
    id: expect.stringMatching(/^cl_[0-9a-f]{8}$/),
    ...{ name: "web", status: "provisioning", gpu_type: "h100", replicas: 3 },
    endpoint: `https://web-${body.id.slice(3)}.clusters.example.com`,
    created_at: "2030-01-01T00:00:00.000Z",
  });
  expect(simulator.cluster(body.id)?.status).toBe("running");
});

type Row = [what: string, script: string, then?: object, dialect?: Partial<Dialect>];

const refused = "409:insufficient_capacity";
const after = { deployed: { env } };
const before = { env: web.env, deployed: { env: web.env } };
const noCluster = "404:cluster_not_found";

test.each<Row>([
  ["scaling out adds replicas", "scale5=scaling 3000 get=running", { replicas: 5 }],
  ["an update to the current values changes nothing", "nothing=running", { generation: 1 }],
  ["an update of env rolls out", "env=updating 3000 get=running", { ...after, generation: 2 }],
  ["a restart counts", "restart=restarting", { replicaStates: [{ restarts: 1, status: "pending" }, {}, {}] }],
  ["a stopped cluster stores changes", "stop=stopping 300 update=stopped restart=restarting 3000 get=running", after],
  ["an update may wait for a redeploy", "env=running redeploy=deploying", after, { updateRollsOut: false }],
  [
    "a deletion ends with nothing",
    `delete=terminating 200 delete=terminating restart=409:invalid_state 100 get=${noCluster}`,
    { status: "gone", ...before },
  ],
  [
    "a tombstone is read for a minute",
    `delete=terminating 60299 status=terminated restart=${noCluster} 1 get=${noCluster}`,
    {},
    { tombstone: "listed" },
  ],
  [
    "a tombstone holds no name and no GPU",
    "create=409:name_taken delete=terminating 300 stock2 create=201:provisioning",
    {},
    { tombstone: "listed", uniqueNames: true },
  ],
  [
    "only a scale starts",
    "stop=stopping 300 restart=409:invalid_state redeploy=409:invalid_state update=stopped scale4=restarting",
    { replicas: 4, ...after },
    { startedBy: "scale" },
  ],
  [
    "only a redeploy starts",
    "stop=stopping 300 restart=409:invalid_state scale2=stopped redeploy=deploying",
    { replicas: 2 },
    { startedBy: "redeploy" },
  ],
  ["two clusters may have one name", "create=201:provisioning"],
  ["an action has no body", "restart=202:- env=updating", {}, { actionAnswer: "empty" }],
  [
    "a busy cluster refuses every change, and a second deletion",
    `restart=restarting ${"update scale2 restart redeploy stop delete".replace(/\w+/g, "$&=409:cluster_busy")} 3000 stop=stopping restart=409:cluster_busy 300 delete=terminating delete=409:invalid_state`,
    {},
    { busyWhen: "changing" },
  ],
  ["a failed cluster is not busy", "failed delete=terminating", {}, { busyWhen: "changing" }],
  [
    "a stopped cluster refuses updates",
    "stop=stopping 300 update=409:invalid_state scale2=stopped",
    { replicas: 2, ...before },
    { stoppedUpdate: "refused" },
  ],
  [
    "an update starts the previous configuration",
    "stop=stopping 300 env=restarting",
    { ...before, env },
    { stoppedUpdate: "starts", updateRollsOut: false },
  ],
  [
    "growth beyond the stock is refused",
    `stock4 scale5=${refused} stop=stopping 300 stock2 restart=${refused}`,
    { status: "stopped", replicas: 3 },
  ],
  ["another program starts it with its stored updates", "stopped env=stopped running get=running", after],
  ["another program ends a failure", "failed running get=running", { replicaStates: three("healthy") }],
  ["another program deletes it", `gone get=${noCluster}`],
])("a cluster changes as described: %s: %s", async (_what, script, then = {}, dialect = {}) => {
  const fixture = await startWithCluster({ dialect });
  expect(await play(fixture, script)).toBe(script);
  expect(snapshotOf(fixture)).toMatchObject(then);
});

const flap = { kind: "flap", replica: 1, periodMs: 1000, flaps: 2 } as const;

/** The status at each second, and which replicas are healthy. */
async function observed({ call, clock, path }: WithCluster, seconds: number): Promise<string[]> {
  const polls: string[] = [];
  for (let second = 0; second < seconds; second += 1) {
    const { status, replicas } = (await call(`GET ${path}/status`)).body;
    polls.push(`${status} ${replicas.map(({ healthy }: { healthy: boolean }) => (healthy ? "+" : "-")).join("")}`);
    clock.advance(1000);
  }
  return polls;
}

const young = "provisioning ---, provisioning +--, provisioning ++-";
test.each<[string, SimulatorOptions, string]>([
  ["one after the other", {}, `${young}, running +++`],
  [
    "and one flaps",
    { faults: [flap] },
    `${young}, running +++, provisioning +-+, running +++, provisioning +-+, running +++, running +++`,
  ],
  [
    "while the status is always running",
    { faults: [flap], dialect: { runningWhen: "always" } },
    `running ---, running +--, running ++-, running +++, running +-+, running +++`,
  ],
])("replicas become healthy: %s", async (_what, options, expected) => {
  const polls = expected.split(", ");
  expect(await observed(await startWithCluster(options, 0), polls.length)).toEqual(polls);
});

test("a cluster of another program runs, is listed for its organization and holds GPUs", async () => {
  const { call, simulator, clock } = await start({ apiKeys: { a: "mine" }, dialect: { uniqueNames: true } });
  const createdAt = clock.time - 86_400_000;
  const mine = simulator.addCluster({ name: "web", gpuType: "h100", replicas: 2, createdAt });
  simulator.addCluster({ name: "hidden", gpuType: "h100", organization: "theirs", status: "stopped" });
  expect(mine).toMatchObject({ status: "running", createdAt: "2029-12-31T00:00:00.000Z", organization: "mine" });
  const { id, endpoint } = mine;
  expect((await call("GET /v1/clusters")).body.clusters).toMatchObject([{ id, name: "web", endpoint }]);
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
