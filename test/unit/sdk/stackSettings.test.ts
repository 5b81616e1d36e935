import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { findStack } from "../../../sdk/automation/stackSettings";

/** A CLI that answers from files, and records what it was asked. */
const folder = mkdtempSync(join(tmpdir(), "gpucluster-stack-"));
const project = join(folder, "project");
const below = join(project, "src", "gpu");
const env = { PATH: folder };

beforeAll(() => {
  mkdirSync(below, { recursive: true });
  writeFileSync(join(project, "Pulumi.yaml"), "name: p\nruntime: nodejs\n");
  const cli = `#!/bin/sh
echo "$*" >>"${folder}/asked"
case "$1 $2" in
  "stack --show-name") /bin/cat "${folder}/selected" || { echo "error: no stack selected; choose one" >&2; exit 255; } ;;
  "config --json") /bin/cat "${folder}/config" ;;
  "config get") echo "value of $3" ;;
esac
`;
  writeFileSync(join(folder, "pulumi"), cli);
  chmodSync(join(folder, "pulumi"), 0o755);
  const entries = {
    "gpucluster:apiKey": { secret: true },
    "gpucluster:baseUrl": { value: "https://api.example.com", secret: false },
    "aws:secretKey": { secret: true },
  };
  writeFileSync(join(folder, "config"), JSON.stringify(entries));
});

beforeEach(() => {
  writeFileSync(join(folder, "asked"), "");
  writeFileSync(join(folder, "selected"), "dev\n");
});

afterAll(() => rmSync(folder, { recursive: true, force: true }));

const asked = () => readFileSync(join(folder, "asked"), "utf8").trim().split("\n");

it("the selected stack of a project is found in each of its folders, and no secret of another package is read", async () => {
  const stack = await findStack(undefined, below, env);
  expect(stack?.name).toBe("dev");
  expect(["apiKey", "baseUrl", "resume"].map((name) => stack?.readConfig(`gpucluster:${name}`))).toEqual([
    "value of gpucluster:apiKey",
    "https://api.example.com",
    undefined,
  ]);
  expect(asked()).toEqual([
    "stack --show-name --non-interactive",
    "config --json --stack dev --non-interactive",
    "config get gpucluster:apiKey --stack dev --non-interactive",
  ]);
});

it("a named stack is asked for, also where no project is", async () => {
  expect((await findStack("org/p/prod", folder, env))?.name).toBe("org/p/prod");
  expect(asked()[0]).toBe("config --json --stack org/p/prod --non-interactive");
});

it("there is none outside of a project, and no command runs", async () => {
  expect(await findStack(undefined, folder, env)).toBeUndefined();
  expect(asked()).toEqual([""]);
});

it("it is an error if no stack is selected, and if there is no CLI", async () => {
  rmSync(join(folder, "selected"));
  const said = "The config of the stack is not read: no stack selected; choose one";
  await expect(findStack(undefined, below, env)).rejects.toThrow(said);
  const none = "The config of the stack prod is not read: there is no Pulumi CLI on the PATH";
  await expect(findStack("prod", project, { PATH: below })).rejects.toThrow(none);
});
