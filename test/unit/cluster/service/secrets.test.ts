import { inspect } from "node:util";
import { ClusterFailedError } from "../../../../provider/base/errors";
import { Redactor } from "../../../../provider/base/redact";
import { clearRecord } from "../../../../provider/cluster/service/operation";
import type { Properties } from "../../../../provider/contract";
import { createFunctions } from "../../../../provider/functions/dataFunctions";
import type { Dialect, Fault } from "../../../../simulator";
import {
  bareStatus,
  type Fixture,
  failureOf,
  initErrorOf,
  lists,
  openFixture,
  openSettled,
  post,
  rewriting,
} from "../harness";
import { canary, checked } from "../inputs";

const next = "hf_canary-next-9b1c-0123456";
const multiline = `-----BEGIN KEY-----\n${canary}-line-2\n-----END KEY-----`;
const secret: Properties = { ...checked, env: { MODEL: canary, KEY: multiline, NEXT: next } };
const changed: Properties = { ...checked, env: { MODEL: next } };

/** No message contains a value. The state of an error is not a message. */
function expectSilence({ messages }: Fixture, error?: unknown, values = [canary, next, "END KEY"]): void {
  const texts: unknown[] = [...messages];
  for (let cause = error; cause instanceof Error; cause = cause.cause)
    texts.push(cause.message, cause.stack, "reasons" in cause && cause.reasons);
  for (const value of values) expect(inspect(texts, { depth: 9 })).not.toContain(value);
}

const endOf = (work: Promise<unknown>) => work.catch((error: unknown) => error);
const echo = `${canary} ${JSON.stringify(multiline)} ${encodeURIComponent(multiline)} ${btoa(canary)} ${next}`;

it.each<[string, Fault]>([
  ["in the message of a 422", { kind: "status", status: 422, message: echo }],
  ["in the message of a 500", { kind: "status", status: 500, message: echo, times: 100 }],
  ["in a web page", { kind: "body", status: 502, body: `<html>${echo}</html>`, contentType: "text/html", times: 100 }],
  ["in JSON of another shape", { kind: "body", body: JSON.stringify([echo, { [canary]: next }]), times: 100 }],
])("an old or new value of env that the service repeats stands in no message: %s", async (_title, fault) => {
  const creating = await openFixture({ faults: [{ ...post, ...fault }] });
  expectSilence(creating, await creating.run(endOf(creating.cluster.create(creating.ctx(), secret))));

  const waiting = await openFixture({ provisioningMs: 3_600_000 });
  waiting.simulator.fault({ method: "GET", path: "/v1/clusters/**", ...fault, after: 4, times: 1_000 });
  expectSilence(waiting, await waiting.failingCreate(secret));

  const { fixture, id, state } = await openSettled(secret, { deletionMs: 3_600_000 });
  const { cluster, ctx, run } = fixture;
  for (const method of ["PATCH", "DELETE"]) fixture.simulator.fault({ method, ...fault });
  expectSilence(fixture, await run(endOf(cluster.update(ctx(), id, state, changed))));
  expectSilence(fixture, await run(failureOf(cluster.delete(ctx({ timeoutMs: 60_000 }), id, state))));
});

it("a value that an update has replaced shows in no state after it, and in no message or status word that quotes it", async () => {
  const old = "canary-old-0b1c2d";
  const { fixture, made } = await openSettled({ ...checked, env: { TOKEN: old } }, { dialect: { envEcho: "none" } });
  const { id, state } = await fixture.change(made, { ...checked, env: { TOKEN: next } });
  expect(JSON.stringify(state)).not.toMatch(/canary-old|__replaced/);
  fixture.simulator.change(id, { sickReplica: { replica: 0, message: `bad: ${old}, in base64 ${btoa(old)}` } });
  const found = await fixture.refresh({ id, state });
  expect(JSON.stringify(found.state["replicaStatuses"])).toContain("bad: [secret], in base64 [secret]");
  const body = JSON.stringify([{ id, name: "web", status: `lost ${old}` }]);
  fixture.simulator.fault({ ...lists, kind: "body", body });
  expect((await fixture.run(createFunctions(() => fixture.client).getClusters())).clusters[0]?.status).toBe(
    "lost [secret]",
  );
  expectSilence(fixture, undefined, [old, next]);
});

