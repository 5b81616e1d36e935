import { clientFor } from "../../provider/api/clients";
import { serviceFor } from "../../provider/cluster/service";
import { type Connection, resolveConnection } from "../../provider/config";
import { Secret } from "../../provider/text";
import type { Simulator } from "../../simulator";
import { VirtualClock } from "../support/virtualClock";
import { failureOf } from "./cluster/harness";
import {
  closeSimulators,
  configOf,
  type FunctionName,
  forgetEnvironment,
  functionNames,
  openProvider,
  openSimulator,
} from "./providerHarness";

beforeAll(forgetEnvironment);
afterEach(async () => {
  for (const variable of ["GPUCLUSTER_EU_KEY", "GPUCLUSTER_US_KEY"]) delete process.env[variable];
  await closeSimulators();
});

/** One service with two organizations besides the ordinary one, and a config that names both. */
async function openOrganizations() {
  const apiKeys = { "key-home": "home", "key-eu": "eu", "key-us": "us" };
  const simulator = await openSimulator({ apiKeys });
  const names = Object.values(apiKeys);
  const ids = names.map((organization) => {
    const fields = { name: "web", gpuType: "h100", container: `acme/${organization}:1`, organization };
    return [organization, simulator.addCluster(fields).id] as const;
  });
  process.env["GPUCLUSTER_EU_KEY"] = "key-eu";
  const provider = openProvider({
    ...configOf(simulator),
    "gpucluster:connections": JSON.stringify({
      eu: { apiKeyEnv: "GPUCLUSTER_EU_KEY" },
      us: { baseUrl: simulator.url, apiKeyConfig: "gpucluster:usKey" },
    }),
    "gpucluster:usKey": "key-us",
  });
  return { simulator, provider, ids: new Map<string, string>(ids) };
}

const connectionOf: Record<string, object> = { home: {}, eu: { connection: "eu" }, us: { connection: "us" } };

function argsOf(name: FunctionName, id: string | undefined): object {
  return name === "getCluster" || name === "getClusterStatus" ? { id } : {};
}

describe("several organizations in one program", () => {
  it.each(functionNames)("%s asks with the key of its connection", async (name) => {
    const { simulator, provider, ids } = await openOrganizations();
    for (const organization of ["eu", "us", "home"]) {
      const before = simulator.requests.length;
      await provider.call(name, { ...argsOf(name, ids.get(organization)), ...connectionOf[organization] });
      const askedBy = new Set(simulator.requests.slice(before).map((request) => request.organization));
      expect([...askedBy]).toEqual([organization]);
    }
  });

  it.each(functionNames)("%s asks once for each key, however many ask at once", async (name) => {
    const askAll = async (organizations: readonly string[]) => {
      const { simulator, provider, ids } = await openOrganizations();
      const asked = organizations.map((organization) =>
        provider.call(name, { ...argsOf(name, ids.get(organization)), ...connectionOf[organization] }),
      );
      await Promise.all(asked);
      return organizationsOf(simulator.requests);
    };
    const often = await askAll(["eu", "us", "home", "us", "eu", "eu", "home"]);
    expect(often).toEqual(await askAll(["eu", "us", "home"]));
  });

  it("each see their own cluster of a name that all have", async () => {
    const { provider, ids } = await openOrganizations();
    const found = await Promise.all(
      Object.values(connectionOf).map((connection) => provider.getCluster({ name: "web", ...connection })),
    );
    expect(found.map(({ id, container }) => [id, container])).toEqual(
      ["home", "eu", "us"].map((organization) => [ids.get(organization), `acme/${organization}:1`]),
    );
  });

  it("cannot read each other's clusters", async () => {
    const { provider, ids } = await openOrganizations();
    const error = await failureOf(provider.getCluster({ id: ids.get("us"), connection: "eu" }));
    expect(error.message).toMatch(/HTTP 404.*getClusters\(\) lists/);
  });

  it("fail one by one: a key that is missing is nobody else's trouble", async () => {
    const { provider } = await openOrganizations();
    delete process.env["GPUCLUSTER_EU_KEY"];
    expect((await failureOf(provider.getHealth({ connection: "eu" }))).message).toMatch(
      /^The API key of the connection "eu" is missing: set GPUCLUSTER_EU_KEY in the environment$/,
    );
    expect(await provider.getHealth({ connection: "us" })).toMatchObject({ healthy: true });
    expect(await provider.getHealth()).toMatchObject({ healthy: true });
  });

  it("take up a key that changes while the program runs", async () => {
    const { simulator, provider } = await openOrganizations();
    await provider.getHealth({ connection: "eu" });
    process.env["GPUCLUSTER_EU_KEY"] = "key-us";
    await provider.getHealth({ connection: "eu" });
    expect(simulator.requests.map(({ organization }) => organization)).toEqual(["eu", "us"]);
  });
});

