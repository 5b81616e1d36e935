import { clientFor } from "../../provider/api/clients";
import { messageOf } from "../../provider/base/errors";
import { Secret } from "../../provider/base/text";
import { serviceFor } from "../../provider/cluster/resource";
import { type Connection, resolveConnection } from "../../provider/config/settings";
import type { Ctx, Properties } from "../../provider/contract";
import type { Simulator } from "../../simulator";
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

/** One service with three organizations, and a provider for the key of each. */
async function openOrganizations() {
  const apiKeys = { "key-home": "home", "key-eu": "eu", "key-us": "us" };
  const simulator = await openSimulator({ apiKeys, provisioningMs: 0, deletionMs: 0 });
  const configs = { home: configWith("key-home"), eu: configWith("key-eu"), us: configWith("key-us") };
  const [home, eu, us] = [openProvider(configs.home), openProvider(configs.eu), openProvider(configs.us)];
  return { simulator, configs, providers: { home, eu, us } };

  function configWith(key: string): Record<string, string> {
    return { ...configOf(simulator), "gpucluster:apiKey": key };
  }
}

const organizations = ["home", "eu", "us"] as const;
type Name = (typeof organizations)[number];

/** The same with a cluster in each. */
async function openClusters() {
  const opened = await openOrganizations();
  const add = (organization: Name) => {
    const fields = { name: "web", gpuType: "h100", container: `acme/${organization}:1`, organization };
    return opened.simulator.addCluster(fields).id;
  };
  return { ...opened, ids: { home: add("home"), eu: add("eu"), us: add("us") } };
}

function argsOf(name: FunctionName, id: string): object {
  return name === "getCluster" || name === "getClusterStatus" ? { id } : {};
}

describe("the providers of several organizations in one process", () => {
  it.each(functionNames)("%s asks with the key of its provider", async (name) => {
    const { simulator, providers, ids } = await openClusters();
    for (const organization of organizations) {
      const before = simulator.requests.length;
      await providers[organization].call(name, argsOf(name, ids[organization]));
      const askedBy = new Set(simulator.requests.slice(before).map((request) => request.organization));
      expect([...askedBy]).toEqual([organization]);
    }
  });

  it.each(functionNames)("%s asks once for each key, however many ask at once", async (name) => {
    const askAll = async (askers: readonly Name[]) => {
      const { simulator, providers, ids } = await openClusters();
      await Promise.all(askers.map((asker) => providers[asker].call(name, argsOf(name, ids[asker]))));
      return organizationsOf(simulator.requests);
    };
    expect(await askAll(["eu", "us", "home", "us", "eu", "eu", "home"])).toEqual(await askAll(organizations));
  });

  it("each see their own cluster of a name that all have", async () => {
    const { providers, ids } = await openClusters();
    const found = await Promise.all(organizations.map((name) => providers[name].getCluster({ name: "web" })));
    expect(found.map(({ id, container }) => [id, container])).toEqual(
      organizations.map((name) => [ids[name], `acme/${name}:1`]),
    );
  });

  it("cannot read each other's clusters", async () => {
    const { providers, ids } = await openClusters();
    const error = await failureOf(providers.eu.getCluster({ id: ids.us }));
    expect(error.message).toMatch(/HTTP 404.*getClusters\(\) lists/);
  });

  it("fail one by one: a key that is missing is nobody else's trouble", async () => {
    const { configs, providers } = await openClusters();
    configs.eu["gpucluster:apiKey"] = "";
    expect((await failureOf(providers.eu.getHealth())).message).toMatch(
      /^The API key is missing: set GPUCLUSTER_API_KEY/,
    );
    for (const name of ["us", "home"] as const)
      expect(await providers[name].getHealth()).toMatchObject({ healthy: true });
  });

  it("take up a key that changes while the program runs", async () => {
    const { simulator, configs, providers } = await openClusters();
    await providers.eu.getHealth();
    configs.eu["gpucluster:apiKey"] = "key-us";
    await providers.eu.getHealth();
    expect(simulator.requests.map(({ organization }) => organization)).toEqual(["eu", "us"]);
  });
});

function organizationsOf(requests: Simulator["requests"]): (string | undefined)[] {
  return requests.map(({ organization }) => organization).sort();
}

