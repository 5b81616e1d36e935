import { type Bench, closeBenches, idsOf, living, openBench } from "./harness";
import { clusterTypes, type Run } from "./workspace";

/** Creates each cluster of the variable CLUSTERS with both adapters. */
const program = `
const native = require("pulumi-gpucluster/native");
const change = ({ props, opts }) => ({ props: { ...props, replicas: 3 }, opts });
for (const [prefix, { Cluster }] of Object.entries({ web: gpu, api: native })) {
  const made = {};
  for (const [name, { options = {}, isNamed, adopt = {}, ...args }] of Object.entries(JSON.parse(process.env.CLUSTERS))) {
    const { deletedWith, replaceWith, isTransformed, ...rest } = options;
    const inputs = { gpuType: "h100", container: "acme/model:1", env: { TOKEN: "canary-env" }, adopt: adopt[prefix], ...args };
    made[name] = new Cluster(prefix + name, isNamed ? { ...inputs, name: prefix + name } : inputs, {
      ...rest,
      ...(deletedWith !== undefined && { deletedWith: made[deletedWith] }),
      ...(replaceWith !== undefined && { replaceWith: [made[replaceWith]] }),
      ...(isTransformed && { transforms: [change] }),
    });
  }
}
`;

type Clusters = Record<
  string,
  | undefined
  | {
      options?: object;
      replicas?: number;
      container?: string;
      gpuType?: string;
      /** Whether the cluster has the name of its resource. */
      isNamed?: boolean;
      /** The cluster to adopt, for each adapter. */
      adopt?: Record<string, string | undefined>;
    }
>;
const scale = "POST /v1/clusters/:id/scale";
const create = "POST /v1/clusters";
const remove = "DELETE /v1/clusters/:id";

let bench: Bench;
beforeAll(async () => {
  bench = await openBench(program);
});
afterAll(closeBenches);

/** From now on the program declares these clusters, each with both adapters. */
function write(clusters: Clusters): void {
  bench.workspace.env["CLUSTERS"] = JSON.stringify(clusters);
}

/** Runs `up`, and returns the writes that it sent, sorted. */
async function sentByUp(clusters: Clusters, ...args: string[]): Promise<string[]> {
  write(clusters);
  bench.writes();
  const { code, output } = await bench.workspace.up(...args);
  expect({ code, output: code === 0 ? "" : output }).toEqual({ code: 0, output: "" });
  return bench.writes().sort();
}

function fails({ code, output }: Run): string {
  expect(code).not.toBe(0);
  expect(bench.writes()).toEqual([]);
  return output;
}

function urnOf(name: string): string {
  const type = name.startsWith("web") ? clusterTypes.dynamic : clusterTypes.native;
  return `urn:pulumi:test::engine-test::${type}::${name}`;
}

/** Expects that the service has exactly the clusters of the state. */
function expectAllKnown(): void {
  expect(idsOf(bench.workspace.storedClusters())).toEqual(idsOf(living(bench.simulator)));
}

/** The clusters that exist, by the names of their resources. */
function livingByName() {
  return new Map(living(bench.simulator).map((cluster) => [cluster.name.replace(/-[0-9a-f]{7}$/, ""), cluster]));
}

describe("resource options of the engine, in both adapters, in order", () => {
  const clusters = {
    safe: { options: { protect: true } },
    transformed: { options: { isTransformed: true } },
    rewritten: { options: { replaceOnChanges: ["container"] } },
    base: {},
    child: { options: { replaceWith: "base" } },
    host: {},
    guest: { options: { deletedWith: "host" } },
    left: { options: { retainOnDelete: true } },
  };

  it("transforms: the inputs that they change are applied", async () => {
    expect(await sentByUp(clusters)).toEqual(Array(16).fill(create));
    const changed = [...livingByName()].filter(([, { replicas }]) => replicas === 3);
    expect(changed.map(([name]) => name).sort()).toEqual(["apitransformed", "webtransformed"]);
  });

  it("protect: neither a destroy nor a removal from the program deletes a cluster", async () => {
    const targets = ["--target", urnOf("websafe"), "--target", urnOf("apisafe")];
    expect(fails(await bench.workspace.pulumi("destroy", "--yes", "--skip-preview", ...targets))).toMatch(/protect/);
    write({ ...clusters, safe: undefined });
    expect(fails(await bench.workspace.up())).toMatch(/protect/);
  });

  it("replaceOnChanges, replaceWith, deletedWith, retainOnDelete: which clusters are replaced, deleted and kept", async () => {
    const before = livingByName();
    const changed = {
      ...{ rewritten: { ...clusters.rewritten, container: "acme/model:2" }, base: { gpuType: "l4" } },
      ...{ safe: {}, host: undefined, guest: undefined, left: undefined },
    };
    const sent = await sentByUp({ ...clusters, ...changed });
    expect(sent).toEqual([...Array(8).fill(remove), ...Array(6).fill(create)]);
    const after = livingByName();
    for (const prefix of ["web", "api"]) {
      const isSame = (name: string) => after.get(prefix + name)?.id === before.get(prefix + name)?.id;
      expect(Object.keys(clusters).filter(isSame)).toEqual(["safe", "transformed", "guest", "left"]);
      expect(after.has(`${prefix}host`)).toBe(false);
    }
    // The kept clusters are no longer in the state.
    expect(bench.workspace.storedClusters()).toHaveLength(10);
  });

  it("ends with nothing in the state", async () => {
    expect(await sentByUp({})).toEqual(Array(10).fill(remove));
    expect([...livingByName().keys()].sort()).toEqual(["apiguest", "apileft", "webguest", "webleft"]);
  });
});

