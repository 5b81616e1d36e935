import * as pulumi from "@pulumi/pulumi";
import * as sdk from "../../../sdk";
import * as native from "../../../sdk/native";
import { type Simulator, startSimulator } from "../../../simulator";
import { type FunctionName, forgetEnvironment, functionNames, useEnvironment } from "../providerHarness";
import { isKnown, resolved, runProgram, unknownOutput } from "./program";

let simulator: Simulator;
let id: string;

beforeAll(async () => {
  simulator = await startSimulator();
  id = simulator.addCluster({ name: "web", gpuType: "h100", env: { MODEL: "llama" } }).id;
  useEnvironment(simulator);
});

afterEach(() => {
  simulator.requests.length = 0;
});

afterAll(async () => {
  forgetEnvironment();
  await simulator.close();
});

const least = { gpuType: "h100", container: "acme/model:1" };
const later = <Value>(value: Value) => pulumi.output(Promise.resolve(value));
const any = expect.any(Array);

describe("the Output variant of a function", () => {
  it.each<[FunctionName, object, ...(() => object)[]]>([
    ["getGpuTypes", { gpuTypes: any }],
    ["getGpuModels", { models: any }],
    ["getGpuPricing", { prices: any }],
    ["getGpuAvailability", { availability: [{ type: "h100" }] }, () => ({ type: "h100" })],
    ["getClusters", { clusters: [{ name: "web" }], complete: true }],
    ["getCluster", { name: "web", envNames: ["MODEL"] }, () => ({ name: "web" })],
    ["getClusterStatus", { status: "running", readyReplicas: 1 }, () => ({ id })],
    ["getHealth", { healthy: true }],
    ["getServiceInfo", { version: "1.0.0" }],
  ])("gives the answer of %s", async (name, expected, ...argsOf) => {
    const call = (called: string, args: object[]) => Reflect.apply(Reflect.get(sdk, called), undefined, args);
    const args = argsOf.map((make) => Object.entries(make()));
    const answer = await call(name, args.map(Object.fromEntries));
    expect(answer).toMatchObject(expected);
    const lateArgs = args.map((given) =>
      Object.fromEntries(given.map(([argument, value]) => [argument, later(value)])),
    );
    const output = call(`${name}Output`, lateArgs) as pulumi.Output<unknown>;
    expect(await resolved(output)).toEqual(answer);
  });
});

test("the package exports exactly the documented names", () => {
  const outputForms = functionNames.map((name) => `${name}Output`);
  expect(Object.keys(sdk).sort()).toEqual(["Cluster", ...functionNames, ...outputForms].sort());
});

test.each<[string, () => Promise<unknown>, RegExp]>([
  ["of the service", () => sdk.getCluster({ id: "cl_none" }), /HTTP 404.*getClusters\(\) lists the clusters/],
  ["in the arguments", () => sdk.getClusterStatus({ id: "../x" }), /^getClusterStatus: `id` must be/],
])("an error is printed as its message alone: %s", async (_title, call, message) => {
  const error: unknown = await call().catch((reason: unknown) => reason);
  expect(pulumi.RunError.isInstance(error)).toBe(true);
  expect(error).toHaveProperty("message", expect.stringMatching(message));
  expect(Object(error)).not.toHaveProperty("path");
});

test("no request is sent while an argument is unknown, and the answer stays unknown", async () => {
  expect(await isKnown(sdk.getClusterOutput({ id: unknownOutput() }))).toBe(false);
  expect(simulator.requests).toEqual([]);
});

test("the answer to a secret argument is a secret", async () => {
  expect(await pulumi.isSecret(sdk.getClusterOutput({ id: pulumi.secret(id) }))).toBe(true);
  expect(await pulumi.isSecret(sdk.getClusterOutput({ id }))).toBe(false);
});

test("if nothing is configured, a function says what is missing", async () => {
  forgetEnvironment();
  await expect(sdk.getGpuTypes()).rejects.toThrow(/GPUCLUSTER_API_KEY.*gpucluster:apiKey/);
  useEnvironment(simulator);
});

test("a program that declares clusters and calls no function does not load the core of the provider", () => {
  const load = jest.fn(() => ({}));
  jest.isolateModules(() => {
    jest.doMock("../../../provider", load);
    require("../../../sdk");
  });
  jest.dontMock("../../../provider");
  expect(load).not.toHaveBeenCalled();
});

