import { inspect } from "node:util";
import type { Client } from "../../../provider/api/client";
import type { ReplicaRecord, StatusRecord } from "../../../provider/api/records";
import { goalOf, judgeReady, type PollHistory } from "../../../provider/cluster/conditions";
import { getCluster, getClusterStatus, getClusters } from "../../../provider/functions/clusters";
import type { Fault } from "../../../simulator";
import { closeAll, failureOf, openBench, settle } from "./harness";
import { canary, checked } from "./inputs";

afterEach(closeAll);

const calm: PollHistory = { seen: true, misses: 0, healthyLooks: 0, contradicted: false, waitedMs: 5_000 };

/** Replicas by their words; `healthy` is one that is. */
const replicasOf = (...words: string[]): ReplicaRecord[] =>
  words.map((word, index) => ({ id: `r${index}`, status: word, healthy: word === "healthy" }));

const well = replicasOf("healthy", "healthy");
const kindOf = (word: string | undefined, status: StatusRecord | undefined, past: Partial<PollHistory> = {}) =>
  judgeReady({ record: { id: "cl_1", status: word }, status }, { ...calm, ...past }, goalOf({ replicas: 2 })).kind;

describe("a cluster whose replicas are all healthy, and whose two words differ,", () => {
  it.each<[string | undefined, string | undefined, string]>([
    ["running", "updating", "pending"],
    ["running", "UPDATING", "pending"],
    ["running", "running (1/2)", "pending"],
    ["updating", "running", "pending"],
    ["running", "stopped", "failed"],
    ["stopped", "running", "failed"],
    ["running", "failed", "failed"],
    ["failed", "running", "failed"],
    ["updating", "failed", "failed"],
    ["failed", "updating", "failed"],
    ["running", "terminating", "failed"],
    ["terminating", "running", "failed"],
    ["running", "deleted", "failed"],
    ["running", "running", "ready"],
    ["running", undefined, "ready"],
    ["running", "warming-up", "ready"],
    [undefined, "running", "ready"],
    [undefined, "updating", "pending"],
  ])("%s and %s, is %s", (word, statusWord, kind) => {
    expect(kindOf(word, { status: statusWord, replicas: well })).toBe(kind);
  });

  it.each(["terminating", "deleting"])("of which one is %s, is said to be that", (word) => {
    const look = { record: { id: "cl_1", status: "failed" }, status: { status: word, replicas: well } };
    expect(judgeReady(look, calm, goalOf({ replicas: 2 }))).toMatchObject({
      summary: `it is ${word}: someone else is deleting it`,
    });
  });
});

describe("a service that speaks for all replicas at once", () => {
  it.each<[boolean, number, string]>([
    [true, 0, "pending"],
    [true, 1, "ready"],
    [false, 1, "pending"],
  ])("(healthy: %s, after %d such looks) makes it %s", (overall, healthyLooks, kind) => {
    expect(kindOf("running", { replicas: [], overall }, { healthyLooks })).toBe(kind);
  });
});

describe("replicas that are left over, for two replicas,", () => {
  it.each<[string, string[], string]>([
    ["one stopped", ["healthy", "healthy", "stopped"], "ready"],
    ["one terminating", ["healthy", "healthy", "terminating"], "ready"],
    ["one terminated", ["healthy", "healthy", "terminated"], "ready"],
    ["several", ["stopped", "healthy", "deleting", "healthy", "paused"], "ready"],
    ["one stopped beside one healthy", ["healthy", "stopped"], "pending"],
    ["one terminating beside one healthy", ["healthy", "terminating"], "pending"],
    ["one that starts", ["healthy", "healthy", "starting"], "pending"],
    ["one that has failed", ["healthy", "healthy", "failed"], "pending"],
    ["one stopped beside one that starts", ["healthy", "starting", "stopped"], "pending"],
  ])("%s: %j is %s", (_title, words, kind) => {
    expect(kindOf("running", { replicas: replicasOf(...words) })).toBe(kind);
  });
});

const word = `crashed with ${canary}`;

/** Every record says that word. */
const quoting = (real: Client): Partial<Client> => ({
  getCluster: async (...args) => ({ ...(await real.getCluster(...args)), status: word }),
  getClusterStatus: async (...args) => ({ ...(await real.getClusterStatus(...args)), status: word }),
});

/** The service says it: a record with an env, a list with one, and a status. */
const record = { id: "cl_1", name: "web", status: word, gpu_type: "h100", replicas: 1, env: { MODEL: canary } };
const says = (path: string, body: unknown): Fault => ({
  kind: "body",
  status: 200,
  method: "GET",
  path,
  body: JSON.stringify(body),
  times: 1_000,
});
const status = { status: word, replicas: [{ id: "r0", status: word, healthy: false, message: word }] };
const spoken = [
  says("/v1/clusters", { clusters: [record] }),
  says("/v1/clusters/cl_1", record),
  says("/v1/clusters/cl_1/status", status),
];

describe("a status word that quotes a value of env", () => {
  it("shows in no progress, no error and no state of a creation", async () => {
    const bench = await openBench({ client: quoting, faults: [{ kind: "sick-replica", replica: 0, message: word }] });
    const error = await bench.run(failureOf(bench.cluster.create(bench.ctx({ timeoutMs: 60_000 }), checked)));
    expect(
      [...bench.said, error.message, error.stack, inspect("reasons" in error && error.reasons)].join(),
    ).not.toContain(canary);
    expect(bench.said.join()).toContain("crashed with [secret]");
    expect(inspect("state" in error && { ...(error.state as object), env: {} }, { depth: 9 })).not.toContain(canary);
  });

  it("shows in no progress of an update, while it is busy, and in no error", async () => {
    const bench = await openBench();
    const { id, state } = await settle(bench, checked);
    const busy: Fault = {
      kind: "status",
      status: 409,
      code: "busy",
      method: "PATCH",
      path: "/v1/clusters/*",
      times: 9,
    };
    bench.simulator.fault(busy);
    bench.simulator.fault(says(`/v1/clusters/${id}`, { ...record, id }));
    bench.simulator.fault(says(`/v1/clusters/${id}/status`, status));
    const news = { ...checked, env: { MODEL: "another-value" } };
    const work = bench.cluster.update(bench.ctx({ timeoutMs: 120_000 }), id, state, news);
    const error = await bench.run(failureOf(work));
    expect([...bench.said, error.message, error.stack].join()).not.toContain(canary);
    expect(bench.said.join()).toContain("the service is busy with the cluster: crashed with [secret]");
  });

  it.each<[string, (client: Client) => Promise<object>]>([
    ["getCluster", (client) => getCluster(client, { id: "cl_1" })],
    ["getCluster by name", (client) => getCluster(client, { name: "web" })],
    ["getClusters", getClusters],
    ["getClusterStatus", (client) => getClusterStatus(client, { id: "cl_1" })],
  ])("shows in no result of %s", async (_title, call) => {
    const bench = await openBench({ faults: spoken });
    const result = JSON.stringify(await bench.run(call(bench.client)));
    expect(result).not.toContain(canary);
    expect(result).toContain("crashed with [secret]");
  });

  it("stays as it is where it is a word that is known", async () => {
    const known = { ...record, status: "running", env: { MODEL: "running" } };
    const bench = await openBench({ faults: [says("/v1/clusters/cl_1", known)] });
    expect(await bench.run(getCluster(bench.client, { id: "cl_1" }))).toMatchObject({ status: "running" });
  });
});
