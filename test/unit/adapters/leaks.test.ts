import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { asSecret } from "../../../provider/adapters/engine";
import { systemClock } from "../../../provider/base/clock";
import type { Properties } from "../../../provider/contract";
import { type Simulator, startSimulator } from "../../../simulator";
import type { VirtualClock } from "../../support/virtualClock";
import { least } from "../cluster/inputs";
import { forgetEnvironment, useEnvironment } from "../providerHarness";
import { dynamicEngine, type Engine, pluginEngine, type Shown, textOf } from "./engines";

/**
 * Attacks: a service quotes a secret, in some form, wherever a user could see it. Everything that the engine gets is searched,
 * except what is marked as secret for it: results, errors and their causes, messages, progress, and the log of requests.
 */

jest.mock("../../../provider/base/clock", () => jest.requireActual("../../support/clockMock"));
const mockMessages: string[] = [];
jest.mock("../../../provider/adapters/engine", () => {
  const real = jest.requireActual("../../../provider/adapters/engine");
  class RunningOperations extends real.RunningOperations {
    constructor(log: (message: string, options: object) => Promise<void>) {
      super((message: string, options: object) => {
        mockMessages.push(message);
        return log(message, options);
      });
    }
  }
  return { ...real, RunningOperations };
});
const clock = systemClock as VirtualClock;
const run = <T>(work: Promise<T>): Promise<T> => clock.run(work);

/** A value that no dictionary has, with characters that every encoding changes. */
const value = 'Zq7K"Wv93+Lm2X/Tt8R=Hj5B';
const base64 = (text: string) => Buffer.from(text).toString("base64");
const encodings: [string, string][] = [
  ["as it is", value],
  ["in JSON", JSON.stringify(value).slice(1, -1)],
  ["in a URL", encodeURIComponent(value)],
  ["in base64", base64(value)],
  ["in hex", Buffer.from(value).toString("hex")],
  ["in base64 behind a user", base64(`user:${value}`)],
  ["without its last third", value.slice(0, 16)],
];

interface Attack {
  readonly engine: Engine;
  readonly simulator: Simulator;
  readonly quote: string;
}

const inputs: Properties = {
  ...least,
  name: "web",
  replicas: 1,
  env: { MODEL: "llama-3-8b", DB_PASSWORD: value },
};
const changed: Properties = { ...inputs, container: "acme/model:2" };
const refusing = ({ quote }: Attack, method: string) =>
  ({ kind: "status", status: 422, method, message: `no: ${quote}`, times: 100 }) as const;
const make = ({ engine }: Attack, more: Properties = {}) => run(engine.create({ ...inputs, ...more }));

