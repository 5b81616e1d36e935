import { closeFixtures, type Fixture, living, openFixture } from "./harness";

/** Resource options of Pulumi that decide what happens to a cluster. The program creates each cluster with both adapters. */
const program = `
const native = require("pulumi-gpucluster/native");
const version = config.getNumber("version") ?? 1;
const isChanged = version > 1;
const container = "acme/model:" + version;
const transform = ({ props, opts }) => ({ props: { ...props, replicas: 3 }, opts });
for (const [prefix, { Cluster }] of Object.entries({ web: gpu, api: native })) {
  const cluster = (name, options, args) =>
    new Cluster(prefix + "-" + name, { gpuType: "h100", container: "acme/model:1", ...args }, options);
  cluster("transformed", { transforms: [transform] });
  cluster("scaled", { ignoreChanges: ["replicas"] }, { replicas: 2, container });
  cluster("rewritten", { replaceOnChanges: ["container"] }, { container });
  const base = cluster("base", {}, { gpuType: isChanged ? "l4" : "h100" });
  cluster("child", { replaceWith: [base] });
  if (isChanged) continue;
  cluster("guest", { deletedWith: cluster("host") });
  cluster("retained", { retainOnDelete: true });
}
`;

const adapters = ["web", "api"];
const both = (...names: string[]) => adapters.flatMap((adapter) => names.map((name) => `${adapter}-${name}`)).sort();
const create = "POST /v1/clusters";
const update = "PATCH /v1/clusters/:id";
const remove = "DELETE /v1/clusters/:id";

describe("a resource option, in both adapters, in order", () => {
  let fixture: Fixture;
  beforeAll(async () => {
    fixture = await openFixture(program);
    await fixture.workspace.succeed("up", "--yes", "--skip-preview");
  });
  afterAll(closeFixtures);

  /** The clusters that exist, by the names of their resources. */
  const livingByName = () =>
    new Map(living(fixture.simulator).map((cluster) => [cluster.name.replace(/-[0-9a-f]{7}$/, ""), cluster]));

  it("`transforms` changes the inputs of a creation", () => {
    expect(fixture.writes()).toEqual(Array(16).fill(create));
    const changed = [...livingByName()].filter(([, { replicas }]) => replicas === 3);
    expect(changed.map(([name]) => name).sort()).toEqual(both("transformed"));
  });

  it("decides which clusters are replaced, deleted, and kept outside of the state", async () => {
    const before = livingByName();
    // As an autoscaler does, whose replicas `ignoreChanges` keeps.
    for (const name of both("scaled")) fixture.simulator.change(before.get(name)?.id ?? "", { replicas: 6 });
    await fixture.workspace.succeed("config", "set", "version", "2");
    expect((await fixture.workspace.up()).code).toBe(0);
    // The guests are gone with their hosts, without a request.
    expect(fixture.writes().sort()).toEqual([...Array(8).fill(remove), update, update, ...Array(6).fill(create)]);
    const after = livingByName();
    const same = [...after].filter(([name, { id }]) => before.get(name)?.id === id).map(([name]) => name);
    expect(same.sort()).toEqual(both("guest", "retained", "scaled", "transformed"));
    for (const name of both("scaled"))
      expect(after.get(name)).toMatchObject({ replicas: 6, container: "acme/model:2" });
    expect(fixture.workspace.storedClusters()).toHaveLength(10);
  });

  it("`ignoreChanges` keeps even the 0 replicas that an autoscaler has chosen", async () => {
    for (const name of both("scaled")) fixture.simulator.change(livingByName().get(name)?.id ?? "", { replicas: 0 });
    expect((await fixture.workspace.refresh()).code).toBe(0);
    await fixture.workspace.succeed("config", "set", "version", "3");
    expect(await fixture.workspace.up()).toMatchObject({ code: 0 });
    for (const name of both("scaled"))
      expect(livingByName().get(name)).toMatchObject({ replicas: 0, container: "acme/model:3" });
  });
});
