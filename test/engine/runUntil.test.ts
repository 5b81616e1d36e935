import { writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { closeFixtures, living, openFixture } from "./harness";
import { clusterTypes } from "./workspace";

afterAll(closeFixtures);

/** A cluster of each adapter that ends, one with the option `ignoreChanges`, which does not keep it, and one without an end. */
const program = (runUntil: string) => `
const native = require("pulumi-gpucluster/native");
const args = { gpuType: "l4", container: "acme/model:1" };
const ending = { ...args, runUntil: ${JSON.stringify(runUntil)} };
for (const [name, { Cluster }] of Object.entries({ dynamic: gpu, native })) {
  new Cluster(name, ending);
  new Cluster(name + "-kept", ending, { ignoreChanges: ["desiredStatus"] });
}
new gpu.Cluster("endless", args);
`;

const stops = Array(4).fill("POST /v1/clusters/:id/stop");
const inSeconds = (seconds: number) => new Date(Date.now() + seconds * 1000).toISOString();

/** Waits on the real clock, which the provider has in its own process. */
const untilTime = (time: string) => new Promise((done) => setTimeout(done, Date.parse(time) - Date.now() + 50));

test("a cluster past its end is stopped by the next `up` alone, in both adapters, and a later end starts it again", async () => {
  const { workspace, simulator, writes } = await openFixture(program("2020-01-01T00:00Z"));
  const startMs = Date.now();
  const late = await workspace.up();
  // Time for a creation and a plan, also on a busy machine.
  const end = inSeconds(Math.max(30, (6 * (Date.now() - startMs)) / 1_000));
  expect(late.code).not.toBe(0);
  expect(late.output).toMatch(
    /runUntil: passed \d+d ago, so no cluster is created, adopted or replaced: set a later time/,
  );
  expect(writes().filter((line) => line !== "POST /v1/clusters")).toEqual([]);

  workspace.program(program(end));
  expect(await workspace.up()).toMatchObject({ code: 0 });
  await workspace.succeed("preview", "--save-plan", "plan.json");
  await untilTime(end);
  writes();

  const report = ["report", "--expired"];
  expect(await workspace.command(report)).toEqual({
    code: 3,
    output: expect.stringMatching(/^dynamic-\w+ +test dynamic +running +0\.44 +\d+[sm] +\d+s ago$/m),
  });
  const preview = await workspace.preview();
  const line = "so `pulumi up` stops it: its only replica stops; 0.44 => 0 per hour";
  for (const name of ["dynamic", "native", "dynamic-kept", "native-kept"])
    expect(preview.output).toMatch(
      new RegExp(`warning: ${name}: \`runUntil\` passed \\d+s ago, ${line.replaceAll(".", "\\.")}`),
    );
  expect(preview.output.match(/~ desiredStatus: "running" => "stopped"/g)).toHaveLength(4);
  // A plan of the time before does not fit, and changes nothing.
  const planned = await workspace.up("--plan", "plan.json");
  expect(planned).toMatchObject({ output: expect.stringContaining("violates plan: properties changed") });
  expect(writes()).toEqual([]);

  expect(await workspace.up()).toMatchObject({ code: 0 });
  expect(writes()).toEqual(stops);
  expect(
    living(simulator)
      .map(({ status }) => status)
      .sort(),
  ).toEqual(["running", ...Array(4).fill("stopped")]);
  expect((await workspace.preview("--expect-no-changes")).code).toBe(0);
  expect((await workspace.command(report)).code).toBe(0);

  workspace.program(program(inSeconds(3_600)));
  expect(await workspace.up()).toMatchObject({ code: 0 });
  // What the program ignores stays as it is.
  expect(writes()).toEqual(Array(2).fill("POST /v1/clusters/:id/restart"));
  const stored = workspace.storedClusters().map(({ type, outputs }) => [type, outputs["desiredStatus"]]);
  for (const type of Object.values(clusterTypes)) expect(stored).toContainEqual([type, "running"]);
}, 300_000);

test("a YAML program may write the time without quotes", async () => {
  const { workspace } = await openFixture("");
  const project = `name: engine-test
runtime: yaml
plugins:
  providers:
    - { name: gpucluster, path: ${JSON.stringify(resolve(__dirname, "../../plugin"))} }
resources:
  web:
    type: gpucluster:Cluster
    properties: { gpuType: l4, container: "acme/model:1", runUntil: 2099-06-30T18:00:00Z }
`;
  writeFileSync(join(workspace.folder, "Pulumi.yaml"), project);
  expect(await workspace.up()).toMatchObject({ code: 0 });
  expect(workspace.storedClusters()).toMatchObject([{ outputs: { runUntil: "2099-06-30T18:00:00Z" } }]);
});
