import * as pulumi from "@pulumi/pulumi";
import * as sdk from "../../../sdk";
import { type Simulator, startSimulator } from "../../../simulator";
import { forgetEnvironment, functionNames, useEnvironment } from "../providerHarness";
import { isKnown, unknownOutput } from "./program";

let simulator: Simulator;

beforeAll(async () => {
  simulator = await startSimulator();
  useEnvironment(simulator);
});

afterAll(async () => {
  forgetEnvironment();
  await simulator.close();
});

describe("the package", () => {
  it("exports exactly the documented names", () => {
    const outputForms = functionNames.map((name) => `${name}Output`);
    expect(Object.keys(sdk).sort()).toEqual(["Cluster", ...functionNames, ...outputForms].sort());
  });
});

describe("an error of a function", () => {
  it.each<[string, () => Promise<unknown>, RegExp]>([
    ["by the service", () => sdk.getCluster({ id: "cl_none" }), /HTTP 404.*getClusters\(\) lists the clusters/],
    ["by the arguments", () => sdk.getClusterStatus({ id: "../x" }), /^getClusterStatus: `id` must be/],
  ])("%s is one that programs print as its message alone", async (_by, call, message) => {
    const error: unknown = await call().catch((reason: unknown) => reason);
    expect(pulumi.RunError.isInstance(error)).toBe(true);
    expect(error).toHaveProperty("message", expect.stringMatching(message));
    expect(Object(error)).not.toHaveProperty("path");
  });
});

describe("the functions", () => {
  const web = () => simulator.clusters()[0]?.id ?? "";

  beforeAll(() => {
    simulator.addCluster({ name: "web", gpuType: "h100", env: { MODEL: "llama" } });
  });

  it("send no request while an argument is unknown, and stay unknown", async () => {
    const before = simulator.requests.length;
    const unknown = unknownOutput();
    const answers: pulumi.Output<unknown>[] = [
      sdk.getClusterOutput({ id: unknown }),
      sdk.getClusterStatusOutput({ id: unknown }),
      sdk.getGpuAvailabilityOutput({ type: unknown }),
    ];
    for (const answer of answers) expect(await isKnown(answer)).toBe(false);
    expect(simulator.requests).toHaveLength(before);
  });

  it("return a secret for a secret argument", async () => {
    const answer = sdk.getClusterOutput({ id: pulumi.secret(web()) });
    expect(await pulumi.isSecret(answer)).toBe(true);
    expect(await pulumi.isSecret(sdk.getClusterOutput({ id: web() }))).toBe(false);
  });

  it("say what is missing if nothing is configured", async () => {
    forgetEnvironment();
    await expect(sdk.getGpuTypes()).rejects.toThrow(/GPUCLUSTER_API_KEY.*gpucluster:apiKey/);
    useEnvironment(simulator);
  });
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