/** Where a service can quote a secret. Each returns all that the engine got. */
const places: Record<string, (attack: Attack) => Promise<readonly Shown[]>> = {
  "the refusal of a creation": async (attack) => {
    attack.simulator.fault(refusing(attack, "POST"));
    return [await make(attack)];
  },
  "the code of a refusal, and its id": async (attack) => {
    const headers = { "x-request-id": attack.quote };
    attack.simulator.fault({ ...refusing(attack, "POST"), code: attack.quote, headers });
    return [await make(attack)];
  },
  "the error in a success": async (attack) => {
    const body = JSON.stringify({ success: false, error: { message: attack.quote } });
    attack.simulator.fault({ kind: "body", method: "POST", body });
    return [await make(attack)];
  },
  "the failure of every poll": async (attack) => {
    const failing = { kind: "status", status: 500, message: attack.quote, times: 1_000 } as const;
    attack.simulator.fault({ ...failing, method: "GET", path: "/v1/clusters/**", after: 1 });
    return [await make(attack)];
  },
  "the failure of a replica": async (attack) => {
    attack.simulator.fault({ kind: "sick-replica", replica: 0, message: `bad: ${attack.quote}` });
    return [await make(attack)];
  },
  "the failure of a cluster": async (attack) => {
    attack.simulator.fault({ kind: "fail", message: `bad: ${attack.quote}` });
    return [await make(attack)];
  },
  "a status word": async (attack) => {
    const { id, state } = await make(attack);
    const body = JSON.stringify({ id, name: "web", replicas: 1, status: `lost ${attack.quote}` });
    attack.simulator.fault({ kind: "body", method: "GET", path: `/v1/clusters/${id}`, body, times: 1_000 });
    return [await run(attack.engine.read(id, state)), await run(attack.engine.update(id, state, changed))];
  },
  "the refusal of an update": async (attack) => {
    const { id, state } = await make(attack);
    attack.simulator.fault(refusing(attack, "PATCH"));
    return [await run(attack.engine.update(id, state, changed))];
  },
  "the failure of an update that is rolled back": async (attack) => {
    const { id, state } = await make(attack);
    attack.simulator.fault({ kind: "fail", message: attack.quote, container: "acme/model:2" });
    const news = { ...changed, onFailedUpdate: "rollBack" };
    return [await run(attack.engine.update(id, state, news))];
  },
  "the refusal of a refresh": async (attack) => {
    const { id, state } = await make(attack);
    attack.simulator.fault({ ...refusing(attack, "GET"), status: 403 });
    return [await run(attack.engine.read(id, state))];
  },
  "the refusal of a deletion": async (attack) => {
    const { id, state } = await make(attack);
    attack.simulator.fault(refusing(attack, "DELETE"));
    return [await run(attack.engine.remove(id, state))];
  },
  "the failure of all reads of a preview": async (attack) => {
    attack.simulator.fault({ kind: "status", status: 500, method: "GET", message: attack.quote, times: 1_000 });
    return [await run(attack.engine.check(inputs))];
  },
  "the results of functions": async (attack) => {
    const { id, state } = await make(attack);
    attack.simulator.change(id, { sickReplica: { replica: 0, message: attack.quote } });
    const status = await run(attack.engine.call("getClusterStatus", { id }));
    const body = JSON.stringify([{ id, name: "web", status: `lost ${attack.quote}`, env: state["env"] }]);
    attack.simulator.fault({ kind: "body", method: "GET", path: "/v1/clusters", body });
    return [status, await run(attack.engine.call("getClusters", {}))];
  },
};

const adapters: [string, (simulator: Simulator) => Engine | Promise<Engine>][] = [
  ["dynamic", dynamicEngine],
  ["plugin", pluginEngine],
];

let folder: string;
let simulator: Simulator;

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), "leaks-"));
  simulator = await startSimulator({ clock, rateLimit: 1_000_000, dialect: { injectedEnv: {} } });
  useEnvironment(simulator);
  process.env["GPUCLUSTER_LOG"] = `json:${join(folder, "log")}`;
  mockMessages.length = 0;
});

afterEach(async () => {
  forgetEnvironment();
  delete process.env["GPUCLUSTER_LOG"];
  await simulator.close();
  rmSync(folder, { recursive: true });
});

/** All that could be seen of an attack. */
const seenIn = (all: readonly Shown[]) =>
  [textOf(all.map(({ plain }) => plain)), ...mockMessages, readFileSync(join(folder, "log"), "utf8")].join("\n");

const isHidden = /\[secret\]|this text is withheld/;

const rows = adapters.flatMap(([adapter, open]) =>
  Object.entries(places).flatMap(([place, attack]) =>
    encodings.map(([encoding, quote]) => ({ adapter, open, place, attack, encoding, quote })),
  ),
);

it.each(rows)("$place: a secret $encoding is not shown ($adapter)", async ({ open, attack, quote }) => {
  const all = await attack({ engine: await open(simulator), simulator, quote });
  const seen = seenIn(all);
  expect(seen).toMatch(isHidden);
  for (const form of [value, quote, JSON.stringify(quote).slice(1, -1)]) expect(seen).not.toContain(form);
});

/** A cluster with these inputs and a sick replica, whose service then refuses an update and another creation, all with this message. */
async function quotedBy(engine: Engine, more: Properties, message: string, injected: Properties = {}) {
  const news = { ...inputs, env: {}, ...more };
  const made = await run(engine.create(news));
  const { env = {} } = simulator.cluster(made.id) ?? {};
  simulator.change(made.id, {
    env: { ...env, ...(injected as Record<string, string>) },
    sickReplica: { replica: 0, message },
  });
  const refreshed = await run(engine.read(made.id, made.state));
  for (const method of ["PATCH", "POST"]) simulator.fault({ kind: "status", status: 422, method, message, times: 100 });
  const updated = await run(engine.update(made.id, refreshed.state, { ...news, container: "acme/model:2" }));
  return [made, refreshed, updated, await run(engine.create({ ...news, name: "another" }))];
}

