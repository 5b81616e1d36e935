import { clientFor } from "../../provider/api/clients";
import { serviceFor } from "../../provider/cluster/services";
import { type Connection, resolveConnection } from "../../provider/config";
import type { Ctx, Properties } from "../../provider/core";
import { messageOf } from "../../provider/errors";
import { Secret } from "../../provider/text";
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
afterEach(async () => {
  for (const variable of ["GPUCLUSTER_EU_KEY", "GPUCLUSTER_US_KEY"]) delete process.env[variable];
  await closeSimulators();
});

/** One service with two organizations besides the ordinary one, and a config that names both. */
async function openOrganizations(settings: Record<string, string> = {}) {
  const apiKeys = { "key-home": "home", "key-eu": "eu", "key-us": "us" };
  const simulator = await openSimulator({ apiKeys, provisioningMs: 0, deletionMs: 0 });
  process.env["GPUCLUSTER_EU_KEY"] = "key-eu";
  const provider = openProvider({
    ...configOf(simulator),
    "gpucluster:connections": JSON.stringify({
      eu: { apiKeyEnv: "GPUCLUSTER_EU_KEY" },
      us: { baseUrl: simulator.url, apiKeyConfig: "gpucluster:usKey" },
    }),
    "gpucluster:usKey": "key-us",
    ...settings,
  });
  return { simulator, provider };
}

/** The same with a cluster in each. */
async function openClusters() {
  const { simulator, provider } = await openOrganizations();
  const ids = ["home", "eu", "us"].map((organization) => {
    const fields = { name: "web", gpuType: "h100", container: `acme/${organization}:1`, organization };
    return [organization, simulator.addCluster(fields).id] as const;
  });
  return { simulator, provider, ids: new Map<string, string>(ids) };
}

const connectionOf: Record<string, object> = { home: {}, eu: { connection: "eu" }, us: { connection: "us" } };

function argsOf(name: FunctionName, id: string | undefined): object {
  return name === "getCluster" || name === "getClusterStatus" ? { id } : {};
}