describe("a function with options of Pulumi", () => {
  const another = () => ({ provider: new native.Provider("eu") });
  it.each<[string, () => Promise<unknown>]>([
    ["as the only argument", () => sdk.getHealth(another())],
    ["after the arguments", () => sdk.getCluster({ id }, another())],
    ["of its parent", () => sdk.getCluster({ id }, { parent: new native.Cluster("a", least, another()) })],
    ["while its arguments are unknown", async () => sdk.getClusterOutput({ id: unknownOutput() }, another())],
  ])("refuses a provider, which may be of another organization: %s", async (_where, call) => {
    const refusal =
      /^get\w+: .* has a provider, but `get\w+` .* key from the stack's config.*`pulumi-gpucluster\/native`/;
    await runProgram(() => expect(call()).rejects.toThrow(refusal));
    expect(simulator.requests).toEqual([]);
  });

  it("sends its request after the resources of `dependsOn` exist", async () => {
    let cluster: sdk.Cluster | undefined;
    await runProgram(() => {
      cluster = new sdk.Cluster("web", least);
    });
    if (!cluster) throw new Error("the program has made no cluster");
    pulumi.runtime.resetOptions("shop", "dev", -1, "", "", false, ""); // ends the mocks, which would answer
    expect(await resolved(sdk.getClustersOutput({ dependsOn: cluster }))).toMatchObject({ complete: true });
    expect(await resolved(sdk.getClustersOutput({ dependsOn: [later(cluster)] }))).toMatchObject({ complete: true });
    simulator.requests.length = 0;
    Object.defineProperty(cluster, "id", { value: unknownOutput() });
    expect(await isKnown(sdk.getClustersOutput({ dependsOn: [cluster] }))).toBe(false);
    expect(simulator.requests).toEqual([]);
  });
});

describe("a function whose arguments come from a resource", () => {
  const madeOf = async (isPreview: boolean) => {
    const made: sdk.Cluster[] = [];
    const program = () => made.push(new sdk.Cluster("web", { ...least, name: "web" }));
    await runProgram(program, { isPreview });
    pulumi.runtime.resetOptions("shop", "dev", -1, "", "", false, "");
    return made[0] as sdk.Cluster;
  };

  const firstOf = (...outputs: pulumi.Output<string>[]) => pulumi.all(outputs).apply(([first = ""]) => first);
  it.each<[string, (cluster: sdk.Cluster) => pulumi.Output<unknown>]>([
    ["an output", ({ name }) => sdk.getClusterOutput({ name })],
    ["a value made of an output", ({ name }) => sdk.getClusterOutput({ name: pulumi.interpolate`${name}` })],
    ["a value made of two outputs", ({ name }) => sdk.getClusterStatusOutput({ id: firstOf(later("cl_1"), name) })],
  ])("is not called before that resource exists: %s", async (_title, call) => {
    const cluster = await madeOf(true);
    expect(await isKnown(cluster.name)).toBe(true);
    Object.defineProperty(cluster, "id", { value: unknownOutput() });
    expect(await isKnown(call(cluster))).toBe(false);
    expect(simulator.requests).toEqual([]);
  });

  it("is called once it exists", async () => {
    const { name } = await madeOf(false);
    expect(await resolved(sdk.getClusterOutput({ name }))).toMatchObject({ id });
  });
});

describe("a function in a unit test", () => {
  const mocked = { isMocked: true };
  const called: pulumi.runtime.MockCallArgs[] = [];
  const args: Record<string, object> = { getCluster: { id: "cl_1" }, getClusterStatus: { id: "cl_1" } };

  beforeAll(async () => {
    const call = (request: pulumi.runtime.MockCallArgs) => {
      called.push(request);
      return mocked;
    };
    await pulumi.runtime.setMocks({ call, newResource: ({ name, inputs }) => ({ id: `cl_${name}`, state: inputs }) });
  });

  it.each([
    ["the package", sdk],
    ["pulumi-gpucluster/native", native],
  ])("of %s is answered by the mocks, as a promise and as an output, and sends no request", async (_entry, entry) => {
    for (const name of functionNames) {
      const given = name in args ? [args[name]] : [];
      expect(await Reflect.apply(entry[name], undefined, given)).toEqual(mocked);
      expect(await resolved(Reflect.apply(entry[`${name}Output`], undefined, given))).toEqual(mocked);
      const call = expect.objectContaining({ token: `gpucluster:index:${name}`, inputs: args[name] ?? {} });
      expect(called.splice(0)).toEqual([call, call]);
    }
    expect(simulator.requests).toEqual([]);
  });
});
