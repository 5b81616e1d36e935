import { inspect } from "node:util";
import type { Properties } from "../../../provider/core";
import { getCluster, getClusterStatus, getClusters } from "../../../provider/functions/clusters";
import type { Fault } from "../../../simulator";
import { type Bench, closeAll, failureOf, openBench, settle } from "./harness";
import { canary, checked } from "./inputs";

afterEach(closeAll);

const next = "canary-next-9b1c";
const multiline = `-----BEGIN KEY-----\n${canary}-line-2\n-----END KEY-----`;
const secret: Properties = { ...checked, env: { MODEL: canary, KEY: multiline, NEXT: next } };
const changed: Properties = { ...checked, env: { MODEL: next } };

/** The texts that an error shows to people. Its cause and its state are shown to nobody. */
function textsOf(error: unknown): string {
  if (!(error instanceof Error)) return inspect(error);
  const reasons = "reasons" in error ? inspect(error.reasons) : "";
  return [error.message, error.stack, reasons].join("\n");
}

function expectSilence(bench: Bench, error: unknown): void {
  const texts = [...bench.said, textsOf(error)].join("\n");
  for (const value of [canary, next, "END KEY"]) expect(texts).not.toContain(value);
}

/** The error of work that may fail. */
const endOf = (work: Promise<unknown>) =>
  work.then(
    () => undefined,
    (error: unknown) => error,
  );

const echo = `${canary} ${JSON.stringify(multiline)} ${encodeURIComponent(multiline)} ${btoa(canary)} ${next}`;

const faults: [string, Fault][] = [
  ["in the message of a 422", { kind: "status", status: 422, message: echo }],
  ["in the message of a 500", { kind: "status", status: 500, message: echo, times: 100 }],
  ["in a web page", { kind: "body", status: 502, body: `<html>${echo}</html>`, contentType: "text/html", times: 100 }],
  ["in a body that is no JSON", { kind: "body", body: echo, times: 100 }],
  ["in JSON of another shape", { kind: "body", body: JSON.stringify([echo, { [canary]: next }]), times: 100 }],
];

describe("an env value that the service repeats", () => {
  it.each(faults)("%s shows in nothing that a creation says", async (_title, fault) => {
    const bench = await openBench({ faults: [{ method: "POST", path: "/v1/clusters", ...fault }] });
    expectSilence(bench, await bench.run(endOf(bench.cluster.create(bench.ctx(), secret))));
  });

  it.each(faults)("%s shows in nothing that a wait says", async (_title, fault) => {
    const bench = await openBench({ provisioningMs: 3_600_000 });
    bench.simulator.fault({ method: "GET", path: "/v1/clusters/**", ...fault, after: 4, times: 1_000 });
    const work = bench.cluster.create(bench.ctx({ timeoutMs: 60_000 }), secret);
    expectSilence(bench, await bench.run(failureOf(work)));
  });

  it.each(faults)("%s shows in nothing that an update says, be it old or new", async (_title, fault) => {
    const bench = await openBench();
    const { id, state } = await settle(bench, secret);
    bench.simulator.fault({ method: "PATCH", ...fault });
    expectSilence(bench, await bench.run(endOf(bench.cluster.update(bench.ctx(), id, state, changed))));
  });

  it.each(faults)("%s shows in nothing that a deletion says", async (_title, fault) => {
    const bench = await openBench({ deletionMs: 3_600_000 });
    const { id, state } = await settle(bench, secret);
    bench.simulator.fault({ method: "DELETE", ...fault });
    const work = bench.cluster.delete(bench.ctx({ timeoutMs: 60_000 }), id, state);
    expectSilence(bench, await bench.run(failureOf(work)));
  });

  it("shows in no reason of a replica, nor in the replica statuses of the state", async () => {
    const bench = await openBench({ faults: [{ kind: "sick-replica", replica: 0, message: `bad: ${echo}` }] });
    const error = await bench.run(failureOf(bench.cluster.create(bench.ctx({ timeoutMs: 60_000 }), secret)));
    expectSilence(bench, error);
    expect(error.message).toMatch(/unhealthy, bad: \[secret\]/);
    const { state } = error as Error & { state: Properties };
    expect(JSON.stringify(state["replicaStatuses"])).not.toContain(canary);
  });

  it("shows in no warning about what the service shows otherwise", async () => {
    const bench = await openBench({ dialect: { injectedEnv: { MODEL: next, OTHER: canary } } });
    await bench.run(bench.cluster.create(bench.ctx(), checked));
    expectSilence(bench, undefined);
  });

  it("shows in no part, where a long web page is cut", async () => {
    const value = "cut-canary-0123456789-0123456789-0123456789";
    const body = `<html>${"x".repeat(100)} ${value}</html>`;
    const bench = await openBench({
      faults: [{ kind: "body", status: 422, method: "POST", contentType: "text/html", body }],
    });
    const work = bench.cluster.create(bench.ctx(), { ...checked, env: { VALUE: value } });
    expect((await bench.run(failureOf(work))).message).not.toContain("cut-canary");
  });
});

describe("a value that an update has replaced", () => {
  const old = "canary-old-0b1c2d";
  const quoting = { sickReplica: { replica: 0, message: `bad: ${old}, in base64 ${btoa(old)}` } };
  const messagesIn = (state: Properties) => JSON.stringify(state["replicaStatuses"]);

  /** A cluster whose env was changed once, in a service that does not show it. */
  async function updated(): Promise<Bench & { id: string; state: Properties }> {
    const bench = await openBench({ dialect: { envEcho: "none" } });
    const { id, state: first } = await settle(bench, { ...checked, env: { TOKEN: old } });
    const state = await bench.run(bench.cluster.update(bench.ctx(), id, first, { ...checked, env: { TOKEN: next } }));
    bench.simulator.change(id, quoting);
    return { ...bench, id, state };
  }

  it("shows in no state after it, and in no message that a refresh in the same process finds", async () => {
    const bench = await updated();
    expect(JSON.stringify(bench.state)).not.toMatch(/canary-old|__replaced/);
    const found = await bench.run(bench.cluster.read(bench.ctx(), bench.id, bench.state));
    expect(messagesIn(found?.state ?? {})).toContain("bad: [secret], in base64 [secret]");
    expectSilence(bench, undefined);
  });

  it("shows in no answer of a function, nor in its errors", async () => {
    const bench = await updated();
    const { client, id, service } = bench;
    const { replicas } = await bench.run(getClusterStatus(client, { id }, service.known));
    expect(JSON.stringify(replicas)).toContain("bad: [secret], in base64 [secret]");
    bench.simulator.fault({ kind: "status", status: 422, message: `no ${old}`, path: "/v1/clusters/*", times: 9 });
    const ask = { getCluster, getClusterStatus };
    for (const get of Object.values(ask)) {
      const { message } = await bench.run(failureOf(get(client, { id }, service.known)));
      expect(message).toContain("no [secret]");
    }
  });

  it("shows in no state word of a list or of one cluster", async () => {
    const bench = await updated();
    const { client, id, service } = bench;
    const body = JSON.stringify([{ id, name: "web", status: `lost ${old}` }]);
    bench.simulator.fault({ kind: "body", body, path: "/v1/clusters" });
    expect((await bench.run(getClusters(client, {}, service.known))).clusters[0]?.status).toBe("lost [secret]");
    bench.simulator.fault({ kind: "body", body: body.slice(1, -1), path: "/v1/clusters/*" });
    expect((await bench.run(getCluster(client, { id }, service.known))).status).toBe("lost [secret]");
  });
});