const kinds: [string, Properties, string, Properties?][] = [
  [
    "a value that the program marks",
    { env: { LICENSE: asSecret("swordfish-of-the-north") } },
    "swordfish-of-the-north",
  ],
  ["a short value that the program marks", { env: { PIN: asSecret("4711") } }, "4711"],
  ["a password of letters", { env: { PASSWORD: "swordfish" } }, "swordfish"],
  ["a password of letters, in capitals", { env: { PASSWORD: "swordfish" } }, "SWORDFISH"],
  ["a password of digits", { env: { DB_PASSWORD: "4711" } }, "4711"],
  ["a short token", { env: { HF_TOKEN: "hunter2" } }, "hunter2"],
  ["a key with digits", { env: { SIGNING_KEY: "k3yk3yk3y" } }, "k3yk3yk3y"],
  ["a long key of letters", { env: { SIGNING_KEY: "QwErTyUiOpAsDfGh" } }, "QwErTyUiOpAsDfGh"],
  ["a key in a command", { env: { ARGS: "--api-key abcdefgh --port 1" } }, "--api-key abcdefgh"],
  ["a password in an address", { env: { DATABASE: "postgres://app:h7Kq@db/shop" } }, "h7Kq"],
  ["a line of a key in PEM", { env: { PEM: "-----BEGIN KEY-----\nMIIEvQ\n-----END KEY-----" } }, "MIIEvQ"],
  ["a token in a header", { env: { HEADER: "Bearer hunter2hunter" } }, "hunter2hunter"],
  ["a value that another user has set", {}, "pa55word-of-another", { ADMIN_PASSWORD: "pa55word-of-another" }],
  ["an id of a credential that the program marks", { registryCredentialId: asSecret("rc-7f3a-9e1c") }, "rc-7f3a-9e1c"],
  ["a field at any depth", { extraFields: { login: { password: "tr0ub4dor" } } }, "tr0ub4dor"],
  [
    "a header of a probe",
    { readinessProbe: { path: "/", headers: { Authorization: "Bearer tr0ub4dor" }, timeout: "1s" }, skipAwait: true },
    "tr0ub4dor",
  ],
];

it.each(adapters.flatMap(([adapter, open]) => kinds.map((kind) => [kind[0], adapter, open, kind] as const)))(
  "%s is not shown (%s)",
  async (_kind, _adapter, open, [, more, quote, injected]) => {
    const dialect = { unknownFields: "ignored" } as const;
    await simulator.close();
    simulator = await startSimulator({ clock, rateLimit: 1_000_000, dialect });
    useEnvironment(simulator);
    const seen = seenIn(await quotedBy(await open(simulator), more, `wrong: ${quote} (401)`, injected));
    expect(seen).toMatch(isHidden);
    expect(seen).not.toContain(quote);
  },
);

it.each(adapters)("the API key and secrets of other clusters are not shown (%s)", async (_adapter, open) => {
  const engine = await open(simulator);
  await run(engine.create({ ...inputs, name: "other" }));
  const seen = seenIn(await quotedBy(engine, {}, `${value} ${base64(value)} ${simulator.apiKey} (401)`));
  expect(seen).toMatch(/\[secret\] \[secret\] \[secret\] \(401\)/);
  for (const form of [value, base64(value), simulator.apiKey]) expect(seen).not.toContain(form);
});

it.each(adapters)("a value that an update has replaced is not shown (%s)", async (_adapter, open) => {
  const engine = await open(simulator);
  const { id, state } = await run(engine.create(inputs));
  const news = { ...inputs, env: { DB_PASSWORD: "another-one-1234" } };
  const updated = await run(engine.update(id, state, news));
  simulator.change(id, { sickReplica: { replica: 0, message: `wrong: ${value}` } });
  const seen = seenIn([updated, await run(engine.read(id, updated.state))]);
  expect(seen).toContain("wrong: [secret]");
  expect(seen).not.toContain(value);
});

