import { tmpdir } from "node:os";
import type { Organization, OrganizationCluster } from "../../../provider/api/decode/types";
import { compare, type LocatedEntry, type Report, type ReportedCluster } from "../../../sdk/automation/report";
import { asMarkdown, asText, runReport } from "../../../sdk/automation/reportCommand";
import { clustersIn, type StateEntry } from "../../../sdk/automation/stacks";

const nowMs = Date.parse("2026-11-22T12:00:00Z");
const urn = (name: string) => `urn:pulumi:prod::shop::gpucluster:index:Cluster::${name}`;

const cluster = (id: string, more: Partial<OrganizationCluster> = {}): OrganizationCluster => ({
  ...{ id, name: id.replace("cl_", ""), gpuType: "h100", replicas: 2, status: "running", gpuPrice: 3 },
  ...{ isStopped: false, isLeaving: false, createdAt: "2026-11-22T09:30:00Z" },
  ...more,
});

const organization = (clusters: readonly OrganizationCluster[], more: Partial<Organization> = {}): Organization => ({
  ...{ address: "https://eu.example", seenBy: "aaaaaaaa", clusters, complete: true },
  ...more,
});

const entry = (id: string, more: Partial<StateEntry> = {}): StateEntry => ({
  ...{ stack: "prod", urn: urn(id.replace("cl_", "")), id, hasExplicitProvider: false },
  ...more,
});

/** An entry of a state whose key belongs to this organization. */
const located = (id: string, organization: Organization, more: Partial<StateEntry> = {}): LocatedEntry => ({
  entry: entry(id, more),
  organization,
});

function compared(owned: readonly LocatedEntry[], organizations: readonly Organization[]): Report {
  return compare(owned, organizations, nowMs);
}

const idsOf = (all: readonly { id: string }[]) => all.map(({ id }) => id);