it("a value of the state before, which this process never had, stands in no message of an update", async () => {
  const old = "canary-of-the-state-4b5c6d";
  const { fixture, id, state } = await openSettled(checked);
  fixture.simulator.change(id, { sickReplica: { replica: 0, message: `bad: ${old}` } });
  const before = { ...state, settled: false, env: { OLD_TOKEN: old } };
  const work = fixture.cluster.update(fixture.ctx({ timeoutMs: 60_000 }), id, before, checked);
  const error = await fixture.run(failureOf(work));
  expect(error.message).toContain("bad: [secret]");
  expectSilence(fixture, error, [old]);
});

it("a status word that quotes a value of env shows in no progress of an update that is busy, and in no error", async () => {
  const word = `crashed with ${canary}`;
  const { fixture, id, state } = await openSettled(checked);
  const body = JSON.stringify({ id, name: "web", status: word, replicas: 2 });
  fixture.simulator.fault({ kind: "status", status: 409, code: "busy", method: "PATCH", times: 99 });
  fixture.simulator.fault({ kind: "body", method: "GET", path: `/v1/clusters/${id}`, body, times: 1_000 });
  const news = { ...checked, env: { MODEL: "another-value" } };
  const error = await failureOf(fixture.change({ id, state }, news, { timeoutMs: 120_000 }));
  expectSilence(fixture, error);
  expect(error.message).toContain("crashed with [secret]");
  expect(fixture.messages.join()).toContain("the service is busy with the cluster: crashed with [secret]");
});

it("an image that quotes a secret shows nowhere in the error of a creation, nor in its causes and their stacks", async () => {
  const wire = rewriting(/\/v1\/clusters\/cl_[0-9a-f]+$/, (body) => ({ ...body, container: `acme/${canary}:1` }));
  const fixture = await openFixture({ wire });
  const error = await fixture.failingCreate(checked);
  expect(error.reasons[0]).toContain("[secret]");
  expect(error.cause).toBeInstanceOf(ClusterFailedError);
  expect(error.state["env"]).toEqual(checked["env"]);
  expectSilence(fixture, error);
});

describe("the value of a variable that the service adds", () => {
  const added = "added-by-the-service-5c2d";
  const dialect: Partial<Dialect> = { injectedEnv: { SERVICE_TOKEN: added } };

  it("is hidden in messages of replicas and wherever they are quoted", async () => {
    const message = `cannot log in with ${added}`;
    const fixture = await openFixture({ dialect, faults: [{ kind: "sick-replica", replica: 0, message }] });
    const error = await fixture.failingCreate(checked);
    expectSilence(fixture, error, [added]);
    expect(error.reasons[0]).toContain("cannot log in with [secret]");
    const found = await fixture.refresh(error);
    for (const { state } of [error, found]) {
      expect(JSON.stringify(state["replicaStatuses"])).toContain("cannot log in with [secret]");
      expect(JSON.stringify(state["replicaStatuses"])).not.toContain(added);
    }
  });

  it("is hidden in a status word that quotes it", async () => {
    // Without a word in `/status`: a known one there would count before an unknown one of the record.
    const { fixture, id, state } = await openSettled(checked, { dialect, wire: bareStatus });
    const env = { ...fixture.simulator.cluster(id)?.env, ...dialect.injectedEnv };
    const body = JSON.stringify({ id, status: `waits for ${added}`, env });
    fixture.simulator.fault({ method: "GET", path: "/v1/clusters/*", kind: "body", body, times: 1_000 });
    fixture.simulator.change(id, { sickReplica: { replica: 0, message: "hot" } });
    const work = fixture.cluster.update(fixture.ctx({ timeoutMs: 60_000 }), id, { ...state, settled: false }, checked);
    const error = await fixture.run(initErrorOf(work));
    expect(fixture.messages.join()).toContain("replicas healthy, waits for [secret]");
    expect(error.reasons[0]).toContain("waits for [secret]");
    expect(error.state["status"]).toBe("waits for [secret]");
    expectSilence(fixture, error, [added]);
  });
});

