import { getClusterStatus, getClusters } from "../../../../provider/functions/clusters";
import { base64, cuts, others, plain } from "../../base/secretForms";
import { type Fixture, failureOf, initErrorOf, openFixture, settle } from "../harness";
import { checked } from "../inputs";

const value = 'Pa/s+s"w&rd=Zürich?7f3a9e<K>x41';
const forms = [
  ...plain,
  ...others,
  ...cuts,
  ["in base64 behind a user", (secret: string) => base64(`user:${secret}`)] as const,
];

/** Nothing holds a part of the secret as it was written. */
function expectHidden(texts: unknown, written: string): void {
  const text = typeof texts === "string" ? texts : JSON.stringify(texts);
  const inJson = JSON.stringify(written).slice(1, -1);
  const parts = [written, inJson].flatMap((whole) =>
    Array.from({ length: Math.max(0, whole.length - 7) }, (_, at) => whole.slice(at, at + 8)),
  );
  expect(parts.filter((part) => text.includes(part))).toEqual([]);
}

const withToken = (token: string) => ({ ...checked, env: { TOKEN: token } });
const sick = (message: string) => ({ sickReplica: { replica: 0, message } });

/** A cluster whose secret was replaced, in a service that does not show env. */
async function updated(bench: Fixture) {
  const { id, state } = await settle(bench, withToken(value));
  return { id, state: await bench.run(bench.cluster.update(bench.ctx(), id, state, withToken("the-next-token-0123"))) };
}

describe.each(forms)("a secret that the service writes %s", (_how, write) => {
  const written = write(value);
  const message = `cannot log in with <${written}>: exit 137`;

  it("shows in no refusal of a creation", async () => {
    const bench = await openFixture({ faults: [{ kind: "status", status: 422, method: "POST", message }] });
    const error = await bench.run(failureOf(bench.cluster.create(bench.ctx(), withToken(value))));
    expectHidden([bench.messages, error.message, error.stack], written);
  });

  it("shows in no error and no state of a failed creation", async () => {
    const bench = await openFixture({ faults: [{ kind: "sick-replica", replica: 0, message }] });
    const work = bench.cluster.create(bench.ctx({ timeoutMs: 60_000 }), withToken(value));
    const { reasons, state } = await bench.run(initErrorOf(work));
    expectHidden([bench.messages, reasons, { ...state, env: {} }], written);
  });

  it("shows in no state of a refresh after an update has replaced it", async () => {
    const bench = await openFixture({ dialect: { envEcho: "none" } });
    const { id, state } = await updated(bench);
    bench.simulator.change(id, sick(message));
    const found = await bench.run(bench.cluster.read(bench.ctx(), id, state));
    expect(found?.state["replicaStatuses"]).toHaveLength(2);
    expectHidden([bench.messages, found?.state], written);
  });

  it("shows in no status of a cluster of others", async () => {
    const bench = await openFixture();
    const { id } = bench.simulator.addCluster({ ...checked, name: "other", env: { TOKEN: value }, ...typed });
    bench.simulator.change(id, sick(message));
    expectHidden(await bench.run(getClusterStatus(bench.client, { id })), written);
  });

  it("shows in no status word", async () => {
    const bench = await openFixture({ dialect: { envEcho: "none" } });
    const { id } = await updated(bench);
    const body = JSON.stringify([{ id, name: "web", status: `lost ${written}`, env: { TOKEN: value } }]);
    bench.simulator.fault({ kind: "body", body, path: "/v1/clusters" });
    expectHidden(await bench.run(getClusters(bench.client)), written);
  });
});

const typed = { gpuType: "h100", container: "acme/model:1", replicas: 2 };
