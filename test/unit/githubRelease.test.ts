import { execFileSync } from "node:child_process";
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";

const script = join(__dirname, "../../scripts/release/github.sh");

let folder: string;
let env: NodeJS.ProcessEnv;
const inFolder = (name: string) => join(folder, name);
const release = () => execFileSync("sh", [script, "out"], { cwd: inFolder("clone"), env });
const calls = () => readFileSync(inFolder("calls"), "utf8").trim().split("\n");

/** A clone, the files of a release, and a `gh` that writes down its arguments. */
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "github-release-"));
  for (const name of ["bin", "clone", "clone/out"]) mkdirSync(inFolder(name));
  const known = 'case "$2" in view) test -f "$RELEASED" ;; create) cp "$8" "$RELEASED" ;; esac';
  writeFileSync(inFolder("bin/gh"), `#!/bin/sh\necho "$*" >>"$CALLS"\n${known}\n`);
  chmodSync(inFolder("bin/gh"), 0o755);
  env = {
    ...process.env,
    PATH: [inFolder("bin"), process.env["PATH"]].join(delimiter),
    ...{ CALLS: inFolder("calls"), RELEASED: inFolder("released"), GITHUB_REF_NAME: "v1.2.0" },
  };
  writeFileSync(inFolder("clone/CHANGELOG.md"), "# Changelog\n\n## 1.2.0\n\n- New.\n\n## 1.1.0\n\n- Old.\n");
  for (const name of ["plugin.tar.gz", "SHA256SUMS"]) writeFileSync(inFolder(`clone/out/${name}`), "");
});
afterEach(() => rmSync(folder, { recursive: true }));

const onPosix = process.platform === "win32" ? test.skip : test;

onPosix("a tag becomes a release with its section of the changelog, and its files", () => {
  release();
  expect(readFileSync(inFolder("released"), "utf8").trim()).toBe("- New.");
  expect(calls().at(-1)).toBe("release upload v1.2.0 out/SHA256SUMS out/plugin.tar.gz --clobber");
});

onPosix("a second run makes no second release, and uploads the files again", () => {
  release();
  const [, ...first] = calls();
  release();
  expect(calls().filter((call) => call.includes("create"))).toHaveLength(1);
  expect(calls().at(-1)).toBe(first.at(-1));
});