describe("several organizations in one program", () => {
  it.each(functionNames)("%s asks with the key of its connection", async (name) => {
    const { simulator, provider, ids } = await openClusters();
    for (const organization of ["eu", "us", "home"]) {
      const before = simulator.requests.length;
      await provider.call(name, { ...argsOf(name, ids.get(organization)), ...connectionOf[organization] });
      const askedBy = new Set(simulator.requests.slice(before).map((request) => request.organization));
      expect([...askedBy]).toEqual([organization]);
    }
  });

  it.each(functionNames)("%s asks once for each key, however many ask at once", async (name) => {
    const askAll = async (organizations: readonly string[]) => {
      const { simulator, provider, ids } = await openClusters();
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
    const { provider, ids } = await openClusters();
    const found = await Promise.all(
      Object.values(connectionOf).map((connection) => provider.getCluster({ name: "web", ...connection })),
    );
    expect(found.map(({ id, container }) => [id, container])).toEqual(
      ["home", "eu", "us"].map((organization) => [ids.get(organization), `acme/${organization}:1`]),
    );
  });

  it("cannot read each other's clusters", async () => {
    const { provider, ids } = await openClusters();
    const error = await failureOf(provider.getCluster({ id: ids.get("us"), connection: "eu" }));
    expect(error.message).toMatch(/HTTP 404.*getClusters\(\) lists/);
  });

  it("fail one by one: a key that is missing is nobody else's trouble", async () => {
    const { provider } = await openClusters();
    delete process.env["GPUCLUSTER_EU_KEY"];
    expect((await failureOf(provider.getHealth({ connection: "eu" }))).message).toMatch(
      /^The API key of the connection "eu" is missing: set GPUCLUSTER_EU_KEY in the environment$/,
    );
    expect(await provider.getHealth({ connection: "us" })).toMatchObject({ healthy: true });
    expect(await provider.getHealth()).toMatchObject({ healthy: true });
  });

  it("take up a key that changes while the program runs", async () => {
    const { simulator, provider } = await openClusters();
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

  const byEnv = (key: string, baseUrl?: string, entry: object = {}) =>
    connect({ ...entry, apiKeyEnv: "GPUCLUSTER_A" }, { GPUCLUSTER_A: key }, baseUrl);

  it.each<[string, Connection, boolean]>([
    ["the same place", connect({ apiKeyConfig: "gpucluster:key" }, {}), true],
    ["another place with the same key", byEnv("same"), true],
    ["the address said by the entry", byEnv("same", undefined, { baseUrl: "https://shared.example.com//" }), true],
    ["the same address in capitals", byEnv("same", "HTTPS://Shared.Example.COM:443/"), true],
    ["another key", byEnv("other"), false],
    ["a key in capitals", byEnv("SAME"), false],
    ["another address", byEnv("same", "https://other.example.com"), false],
    ["another port", byEnv("same", "https://shared.example.com:8443"), false],
    ["another path", byEnv("same", "https://shared.example.com/GPU"), false],
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

const inputs = (connection?: string): Properties => ({
  ...least,
  name: `web-${connection ?? "home"}`,
  replicas: 1,
  connection,
});

async function openForClusters(settings?: Record<string, string>) {
  const { simulator, provider } = await openOrganizations(settings);
  return { simulator, cluster: provider.cluster };
}

describe("a cluster of a connection", () => {
  it("is made, read and deleted in its own organization, while others are in theirs", async () => {
    const { simulator, cluster } = await openForClusters();
    const lives = [undefined, "eu", "us"].map(async (connection) => {
      const { id, state } = await cluster.create(ctx, { ...inputs(connection), skipAwait: true });
      const found = await cluster.read(ctx, id, state);
      await cluster.delete(ctx, id, state);
      const askedBy = simulator.requests
        .filter(({ path }) => path.includes(id))
        .map(({ organization }) => organization);
      return [simulator.cluster(id)?.organization, found?.state["name"], [...new Set(askedBy)]];
    });
    expect(await Promise.all(lives)).toEqual([
      ["home", "web-home", ["home"]],
      ["eu", "web-eu", ["eu"]],
      ["us", "web-us", ["us"]],
    ]);
  });

  it("is not known to the connection of another organization, which the difference says unless it replaces the cluster", async () => {
    const { cluster } = await openForClusters();
    const { id, state } = await cluster.create(ctx, { ...inputs("eu"), skipAwait: true });
    // A young cluster may be missing in reads for another reason.
    const old = { ...state, createdAt: "2026-01-01T00:00:00Z" };
    const told = async (news: Properties) => {
      const checked = await cluster.check(ctx, { ...inputs("eu"), ...news }, inputs("eu"));
      return cluster.recognize(ctx, id, old, checked.inputs).then(() => "", messageOf);
    };
    expect(await told({ connection: "us" })).toContain("is not known to this service and API key");
    expect(await told({})).toBe("");
    expect(await told({ connection: "us", gpuType: "l4" })).toBe("");
    expect(await told({ connection: "us", __replaceOnChanges: ["connection"] })).toBe("");
  });

  it("may have the name that another one has in another organization", async () => {
    const { cluster } = await openForClusters();
    const check = (connection: string) =>
      cluster.check({ ...ctx, urn: urnOf(connection) }, { ...inputs(connection), name: "web" });
    expect((await check("eu")).failures).toEqual([]);
    expect((await check("us")).failures).toEqual([]);
    const again = await cluster.check({ ...ctx, urn: urnOf("again") }, { ...inputs("eu"), name: "Web" });
    expect(again.failures).toEqual([{ property: "name", reason: expect.stringContaining(urnOf("eu")) }]);
  });

  it("is checked against the clusters of its own organization", async () => {
    const { simulator, cluster } = await openForClusters();
    simulator.addCluster({ name: "web-eu", gpuType: "h100", organization: "us" });
    simulator.addCluster({ name: "web-us", gpuType: "h100", organization: "us" });
    const failuresOf = async (connection: string) => {
      const { failures } = await cluster.check({ ...ctx, urn: urnOf(connection) }, inputs(connection));
      return failures.map(({ property }) => property);
    };
    expect(await failuresOf("eu")).toEqual([]);
    expect(await failuresOf("us")).toEqual(["name"]);
  });

  it.each<[string, string | undefined, Record<string, string>, RegExp[]]>([
    ["a connection that there is not", "uk", {}, [/^gpucluster:connections has no entry "uk": .* "eu", "us"$/]],
    [
      "a key that is missing",
      "us",
      { "gpucluster:usKey": "" },
      [/^The API key of the connection "us" is missing: run /],
    ],
    ["a setting that is wrong", undefined, { "gpucluster:capacityCheck": "x" }, [/^gpucluster:capacityCheck must be/]],
    [
      "a setting and a connection that are wrong",
      "uk",
      { "gpucluster:strictPreview": "x" },
      [/^gpucluster:strictPreview must be/, /^gpucluster:connections has no entry "uk"/],
    ],
  ])("is refused by check with %s, which asks nobody", async (_title, connection, settings, texts) => {
    const { simulator, cluster } = await openForClusters(settings);
    const { failures } = await cluster.check(ctx, inputs(connection));
    expect(failures.map(({ reason }) => reason)).toEqual(texts.map((text) => expect.stringMatching(text)));
    expect(simulator.requests).toEqual([]);
  });
});