it("a value of env that is a word of our messages is hidden only in messages of the service", async () => {
  const fixture = await openFixture({ faults: [{ kind: "sick-replica", replica: 0, message: "wrong key: s3cr" }] });
  const words = ["s3cr", "web-frontend", "h100", "cluster", "healthy", "after", "kept"];
  const env = Object.fromEntries(words.map((word) => [`TOKEN_OF_${word}`, word]));
  const error = await fixture.failingCreate({ ...checked, name: "web-frontend", env });
  const [reason] = error.reasons;
  expect(reason).toContain(`cluster "web-frontend" (${error.id}) was created, but is not ready: timed out after 1m`);
  expect(reason).toContain(
    "It is kept in the state: correct `container`, or what the reasons name, then run `pulumi up`",
  );
  expect(reason).toContain("wrong key: [secret]");
  expect(fixture.messages).toContainEqual(expect.stringMatching(/^status: 1\/2 replicas healthy, provisioning, /));
});

it("a value of env that is not a secret stays readable in the service's reason of a failure", async () => {
  const env = { MODEL: "mistral-large", PORT: "8080", HF_TOKEN: canary };
  const quote = `mistral large: out of memory; health check on port 8080 failed; MODEL=mistral-large ${canary}`;
  const fixture = await openFixture({ faults: [{ kind: "fail", message: quote }] });
  const error = await fixture.failingCreate({ ...checked, env });
  expect(error.message).toContain(quote.replace(canary, "[secret]"));
  expect(error.message).not.toContain(canary);
});

it("a status word hides a secret unless it is a known word alone", () => {
  const redactor = new Redactor().learn(["offline", "brewed", "20481234"]);
  const words = ["offline", "brewed", "Running (1/2)", "lost 20481234"];
  const hidden = words.map((status) => clearRecord({ id: "cl_1", status }, redactor).status);
  expect(hidden).toEqual(["offline", "[secret]", "Running (1/2)", "lost [secret]"]);
});

it("a list that fails for several clusters hides the secrets of each, even those that are words", async () => {
  const message = "wrong: tiger, PASSWORD-OF-LION";
  const fixture = await openFixture({ provisioningMs: 3_600_000 });
  fixture.simulator.fault({ ...lists, kind: "status", status: 403, message, after: 2, times: 1_000 });
  const words = ["tiger", "password-of-lion"];
  const inputs = words.map((word) => ({ ...checked, name: `web-${word.length}`, env: { PASSWORD: word } }));
  const [one, two] = await fixture.run(
    Promise.all(inputs.map((each) => initErrorOf(fixture.cluster.create(fixture.ctx({ timeoutMs: 60_000 }), each)))),
  );
  expectSilence(fixture, one, ["tiger"]);
  expectSilence(fixture, two, ["PASSWORD-OF-LION"]);
});

it("the error of a preview with another key hides the secrets of the cluster, even those that are words", async () => {
  const inputs = { ...checked, env: { PASSWORD: "swordfish" } };
  const { fixture, id, state } = await openSettled(inputs, { settings: { previewChecks: "strict" } });
  const message = "wrong: swordfish, SWORDFISH";
  fixture.simulator.fault({ kind: "status", status: 500, method: "GET", message, times: 1_000 });
  const error = await fixture.run(failureOf(fixture.as("other").diff(fixture.ctx(), id, state, inputs)));
  expect(error.message).toMatch(/withheld/);
  expectSilence(fixture, error, ["swordfish", "SWORDFISH"]);
});
