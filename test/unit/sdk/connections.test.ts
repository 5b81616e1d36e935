import * as pulumi from "@pulumi/pulumi";
import * as sdk from "../../../sdk";
import { type Simulator, startSimulator } from "../../../simulator";
import { isKnown, resolved, unknownOutput } from "./program";

let simulator: Simulator;
let id: string;

beforeAll(async () => {
  simulator = await startSimulator({ apiKeys: { "key-home": "home", "key-eu": "eu" } });
  id = simulator.addCluster({ name: "web", gpuType: "h100", organization: "eu" }).id;
  process.env["GPUCLUSTER_BASE_URL"] = simulator.url;
  process.env["GPUCLUSTER_API_KEY"] = "key-home";
  pulumi.runtime.setAllConfig({
    "gpucluster:connections": '{"eu":{"apiKeyConfig":"gpucluster:euApiKey"}}',
    "gpucluster:euApiKey": "key-eu",
  });
});

afterEach(() => {
  simulator.requests.length = 0;
});

afterAll(async () => {
  delete process.env["GPUCLUSTER_BASE_URL"];
  delete process.env["GPUCLUSTER_API_KEY"];
  pulumi.runtime.setAllConfig({});
  await simulator.close();
});

/** The organizations of all requests since the test began. */
const askedBy = () => [...new Set(simulator.requests.map(({ organization }) => organization))];

type Connection = { connection?: string };
type LaterConnection = { connection?: pulumi.Input<string> };

/** Each function, and its Output form. */
const functions: [string, (args: Connection) => Promise<unknown>, (args: LaterConnection) => pulumi.Output<unknown>][] =
  [
    ["getGpuTypes", sdk.getGpuTypes, sdk.getGpuTypesOutput],
    ["getGpuModels", sdk.getGpuModels, sdk.getGpuModelsOutput],
    ["getGpuPricing", sdk.getGpuPricing, sdk.getGpuPricingOutput],
    ["getGpuAvailability", sdk.getGpuAvailability, sdk.getGpuAvailabilityOutput],
    ["getClusters", sdk.getClusters, sdk.getClustersOutput],
    ["getCluster", (args) => sdk.getCluster({ id, ...args }), (args) => sdk.getClusterOutput({ id, ...args })],
    [
      "getClusterStatus",
      (args) => sdk.getClusterStatus({ id, ...args }),
      (args) => sdk.getClusterStatusOutput({ id, ...args }),
    ],
    ["getHealth", sdk.getHealth, sdk.getHealthOutput],
    ["getServiceInfo", sdk.getServiceInfo, sdk.getServiceInfoOutput],
  ];

describe.each(functions)("%s", (_name, awaits, cannot) => {
  it("sends requests to the organization of its connection", async () => {
    const answer = await awaits({ connection: "eu" });
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
    expect(error).toHaveProperty(
      "message",
      expect.stringMatching(/^gpucluster:connections has no entry "us": .* "eu"$/),
    );
    expect(simulator.requests).toEqual([]);
  });
});
