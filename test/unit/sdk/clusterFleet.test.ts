import * as pulumi from "@pulumi/pulumi";
import { type Cluster, type ClusterArgs, ClusterFleet, type ClusterFleetArgs } from "../../../sdk";
import { type Registered, resolved, runProgram } from "./program";

const member = { gpuType: "l4", container: "acme/worker:1" };
const clusterType = "pulumi-nodejs:dynamic/gpucluster:Cluster";

/** The clusters that a fleet registers, by name. */
async function clustersOf(program: () => unknown): Promise<Record<string, Registered>> {
  const all = await runProgram(program);
  return Object.fromEntries(all.filter(({ type }) => type === clusterType).map((one) => [one.name, one]));
}

/** The fleet of a program, for its outputs. */
async function made(args: ClusterFleetArgs): Promise<ClusterFleet> {
  const fleets: ClusterFleet[] = [];
  await runProgram(() => fleets.push(new ClusterFleet("worker", args)));
  return fleets[0] as ClusterFleet;
}

describe("a fleet", () => {
  it("of a count has equal clusters, named by their numbers", async () => {
    const clusters = await clustersOf(() => new ClusterFleet("worker", { count: 3, cluster: member }));
    expect(Object.keys(clusters).sort()).toEqual(["worker-0", "worker-1", "worker-2"]);
    for (const { props } of Object.values(clusters)) expect(props).toMatchObject(member);
  });

  it("of a map has a cluster for each key", async () => {
    const clusters = { eu: member, us: { ...member, gpuType: "h100", replicas: 2 } };
    const registered = await clustersOf(() => new ClusterFleet("worker", { clusters }));
    expect(Object.keys(registered).sort()).toEqual(["worker-eu", "worker-us"]);
    expect(registered["worker-us"]?.props).toMatchObject({ gpuType: "h100", replicas: 2 });
  });

  it("of an empty map has none: the map may have had some before", async () => {
    const fleet = await made({ clusters: {} });
    expect(fleet.clusters).toEqual({});
    expect(await resolved(pulumi.all([fleet.endpoints, fleet.hourlyCost]))).toEqual([{}, 0]);
  });

  it("is the parent of its clusters, which know their URNs", async () => {
    const clusters = await clustersOf(() => new ClusterFleet("worker", { count: 1, cluster: member }));
    const urn = `urn:pulumi:dev::shop::gpucluster:index:ClusterFleet$${clusterType}::worker-0`;
    expect(clusters["worker-0"]).toMatchObject({ urn, props: { __urn: urn } });
  });

  it("keeps the env of its clusters secret", async () => {
    const cluster = { ...member, env: { TOKEN: "canary" } };
    const clusters = await clustersOf(() => new ClusterFleet("worker", { count: 1, cluster }));
    expect(clusters["worker-0"]?.props["env"]).toMatchObject({ TOKEN: { value: "canary" } });
  });
});

describe("the waves of a fleet", () => {
  /** The names of the clusters that each cluster waits for. */
  const orderOf = async (args: ClusterFleetArgs) => {
    const clusters = await clustersOf(() => new ClusterFleet("worker", args));
    const nameOf = (urn: string) => urn.replace(/.*::/, "");
    return Object.fromEntries(
      Object.entries(clusters).map(([name, { dependencies }]) => [name, dependencies.map(nameOf).sort()]),
    );
  };

  it("are chains of clusters: each waits for all of the wave before", async () => {
    expect(await orderOf({ count: 5, cluster: member, waves: [1, "60%"] })).toEqual({
      "worker-0": [],
      "worker-1": ["worker-0"],
      "worker-2": ["worker-0"],
      "worker-3": ["worker-1", "worker-2"],
      "worker-4": ["worker-1", "worker-2"],
    });
  });

  it("follow the order of the keys", async () => {
    const clusters = { us: member, eu: member, asia: member };
    expect(await orderOf({ clusters, waves: [1, 2] })).toEqual({
      "worker-us": [],
      "worker-eu": ["worker-us"],
      "worker-asia": ["worker-eu"],
    });
  });

  it("begin with the keys that are whole numbers, by their value", async () => {
    const clusters = { eu: member, "10": member, "9": member };
    expect(await orderOf({ clusters, waves: [1, 2] })).toEqual({
      "worker-9": [],
      "worker-10": ["worker-9"],
      "worker-eu": ["worker-10"],
    });
  });

  it("are not there by default", async () => {
    expect(await orderOf({ count: 2, cluster: member })).toEqual({ "worker-0": [], "worker-1": [] });
  });

  it.each([undefined, [1, "100%"]])("a fleet of no clusters has none (%j)", async (waves) => {
    expect(await orderOf({ count: 0, cluster: member, waves })).toEqual({});
  });
});

