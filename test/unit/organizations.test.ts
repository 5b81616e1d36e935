import { dependenciesFor } from "../../provider/cluster/resource";
import { type Connection, resolveConnection } from "../../provider/config/settings";
import { closeSimulators, openSimulator } from "../support/simulators";
import { failureOf } from "./cluster/harness";
import { configOf, type FunctionName, forgetEnvironment, functionNames, openProvider } from "./providerHarness";

beforeAll(forgetEnvironment);
afterEach(closeSimulators);

const organizations = ["eu", "us"] as const;
type Name = (typeof organizations)[number];

/** One service with two organizations, a cluster in each, and a provider for the key of each. */
async function openOrganizations() {
  const apiKeys = { "key-eu": "eu", "key-us": "us" };
  const simulator = await openSimulator({ apiKeys, provisioningMs: 0, deletionMs: 0 });
  const add = (organization: Name) => {
    const fields = { name: "web", gpuType: "h100", container: `acme/${organization}:1`, organization };
    return simulator.addCluster(fields).id;
  };
  const configWith = (apiKey: string): Record<string, string> => ({
    ...configOf(simulator),
    "gpucluster:apiKey": apiKey,
  });
  const configs = { eu: configWith("key-eu"), us: configWith("key-us") };
  const providers = { eu: openProvider(configs.eu), us: openProvider(configs.us) };
  return { simulator, configs, providers, ids: { eu: add("eu"), us: add("us") } };
}

function argsOf(name: FunctionName, id: string): object {
  return name === "getCluster" || name === "getClusterStatus" ? { id } : {};
}

describe("the providers of several organizations in one process", () => {
  it.each(functionNames)("%s: is sent with the key of each provider, once for each key", async (name) => {
    const organizationsOf = async (callers: readonly Name[]) => {
      const { simulator, providers, ids } = await openOrganizations();
      await Promise.all(callers.map((caller) => providers[caller].call(name, argsOf(name, ids[caller]))));
      return simulator.requests.map(({ organization }) => organization).sort();
    };
    const once = await organizationsOf(["eu", "us"]);
    expect([...new Set(once)]).toEqual(["eu", "us"]);
    expect(await organizationsOf(["eu", "us", "us", "eu"])).toEqual(once);
  });

  it("each find the cluster of their organization by a shared name, and cannot read the other", async () => {
    const { providers, ids } = await openOrganizations();
    const found = await Promise.all(organizations.map((name) => providers[name].functions.getCluster({ name: "web" })));
    expect(found.map(({ id, container }) => [id, container])).toEqual(
      organizations.map((name) => [ids[name], `acme/${name}:1`]),
    );
    const error = await failureOf(providers.eu.functions.getCluster({ id: ids.us }));
    expect(error.message).toMatch(/HTTP 404.*getClusters\(\) lists/);
  });

  it("use a key that changes while the program runs; a missing key fails no other provider", async () => {
    const { simulator, configs, providers } = await openOrganizations();
    await providers.eu.functions.getHealth();
    configs.eu["gpucluster:apiKey"] = "key-us";
    await providers.eu.functions.getHealth();
    expect(simulator.requests.map(({ organization }) => organization)).toEqual(["eu", "us"]);
    configs.eu["gpucluster:apiKey"] = "";
    expect((await failureOf(providers.eu.functions.getHealth())).message).toMatch(/^The API key is missing: set /);
    expect(await providers.us.functions.getHealth()).toMatchObject({ healthy: true });
  });
});

const address = "https://shared.example.com";

const inConfig = (key: string, baseUrl = address): Connection => {
  const values: Record<string, string> = { "gpucluster:baseUrl": baseUrl, "gpucluster:apiKey": key };
  return resolveConnection((name) => values[name], {});
};

describe("what connections share", () => {
  const base = inConfig("same");

  it.each<[string, Connection, boolean]>([
    ["is one service for one address in two spellings", inConfig("same", "HTTPS://Shared.Example.COM:443//"), true],
    ["is not shared with another key", inConfig("other"), false],
    ["is not shared with another path", inConfig("same", `${address}/GPU`), false],
  ])("%s", (_title, other, isShared) => {
    expect(dependenciesFor(base) === dependenciesFor(other)).toBe(isShared);
    expect(dependenciesFor(base).seenBy === dependenciesFor(other).seenBy).toBe(isShared);
  });
});