describe("the comparison of states with clusters", () => {
  const here = organization([cluster("cl_a"), cluster("cl_b")]);
  const there = organization([cluster("cl_a")], { address: "https://us.example", seenBy: "bbbbbbbb" });
  const partial = organization([cluster("cl_a")], { complete: false });

  const leaving = organization([cluster("cl_a", { isLeaving: true })]);
  const first = ["cl_a"];
  const both = ["cl_a", "cl_b"];
  const all = [...first, ...both];
  const lost = ["cl_z"];
  /** An entry of an organization whose key only the provider of the program knows. */
  const seenBy = (key: string) => ({ entry: entry("cl_z", { hasExplicitProvider: true, seenBy: key }) });

  type Found = { unmanaged?: string[]; missing?: string[]; unchecked?: string[] };
  it.each<[string, LocatedEntry[], Organization[], Found]>([
    ["finds a cluster of a state", [located("cl_a", here)], [here], { unmanaged: ["cl_b"] }],
    ["misses a cluster that is not in the list", [located("cl_z", here)], [here], { unmanaged: both, missing: lost }],
    ["misses none in an incomplete list", [located("cl_z", partial)], [partial], { unmanaged: first, unchecked: lost }],
    ["misses none of an unknown organization", [seenBy("cccccccc")], [there], { unmanaged: first, unchecked: lost }],
    ["misses one by the key that saw it", [seenBy("bbbbbbbb")], [here, there], { unmanaged: all, missing: lost }],
    ["keeps one id at two services apart", [located("cl_a", there)], [here, there], { unmanaged: both }],
    ["takes no cluster that is being deleted for an orphan", [], [leaving], {}],
    ["lists an organization with two keys once", [], [here, { ...here, seenBy: "dddddddd" }], { unmanaged: both }],
  ])("%s", (_title, owned, organizations, { unmanaged = [], missing = [], unchecked = [] }) => {
    const report = compared(owned, organizations);
    expect(idsOf(report.unmanaged).sort()).toEqual(unmanaged);
    expect(idsOf(report.missing)).toEqual(missing);
    expect(idsOf(report.unchecked)).toEqual(unchecked);
  });

  it.each<[number, string[]]>([
    [2 * 3_600, ["cl_old", "cl_unknown"]],
    [48 * 3_600, ["cl_unknown"]],
  ])("counts as unmanaged what is older than %d s, and what is of unknown age", (olderThanSeconds, expected) => {
    const own = organization([
      cluster("cl_new", { createdAt: "2026-11-22T11:00:00Z" }),
      cluster("cl_old"),
      cluster("cl_unknown", { createdAt: undefined }),
    ]);
    const report = compare([], [own], nowMs, olderThanSeconds);
    expect(idsOf(report.unmanaged)).toEqual(expected);
    expect(report.unmanagedHourlyCost).toBe(6 * expected.length);
    expect(idsOf(report.clusters)).toEqual(["cl_new", "cl_old", "cl_unknown"]);
  });

  const now = "2026-11-22T12:00Z";
  it.each<[string, Partial<OrganizationCluster>, string[], Partial<ReportedCluster>, string[]]>([
    ["has passed", {}, ["2026-11-22T09:00Z"], { secondsLeft: -3 * 3_600 }, ["cl_a"]],
    ["is now", {}, ["2026-11-22T13:00+01:00"], { secondsLeft: 0 }, ["cl_a"]],
    ["is to come", {}, ["2026-11-23T12:00Z"], { secondsLeft: 86_400 }, []],
    ["has passed in one of two states", {}, [now, "2026-11-22T15:00+05:00"], { secondsLeft: -7_200 }, ["cl_a"]],
    ["has passed, and it is stopped", { isStopped: true }, ["2026-11-22T09:00Z"], { secondsLeft: -3 * 3_600 }, []],
    ["has passed, and it is being deleted", { isLeaving: true }, ["2026-11-22T09:00Z"], {}, []],
    ["is not set", {}, [], { runUntil: undefined, secondsLeft: undefined }, []],
  ])("finds a cluster whose end %s", (_title, observed, ends, reported, expired) => {
    const own = organization([cluster("cl_a", observed), cluster("cl_b")]);
    const owned = ends.map((runUntil) => located("cl_a", own, { runUntil }));
    const report = compared(owned, [own]);
    expect(report.clusters.find(({ id }) => id === "cl_a")).toMatchObject(reported);
    expect(idsOf(report.expired)).toEqual(expired);
    expect(report.expiredHourlyCost).toBe(6 * expired.length);
  });

  it("names every stack that has a cluster", () => {
    const owned = [located("cl_a", there), located("cl_a", there, { stack: "dev" })];
    expect(compared(owned, [there]).clusters[0]?.managedBy.map(({ stack }) => stack)).toEqual(["prod", "dev"]);
  });

  const stopped = { gpuType: "h100", replicas: 1, hourlyCost: 0, desiredStatus: "stopped" };
  it.each<[string, Partial<OrganizationCluster>, Partial<StateEntry> | undefined, number | undefined]>([
    ["of an unmanaged cluster, by the current price", {}, undefined, 6],
    ["without a price", { gpuPrice: undefined }, undefined, undefined],
    ["while it is stopped", { isStopped: true }, undefined, 0],
    ["of 8 GPUs a replica, by the state", {}, { gpuType: "h100", replicas: 1, hourlyCost: 24 }, 48],
    ["of another type than in the state", {}, { gpuType: "l4", replicas: 1, hourlyCost: 24 }, 6],
    ["by the current price if it was stopped in the state", {}, stopped, 6],
  ])("has the cost %s", (_title, observed, stored, cost) => {
    const own = organization([cluster("cl_a", observed)]);
    const owned = stored ? [located("cl_a", own, stored)] : [];
    const { clusters, hourlyCost } = compared(owned, [own]);
    expect(clusters[0]?.hourlyCost).toBe(cost);
    expect(hourlyCost).toBe(cost ?? 0);
  });
});

describe("the clusters in a state", () => {
  const dynamic = "pulumi-nodejs:dynamic/gpucluster:Cluster";
  const ownProvider = "urn:pulumi:prod::shop::pulumi:providers:gpucluster::europe::id-1";
  const engineProvider = "urn:pulumi:prod::shop::pulumi:providers:gpucluster::default_0_1_0::id-2";
  const resource = (more: object) => ({ urn: urn("web"), id: "cl_1", type: dynamic, outputs: {}, ...more });
  const secret = { "4dabf18193072939515e22adb298388d": "1b47061264138c4ac30d75fd1eb44270", ciphertext: "v1:x" };
  const native = { type: "gpucluster:index:Cluster", provider: engineProvider };
  const likeEngine = { provider: ownProvider.replace("europe", "default_eu") };

  it.each<[string, object, object | undefined]>([
    ["of the dynamic provider", {}, { id: "cl_1", hasExplicitProvider: false }],
    ["of the native provider", native, { hasExplicitProvider: false }],
    ["of a provider of the program", { provider: ownProvider }, { hasExplicitProvider: true }],
    [
      "of a provider of the program whose name only begins like the engine's",
      likeEngine,
      { hasExplicitProvider: true },
    ],
    ["with an end", { outputs: { runUntil: "2030-01-01T00:00Z" } }, { runUntil: "2030-01-01T00:00Z" }],
    ["that a key has seen", { outputs: { __seenBy: "ab" } }, { seenBy: "ab" }],
    ["with secret outputs", { outputs: { gpuType: secret, hourlyCost: secret } }, { gpuType: undefined }],
    ["that wait for their deletion", { delete: true }, { id: "cl_1" }],
    ["that a program only reads", { external: true }, undefined],
    ["without an id", { id: "" }, undefined],
    ["of another type", { type: "pulumi-nodejs:dynamic:Resource" }, undefined],
  ])("%s", (_title, more, found) => {
    const entries = clustersIn({ deployment: { resources: [resource(more)] } }, "prod");
    expect(entries).toEqual(found ? [expect.objectContaining(found)] : []);
  });

  it("are none in a state without a deployment", () => {
    expect(clustersIn({ deployment: null }, "prod")).toEqual([]);
  });
});

