import type { Properties } from "../../../../provider/contract";
import type { Dialect } from "../../../../simulator";
import { type Bench, bareStatus, initErrorOf, openBench, openSettled } from "../harness";
import { canary, checked } from "../inputs";
import { refresh } from "../powerHarness";

const added = "added-by-the-service-5c2d";
const injected: Partial<Dialect> = { injectedEnv: { SERVICE_TOKEN: added } };
const oneCluster = { method: "GET", path: "/v1/clusters/*" } as const;

const withEnv = (...values: string[]): Properties => ({
  ...checked,
  env: Object.fromEntries(values.map((value, index) => [`TOKEN_${index}`, value])),
});

/** Everything of an error that is shown, or may be by whoever prints a cause; and everything that was said. */
function textsOf({ said }: Bench, error?: Error & { reasons?: readonly string[] }): string {
  const causes: string[] = [];
  for (let cause: unknown = error; cause instanceof Error; cause = cause.cause) causes.push(cause.message);
  return [...said, ...causes, ...(error?.reasons ?? [])].join("\n");
}

/** A creation that has to fail within a minute. */
async function failingCreate(bench: Bench, inputs: Properties) {
  return bench.run(initErrorOf(bench.cluster.create(bench.ctx({ timeoutMs: 60_000 }), inputs)));
}

describe("our own sentences stay whole where a value of env is", () => {
  it.each<[string, Properties]>([
    ["the name of the cluster", withEnv("web")],
    ["the GPU type", withEnv("h100")],
    ["an ordinary word", withEnv("cluster", "running", "ready", "created", "healthy", "timed", "after", "kept")],
  ])("%s", async (_title, inputs) => {
    const name = inputs["name"];
    const bench = await openBench({ faults: [{ kind: "sick-replica", replica: 1, message: "no driver" }] });
    const error = await failingCreate(bench, inputs);
    expect(error.reasons[0]).toContain(
      `cluster "${name}" (${error.id}) was created, but is not ready: timed out after 1m`,
    );
    expect(error.reasons[0]).toMatch(
      /\n +It is kept in the state: run `pulumi up` again.*\n(.*\n)? +replica rep_\S+: unhealthy, no driver$/,
    );
    expect(bench.said).toContainEqual(expect.stringMatching(/^status: 1\/2 replicas healthy, provisioning, /));
    expect(textsOf(bench, error)).not.toContain("[secret]");
  });
});

/** A value, whose it is, and how the cluster comes to it. */
const values: [string, string, Partial<Dialect>][] = [
  ["of the program", canary, {}],
  ["that only the service has added", added, injected],
];

describe.each(values)("a value %s", (_title, value, dialect) => {
  const inputs = value === added ? checked : withEnv(value);

  it("shows in no message of a replica, and in nothing that is said of it", async () => {
    const message = `cannot log in with ${value}`;
    const bench = await openBench({ dialect, faults: [{ kind: "sick-replica", replica: 0, message }] });
    const error = await failingCreate(bench, inputs);
    expect(textsOf(bench, error)).not.toContain(value);
    expect(error.reasons[0]).toContain("cannot log in with [secret]");
    const found = await refresh(bench, error);
    for (const { state } of [error, found]) {
      expect(JSON.stringify(state["replicaStatuses"])).toContain("cannot log in with [secret]");
      expect(JSON.stringify(state["replicaStatuses"])).not.toContain(value);
    }
  });

  it("shows in nothing where it is in the service's word for the state", async () => {
    // Without a word in `/status`: a known one there would count before an unknown one of the record.
    const { bench, id, state } = await openSettled(inputs, { dialect, wire: bareStatus });
    const env = { ...bench.simulator.cluster(id)?.env, ...dialect.injectedEnv };
    expect(Object.values(env)).toContain(value);
    const body = JSON.stringify({ id, status: `waits for ${value}`, env });
    bench.simulator.fault({ ...oneCluster, kind: "body", body, times: 1_000 });
    bench.simulator.change(id, { sickReplica: { replica: 0, message: "hot" } });
    const work = bench.cluster.update(bench.ctx({ timeoutMs: 60_000 }), id, { ...state, settled: false }, inputs);
    const error = await bench.run(initErrorOf(work));
    expect(bench.said.join()).toContain("replicas healthy, waits for [secret]");
    expect(error.reasons[0]).toContain("waits for [secret]");
    expect(textsOf(bench, error)).not.toContain(value);
  });
});

it("a short value is hidden in what the service says, but not in our own words", async () => {
  const bench = await openBench({ faults: [{ kind: "sick-replica", replica: 0, message: "wrong key: s3cr" }] });
  const error = await failingCreate(bench, withEnv("s3cr", "kept"));
  expect(error.reasons[0]).toContain("wrong key: [secret]");
  expect(error.reasons[0]).toContain("It is kept in the state");
});
