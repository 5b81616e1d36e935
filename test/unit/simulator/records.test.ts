import type { Dialect } from "../../../simulator";
import { play, type Reply, startWithCluster, stopAll, web } from "./harness";

afterEach(stopAll);

type Body = Reply["body"];
type Seen = Record<"record" | "listed" | "status" | "stop", Body>;

/** What a service shows of a cluster with two healthy replicas and one that is sick, and the answer to its stop. */
async function seen(dialect: Partial<Dialect>, container = web.container): Promise<Seen> {
  const bench = await startWithCluster({ dialect });
  bench.simulator.change(bench.id, { sickReplica: { replica: 2, message: "Xid 79" }, container });
  const body = async (line: string) => (await bench.call(line)).body;
  const [record, list] = [await body(`GET ${bench.path}`), await body("GET /v1/clusters")];
  const status = await body(`GET ${bench.path}/status`);
  return { record, listed: Object.values(list.clusters)[0], status, stop: await body(`POST ${bench.path}/stop`) };
}

const places = ({ record, stop, listed }: Seen) => [Object.keys(record), Object.keys(stop), listed.name];
const stamps = ({ record, listed }: Seen) => [record.created_at, listed.created_at];
const words = ({ record, listed, status, stop }: Seen) =>
  [record, listed, status, stop, ...status.replicas].map((each) => each.status).join();
const env = ({ record }: Seen) => record.env;
const replicas = ({ status }: Seen) => status.replicas.map(({ id: _id, restarts: _restarts, ...facts }: Body) => facts);
const both = (healthy: object, sick: object) => [healthy, healthy, { ...sick, message: "Xid 79" }];
const pairs = (...values: string[]) => values.map((value, index) => ({ name: ["A", "GPU_HOST"][index], value }));

const stars = "********";
const injectedEnv = { GPU_HOST: "node-7" };
const hidden = { injectedEnv, envEcho: "hidden" } as const;
const prefixed = "CLUSTER_STATUS_RUNNING,CLUSTER_STATUS_RUNNING,CLUSTER_STATUS_RUNNING,CLUSTER_STATUS_STOPPING";

test.each<[Partial<Dialect>, (seen: Seen) => unknown, unknown]>([
  [{ recordShape: "wrapped" }, places, [["cluster"], ["cluster"], "web"]],
  [{ recordShape: "data" }, places, [["data"], ["data"], "web"]],
  [{ stampShape: "iso" }, stamps, Array(2).fill("2030-01-01T00:00:00.000Z")],
  [{ stampShape: "offset" }, stamps, Array(2).fill("2030-01-01T02:00:00+02:00")],
  [{ stampShape: "epoch-seconds" }, stamps, Array(2).fill(1_893_456_000)],
  [{ containerEcho: "same" }, ({ record }) => record.container, web.container],
  [{ containerEcho: "none" }, ({ record }) => record.container, undefined],
  [{ injectedEnv }, env, { A: "1", GPU_HOST: "node-7" }],
  [{ injectedEnv, envForm: "pairs" }, env, pairs("1", "node-7")],
  [{ injectedEnv, envEcho: "none", envHidden: "names" }, env, undefined],
  [hidden, env, { A: stars, GPU_HOST: stars }],
  [{ ...hidden, envForm: "pairs" }, env, pairs(stars, stars)],
  [{ ...hidden, envHidden: "names" }, env, ["A", "GPU_HOST"]],
  [{ ...hidden, envHidden: "names", envForm: "pairs" }, env, [{ name: "A" }, { name: "GPU_HOST" }]],
  [{}, words, "running,running,running,stopping,healthy,healthy,unhealthy"],
  [
    { statusWords: "upper-prefixed" },
    words,
    `${prefixed},REPLICA_STATUS_HEALTHY,REPLICA_STATUS_HEALTHY,REPLICA_STATUS_UNHEALTHY`,
  ],
  [{ statusWords: "title" }, words, "Running,Running,Running,Stopping,Ready,Ready,Not Ready"],
  [{}, replicas, both({ status: "healthy", healthy: true }, { status: "unhealthy", healthy: false })],
  [{ replicaFlag: "ready" }, replicas, both({ phase: "healthy", ready: true }, { phase: "unhealthy", ready: false })],
  [{ replicaHealth: "word" }, replicas, both({ status: "healthy" }, { status: "unhealthy" })],
  [
    { replicaHealth: "text" },
    replicas,
    both({ state: "healthy", health: "healthy" }, { state: "unhealthy", health: "unhealthy" }),
  ],
  [{ statusShape: "bare" }, ({ status }) => status.length, 3],
  [{ replicasForm: "counts" }, ({ status }) => status.replicas, { total: 3, healthy: 2 }],
  [{ replicasForm: "counts", statusShape: "bare" }, ({ status }) => status, { total: 3, healthy: 2 }],
])("%j shapes what a service shows", async (dialect, pick, expected) => {
  expect(pick(await seen(dialect))).toEqual(expected);
});

