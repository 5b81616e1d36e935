import { closeFixtures, type Fixture, idsOf, living, openFixture } from "./harness";

/** One cluster of each adapter with the option `retainOnDelete`, whose inputs are in the stack's config. */
const program = `
const native = require("pulumi-gpucluster/native");
const { adopt = {}, isNamed, ...inputs } = config.getObject("inputs") ?? {};
if (!config.getBoolean("isEmpty"))
  for (const [name, { Cluster }] of Object.entries({ web: gpu, api: native }))
    new Cluster(name, {
      gpuType: "h100", container: "acme/model:1", adopt: adopt[name], ...(isNamed ? { name } : {}), ...inputs,
    }, { retainOnDelete: true });
`;
const create = "POST /v1/clusters";
const replacement = /: `gpuType` changes, so it is replaced.*is deleted, or kept and billed with `retainOnDelete`$/gm;

describe("a replacement with the option `retainOnDelete`, in both adapters, in order", () => {
  let fixture: Fixture;
  let ids: Record<string, string | undefined>;
  beforeAll(async () => {
    fixture = await openFixture(program);
  });
  afterAll(closeFixtures);

  const write = (inputs: object, isEmpty = false) =>
    fixture.workspace.succeed(
      ...["config", "set-all", "--plaintext", `inputs=${JSON.stringify(inputs)}`],
      ...["--plaintext", `isEmpty=${isEmpty}`],
    );
  /** Runs `up`, which has to succeed, and returns the writes that it sent. */
  const sentByUp = async () => {
    fixture.writes();
    await fixture.workspace.succeed("up", "--yes", "--skip-preview");
    return fixture.writes();
  };
  const removeFromProgram = async () => {
    await write({}, true);
    expect(await sentByUp()).toEqual([]);
  };

  it("keeps both clusters of a generated name, and the preview does not promise the deletion", async () => {
    expect(await sentByUp()).toEqual([create, create]);
    await write({ gpuType: "l4" });
    expect((await fixture.workspace.preview()).output.match(replacement)).toHaveLength(2);
    expect(await sentByUp()).toEqual([create, create]);
    expect(living(fixture.simulator)).toHaveLength(4);
    await removeFromProgram();
  });

  it("buys nothing with an explicit name, and fails with the ways out", async () => {
    await write({ isNamed: true });
    expect(await sentByUp()).toEqual([create, create]);
    const idOf = (name: string) => living(fixture.simulator).find((cluster) => cluster.name === name)?.id;
    ids = { web: idOf("web"), api: idOf("api") };
    await write({ isNamed: true, gpuType: "l4" });
    const { code, output } = await fixture.workspace.up("--continue-on-error");
    for (const name of ["web", "api"])
      expect(output).toMatch(new RegExp(`"${name}" is already the name of ${ids[name]} .*kept by \`retainOnDelete\``));
    expect([code === 0, fixture.writes()]).toEqual([false, []]);
  });

  it("is undone by the original program with `adopt`", async () => {
    await write({ isNamed: true });
    expect((await fixture.workspace.up()).output).toContain('" is already the name of cl_');
    await write({ isNamed: true, adopt: ids });
    expect(await sentByUp()).toEqual([]);
    expect(idsOf(fixture.workspace.storedClusters())).toEqual(Object.values(ids).sort());
    await removeFromProgram();
  });
});

describe("the option `deletedWith`", () => {
  afterAll(closeFixtures);

  it.each(["pulumi-gpucluster", "pulumi-gpucluster/native"])(
    "ends the run before anything is bought, with one error and no call stack: %s",
    async (entry) => {
      const { workspace, writes } = await openFixture(`
        const parent = new pulumi.ComponentResource("acme:index:Region", "eu");
        const { Cluster } = require("${entry}");
        new Cluster("web", { gpuType: "h100", container: "acme/model:1" }, { deletedWith: parent });
      `);
      const { code, output } = await workspace.up();
      expect(output).toMatch(/Cluster "web": with the option `deletedWith`, Pulumi never sends its deletion/);
      expect(output).not.toMatch(/^ *at /m);
      expect([code === 0, writes()]).toEqual([false, []]);
    },
  );
});
