import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Server } from "@grpc/grpc-js";
import * as proto from "@pulumi/pulumi/proto/provider_pb";
import { Status } from "@pulumi/pulumi/proto/status_pb";
import fc from "fast-check";
import { Empty } from "google-protobuf/google/protobuf/empty_pb";
import { asSecret, isSecret } from "../../../provider/adapters/engine";
import { serviceOf } from "../../../provider/adapters/plugin";
import { engineValues, fromStruct, Session, secretPathsIn, toStruct } from "../../../provider/adapters/session";
import { systemClock } from "../../../provider/base/clock";
import { type Properties, UNKNOWN } from "../../../provider/contract";
import { type Simulator, startSimulator } from "../../../simulator";
import { type EndpointServer, serveEndpoints } from "../../support/endpointServer";
import { living } from "../../support/living";
import { startEngine } from "../../support/providerProcess";
import type { VirtualClock } from "../../support/virtualClock";
import { canary, least } from "../cluster/inputs";
import { type CallError, call, callsTo, providerUrn, urn } from "./engineCalls";

// The adapter uses the real clock; here it is a virtual one.
jest.mock("../../../provider/base/clock", () => jest.requireActual("../../support/clockMock"));
const clock = systemClock as VirtualClock;
const run = <T>(work: Promise<T>): Promise<T> => clock.run(work);
let simulator: Simulator;
let endpoint: EndpointServer;
let service: ReturnType<typeof serviceOf>;
let calls: ReturnType<typeof callsTo>;
let engine: Server | undefined;
let count = 0;

function inputsOf(more: Properties = {}): Properties {
  count += 1;
  return { ...least, replicas: 1, name: `web-${count}`, env: { MODEL: canary }, ...more };
}

const reasonsOf = (checked: proto.CheckResponse) => checked.getFailuresList().map((failure) => failure.getReason());

const invoke = async (name: string, args?: Properties) => fromStruct((await run(calls.invoke(name, args))).getReturn());

const check = (...args: Parameters<typeof calls.check>) => run(calls.check(...args));
const configure = () => calls.configure({ apiKey: asSecret(simulator.apiKey), baseUrl: simulator.url });
const cancel = () => call<Empty>(service.cancel, new Empty());

const seed = { name: "prod", gpuType: "h100", replicas: 2, container: "acme/model:1" };
/** A cluster that no state contains. */
const existing = () => simulator.addCluster(seed).id;

beforeEach(async () => {
  endpoint = await serveEndpoints();
  simulator = await startSimulator({ clock, rateLimit: 1_000_000, endpoint: endpoint.url });
  service = serviceOf(new Session());
  calls = callsTo(service);
  await configure();
});

afterEach(async () => {
  engine?.forceShutdown();
  await simulator.close();
  await endpoint.close();
});

describe("a preview", () => {
  it("leaves the outputs unknown that only the creation reports, and sends nothing", async () => {
    const response = await calls.create(inputsOf(), true);
    const outputs = fromStruct(response.getProperties());
    expect(outputs).toMatchObject({ replicas: 1, endpoint: UNKNOWN, createdAt: UNKNOWN, readyReplicas: UNKNOWN });
    expect(response.getId()).toBe("");
    expect(simulator.requests).toEqual([]);
  });

  it("shows the outputs that an update keeps, so that no dependent resource changes", async () => {
    const inputs = inputsOf();
    const created = await run(calls.create(inputs));
    const state = fromStruct(created.getProperties());
    const sent = simulator.requests.length;
    const response = await calls.update(created.getId(), state, { ...inputs, replicas: 3 }, true);
    const { endpoint, createdAt } = state;
    expect(fromStruct(response.getProperties())).toMatchObject({ replicas: 3, endpoint, createdAt, settled: UNKNOWN });
    expect(simulator.requests).toHaveLength(sent);
  });

  it("shows the known outputs of a cluster that it adopts, which are not in its inputs", async () => {
    const { id, endpoint } = simulator.addCluster({ ...seed, replicas: 1, container: String(least["container"]) });
    const checked = await check(new proto.CheckRequest().setNews(toStruct({ ...least, adopt: id })));
    const inputs = fromStruct(checked.getInputs());
    expect(inputs).not.toHaveProperty("endpoint");
    expect(fromStruct((await calls.create(inputs, true)).getProperties())).toMatchObject({ name: "prod", endpoint });
  });
});

