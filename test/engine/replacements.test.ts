import { closeFixtures, type Fixture, idsOf, living, openFixture } from "./harness";
import { clusterTypes } from "./workspace";

/** One cluster of each adapter, with a name and options from the stack's config. */
const program = `
const native = require("pulumi-gpucluster/native");
const options = config.getObject("options") ?? {};
for (const [name, { Cluster }] of Object.entries({ web: gpu, api: native })) {
  const given = config.getBoolean("named") ? { name: name + "-named" } : {};
  const replicas = config.getNumber("replicas");
  new Cluster(name, { gpuType: "h100", container: "acme/model:1", replicas, ...given }, options);
}
`;

let fixture: Fixture;
beforeAll(async () => {
  fixture = await openFixture(program);
  expect((await fixture.workspace.up()).code).toBe(0);
});
afterAll(closeFixtures);

function optionsOf(options: object, isNamed = false): string[] {
  return ["--config", `engine-test:options=${JSON.stringify(options)}`, "--config", `engine-test:named=${isNamed}`];
}

const replaceWeb = ["--replace", `urn:pulumi:test::engine-test::${clusterTypes.dynamic}::web`];

describe("a forced replacement (--replace) of a generated name", () => {
  it("works if the program deletes the old cluster first: there is one cluster, a new one", async () => {
    const { workspace, simulator } = fixture;
    const before = idsOf(living(simulator));
    const { code, output } = await workspace.up(...replaceWeb, ...optionsOf({ deleteBeforeReplace: true }));
    expect(output).toMatch(/must be deleted before the new cluster is created/);
    expect(code).toBe(0);
    expect(living(simulator)).toHaveLength(2);
    expect(living(simulator).filter(({ id }) => !before.includes(id))).toMatchObject([
      { name: expect.stringMatching(/^web-/) },
    ]);
    expect(idsOf(workspace.storedClusters())).toEqual(idsOf(living(simulator)));
  });
});

describe("a replacement by `replacementTrigger`, in both adapters, in order", () => {
  it("gives a new generated name, and creates the new cluster first", async () => {
    const { workspace, simulator, writes } = fixture;
    expect((await workspace.up(...optionsOf({ replacementTrigger: "1" }))).code).toBe(0);
    writes();
    const { code, output } = await workspace.up(...optionsOf({ replacementTrigger: "2" }));
    expect(output).toMatch(/it is replaced: the old cluster with its only replica is deleted/);
    expect(code).toBe(0);
    const [first, second, ...deletions] = writes();
    expect([first, second]).toEqual(["POST /v1/clusters", "POST /v1/clusters"]);
    expect(deletions).toHaveLength(2);
    expect(living(simulator)).toHaveLength(2);
  });

  it("buys nothing if the name is given, and works with the option `deleteBeforeReplace`", async () => {
    const { workspace, simulator, writes } = fixture;
    const trigger = (value: string, more = {}) => optionsOf({ replacementTrigger: value, ...more }, true);
    expect((await workspace.up(...trigger("2"))).code).toBe(0);
    writes();
    const { code, output } = await workspace.up(...trigger("3"));
    // The first refusal ends the run.
    expect(output).toMatch(/the name "\w+-named" is already the name of cl_/);
    expect([code === 0, writes()]).toEqual([false, []]);
    const ended = await workspace.up(...trigger("3", { deleteBeforeReplace: true }));
    expect(ended.output).toMatch(
      /it is replaced: the old cluster with its only replica is deleted, or kept and billed with `retainOnDelete`$/m,
    );
    expect(ended.code).toBe(0);
    expect(writes().filter((line) => line.startsWith("POST"))).toHaveLength(2);
    expect(
      living(simulator)
        .map(({ name }) => name)
        .sort(),
    ).toEqual(["api-named", "web-named"]);
  });
});
