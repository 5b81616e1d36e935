import { clientFor } from "../../provider/api/clients";
import { Secret } from "../../provider/base/text";
import { serviceFor } from "../../provider/cluster/resource";
import { type Connection, resolveConnection } from "../../provider/config/settings";
import type { Ctx, Properties } from "../../provider/contract";
import { VirtualClock } from "../support/virtualClock";
import { failureOf } from "./cluster/harness";
import { least, urnOf } from "./cluster/inputs";
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
afterEach(closeSimulators);

/** One service with two organizations, and a provider for the key of each. */
async function openOrganizations() {
  const simulator = await openSimulator({
    apiKeys: { "key-eu": "eu", "key-us": "us" },
    provisioningMs: 0,
    deletionMs: 0,
  });
  const configs = { eu: configWith("key-eu"), us: configWith("key-us") };
  return { simulator, configs, providers: { eu: openProvider(configs.eu), us: openProvider(configs.us) } };

  function configWith(key: string): Record<string, string> {
    return { ...configOf(simulator), "gpucluster:apiKey": key };
  }
}

const organizations = ["eu", "us"] as const;
type Name = (typeof organizations)[number];

/** The same with a cluster in each. */
async function openClusters() {
  const opened = await openOrganizations();
  const add = (organization: Name) => {
    const fields = { name: "web", gpuType: "h100", container: `acme/${organization}:1`, organization };
    return opened.simulator.addCluster(fields).id;
  };
  return { ...opened, ids: { eu: add("eu"), us: add("us") } };
}

function argsOf(name: FunctionName, id: string): object {
  return name === "getCluster" || name === "getClusterStatus" ? { id } : {};
}

describe("the providers of several organizations in one process", () => {
  it.each(functionNames)(
    "send %s with the key of its provider, once for each key, however many calls there are",
    async (name) => {
      const askedBy = async (askers: readonly Name[]) => {
        const { simulator, providers, ids } = await openClusters();
        await Promise.all(askers.map((asker) => providers[asker].call(name, argsOf(name, ids[asker]))));
        return simulator.requests.map(({ organization }) => organization).sort();
      };
      const once = await askedBy(["eu", "us"]);
      expect([...new Set(once)]).toEqual(["eu", "us"]);
      expect(await askedBy(["eu", "us", "us", "eu"])).toEqual(once);
    },
  );

  it("each find the cluster of their organization by a shared name, and cannot read the other", async () => {
    const { providers, ids } = await openClusters();
    const found = await Promise.all(organizations.map((name) => providers[name].getCluster({ name: "web" })));
    expect(found.map(({ id, container }) => [id, container])).toEqual(
      organizations.map((name) => [ids[name], `acme/${name}:1`]),
    );
    const error = await failureOf(providers.eu.getCluster({ id: ids.us }));
    expect(error.message).toMatch(/HTTP 404.*getClusters\(\) lists/);
  });

  it("use a key that changes while the program runs; a missing key fails no other provider", async () => {
    const { simulator, configs, providers } = await openClusters();
    await providers.eu.getHealth();
    configs.eu["gpucluster:apiKey"] = "key-us";
    await providers.eu.getHealth();
    expect(simulator.requests.map(({ organization }) => organization)).toEqual(["eu", "us"]);
    configs.eu["gpucluster:apiKey"] = "";
    expect((await failureOf(providers.eu.getHealth())).message).toMatch(/^The API key is missing: set /);
    expect(await providers.us.getHealth()).toMatchObject({ healthy: true });
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
    [
      "is one service for the same address in capitals, with slashes",
      inConfig("same", "HTTPS://Shared.Example.COM:443//"),
      true,
    ],
    ["is not shared with another key", inConfig("other"), false],
    ["is not shared with another path", inConfig("same", `${address}/GPU`), false],
  ])("%s", (_title, other, isShared) => {
    expect(serviceFor(base) === serviceFor(other)).toBe(isShared);
    expect(serviceFor(base).seenBy === serviceFor(other).seenBy).toBe(isShared);
  });

  it("is the rate limit of one key: if it is used up, another key does not wait", async () => {
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

const ctx: Ctx = {
  urn: urnOf("web"),
  signal: new AbortController().signal,
  log: () => undefined,
  status: () => undefined,
};

const inputsOf = (name: string): Properties => ({ ...least, name, replicas: 1, skipAwait: true });

describe("a cluster of one of several providers", () => {
  it("is created and read in the organization of that provider", async () => {
    const { simulator, providers } = await openOrganizations();
    const lives = organizations.map(async (organization) => {
      const { cluster } = providers[organization];
      const { id, state } = await cluster.create(ctx, inputsOf(`web-${organization}`));
      const found = await cluster.read(ctx, id, state);
      const askedBy = simulator.requests.filter(({ path }) => path.includes(id)).map((request) => request.organization);
      return [simulator.cluster(id)?.organization, found?.state["name"], [...new Set(askedBy)]];
    });
    expect(await Promise.all(lives)).toEqual(organizations.map((name) => [name, `web-${name}`, [name]]));
  });
});