describe("two services in one process", () => {
  it("each get their own requests and no key of the other", async () => {
    const home = await openSimulator({ apiKeys: { "key-1": "home" } });
    const away = await openSimulator({ apiKeys: { "key-2": "away" } });
    away.setGpuType("h100", { pricePerHour: 7 });
    const prices = await Promise.all([home, away].map((service) => openProvider(configOf(service)).getGpuPricing()));
    expect(prices.map(({ prices: all }) => all.find(({ type }) => type === "h100")?.pricePerHour)).toEqual([2.99, 7]);
    expect([home, away].map(({ requests }) => organizationsOf(requests))).toEqual([["home"], ["away"]]);
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
    ["the same place", inConfig("same"), true],
    [
      "another place with the same key",
      resolveConnection(() => undefined, { GPUCLUSTER_BASE_URL: address, GPUCLUSTER_API_KEY: "same" }),
      true,
    ],
    ["slashes at the end of the address", inConfig("same", `${address}//`), true],
    ["the same address in capitals", inConfig("same", "HTTPS://Shared.Example.COM:443/"), true],
    ["another key", inConfig("other"), false],
    ["a key in capitals", inConfig("SAME"), false],
    ["another address", inConfig("same", "https://other.example.com"), false],
    ["another port", inConfig("same", `${address}:8443`), false],
    ["another path", inConfig("same", `${address}/GPU`), false],
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

const ctx: Ctx = {
  urn: urnOf("web"),
  signal: new AbortController().signal,
  log: () => undefined,
  status: () => undefined,
};

const inputsOf = (name: string): Properties => ({ ...least, name, replicas: 1, skipAwait: true });

describe("a cluster of one of several providers", () => {
  it("is made, read and deleted in its own organization, while others are in theirs", async () => {
    const { simulator, providers } = await openOrganizations();
    const lives = organizations.map(async (organization) => {
      const { cluster } = providers[organization];
      const { id, state } = await cluster.create(ctx, inputsOf(`web-${organization}`));
      const found = await cluster.read(ctx, id, state);
      await cluster.delete(ctx, id, state);
      const askedBy = simulator.requests.filter(({ path }) => path.includes(id)).map((request) => request.organization);
      return [simulator.cluster(id)?.organization, found?.state["name"], [...new Set(askedBy)]];
    });
    expect(await Promise.all(lives)).toEqual(organizations.map((name) => [name, `web-${name}`, [name]]));
  });

  it("is not known to the key of another organization, which the difference says", async () => {
    const { providers } = await openOrganizations();
    const { id, state } = await providers.eu.cluster.create(ctx, inputsOf("web"));
    // A young cluster may be missing in reads for another reason.
    const old = { ...state, createdAt: "2026-01-01T00:00:00Z" };
    const told = async (name: Name, news: Properties = {}) => {
      const { cluster } = providers[name];
      const { inputs } = await cluster.check(ctx, { ...inputsOf("web"), ...news }, inputsOf("web"));
      return cluster.recognize(ctx, id, old, inputs).then(() => "", messageOf);
    };
    for (const news of [{}, { replicas: 2 }, { gpuType: "l4" }]) {
      expect(await told("us", news)).toContain("is not known to this service and API key");
      expect(await told("eu", news)).toBe("");
    }
  });

  it("may have the name that another one has in another organization", async () => {
    const { providers } = await openOrganizations();
    const check = (organization: Name, urn: string, name: string) =>
      providers[organization].cluster.check({ ...ctx, urn: urnOf(urn) }, inputsOf(name));
    expect((await check("eu", "eu", "web")).failures).toEqual([]);
    expect((await check("us", "us", "web")).failures).toEqual([]);
    const again = await check("eu", "again", "Web");
    expect(again.failures).toEqual([{ property: "name", reason: expect.stringContaining(urnOf("eu")) }]);
  });

  it("is checked against the clusters of its own organization", async () => {
    const { simulator, providers } = await openOrganizations();
    simulator.addCluster({ name: "web", gpuType: "h100", organization: "us" });
    const failuresOf = async (organization: Name) => {
      const { failures } = await providers[organization].cluster.check(ctx, inputsOf("web"));
      return failures.map(({ property }) => property);
    };
    expect(await failuresOf("eu")).toEqual([]);
    expect(await failuresOf("us")).toEqual(["name"]);
  });

  it.each<[string, Record<string, string>, RegExp[]]>([
    ["a key that is missing", { "gpucluster:apiKey": "" }, [/^The API key is missing: set /]],
    ["a setting that is wrong", { "gpucluster:capacityCheck": "x" }, [/^gpucluster:capacityCheck must be/]],
    [
      "a setting that is wrong and a key that is missing",
      { "gpucluster:strictPreview": "x", "gpucluster:apiKey": "" },
      [/^gpucluster:strictPreview must be/, /^The API key is missing: set /],
    ],
  ])("is refused by check with %s, which asks nobody", async (_title, settings, texts) => {
    const { simulator, configs, providers } = await openOrganizations();
    Object.assign(configs.us, settings);
    const { failures } = await providers.us.cluster.check(ctx, inputsOf("web"));
    expect(failures.map(({ reason }) => reason)).toEqual(texts.map((text) => expect.stringMatching(text)));
    expect(simulator.requests).toEqual([]);
  });
});
