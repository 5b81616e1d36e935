import { canaryKey, closeFixtures, openFixture } from "./harness";

afterAll(closeFixtures);

/** The output with its broken lines joined. */
const joined = (text: string) => text.replace(/\n {15}/g, " ");

test("the doctor uses the config of the stack that is selected, or named, and says which", async () => {
  const { simulator, workspace } = await openFixture("");
  workspace.env["GPUCLUSTER_BASE_URL"] = "http://127.0.0.1:1";
  workspace.env["GPUCLUSTER_API_KEY"] = "canary-key-of-another-user";
  await workspace.succeed("config", "set", "gpucluster:baseUrl", simulator.url);
  await workspace.succeed("config", "set", "--secret", "gpucluster:apiKey", canaryKey);
  const { code, output } = await workspace.command(["doctor"]);
  expect(joined(output)).toMatch(
    new RegExp(
      "^Config +the stack test, then the environment\\. GPUCLUSTER_BASE_URL and GPUCLUSTER_API_KEY of the environment are not " +
        "used: .*\\nAddress .*\\(gpucluster:baseUrl of the stack\\)\\nKey +gpucluster:apiKey of the stack\\nVerdict +a cluster can be managed\\n",
    ),
  );
  expect(code).toBe(0);
  expect(output).not.toContain("canary");
  const none = await workspace.command(["doctor", "--stack", "none"]);
  expect(none).toEqual({
    code: 1,
    output:
      "pulumi-gpucluster: The config of the stack none is not read: no stack named 'none' found.\nConfig: the stack none.\n",
  });
});

test("without a stack, or without the CLI, it says so in one line and uses the environment", async () => {
  const { workspace } = await openFixture("");
  const withoutCli = await workspace.command(["doctor"], "/bin");
  expect(joined(withoutCli.output)).toMatch(
    /^Config +the environment\. The config of the stack is not read: there is no Pulumi CLI on the PATH\nAddress .* \(GPUCLUSTER_BASE_URL of the environment\)\n/,
  );
  delete workspace.env["PULUMI_STACK"];
  const unselected = await workspace.command(["doctor", "--json"]);
  expect(unselected.code).toBe(0);
  expect(JSON.parse(unselected.output)).toMatchObject({
    facts: {
      Config: expect.stringMatching(/^the environment\. The config of the stack is not read: no stack selected/),
    },
    canManage: true,
  });
});