/** Values of a program, some of which it marks as secret. */
const { markedValue } = fc.letrec((tie) => ({
  markedValue: fc.oneof(fc.constantFrom("fast", "token=abc"), tie("map"), tie("list"), tie("map").map(asSecret)),
  map: fc.dictionary(fc.constantFrom("MODE", "HF_TOKEN", "A.B"), tie("markedValue"), { maxKeys: 3 }),
  list: fc.array(tie("markedValue"), { maxLength: 3 }),
}));

test("a secret in a message to the engine contains no other one, whatever the program marks", async () => {
  const maps = fc.record({ env: markedValue, extraFields: markedValue, readinessProbe: markedValue });
  await fc.assert(
    fc.asyncProperty(maps, async (marked) => {
      const inputs = inputsOf(marked);
      const { env, extraFields, readinessProbe } = fromStruct(toStruct(inputs));
      const response = await calls.create(inputs, true);
      expect(secretsInSecrets(engineValues(response.getProperties()))).toEqual([]);
      expect(fromStruct(response.getProperties())).toMatchObject({ env, extraFields, readinessProbe });
    }),
  );
});

/** The values of the secrets that contain another secret. */
function secretsInSecrets(value: unknown): unknown[] {
  if (isSecret(value)) return secretPathsIn(value["value"]).length > 0 ? [value["value"]] : [];
  if (typeof value !== "object" || value === null) return [];
  return Object.values(Object(value)).flatMap(secretsInSecrets);
}

describe("an operation", () => {
  it("returns secret values of env, and the headers and the body of a probe, as secrets", async () => {
    const probe = { path: "/health", method: "POST", headers: { "X-Key": canary }, body: canary };
    endpoint.answer = 503;
    const inputs = inputsOf({ readinessProbe: probe });
    const marked = { ...probe, headers: { "X-Key": asSecret(canary) }, body: asSecret(canary) };
    const failure = failureIn(await errorOf(run(calls.create(inputs, false, 30))));
    const id = failure?.getId() ?? "";
    const env = { MODEL: asSecret(canary) };
    expect(failure?.getProperties()?.toJavaScript()).toMatchObject({ env, readinessProbe: marked, settled: false });
    expect(failure?.getReasonsList()).toEqual([expect.stringContaining("POST /health answers 503")]);
    expect(failure?.getReasonsList().join()).not.toContain(canary);
    endpoint.answer = 200;
    const updated = await run(calls.update(id, fromStruct(failure?.getProperties()), inputs));
    expect(updated.getProperties()?.toJavaScript()).toMatchObject({ readinessProbe: marked, settled: true });
    const found = await run(calls.read(id, fromStruct(updated.getProperties())));
    expect(found.getProperties()?.toJavaScript()).toMatchObject({ readinessProbe: marked });
    expect(found.getInputs()?.toJavaScript()).toMatchObject({ readinessProbe: marked });
  });

  it("keeps the id, the state and the reasons of a cluster that is not ready, which the next update reads first", async () => {
    simulator.fault({ kind: "sick-replica", replica: 0, message: "out of memory" });
    const error = await errorOf(run(calls.create(inputsOf(), false, 60)));
    expect(error.details).toContain("timed out after 1m");
    const failure = failureIn(error);
    expect(failure?.getId()).toBe(living(simulator)[0]?.id);
    expect(fromStruct(failure?.getProperties())).toMatchObject({
      settled: false,
      __unfinished: { kind: "creation", paths: [] },
    });
    expect(failure?.getReasonsList()).toEqual([expect.stringContaining("out of memory")]);
    expect(failure?.getRefreshBeforeUpdate()).toBe(true);
  });

  it("ends a creation without GPUs as awaiting, by a detail without fields, only if the program asks for that", async () => {
    simulator.setGpuType("h100", { stock: 0 });
    const news = inputsOf({ onNoCapacity: "nextRun" });
    expect(reasonsOf(await check(new proto.CheckRequest().setNews(toStruct(news))))).toEqual([]);
    const awaiting = await errorOf(run(calls.create(news)));
    const [detail] = detailsOf(awaiting);
    expect(detail?.getTypeUrl()).toBe("type.googleapis.com/pulumirpc.ErrorResourceAwaitFailed");
    expect(detail?.getValue_asU8()).toHaveLength(0);
    expect(awaiting.details).toContain("the next `pulumi up` tries again");
    expect((await errorOf(run(calls.create(inputsOf())))).metadata?.get("grpc-status-details-bin")).toEqual([]);
    expect(living(simulator)).toEqual([]);
  });

  it("is ended by a cancel during the operation, and by no earlier one", async () => {
    await cancel();
    await run(calls.create(inputsOf()));
    simulator.fault({ kind: "sick-replica", replica: 0, message: "out of memory" });
    const work = errorOf(run(calls.create(inputsOf())));
    await clock.sleep(60_000);
    await cancel();
    expect((await work).details).toContain("interrupted");
    await run(calls.create(inputsOf()));
  });

  it("is refused with the name of a resource or a function that does not exist", async () => {
    const other = new proto.CreateRequest().setUrn(urn.replace("Cluster", "Network")).setProperties(toStruct({}));
    expect((await errorOf(call(service.create, other))).details).toMatch(/gpucluster:index:Network/);
    // The type of the dynamic adapter, to which a transform can give a provider of this plugin.
    const dynamic = urn.replace("gpucluster:", "pulumi-nodejs:dynamic/gpucluster:").replace("index:", "");
    const checked = await errorOf(check(new proto.CheckRequest(), dynamic));
    expect(checked.details).toMatch(/gpucluster:Cluster; .*`Cluster` of `pulumi-gpucluster\/native`/);
    expect((await errorOf(invoke("constructor"))).details).toMatch(/no function gpucluster:index:constructor/);
  });
});

