import * as pulumi from "@pulumi/pulumi";
import * as sdk from "../../../sdk";
import { type Simulator, startSimulator } from "../../simulator";
import { resolved } from "./program";

let simulator: Simulator;

beforeAll(async () => {
  simulator = await startSimulator();
  process.env["GPUCLUSTER_BASE_URL"] = simulator.url;
  process.env["GPUCLUSTER_API_KEY"] = simulator.apiKey;
});

afterAll(async () => {
  delete process.env["GPUCLUSTER_BASE_URL"];
  delete process.env["GPUCLUSTER_API_KEY"];
  await simulator.close();
});

describe("the package", () => {
  it("exports just what it promises", () => {
    expect(Object.keys(sdk).sort()).toEqual([
      "Cluster",
      "getGpuTypes",
      "getGpuTypesOutput",
      "getHealth",
      "getHealthOutput",
    ]);
  });
});

describe("the functions", () => {
  it("list the GPU types, in a program that awaits and in one that cannot", async () => {
    const awaited = await sdk.getGpuTypes();
    expect(awaited.gpuTypes.map(({ type }) => type)).toContain("h100");
    expect(await resolved(sdk.getGpuTypesOutput())).toEqual(awaited);
  });

  it("say how the service is, in a program that awaits and in one that cannot", async () => {
    const awaited = await sdk.getHealth();
    expect(awaited.healthy).toBe(true);
    expect(await resolved(sdk.getHealthOutput())).toEqual(awaited);
  });

  it("say what is missing when nothing is configured", async () => {
    const key = process.env["GPUCLUSTER_API_KEY"];
    delete process.env["GPUCLUSTER_API_KEY"];
    try {
      await expect(sdk.getGpuTypes()).rejects.toThrow(/GPUCLUSTER_API_KEY.*gpucluster:apiKey/);
    } finally {
      process.env["GPUCLUSTER_API_KEY"] = key;
    }
  });

  it("take the key from the stack's config where the environment has none", async () => {
    const key = process.env["GPUCLUSTER_API_KEY"];
    delete process.env["GPUCLUSTER_API_KEY"];
    pulumi.runtime.setAllConfig({ "gpucluster:apiKey": simulator.apiKey });
    try {
      expect((await sdk.getHealth()).healthy).toBe(true);
    } finally {
      pulumi.runtime.setAllConfig({});
      process.env["GPUCLUSTER_API_KEY"] = key;
    }
  });
});
