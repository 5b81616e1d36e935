import events from "node:events";
import { Server, ServerCredentials, type ServerUnaryCall, type sendUnaryData, status } from "@grpc/grpc-js";
import * as proto from "@pulumi/pulumi/proto/provider_pb";
import { ResourceMonitorService } from "@pulumi/pulumi/proto/resource_grpc_pb";
import * as monitorProto from "@pulumi/pulumi/proto/resource_pb";
import { Empty } from "google-protobuf/google/protobuf/empty_pb";
import { asSecret } from "../../../provider/adapters/engine";
import { construct } from "../../../provider/adapters/plugin/construct";
import { fromStruct, markedValues, toStruct } from "../../../provider/adapters/plugin/messages";
import { configure, Session } from "../../../provider/adapters/plugin/session";
import { type Properties, UNKNOWN } from "../../../provider/core";

const member = { gpuType: "l4", container: "acme/worker:1", env: { TOKEN: "canary" } };
const base = "urn:pulumi:dev::shop::gpucluster:index:Cluster::base";
const provider = "urn:pulumi:dev::shop::pulumi:providers:gpucluster::own";
const output = (value: unknown, more: Properties = {}) => ({
  "4dabf18193072939515e22adb298388d": "d0e6a833031e9bbcd3f4e8bde6ca49a4",
  value,
  dependencies: [base],
  ...more,
});

/** What the engine answers for a resource: its outputs, or why it has failed. */
type Answer = (name: string, inputs: Properties) => Properties | Error;
const ready: Answer = (name, inputs) => ({ ...inputs, name, endpoint: `https://${name}`, hourlyCost: 0.44 });

/** The requests of all registrations so far, in their order. */
let registered: monitorProto.RegisterResourceRequest[];
let answer: Answer;
let server: Server;
let address: string;
let session: Session;

beforeEach(async () => {
  registered = [];
  answer = ready;
  session = new Session();
  configure(session, new proto.ConfigureRequest().setUrn(provider).setId("id-1").setArgs(toStruct({})));
  server = new Server();
  server.addService(ResourceMonitorService, {
    registerResource: (
      { request }: ServerUnaryCall<monitorProto.RegisterResourceRequest, monitorProto.RegisterResourceResponse>,
      done: sendUnaryData<monitorProto.RegisterResourceResponse>,
    ) => {
      registered.push(request);
      const found = answer(request.getName(), markedValues(request.getObject()));
      if (found instanceof Error) return done({ code: status.INTERNAL, details: found.message });
      const response = new monitorProto.RegisterResourceResponse();
      done(null, response.setUrn(urnOf(request.getName())).setId("cl_1").setObject(toStruct(found)));
    },
    registerResourceOutputs: (_call: unknown, done: sendUnaryData<Empty>) => done(null, new Empty()),
  });
  const port = await new Promise<number>((done, fail) =>
    server.bindAsync("127.0.0.1:0", ServerCredentials.createInsecure(), (error, bound) =>
      error ? fail(error) : done(bound),
    ),
  );
  address = `127.0.0.1:${port}`;
});
afterEach(() => server.forceShutdown());

const urnOf = (name: string) => `urn:pulumi:dev::shop::any::${name}`;
const namesOf = (urns: readonly string[]) => urns.map((urn) => urn.replace(/.*::/, "")).sort();
const inputsOf = (request?: monitorProto.RegisterResourceRequest) => markedValues(request?.getObject());
const find = (name: string) => registered.find((request) => request.getName() === name);

const requestOf = (inputs: Properties) =>
  new proto.ConstructRequest()
    .setType("gpucluster:index:ClusterFleet")
    .setName("worker")
    .setMonitorendpoint(address)
    .setInputs(toStruct(inputs));

const declare = (inputs: Properties) => construct(session, requestOf(inputs));