test("the result of a function is secret if an argument is secret", async () => {
  const id = existing();
  const invokeWith = async (argument: unknown) => {
    return engineValues((await run(calls.invoke("getCluster", { id: argument }))).getReturn());
  };
  expect(await invokeWith(id)).toMatchObject({ id, name: "prod" });
  expect(await invokeWith(asSecret(id))).toMatchObject({ id: asSecret(id), name: asSecret("prod") });
});

describe("a drift of env", () => {
  it("is reported as the cause of a rollout after a check, and not by the refresh before it", async () => {
    const messages: string[] = [];
    const { engine: server, address } = await startEngine(messages);
    engine = server;
    await call(service.handshake, new proto.ProviderHandshakeRequest().setEngineAddress(address));
    const inputs = inputsOf({ env: { MODE: "fast" } });
    const created = await run(calls.create(inputs));
    const id = created.getId();
    simulator.change(id, { env: { MODE: "slow" } });
    const found = await run(calls.read(id, fromStruct(created.getProperties())));
    const drifted = fromStruct(found.getProperties());
    messages.length = 0;
    expect((await run(calls.diff(id, drifted, inputs))).getDiffsList()).toEqual(["env"]);
    expect(messages).toEqual([]);
    await check(new proto.CheckRequest().setOlds(found.getInputs()).setNews(toStruct(inputs)));
    await run(calls.diff(id, drifted, inputs));
    expect(messages).toEqual([expect.stringMatching(/^INFO: web: `env` changes: /)]);
  });
});

test("a process that serves one run after the other, as in a debugger, knows nothing of the runs before", async () => {
  const { engine: server, address } = await startEngine([]);
  engine = server;
  const inputs = toStruct(inputsOf({ name: "shared" }));
  const refusalsOf = async (name: string) =>
    reasonsOf(await check(new proto.CheckRequest().setNews(inputs), urn.replace(/web$/, name)));
  const begin = async () => {
    await call(service.handshake, new proto.ProviderHandshakeRequest().setEngineAddress(address));
    await configure();
  };
  await begin();
  expect(await refusalsOf("one")).toEqual([]);
  expect(await refusalsOf("two")).toEqual([expect.stringMatching(/::one has the name "shared" too/)]);
  await begin();
  expect(await refusalsOf("two")).toHaveLength(1);
  // The engine ends each run by this call. A later engine may get the same port.
  await cancel();
  await begin();
  expect(await refusalsOf("two")).toEqual([]);
});

