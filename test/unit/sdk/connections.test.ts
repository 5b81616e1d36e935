import * as pulumi from "@pulumi/pulumi";
import * as sdk from "../../../sdk";
import { type Simulator, startSimulator } from "../../../simulator";
import { forgetEnvironment, useEnvironment } from "../providerHarness";
import { isKnown, resolved, unknownOutput } from "./program";

let simulator: Simulator;
let id: string;

beforeAll(async () => {
  simulator = await startSimulator({ apiKeys: { "key-home": "home", "key-eu": "eu" } });
  id = simulator.addCluster({ name: "web", gpuType: "h100", env: { MODEL: "llama" }, organization: "eu" }).id;
  useEnvironment({ ...simulator, apiKey: "key-home" });
  pulumi.runtime.setAllConfig({
    "gpucluster:connections": '{"eu":{"apiKeyConfig":"gpucluster:euApiKey"}}',
    "gpucluster:euApiKey": "key-eu",
  });
});

afterEach(() => {
  simulator.requests.length = 0;
});

afterAll(async () => {
  forgetEnvironment();
  pulumi.runtime.setAllConfig({});
  await simulator.close();
});

/** The organizations of all requests since the test began. */
const askedBy = () => [...new Set(simulator.requests.map(({ organization }) => organization))];

type Connection = { connection?: string };
type LaterConnection = { connection?: pulumi.Input<string> };

const any = expect.any(Array);

/** Each function, its Output form, and what it answers. */
type Row = [string, (args: Connection) => Promise<unknown>, (args: LaterConnection) => pulumi.Output<unknown>, object];
const functions: Row[] = [
  ["getGpuTypes", sdk.getGpuTypes, sdk.getGpuTypesOutput, { gpuTypes: any }],
  ["getGpuTypesFor", sdk.getGpuTypesFor, sdk.getGpuTypesForOutput, { types: any }],
  ["getGpuModels", sdk.getGpuModels, sdk.getGpuModelsOutput, { models: any }],
  ["getGpuPricing", sdk.getGpuPricing, sdk.getGpuPricingOutput, { prices: any }],
  ["getGpuAvailability", sdk.getGpuAvailability, sdk.getGpuAvailabilityOutput, { availability: { length: 7 } }],
  [
    "getGpuAvailability of one type",
    (args) => sdk.getGpuAvailability({ type: "h100", ...args }),
    (args) => sdk.getGpuAvailabilityOutput({ type: pulumi.output(Promise.resolve("h100")), ...args }),
    { availability: [{ type: "h100" }] },
  ],
  ["getClusters", sdk.getClusters, sdk.getClustersOutput, { clusters: [{ name: "web" }], complete: true }],
  [
    "getCluster by id",
    (args) => sdk.getCluster({ id, ...args }),
    (args) => sdk.getClusterOutput({ id: pulumi.output(Promise.resolve(id)), ...args }),
    { name: "web", envNames: ["MODEL"] },
  ],
  [
    "getCluster by name",
    (args) => sdk.getCluster({ name: "web", ...args }),
    (args) => sdk.getClusterOutput({ name: pulumi.output(Promise.resolve("web")), ...args }),
    { name: "web", envNames: ["MODEL"] },
  ],
  [
    "getClusterStatus",
    (args) => sdk.getClusterStatus({ id, ...args }),
    (args) => sdk.getClusterStatusOutput({ id, ...args }),
    { status: "running", readyReplicas: 1 },
  ],
  ["getHealth", sdk.getHealth, sdk.getHealthOutput, { healthy: true }],
  ["getServiceInfo", sdk.getServiceInfo, sdk.getServiceInfoOutput, { version: "1.0.0" }],
];

describe.each(functions)("%s", (_name, awaits, cannot, expected) => {
  it("sends requests to the organization of its connection, with the same answer for a program that cannot await", async () => {
    const answer = await awaits({ connection: "eu" });
    expect(answer).toMatchObject(expected);
    expect(askedBy()).toEqual(["eu"]);
    expect(await resolved(cannot({ connection: pulumi.output(Promise.resolve("eu")) }))).toEqual(answer);
    expect(askedBy()).toEqual(["eu"]);
  });

  it("sends requests to the default organization without a connection", async () => {
    await awaits({}).catch(() => undefined); // the default organization has no such cluster
    await awaits({ connection: undefined }).catch(() => undefined);
    expect(askedBy()).toEqual(["home"]);
  });

  it("sends no request while its connection is unknown", async () => {
    expect(await isKnown(cannot({ connection: unknownOutput() }))).toBe(false);
    expect(simulator.requests).toEqual([]);
  });

  it("sends no request for a connection that does not exist, and names the existing ones in one line", async () => {
    const error: unknown = await awaits({ connection: "us" }).catch((reason: unknown) => reason);
    expect(pulumi.RunError.isInstance(error)).toBe(true);
    expect(Object(error).message).toMatch(/^gpucluster:connections has no entry "us": .* "eu"$/);
    expect(simulator.requests).toEqual([]);
  });
});
