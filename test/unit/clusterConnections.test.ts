import type { Ctx, Properties } from "../../provider/core";
import { least, urnOf } from "./cluster/inputs";
import { closeSimulators, configOf, forgetEnvironment, openProvider, openSimulator } from "./providerHarness";

beforeAll(forgetEnvironment);
afterEach(closeSimulators);

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

/** One service with an organization for each key, and a connection of its name for each but the first. */
async function openOrganizations(settings: Record<string, string> = {}) {
  const apiKeys = { "key-home": "home", "key-eu": "eu", "key-us": "us" };
  const simulator = await openSimulator({ apiKeys, provisioningMs: 0, deletionMs: 0 });
  const entries = ["eu", "us"].map((name) => [name, { apiKeyConfig: `gpucluster:${name}` }]);
  const provider = openProvider({
    ...configOf(simulator),
    "gpucluster:connections": JSON.stringify(Object.fromEntries(entries)),
    "gpucluster:eu": "key-eu",
    "gpucluster:us": "key-us",
    ...settings,
  });
  return { simulator, ...provider };
}

describe("a cluster of a connection", () => {
  it("is made, read and deleted in its own organization, while others are in theirs", async () => {
    const { simulator, cluster } = await openOrganizations();
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
    const { cluster } = await openOrganizations();
    const { id, state } = await cluster.create(ctx, { ...inputs("eu"), skipAwait: true });
    // A young cluster may be missing in reads for another reason.
    const old = { ...state, createdAt: "2026-01-01T00:00:00Z" };
    const told = (news: Properties) =>
      cluster
        .check(ctx, { ...inputs("eu"), ...news }, inputs("eu"))
        .then((checked) => cluster.recognize(ctx, id, old, checked.inputs))
        .then(
          () => "",
          ({ message }: Error) => message,
        );
    expect(await told({ connection: "us" })).toContain("is not known to this service and API key");
    expect(await told({})).toBe("");
    expect(await told({ connection: "us", gpuType: "l4" })).toBe("");
    expect(await told({ connection: "us", __replaceOnChanges: ["connection"] })).toBe("");
  });

  it("may have the name that another one has in another organization", async () => {
    const { cluster } = await openOrganizations();
    const check = (connection: string) =>
      cluster.check({ ...ctx, urn: urnOf(connection) }, { ...inputs(connection), name: "web" });
    expect((await check("eu")).failures).toEqual([]);
    expect((await check("us")).failures).toEqual([]);
    const again = await cluster.check({ ...ctx, urn: urnOf("again") }, { ...inputs("eu"), name: "Web" });
    expect(again.failures).toEqual([{ property: "name", reason: expect.stringContaining(urnOf("eu")) }]);
  });

  it("is checked against the clusters of its own organization", async () => {
    const { simulator, cluster } = await openOrganizations();
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
    ["a key that is missing", "eu", { "gpucluster:eu": "" }, [/^The API key of the connection "eu" is missing: run /]],
    ["a setting that is wrong", undefined, { "gpucluster:capacityCheck": "x" }, [/^gpucluster:capacityCheck must be/]],
    [
      "a setting and a connection that are wrong",
      "uk",
      { "gpucluster:strictPreview": "x" },
      [/^gpucluster:strictPreview must be/, /^gpucluster:connections has no entry "uk"/],
    ],
  ])("is refused by check with %s, which asks nobody", async (_title, connection, settings, texts) => {
    const { simulator, cluster } = await openOrganizations(settings);
    const { failures } = await cluster.check(ctx, inputs(connection));
    expect(failures.map(({ reason }) => reason)).toEqual(texts.map((text) => expect.stringMatching(text)));
    expect(simulator.requests).toEqual([]);
  });
});