test("a camel record has other names, forms and unknown fields, in lists and after changes too", async () => {
  const { record, listed, stop } = await seen({ recordNames: "camel" });
  const facts = { name: "web", status: "running", replicas: "3", gpuType: "h100", region: null, labels: {} };
  const texts = {
    id: expect.any(String),
    endpoint: expect.stringMatching(/\/$/),
    createdAt: "2030-01-01T00:00:00.000Z",
  };
  expect(record).toEqual({ ...facts, ...texts, container: web.container, env: web.env });
  expect([listed, stop]).toEqual([
    { ...facts, ...texts },
    { ...facts, ...texts, status: "stopping" },
  ]);
});

test.each([
  ["team/llm:1", "docker.io/team/llm:1"],
  ["nginx:1.27", "docker.io/nginx:1.27"],
  ["ghcr.io/team/llm:1", "ghcr.io/team/llm:1"],
  ["registry:5000/llm:1", "registry:5000/llm:1"],
  ["localhost/llm:1", "localhost/llm:1"],
])("with its registry, the container %s is %s", async (container, expected) => {
  expect((await seen({ containerEcho: "registry" }, container)).record.container).toBe(expected);
});

test.each<[Partial<Dialect>, number, string, unknown]>([
  [{ replicaHealth: "text" }, 0, "", Array(3).fill({ state: "pending", health: "unknown" })],
  [{ replicasListed: "once-scheduled" }, 0, "", []],
  [{ replicasListed: "once-scheduled" }, 1000, "", [{ healthy: true }, { healthy: false }, {}]],
  [{ replicasListed: "once-scheduled", replicasForm: "counts" }, 0, "", { total: 0, healthy: 0 }],
  [{}, 3000, "stop 300 ", Array(3).fill({ status: "stopped" })],
  [{ replicasForm: "counts" }, 3000, "stop 300 ", { total: 3, healthy: 0 }],
  [{ stoppedReplicas: "none" }, 3000, "stop 300 ", []],
  [{ stoppedReplicas: "none", replicasForm: "counts" }, 3000, "stop 300 ", { total: 0, healthy: 0 }],
])("in the dialect %j, after %i ms and %s the replicas are %j", async (dialect, ageMs, script, expected) => {
  const bench = await startWithCluster({ dialect }, ageMs);
  await play(bench, `${script}get`);
  expect((await bench.call(`GET ${bench.path}/status`)).body.replicas).toMatchObject(expected as object);
});

test.each<[Dialect["stoppedWord"], Dialect["statusWords"], string]>([
  ["suspended", "plain", "suspended"],
  ["suspended", "upper-prefixed", "CLUSTER_STATUS_SUSPENDED"],
  ["paused", "title", "Paused"],
])("a stopped cluster is %s in %s words: %s", async (stoppedWord, statusWords, word) => {
  const bench = await startWithCluster({ dialect: { stoppedWord, statusWords } });
  expect(await play(bench, "stop 300 get status")).toMatch(new RegExp(` get=${word} status=${word}$`));
});

test("a failed cluster says why, also where the replicas are only counted", async () => {
  const bench = await startWithCluster({ dialect: { replicasForm: "counts" } });
  bench.simulator.change(bench.id, { status: "failed", message: "node lost" });
  const facts = { status: "failed", message: "node lost", replicas: { total: 3, healthy: 0 } };
  expect((await bench.call(`GET ${bench.path}/status`)).body).toEqual({ cluster_id: bench.id, ...facts });
});
