import { execFileSync } from "node:child_process";
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";

const script = join(__dirname, "../../scripts/release/github.sh");

let folder: string;
let env: NodeJS.ProcessEnv;
const inFolder = (name: string) => join(folder, name);
const clone = (command: string, ...args: string[]) =>
  execFileSync(command, args, { cwd: inFolder("clone"), env, encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] });
const calls = () => readFileSync(inFolder("calls"), "utf8").trim().split("\n");
const remoteFiles = (tag: string) => clone("git", "-C", inFolder("remote"), "ls-tree", "-r", "--name-only", tag);

/** A clone with a tag, its remote, the files of a release, and a `gh` that writes down its arguments. */
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "github-release-"));
  for (const name of ["bin", "clone", "sdk"]) mkdirSync(inFolder(name));
  const known = 'case "$2" in view) test -f "$RELEASED" ;; create) cp "$8" "$RELEASED" ;; esac';
  writeFileSync(inFolder("bin/gh"), `#!/bin/sh\necho "$*" >>"$CALLS"\n${known}\n`);
  chmodSync(inFolder("bin/gh"), 0o755);
  env = {
    ...process.env,
    PATH: [inFolder("bin"), process.env["PATH"]].join(delimiter),
    ...{ CALLS: inFolder("calls"), RELEASED: inFolder("released") },
    ...{ GITHUB_REF_NAME: "v1.2.0", GITHUB_REPOSITORY: "acme/pulumi-gpucluster", GITHUB_ACTOR: "me" },
    // The remote of this test instead of GitHub's.
    ...{ GIT_CONFIG_COUNT: "1", GIT_CONFIG_KEY_0: `url.${inFolder("remote")}.insteadOf` },
    GIT_CONFIG_VALUE_0: "https://github.com/acme/pulumi-gpucluster.git",
  };
  writeFileSync(inFolder("clone/CHANGELOG.md"), "# Changelog\n\n## 1.2.0\n\n- New.\n\n## 1.1.0\n\n- Old.\n");
  writeFileSync(inFolder("sdk/go.mod"), "module x\n");
  clone("git", "init", "--quiet", "--bare", inFolder("remote"));
  clone("git", "init", "--quiet");
  clone("git", "add", "CHANGELOG.md");
  clone("git", "-c", "user.name=a", "-c", "user.email=a@b", "commit", "--quiet", "--message", "1.2.0");
  mkdirSync(inFolder("clone/out"));
  clone("tar", "-czf", "out/sdk-go-v1.2.0.tar.gz", "-C", inFolder("sdk"), ".");
  writeFileSync(inFolder("clone/out/SHA256SUMS"), "");
});
afterEach(() => rmSync(folder, { recursive: true }));

const onPosix = process.platform === "win32" ? test.skip : test;

onPosix("a tag becomes a release with its section of the changelog, its files, and a tag of the Go module", () => {
  clone("sh", script, "out");
  expect(readFileSync(inFolder("released"), "utf8").trim()).toBe("- New.");
  expect(calls().at(-1)).toBe("release upload v1.2.0 out/SHA256SUMS out/sdk-go-v1.2.0.tar.gz --clobber");
  expect(remoteFiles("sdk/go/gpucluster/v1.2.0")).toBe("CHANGELOG.md\nsdk/go/gpucluster/go.mod\n");
});

onPosix("a second run makes no second release, and does not move the tag", () => {
  clone("sh", script, "out");
  const before = clone("git", "-C", inFolder("remote"), "show-ref");
  clone("sh", script, "out");
  expect(clone("git", "-C", inFolder("remote"), "show-ref")).toBe(before);
  expect(calls().filter((call) => call.includes("create"))).toHaveLength(1);
});