describe("the options of a fleet", () => {
  it("that are about a cluster apply to each of its clusters, which Pulumi alone does not do", async () => {
    const opts = { customTimeouts: { create: "2h" }, ignoreChanges: ["gpuType"] };
    const seen: pulumi.ResourceOptions[] = [];
    const transformations: pulumi.ResourceTransformation[] = [
      ({ type, opts: own }) => void (type === clusterType && seen.push(own)),
    ];
    const program = () => new ClusterFleet("worker", { count: 2, cluster: member }, { ...opts, transformations });
    const clusters = await clustersOf(program);
    const timeouts = Object.values(clusters).map(({ props }) => props["__timeouts"]);
    expect(timeouts).toEqual([{ create: "2h" }].concat({ create: "2h" }));
    // The provider puts these two outputs among the inputs: they are never a change.
    const shown = { ...opts, ignoreChanges: ["gpuType", "endpoint", "createdAt"] };
    expect(seen).toMatchObject([shown, shown]);
  });

  it("do not apply to the children of an ordinary component", async () => {
    const seen: pulumi.ResourceOptions[] = [];
    const transformations: pulumi.ResourceTransformation[] = [({ opts }) => void seen.push(opts)];
    await runProgram(() => {
      const parent = new pulumi.ComponentResource("shop:index:Region", "eu", {}, { customTimeouts: { create: "2h" } });
      new ClusterFleet("worker", { count: 1, cluster: member }, { parent, transformations });
    });
    expect(seen.map(({ customTimeouts }) => customTimeouts)).toEqual([undefined, undefined]);
  });
});

describe("the outputs of a fleet", () => {
  /** Mocks return the inputs as outputs, so the service's outputs are passed as inputs. */
  const served = (endpoint: string, hourlyCost?: number): ClusterArgs => ({ ...member, ...{ endpoint, hourlyCost } });

  it("are its clusters and their endpoints by key, and their total cost", async () => {
    const fleet = await made({ clusters: { eu: served("https://eu", 0.1), us: served("https://us", 0.2) } });
    expect(await resolved(fleet.endpoints)).toEqual({ eu: "https://eu", us: "https://us" });
    expect(await resolved(fleet.hourlyCost)).toBe(0.3);
    const us: Cluster | undefined = fleet.clusters["us"];
    expect(await resolved(pulumi.output(us?.endpoint))).toBe("https://us");
  });

  it("have no total cost if one cost is unknown", async () => {
    const fleet = await made({ clusters: { eu: served("https://eu", 0.1), us: served("https://us") } });
    expect(await resolved(fleet.hourlyCost)).toBeUndefined();
  });
});

describe("arguments of which no fleet can be made", () => {
  it.each<[string, object, RegExp]>([
    [
      "both forms",
      { count: 1, cluster: member, clusters: {} },
      /either `count` and `cluster`, or `clusters`; both are/,
    ],
    ["a count beside a map", { count: 1, clusters: {} }, /both are there$/],
    ["neither form", {}, /neither is there$/],
    ["a count alone", { count: 2 }, /`cluster` is required beside `count`/],
    ["a cluster alone", { cluster: member }, /`count` must be .* 0 to 500, known when the program runs$/],
    ["fewer than none", { count: -1, cluster: member }, /`count` must be a whole number from 0 to 500, got -1$/],
    ["waves that fall", { count: 1, cluster: member, waves: [2, 1] }, /: `waves` must grow/],
    ["waves that come later", { clusters: {}, waves: Promise.resolve([1]) }, /: `waves` must be a list, known when/],
    ["half a cluster", { count: 1.5, cluster: member }, /got 1.5$/],
    ["too many", { count: 501, cluster: member }, /got 501$/],
    ["a count that comes later", { count: Promise.resolve(2), cluster: member }, /known when the program runs$/],
  ])("%s: one line says so, before anything is registered", async (_what, args, message) => {
    const program = () => new ClusterFleet("worker", args as ClusterFleetArgs);
    const error: unknown = await runProgram(program).catch((reason: unknown) => reason);
    expect(pulumi.RunError.isInstance(error)).toBe(true);
    for (const part of [message, /^ClusterFleet "worker": /]) expect(Object(error).message).toMatch(part);
  });
});
