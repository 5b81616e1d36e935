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
const words = ({ record, listed, status, stop }: Seen) =>
  [record, listed, status, stop, ...status.replicas].map((each) => each.status).join();
const env = ({ record }: Seen) => record.env;
const replicas = ({ status }: Seen) => status.replicas.map(({ id: _id, restarts: _restarts, ...facts }: Body) => facts);
const both = (healthy: object, sick: object) => [healthy, healthy, { ...sick, message: "Xid 79" }];

const stars = "********";
const injectedEnv = { GPU_HOST: "node-7" };
const hidden = { injectedEnv, envEcho: "masked" } as const;

test.each<[Partial<Dialect>, (seen: Seen) => unknown, unknown]>([
  [{ recordShape: "wrapped" }, places, [["cluster"], ["cluster"], "web"]],
  [{ recordShape: "data" }, places, [["data"], ["data"], "web"]],
  [{ containerEcho: "same" }, ({ record }) => record.container, web.container],
  [{ containerEcho: "none" }, ({ record }) => record.container, undefined],
  [{ injectedEnv }, env, { A: "1", GPU_HOST: "node-7" }],
  [{ injectedEnv, envEcho: "none" }, env, undefined],
  [hidden, env, { A: stars, GPU_HOST: stars }],
  [{}, words, "running,running,running,stopping,healthy,healthy,unhealthy"],
  [{}, replicas, both({ status: "healthy", healthy: true }, { status: "unhealthy", healthy: false })],
  [{ replicasForm: "counts" }, ({ status }) => status.replicas, { total: 3, healthy: 2 }],
])("%j shapes what a service shows", async (dialect, pick, expected) => {
  expect(pick(await seen(dialect))).toEqual(expected);
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

test.each<[Partial<Dialect>, unknown]>([
  [{}, Array(3).fill({ status: "stopped" })],
  [{ replicasForm: "counts" }, { total: 3, healthy: 0 }],
])("in the dialect %j, the replicas of a stopped cluster are %j", async (dialect, expected) => {
  const bench = await startWithCluster({ dialect });
  await play(bench, "stop 300 get");
  expect((await bench.call(`GET ${bench.path}/status`)).body.replicas).toMatchObject(expected as object);
});

test("a failed cluster says why, also where the replicas are only counted", async () => {
  const bench = await startWithCluster({ dialect: { replicasForm: "counts" } });
  bench.simulator.change(bench.id, { status: "failed", message: "node lost" });
  const facts = { status: "failed", message: "node lost", replicas: { total: 3, healthy: 0 } };
  expect((await bench.call(`GET ${bench.path}/status`)).body).toEqual({ cluster_id: bench.id, ...facts });
});