describe("a replacement with the option retainOnDelete, in both adapters, in order", () => {
  const kept = { options: { retainOnDelete: true } };
  const replacement = /: `gpuType` changes, so it is replaced.*is deleted, or kept and billed with `retainOnDelete`$/gm;
  let ids: Record<string, string | undefined>;

  it("of a generated name: the preview does not promise the deletion, and both clusters exist afterwards", async () => {
    for (const { id } of living(bench.simulator)) bench.simulator.change(id, { status: "gone" });
    expect(await sentByUp({ kept })).toEqual([create, create]);
    write({ kept: { ...kept, gpuType: "l4" } });
    const { output } = await bench.workspace.preview();
    expect(output.match(replacement)).toHaveLength(2);
    expect(await sentByUp({ kept: { ...kept, gpuType: "l4" } })).toEqual([create, create]);
    expect(living(bench.simulator)).toHaveLength(4);
    expect(await sentByUp({})).toEqual([]);
  });

  it("of an explicit name: buys nothing, and fails with the ways out", async () => {
    const named = { ...kept, isNamed: true };
    expect(await sentByUp({ named })).toEqual([create, create]);
    const clusters = livingByName();
    ids = { web: clusters.get("webnamed")?.id, api: clusters.get("apinamed")?.id };
    write({ named: { ...named, gpuType: "l4" } });
    bench.writes();
    const output = fails(await bench.workspace.up("--continue-on-error"));
    for (const prefix of ["web", "api"]) {
      const taken = `the name "${prefix}named" is already the name of ${ids[prefix]} .*kept by \`retainOnDelete\``;
      expect(output).toMatch(new RegExp(taken));
    }
  });

  it("of an explicit name: the original program works again with `adopt`", async () => {
    write({ named: { ...kept, isNamed: true } });
    expect(fails(await bench.workspace.up())).toContain('named" is already the name of cl_');
    expect(await sentByUp({ named: { ...kept, isNamed: true, adopt: ids } })).toEqual([]);
    expect(idsOf(bench.workspace.storedClusters())).toEqual(Object.values(ids).sort());
    expect(await sentByUp({})).toEqual([]);
  });
});

describe("options of the command line, in both adapters, in order", () => {
  it("--target and --exclude: only the targeted clusters are changed, refreshed and destroyed", async () => {
    const { workspace, simulator } = bench;
    for (const { id } of living(simulator)) simulator.change(id, { status: "gone" });
    expect(await sentByUp({ a: {}, b: {} })).toEqual(Array(4).fill(create));
    const twice = { a: { replicas: 2 }, b: { replicas: 2 } };
    expect(await sentByUp(twice, "--target", urnOf("weba"), "--target", urnOf("apia"))).toEqual([scale, scale]);
    expect(await sentByUp(twice, "--exclude", urnOf("webb"))).toEqual([scale]);
    expect(await sentByUp(twice)).toEqual([scale]);
    for (const { id } of living(simulator)) simulator.change(id, { replicas: 5 });
    const refreshed = await workspace.refresh("--target", urnOf("weba"), "--target", urnOf("apia"));
    expect(refreshed.output.match(/~ replicas *: 2 => 5/g)).toHaveLength(2);
    const excluded = ["--exclude", urnOf("weba"), "--exclude", urnOf("apia")];
    expect((await workspace.pulumi("destroy", "--yes", "--skip-preview", ...excluded)).code).toBe(0);
    expect(bench.writes()).toEqual([remove, remove]);
    expect(await sentByUp({ a: { replicas: 5 } })).toEqual([]);
    expectAllKnown();
  });

  it("--save-plan and --plan: exactly the plan is applied", async () => {
    write({ a: { replicas: 6 } });
    expect((await bench.workspace.preview("--save-plan", "plan.json")).code).toBe(0);
    write({ a: { replicas: 7 } });
    expect(fails(await bench.workspace.up("--plan", "plan.json"))).toMatch(/violates plan/);
    expect(await sentByUp({ a: { replicas: 6 } }, "--plan", "plan.json")).toEqual([scale, scale]);
  });
});