describe("a call with only the required fields of the protocol", () => {
  it("deletes a cluster by its id", async () => {
    await run(calls.remove(existing()));
    expect(living(simulator)).toEqual([]);
  });

  it("reads a cluster by its id, with an empty state too", async () => {
    const id = existing();
    for (const state of [undefined, {}]) {
      expect(fromStruct((await run(calls.read(id, state))).getInputs())).toEqual(seed);
    }
    expect((await run(calls.read("cl_nothing", {}))).getId()).toBe("");
  });

  it("updates a cluster with the state of a read, and with no state at all", async () => {
    const id = existing();
    const state = fromStruct((await run(calls.read(id))).getProperties());
    const updated = await run(calls.update(id, state, { ...seed, replicas: 3 }));
    expect(fromStruct(updated.getProperties())).toMatchObject({ replicas: 3, settled: true });
    const again = await run(calls.update(id, undefined, { ...seed, replicas: 4 }));
    expect(fromStruct(again.getProperties())).toMatchObject({ replicas: 4, settled: true });
  });

  it("lists clusters, up to a limit", async () => {
    for (const name of ["prod", "dev"]) simulator.addCluster({ ...seed, name });
    const listed = async (request: proto.ListRequest) => {
      const names: string[] = [];
      await run(
        new Promise<void>((end, emit) => {
          const write = (response: proto.ListResponse) => names.push(response.getResult()?.getName() ?? "");
          // As with unary calls, a handler uses only these members.
          service.list({ request, write, end, emit } as unknown as Parameters<typeof service.list>[0]);
        }),
      );
      return names;
    };
    expect((await listed(new proto.ListRequest())).sort()).toEqual(["dev", "prod"]);
    expect(await listed(new proto.ListRequest().setLimit(1))).toHaveLength(1);
  });
});

/** test/engine/oldStates.test.ts has the dynamic adapter, which wrote these states. */
describe("a state of another version", () => {
  type Stored = { readonly type: string; readonly outputs: typeof seed & Properties };
  const file = join(__dirname, "../../fixtures/states/0.1.0/stack.json");
  const resources: Stored[] = JSON.parse(readFileSync(file, "utf8")).deployment.resources;
  const stored = resources.filter(({ type }) => type.endsWith(":Cluster")).map(({ outputs }) => outputs);
  /** As a later version may have written it. */
  const unknown = { aFutureProperty: { a: [1] }, __future: "x" };

  it.each(stored.map((outputs) => [outputs.name, outputs] as const))(
    "is read, changed and deleted: %s",
    async (_of, old) => {
      const { name, gpuType, replicas, container } = old;
      const { id } = simulator.addCluster({ name, gpuType, replicas, container, env: Object(old["env"]) });
      const { __seenBy, ...state }: Properties = { ...old, ...unknown };
      const found = fromStruct((await run(calls.read(id, state))).getProperties());
      expect(found).toMatchObject({ name, gpuType, replicas, container });
      const checked = await check(new proto.CheckRequest().setOlds(toStruct(state)).setNews(toStruct(state)));
      expect(reasonsOf(checked)).toEqual([]);
      await run(calls.diff(id, state, state));
      await run(calls.update(id, found, { ...found, replicas: 4 }));
      await run(calls.remove(id, found));
      expect(living(simulator)).toEqual([]);
    },
  );
});

describe("the stack's pulumi:autonaming", () => {
  const { Mode } = proto.CheckRequest.AutonamingOptions;
  type Mode = proto.CheckRequest.AutonamingOptions.Mode;

  async function checkWith(mode: Mode, proposed: string, news: Properties = {}, olds: Properties = {}) {
    const autonaming = new proto.CheckRequest.AutonamingOptions().setMode(mode).setProposedName(proposed);
    const request = new proto.CheckRequest().setAutonaming(autonaming).setOlds(toStruct(olds));
    const checked = await check(request.setNews(toStruct({ ...least, ...news })));
    return { name: fromStruct(checked.getInputs())["name"], failures: reasonsOf(checked) };
  }

  it("changes neither a given name nor the name of an existing cluster", async () => {
    expect(await checkWith(Mode.ENFORCE, "team-web", { name: "web" })).toEqual({ name: "web", failures: [] });
    const olds = { ...least, name: "web-0000000", __generatedName: true };
    expect(await checkWith(Mode.DISABLE, "", {}, olds)).toEqual({ name: "web-0000000", failures: [] });
  });

  it("requires a name if autonaming is disabled", async () => {
    const { failures } = await checkWith(Mode.DISABLE, "");
    expect(failures).toEqual([expect.stringMatching(/^name: is required: pulumi:autonaming is disabled/)]);
    const { id } = simulator.addCluster({ ...seed, replicas: 1, container: String(least["container"]) });
    expect(await checkWith(Mode.DISABLE, "", { adopt: id })).toEqual({ name: "prod", failures: [] });
  });
});