describe("the text of a report", () => {
  const long = cluster("cl_long", { name: `a|b\`c\u001b${"x".repeat(90)}`, createdAt: "2026-10-01T00:00:00Z" });
  const own = organization([cluster("cl_web", { currency: "USD" }), long, cluster("cl_odd", { gpuPrice: undefined })]);
  const far = { entry: entry("cl_far", { hasExplicitProvider: true }) };
  const found = compared(
    [located("cl_web", own, { runUntil: "2026-11-25T00:00Z" }), located("cl_gone", own), far],
    [own],
  );

  it("stays whole with any name", () => {
    const plain = asText(found);
    expect(Math.max(...plain.split("\n").map(({ length }) => length))).toBeLessThanOrEqual(80);
    expect(plain).not.toContain("\u001b");
    expect(plain).toContain("Clusters: 3, at least 12.00 USD per hour. Unmanaged: 2, at least 6.00 per hour.\n");
    const text = asMarkdown(found);
    expect(text).toContain("| `web` | `cl_web` | `prod web` | `running` | 6.00 USD | 2h | in 2d |");
    expect(text).toMatch(/^\| `a\\\|b'cx+` \| `cl_long` \| \*\*nobody\*\* \|/m);
    expect(text).toContain("### In a state, but not in the list of clusters\n\n- `prod gone, cl_gone`\n");
  });
});

it("a report about ends shows only clusters past theirs that are not stopped", () => {
  const own = organization([cluster("cl_web"), cluster("cl_late", { currency: "USD" })], { complete: false });
  const found = compared([located("cl_web", own), located("cl_late", own, { runUntil: "2026-11-10T00:00Z" })], [own]);
  const total = "Past their end, and not stopped: 1, 6.00 USD per hour.";
  expect(asText(found).replaceAll("\n", " ")).toContain(`Unmanaged: 0, 0.00 per hour. ${total}`);
  const text = asText(found, true);
  expect(text).toMatch(
    /^cluster +managed by +state +per hour +age +ends\nlate +prod late +running +6\.00 +2h +12d ago\n\n/,
  );
  expect(text).toContain(
    `\n\n${total}\n\nPast their end, and not stopped:\n  - cl_late "late", 2 x h100, https://eu.example\n`,
  );
  expect(text).toContain("may be more clusters");
  expect(text).not.toMatch(/web|nmanaged/);
  expect(asMarkdown(found, true)).toMatch(/\| 12d ago \|\n\nPast their end, and not stopped: 1, /);
  expect(asText(compared([], [own]), true)).toMatch(/^No running cluster is past its end\.\n/);
});

it("the sums of a report leave out costs in several currencies", () => {
  const own = organization([cluster("cl_web", { currency: "USD" }), cluster("cl_eu", { currency: "EUR" })]);
  expect(asText(compared([], [own]))).toContain("Clusters: 2, costs in several currencies. ");
});

describe("the command line", () => {
  it.each<[string, string[], RegExp]>([
    ["no stack, outside of a project", ["--cwd", tmpdir()], /--stack <name>.*the folder of a Pulumi project/],
    ["two forms", ["--stack", "a", "--json", "--markdown"], /either --json or --markdown/],
    ["an age of no unit", ["--stack", "a", "--older-than", "5"], /--older-than takes a duration, such as 1d or 12h/],
    ["an unknown option", ["--stack", "a", "--delete"], /--delete/],
  ])("refuses %s", async (_title, args, text) => {
    expect(await runReport(args)).toEqual({ code: 2, out: "", err: expect.stringMatching(text) });
  });
});