describe("a fleet that the plugin declares", () => {
  it("is a component without inputs, and its clusters have its provider and their inputs unchanged", async () => {
    const response = await declare({ count: 2, cluster: member });
    expect(registered.map((request) => [request.getName(), request.getParent(), request.getCustom()])).toEqual([
      ["worker", "", false],
      ["worker-0", urnOf("worker"), true],
      ["worker-1", urnOf("worker"), true],
    ]);
    expect(registered.map(inputsOf)).toEqual([{}, member, member]);
    expect(find("worker-0")?.getProvider()).toBe(`${provider}::id-1`);
    expect(response.getUrn()).toBe(urnOf("worker"));
    expect(fromStruct(response.getState())).toEqual({
      endpoints: { 0: "https://worker-0", 1: "https://worker-1" },
      hourlyCost: 0.88,
    });
  });

  it("has a cluster for each key, which may be none", async () => {
    await declare({ clusters: { eu: member, us: { ...member, replicas: 2 } } });
    expect(inputsOf(find("worker-us"))).toMatchObject({ replicas: 2 });
    const response = await declare({ clusters: {} });
    expect(fromStruct(response.getState())).toEqual({ endpoints: {}, hourlyCost: 0 });
  });

  it.each([
    ["in alphabetical order: the engine keeps no other", ["us", "ap", "eu"], ["ap", "eu", "us"]],
    ["by their value if they are whole numbers", ["eu", "10", "9"], ["9", "10", "eu"]],
  ])("takes the keys of its clusters %s", async (_order, keys, taken) => {
    const clusters = Object.fromEntries(keys.map((key) => [key, member]));
    await declare({ clusters, waves: [1, 2] });
    expect(registered.slice(1).map((request) => request.getName())).toEqual(taken.map((key) => `worker-${key}`));
  });

  it("passes its options on to each cluster", async () => {
    const request = requestOf({ count: 1, cluster: member })
      .setDependenciesList([base])
      .setIgnorechangesList(["replicas"])
      .setReplaceonchangesList(["container"])
      .setCustomtimeouts(new proto.ConstructRequest.CustomTimeouts().setCreate("70s"))
      .setProtect(true);
    await construct(session, request);
    const cluster = find("worker-0");
    expect(cluster?.getDependenciesList()).toEqual([base]);
    expect(cluster?.getIgnorechangesList()).toEqual(["replicas"]);
    expect(cluster?.getReplaceonchangesList()).toEqual(["container"]);
    expect(cluster?.getCustomtimeouts()?.getCreate()).toBe("70s");
    // The engine passes it on from the component.
    expect([find("worker")?.getProtect(), cluster?.hasProtect()]).toEqual([true, false]);
  });

  it("has the hooks of the program, of every kind", async () => {
    const hooks = {
      ...{ beforeCreateList: ["a"], afterCreateList: ["b"], beforeUpdateList: ["c"], afterUpdateList: ["d"] },
      ...{ beforeDeleteList: ["e"], afterDeleteList: ["f"], onErrorList: ["g"] },
    };
    const binding = new proto.ConstructRequest.ResourceHooksBinding()
      .setBeforeCreateList(hooks.beforeCreateList)
      .setAfterCreateList(hooks.afterCreateList)
      .setBeforeUpdateList(hooks.beforeUpdateList)
      .setAfterUpdateList(hooks.afterUpdateList)
      .setBeforeDeleteList(hooks.beforeDeleteList)
      .setAfterDeleteList(hooks.afterDeleteList)
      .setOnErrorList(hooks.onErrorList);
    await construct(session, requestOf({ count: 1, cluster: member }).setResourceHooks(binding));
    expect(find("worker")?.getHooks()?.toObject()).toEqual(hooks);
    expect(find("worker-0")?.getHooks()).toBeUndefined();
  });

  it("declares many clusters at once, and Node warns of nothing", async () => {
    const unlimited = jest.spyOn(events, "setMaxListeners");
    await declare({ count: 200, cluster: member });
    expect(registered).toHaveLength(201);
    // Or Node prints a MaxListenersExceededWarning, which the engine shows to users.
    expect(unlimited).toHaveBeenCalledWith(0, expect.any(AbortSignal));
    unlimited.mockRestore();
  });

  it("declares a wave when all clusters of the wave before are ready, as their dependents", async () => {
    await declare({ count: 4, waves: [1, "50%"], cluster: member });
    const order = registered.slice(1).map((request) => [request.getName(), namesOf(request.getDependenciesList())]);
    expect(order.slice(0, 2)).toEqual([
      ["worker-0", []],
      ["worker-1", ["worker-0"]],
    ]);
    expect(order.slice(2).sort()).toEqual([
      ["worker-2", ["worker-1"]],
      ["worker-3", ["worker-1"]],
    ]);
    // No input depends on another cluster: a replacement of one must not replace the next.
    expect(find("worker-3")?.getPropertydependenciesMap().get("gpuType")?.getUrnsList()).toEqual([]);
  });
});

