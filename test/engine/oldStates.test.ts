import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import type { Simulator } from "../../simulator";
import { closeFixtures, type Fixture, living, openFixture } from "./harness";
import type { StoredResource } from "./workspace";

/**
 * One folder for each version: a program, and the output of `pulumi stack export` after its `up`. The state is encrypted with
 * the passphrase of `Workspace`, and has no source positions, which would name the machine. The third cluster had a sick
 * replica, so it is unfinished. A fixture of a released version never changes: users have stacks of it.
 */
const states = "test/fixtures/states";
const folder = resolve(__dirname, "../..", states);

/** The variables of the programs, which are encrypted in a state. */
const env = { FIRST: "first-value", SECOND: "second-value" };

afterAll(closeFixtures);

describe.each(readdirSync(folder))("the state of an earlier version: %s", (version) => {
  let fixture: Fixture;
  beforeAll(async () => {
    fixture = await openFixture("");
    fixture.workspace.programFile(`${states}/${version}/program.ts`);
    const file = join(fixture.workspace.folder, "stack.json");
    writeFileSync(file, revive(readFileSync(join(folder, version, "stack.json"), "utf8"), fixture.simulator));
    await fixture.workspace.succeed("stack", "import", "--file", file);
  });

  const settled = () => fixture.workspace.storedClusters().filter(({ outputs }) => outputs["settled"] === true);

  it("previews no change of finished clusters, and an update of unfinished ones", async () => {
    expect(settled().map(nameOf)).toEqual(["named", "generated"]);
    const targets = settled().map(({ urn }) => `--target=${urn}`);
    expect(await fixture.workspace.preview("--expect-no-changes", ...targets)).toMatchObject({ code: 0 });
    expect((await fixture.workspace.preview()).output).toMatch(/~ 1 to update\s+3 unchanged/);
  });

  it("is refreshed without drift of finished clusters", async () => {
    const targets = settled().map(({ urn }) => `--target=${urn}`);
    expect(await fixture.workspace.refresh("--expect-no-changes", ...targets)).toMatchObject({ code: 0 });
  });

  it("is finished by an up that sends nothing", async () => {
    expect(await fixture.workspace.up()).toMatchObject({ code: 0 });
    expect(await fixture.workspace.preview("--expect-no-changes")).toMatchObject({ code: 0 });
    expect(fixture.writes()).toEqual([]);
  });

  it("has its variables readable, as far as they look like no credential", async () => {
    const named = fixture.workspace.storedClusters().find((cluster) => nameOf(cluster) === "named");
    expect(named?.inputs["env"]).toEqual(env);
  });

  it("is destroyed to the last cluster", async () => {
    expect(await fixture.workspace.destroy()).toMatchObject({ code: 0 });
    expect(living(fixture.simulator)).toEqual([]);
  });
});

/** Adds the clusters of a state to the service, and puts the service's ids into the state. */
function revive(text: string, simulator: Simulator): string {
  const resources: StoredResource[] = JSON.parse(text).deployment.resources;
  const clusters = resources.filter(({ type }) => type.endsWith(":Cluster"));
  return clusters.reduce((state, { id, outputs }) => {
    const { name, gpuType, replicas, container, createdAt } = outputs as Record<string, string>;
    const twin = simulator.addCluster({
      name: name ?? "",
      gpuType: gpuType ?? "",
      replicas: Number(replicas),
      container,
      createdAt: Date.parse(createdAt ?? ""),
      env: "env" in outputs ? env : {},
    });
    // Endpoints and the ids of replicas have the same digits in them.
    return state.replaceAll(id.replace("cl_", ""), twin.id.replace("cl_", ""));
  }, text);
}

function nameOf({ urn }: StoredResource): string | undefined {
  return urn.split("::").at(-1);
}
