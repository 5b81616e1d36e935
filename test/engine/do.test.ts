import { join } from "node:path";
import { read, repository } from "../support/repository";
import { closeFixtures, openFixture } from "./harness";

const guide = read("docs/guides/languages.md");
/** The commands of the guide, without the package, which is that of this tree. */
const commands = [...guide.matchAll(/^pulumi (do) --package "\$plugin" (.*)$/gm)].map(([, ...words]) =>
  words.join(" "),
);

afterAll(closeFixtures);

test("`pulumi do` calls functions and reads a cluster, without a program and without a change; no secret shows", async () => {
  const { workspace, simulator, writes } = await openFixture("");
  const env = { MODE: "fast", API_TOKEN: "canary-token" };
  const { id } = simulator.addCluster({ name: "prod", gpuType: "h100", container: "acme/model:1", env });
  const plugin = join(repository, "plugin/pulumi-resource-gpucluster");
  const run = (command = "") => {
    const [verb = "", ...args] = command.replace("cl_1a2b3c4d", id).split(" ");
    return workspace.succeed(verb, "--package", plugin, ...args);
  };
  const [types, read, ...others] = commands;
  expect(others).toEqual([]);
  expect(JSON.parse(await run(types))).toMatchObject({ gpuTypes: expect.arrayContaining([expect.anything()]) });
  const output = await run(read);
  expect(output).toMatch(/container\W+acme\/model:1/);
  expect(output).not.toContain("canary");
  expect(writes()).toEqual([]);
});