describe("marked inputs of a fleet", () => {
  it.each<[string, unknown, unknown, string[]]>([
    ["an output", { ...member, env: { UP: output("u") } }, { env: { UP: output("u") } }, ["env"]],
    ["a secret", { ...member, env: { UP: asSecret("u") } }, { env: { UP: asSecret("u") } }, []],
    ["an unknown", { ...member, replicas: UNKNOWN }, { replicas: UNKNOWN }, []],
    ["all of them a secret", asSecret(member), { container: asSecret(member.container) }, []],
    ["all of them an output", output(member), { gpuType: output("l4") }, ["container", "env", "gpuType"]],
  ])("reach a cluster with their marks: %s", async (_what, cluster, inputs, dependent) => {
    await declare({ count: 1, cluster });
    expect(inputsOf(find("worker-0"))).toMatchObject(inputs as Properties);
    const dependencies = find("worker-0")?.getPropertydependenciesMap();
    const found = ["container", "env", "gpuType"].filter((name) => dependencies?.get(name)?.getUrnsList()[0] === base);
    expect(found).toEqual(dependent);
  });

  it.each<[string, Properties, unknown]>([
    ["unknown if one is unknown", { hourlyCost: UNKNOWN }, UNKNOWN],
    ["a secret if one is a secret", { hourlyCost: asSecret(1) }, asSecret(2)],
    ["absent if one is absent", { hourlyCost: undefined }, undefined],
  ])("leave the sum of costs %s", async (_what, more, expected) => {
    answer = (name, inputs) => ({ ...(ready(name, inputs) as Properties), ...more });
    const response = await declare({ count: 2, cluster: member });
    expect(markedValues(response.getState())["hourlyCost"]).toEqual(expected);
  });
});

describe("a fleet of which a preview knows little", () => {
  it.each<[string, Properties]>([
    ["whose cluster is not known", { count: 1, cluster: UNKNOWN }],
    ["whose cluster is an output that is not known", { count: 1, cluster: { ...output(0), value: undefined } }],
    ["with a cluster of a key that is not known", { clusters: { 0: UNKNOWN } }],
  ])("%s has clusters of which no input is known", async (_what, inputs) => {
    await construct(session, requestOf(inputs).setDryrun(true));
    const found = inputsOf(find("worker-0"));
    expect(found).toMatchObject({ gpuType: UNKNOWN, container: UNKNOWN, replicas: UNKNOWN });
    expect(found).not.toHaveProperty("name");
    await expect(declare(inputs)).rejects.toThrow(/must be an object, known when the program runs/);
  });
});

describe("a fleet that cannot be declared", () => {
  it.each<[string, Properties, RegExp]>([
    ["neither form", {}, /^ClusterFleet "worker": give either `count` and `cluster`, or `clusters`; neither is there$/],
    ["both forms", { count: 1, cluster: member, clusters: {} }, /both are there$/],
    [
      "a count that is not known",
      { count: UNKNOWN, cluster: member },
      /`count` must be .* known when the program runs$/,
    ],
    ["keys that are not known", { clusters: UNKNOWN }, /`clusters` must be an object, known when the program runs/],
    ["a cluster that is no object", { clusters: { eu: 5 } }, /`clusters.eu` must be an object, known when/],
    ["a wave that is none", { count: 1, cluster: member, waves: ["half"] }, /`waves\[0\]` must be a whole number/],
  ])("is refused before anything is declared: %s", async (_what, inputs, message) => {
    await expect(declare(inputs)).rejects.toThrow(message);
    expect(registered).toEqual([]);
  });

  it("ends when the last cluster of the wave has ended, names the failed one, and begins no later wave", async () => {
    answer = (name, inputs) => (name === "worker-1" ? new Error("resource registration failed") : ready(name, inputs));
    const failed = declare({ count: 5, waves: [3], cluster: member });
    await expect(failed).rejects.toThrow(
      'ClusterFleet "worker": the run ended before worker-1 was ready: see the rows of its clusters',
    );
    expect(registered).toHaveLength(4);
  });

  it("gives another reason of the engine in its words", async () => {
    answer = () => new Error("invoke transform: no such field");
    await expect(declare({ count: 1, cluster: member })).rejects.toThrow(/invoke transform: no such field$/);
  });

  it("ends at once if the engine cancels", async () => {
    answer = (name, inputs) => {
      if (name === "worker-0") session.cancel();
      return ready(name, inputs);
    };
    await expect(declare({ count: 2, waves: [1], cluster: member })).rejects.toThrow(/worker/);
    expect(find("worker-1")).toBeUndefined();
  });

  it("is not what another component is", async () => {
    const request = requestOf({ count: 1, cluster: member }).setType("gpucluster:index:Other");
    await expect(construct(session, request)).rejects.toThrow("there is no component gpucluster:index:Other");
  });
});