it.each(adapters)("the service's spelling of a secret id is not stored in plain text (%s)", async (_adapter, open) => {
  const engine = await open(simulator);
  const news = { ...inputs, registryCredentialId: asSecret("rc-7f3a") };
  const { id, state } = await run(engine.create({ ...inputs, registryCredentialId: asSecret("rc-0000") }));
  const body = JSON.stringify({
    ...inputs,
    env: undefined,
    id,
    status: "running",
    registryCredentialId: "org/rc-7f3a",
  });
  simulator.fault({ kind: "body", method: "GET", path: `/v1/clusters/${id}`, body, times: 1_000 });
  const updated = await run(engine.update(id, state, news));
  expect(updated.state["__observed"]).toEqual({ registryCredentialId: asSecret("org/rc-7f3a") });
  expect(seenIn([updated])).not.toContain("rc-7f3a");
});

/** Messages that people need: the inputs, the message, and what another user has set. */
const needed: [string, Properties, string, Properties?][] = [
  ["a word in the name of a column", { env: { PARTITION_KEY: "customer_id" } }, "no customer with this id"],
  ["the name of a column", { env: { PARTITION_KEY: "customer_id" } }, "there is no column customer_id"],
  ["another name of a column", { env: { SORT_KEY: "createdAt" } }, "createdAt is not a column"],
  ["a mode", { env: { AUTH_MODE: "oidc", AUTH: "disabled" } }, "oidc is disabled"],
  ["a path", { env: { TLS_CERT: "/etc/tls/server.pem" } }, "cannot read /etc/tls/server.pem"],
  ["a folder", {}, "no space left in /workspace/models", { PWD: "/workspace" }],
  ["a limit", { env: { MAX_TOKEN_COUNT: "4096" } }, "out of memory: context of 4096 needs 4096 MiB"],
  ["what the service adds", {}, "no capacity for 2 x h200 in eu-north", { GPU_TYPE: "h200", REGION: "eu-north" }],
  ["a GPU type that is marked too", { env: { GPU: asSecret("h100") } }, "no capacity for 2 x h100"],
  ["a name that is marked too", { env: { APP: asSecret("web") } }, "web is busy: web-1 does not answer"],
  ["an image that is marked too", { env: { IMAGE: asSecret("acme/model:1") } }, "cannot pull acme/model:1"],
  [
    "a region that is marked too",
    { extraFields: { region: "eu-north" }, env: { REGION: asSecret("eu-north") } },
    "no capacity in eu-north",
  ],
  ["a word in a password", { env: { APP_PASSWORD: "customer-service" } }, "the customer has no service left"],
  ["a word in a long value", { env: { SECRET: "insufficient-capacity-of-the-cluster" } }, "insufficient capacity"],
];

it.each(adapters.flatMap(([adapter, open]) => needed.map((row) => [row[0], adapter, open, row] as const)))(
  "%s in a message stays readable (%s)",
  async (_what, _adapter, open, [, more, message, injected]) => {
    await simulator.close();
    simulator = await startSimulator({ clock, rateLimit: 1_000_000, dialect: { unknownFields: "ignored" } });
    useEnvironment(simulator);
    const [, refreshed, updated] = await quotedBy(await open(simulator), more, message, injected);
    expect(textOf(refreshed?.plain)).toContain(message);
    expect(textOf(updated?.plain)).toContain(message);
  },
);

it.each(adapters)("a secret of another cluster that is a word stays readable (%s)", async (_adapter, open) => {
  const engine = await open(simulator);
  await run(engine.create({ ...inputs, name: "other", env: { GPU: asSecret("h200"), TOKEN: "overload" } }));
  const [, refreshed, updated] = await quotedBy(engine, {}, "overload: no h200 is left");
  expect(textOf(refreshed?.plain)).toContain("overload: no h200 is left");
  expect(textOf(updated?.plain)).toContain("overload: no h200 is left");
});