describe("the inputs that only the dynamic adapter has", () => {
  it("are no difference, and are removed by the next update", async () => {
    const inputs = inputsOf();
    const created = await run(calls.create(inputs));
    const foreign = { __provider: "text", __urn: "urn", __timeouts: { create: "5m" } };
    const state = { ...fromStruct(created.getProperties()), ...foreign };
    expect((await calls.diff(created.getId(), state, inputs)).getDiffsList()).toEqual([]);
    const updated = await run(calls.update(created.getId(), state, { ...inputs, replicas: 2 }));
    for (const name of Object.keys(foreign)) expect(fromStruct(updated.getProperties())).not.toHaveProperty(name);
  });
});

describe("the settings of a provider", () => {
  it("never replace its clusters, however they change", async () => {
    const request = new proto.DiffRequest().setUrn(providerUrn);
    request
      .setOldInputs(toStruct({ apiKey: "a" }))
      .setNews(toStruct({ apiKey: "b", baseUrl: "https://b.example.com" }));
    const response = await call<proto.DiffResponse>(service.diffConfig, request);
    expect(response.getChanges()).toBe(proto.DiffResponse.DiffChanges.DIFF_SOME);
    expect(response.getReplacesList()).toEqual([]);
  });

  const checkConfig = (news: Properties, urn = providerUrn) =>
    call<proto.CheckResponse>(service.checkConfig, new proto.CheckRequest().setUrn(urn).setNews(toStruct(news)));

  it("contain every value that may be a key as a secret, no other one, and no key of the environment", async () => {
    const open = { baseUrl: "https://a.example.com", previewChecks: "strict", maxHourlyCost: 5, version: "0.1.0" };
    const response = await checkConfig({ ...open, euApiKey: "b" });
    expect(response.getInputs()?.toJavaScript()).toEqual({ ...open, euApiKey: asSecret("b") });
  });

  const ofStack = { apiKey: "key-of-stack", baseUrl: "https://stack.example.com" };
  const another = { ...ofStack, apiKey: "another" };
  const limited = { ...ofStack, maxHourlyCost: 5 };
  const here = { baseUrl: "https://a.example" };
  // The arguments of a provider, and the config of its stack. The engine names its own provider, and tells no other difference.
  it.each<[string, string, Properties, Properties | undefined, boolean]>([
    ["are the stack's for the engine's own provider", "default_0_1_0", { ...ofStack, version: "1" }, ofStack, true],
    ["are empty for the engine's own provider of a stack without settings", "default", {}, {}, true],
    ["are not compared by a plugin that a user started", "default", another, undefined, true],
    ["are refused under a name of the engine if the key is another one", "default", another, ofStack, false],
    ["are refused under a name of the engine if the stack has no key", "default", another, {}, false],
    ["are refused under a name of the engine if there are none", "default_1_2_3", {}, ofStack, false],
    ["are refused under a name of the engine if only the address is set", "default_https_/a.example", here, {}, false],
    ["are refused under a name of the engine if the key is unknown", "default", { apiKey: UNKNOWN }, ofStack, false],
    ["are refused under a name of the engine if a limit differs", "default", limited, ofStack, false],
    ["are accepted under a name that only begins like one of the engine", "default_eu", another, ofStack, true],
    ["are accepted under a name that only ends like one of the engine", "eu::default", another, ofStack, true],
  ])("%s", async (_title, name, news, stack, isAccepted) => {
    if (stack) process.env["PULUMI_CONFIG"] = JSON.stringify(stack);
    const checked = await checkConfig(news, providerUrn.replace(/own$/, name));
    delete process.env["PULUMI_CONFIG"];
    const refusal = expect.stringMatching(/^the engine uses this name .* Give the provider another name$/);
    expect(reasonsOf(checked)).toEqual(isAccepted ? [] : [refusal]);
  });
});

/** The part of a failure that describes the resource. */
function failureIn(error: CallError) {
  const [detail] = detailsOf(error);
  return detail?.unpack(proto.ErrorResourceInitFailed.deserializeBinary, "pulumirpc.ErrorResourceInitFailed");
}

function detailsOf({ metadata }: CallError) {
  return Status.deserializeBinary(Buffer.from(metadata?.get("grpc-status-details-bin")[0] ?? "")).getDetailsList();
}

/** The error of a call that fails. */
async function errorOf(work: Promise<unknown>): Promise<CallError> {
  try {
    await work;
  } catch (error) {
    return Object(error);
  }
  throw new Error("it did not fail");
}
