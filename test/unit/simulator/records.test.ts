import type { Dialect } from "../../../simulator";
import { type Bench, type Reply, start, startWithCluster, stopAll, web } from "./harness";

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
  ["registry:5000/llm:1", "registry:5000/llm:1"],
])("with its registry, the container %s is %s", async (container, expected) => {
  expect((await seen({ containerEcho: "registry" }, container)).record.container).toBe(expected);
});

test("a failed cluster says why, also where the replicas are only counted", async () => {
  const bench = await startWithCluster({ dialect: { replicasForm: "counts" } });
  bench.simulator.change(bench.id, { status: "failed", message: "node lost" });
  const facts = { status: "failed", message: "node lost", replicas: { total: 3, healthy: 0 } };
  expect((await bench.call(`GET ${bench.path}/status`)).body).toEqual({ cluster_id: bench.id, ...facts });
});

async function five(dialect: Partial<Dialect>): Promise<Bench> {
  const bench = await start({ dialect: { paging: "cursor", ...dialect } });
  for (let index = 1; index <= 5; index += 1) bench.simulator.addCluster({ name: `c${index}`, gpuType: "h100" });
  return bench;
}

/** A page: the names of its clusters, everything beside the list, and the headers about pages. */
async function pageOf({ call }: Bench, query: string) {
  const { status, body, headers } = await call(`GET /v1/clusters${query}`);
  const names: string[] = [];
  const isRecord = (value: unknown) => typeof Object(value).name === "string" && names.push(Object(value).name) > 0;
  const besides = JSON.parse(JSON.stringify(body, (_key, value) => (isRecord(value) ? undefined : value)));
  const said = [...headers].filter(([name]) => /^(link$|x-(?!ratelimit))/.test(name));
  return [status, names.join(), besides, Object.fromEntries(said)];
}

const second = "from-2";
const third = "from-4";
const two = [null, null];

test.each<[Partial<Dialect>, string, string, unknown, object?]>([
  [{}, "", "c1,c2", { clusters: two, next_cursor: second }],
  [{}, `?cursor=${second}`, "c3,c4", { clusters: two, next_cursor: third }],
  [{}, `?cursor=${third}`, "c5", { clusters: [null], next_cursor: null }],
  [{ listShape: "items", paging: "next-cursor" }, "", "c1,c2", { items: two, nextCursor: second }],
  [{ listShape: "items", paging: "next-cursor" }, `?cursor=${third}`, "c5", { items: [null] }],
  [{ listShape: "bare" }, "", "c1,c2", two, { "x-next-cursor": second }],
  [{ paging: "none", listShape: "data" }, "", "c1,c2,c3,c4,c5", { data: Array(5).fill(null) }],
])("in the dialect %j the page %j has %s, and %j", async (dialect, query, names, besides, headers = {}) => {
  expect(await pageOf(await five(dialect), query)).toEqual([200, names, besides, headers]);
});

test("a cursor that the service did not give, and every other parameter, is refused", async () => {
  const { call, simulator } = await five({});
  const queries = ["cursor=2", "offset=2", `cursor=${second}&limit=2`, `cursor=${second}&cursor=${second}`];
  const lines = queries.map((query) => `/v1/clusters?${query}`);
  for (const line of [...lines, `/v1/clusters/${simulator.clusters()[0]?.id}?cursor=${second}`])
    expect([line, (await call(`GET ${line}`)).body.error?.code]).toEqual([line, "invalid_request"]);
});
