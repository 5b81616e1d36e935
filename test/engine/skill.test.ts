import { join } from "node:path";
import { blocksOf } from "../support/documents";
import { read } from "../support/repository";
import { closeFixtures, living, openEndpoint, openFixture } from "./harness";
import { cliRoot, startProcess } from "./workspace";

afterAll(closeFixtures);

const page = read("SKILL.md");

test("the program of SKILL.md and each of its commands run, and nothing is left", async () => {
  const endpoint = await openEndpoint();
  const { workspace, simulator } = await openFixture("", { endpoint: endpoint.url });
  const [program = "", ...others] = blocksOf("ts", page);
  expect(others).toEqual([]);
  workspace.typeScript(program);
  const settings = [...page.matchAll(/`(pulumi config set gpucluster:[^`]+)`/g)].map(([, line = ""]) => line);
  const commands = blocksOf("sh", page).flatMap((block) => block.trim().split("\n"));
  expect({ settings: settings.length, commands: commands.length }).toEqual({ settings: 2, commands: 5 });
  const outputs: string[] = [];
  for (const line of [...settings, ...commands].map((text) => text.replace(/ +#.*/, ""))) {
    const [, command = ""] = /^npx pulumi-gpucluster (.+)$/.exec(line) ?? [];
    const { code, output } = command
      ? await workspace.command([command])
      : await startProcess("sh", ["-c", `${join(cliRoot, "bin")}/${line}`], {
          cwd: workspace.folder,
          env: { ...process.env, ...workspace.env, PATH: [join(cliRoot, "bin"), process.env["PATH"]].join(":") },
        }).ended;
    expect({ line, code, output }).toEqual({ line, code: 0, output: expect.anything() });
    outputs.push(output);
  }
  const [, , doctor, preview, up, report, destroy] = outputs;
  expect(doctor).toContain("a cluster can be managed");
  expect(preview).toMatch(/\+ pulumi-nodejs:dynamic\/gpucluster:Cluster[\s\S]*hourlyCost *: 2\.99/);
  expect(up).toContain("1/1 replicas healthy");
  expect(report).toContain("Clusters: 1, 2.99 USD per hour. Unmanaged: 0");
  expect(destroy).toContain("deleted");
  expect(living(simulator)).toEqual([]);
});

test("SKILL.md has at most 100 lines", () => {
  expect(page.split("\n").length).toBeLessThanOrEqual(100);
});