function organizationsOf(requests: Simulator["requests"]): (string | undefined)[] {
  return requests.map(({ organization }) => organization).sort();
}

describe("two services in one program", () => {
  it("each get their own requests and no key of the other", async () => {
    const home = await openSimulator({ apiKeys: { "key-1": "home" } });
    const away = await openSimulator({ apiKeys: { "key-2": "away" } });
    process.env["GPUCLUSTER_US_KEY"] = "key-2";
    const connections = JSON.stringify({ us: { baseUrl: `${away.url}/`, apiKeyEnv: "GPUCLUSTER_US_KEY" } });
    const provider = openProvider({ ...configOf(home), "gpucluster:connections": connections });
    away.setGpuType("h100", { pricePerHour: 7 });
    const prices = await Promise.all([provider.getGpuPricing(), provider.getGpuPricing({ connection: "us" })]);
    expect(prices.map(({ prices: all }) => all.find(({ type }) => type === "h100")?.pricePerHour)).toEqual([2.99, 7]);
    expect([home, away].map(({ requests }) => organizationsOf(requests))).toEqual([["home"], ["away"]]);
  });
});

/** The connection of an entry, by a config of its own. */
function connect(entry: object, env: Record<string, string>, baseUrl = "https://shared.example.com"): Connection {
  const values: Record<string, string> = {
    "gpucluster:connections": JSON.stringify({ eu: entry }),
    "gpucluster:baseUrl": baseUrl,
    "gpucluster:key": "same",
  };
  return resolveConnection((name) => values[name], env, "eu");
}

describe("what connections share", () => {
  const base = connect({ apiKeyConfig: "gpucluster:key" }, {});

  it.each<[string, Connection, boolean]>([
    ["the same place", connect({ apiKeyConfig: "gpucluster:key" }, {}), true],
    ["another place with the same key", connect({ apiKeyEnv: "GPUCLUSTER_A" }, { GPUCLUSTER_A: "same" }), true],
    [
      "the same address, said by the entry",
      connect({ baseUrl: "https://shared.example.com//", apiKeyEnv: "GPUCLUSTER_A" }, { GPUCLUSTER_A: "same" }),
      true,
    ],
    [
      "the same address in capitals",
      connect({ apiKeyEnv: "GPUCLUSTER_A" }, { GPUCLUSTER_A: "same" }, "HTTPS://Shared.Example.COM:443/"),
      true,
    ],
    ["another key", connect({ apiKeyEnv: "GPUCLUSTER_A" }, { GPUCLUSTER_A: "other" }), false],
    ["a key in capitals", connect({ apiKeyEnv: "GPUCLUSTER_A" }, { GPUCLUSTER_A: "SAME" }), false],
    [
      "another address",
      connect({ apiKeyEnv: "GPUCLUSTER_A" }, { GPUCLUSTER_A: "same" }, "https://other.example.com"),
      false,
    ],
    [
      "another port",
      connect({ apiKeyEnv: "GPUCLUSTER_A" }, { GPUCLUSTER_A: "same" }, "https://shared.example.com:8443"),
      false,
    ],
    [
      "another path",
      connect({ apiKeyEnv: "GPUCLUSTER_A" }, { GPUCLUSTER_A: "same" }, "https://shared.example.com/GPU"),
      false,
    ],
  ])("client, budget, caches and waits, with %s: decided by address and key alone", (_title, other, isShared) => {
    expect(clientFor(base) === clientFor(other)).toBe(isShared);
    expect(serviceFor(base) === serviceFor(other)).toBe(isShared);
    expect(serviceFor(base).lists === serviceFor(other).lists).toBe(isShared);
    expect(serviceFor(base).seenBy === serviceFor(other).seenBy).toBe(isShared);
  });

  it("is a budget for each key: one that has used its own up keeps nobody else waiting", async () => {
    const clock = new VirtualClock();
    const startMs = clock.now();
    const apiKeys = { "budget-eu": "eu", "budget-us": "us" };
    const simulator = await openSimulator({ apiKeys, clock, rateLimit: 2, rateWindowMs: 60_000 });
    const client = (key: string) => clientFor({ baseUrl: simulator.url, apiKey: new Secret(key) }, clock);
    const ask = (key: string) => client(key).getHealth();
    await clock.run(Promise.all([...Array(3).keys()].map(() => ask("budget-eu")).concat(ask("budget-us"))));
    const times = (organization: string) =>
      simulator.requests.filter((request) => request.organization === organization).map(({ at }) => at - startMs);
    expect(times("us")).toEqual([0]);
    expect(times("eu").slice(0, 2)).toEqual([0, 0]);
    expect(times("eu")[2]).toBeGreaterThanOrEqual(60_000);
    expect(simulator.requests.every(({ status }) => status === 200)).toBe(true);
  });
});
