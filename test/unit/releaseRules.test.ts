import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";

const root = join(__dirname, "../..");

/** Runs code that imports modules of scripts/release, with a value. */
function evaluate(code: string, value: unknown): unknown {
  const program = `${code}\nconsole.log(JSON.stringify(answer(JSON.parse(process.argv[1]))));`;
  const args = ["--input-type=module", "-e", program, JSON.stringify(value)];
  const { stdout, stderr } = spawnSync(process.execPath, args, { cwd: root, encoding: "utf8" });
  if (stdout === "") throw new Error(stderr);
  return JSON.parse(stdout);
}

describe("a release", () => {
  const agreed = {
    version: "1.2.0",
    locked: "1.2.0",
    owner: "acme",
    changelog: "# Changelog\n\n## 1.2.0\n\n## 1.1.0\n",
    tags: ["v1.2.0"],
  };
  const unreleased = { ...agreed, changelog: "## 1.2.0 (unreleased)\n", tags: [] };
  const code = `import { disagreements } from "./scripts/release/agreement.mjs"; const answer = (all) => all.map(disagreements);`;
  const cases: [string, typeof agreed, RegExp?][] = [
    ["is made if version, changelog and tag agree", agreed],
    ["is made before the tag, with the section that is not released", unreleased],
    ["stops if the changelog begins with another version", { ...agreed, version: "1.3.0", locked: "1.3.0" }, /1\.3\.0/],
    ["stops if the section of a tag is not released", { ...unreleased, tags: ["v1.2.0"] }, /CHANGELOG/],
    ["stops if the tag is another version's", { ...agreed, tags: ["v1.2.1"] }, /v1\.2\.1/],
    ["stops if a tag has no owner", { ...agreed, owner: "" }, /release\.json has no owner/],
    ["is made before the tag without an owner", { ...unreleased, owner: "" }],
    ["stops if the lock has another version", { ...agreed, locked: "1.1.0" }, /package-lock/],
    ["stops without a changelog", { ...agreed, changelog: "" }, /no heading/],
  ];
  const answers = evaluate(
    code,
    cases.map(([, release]) => release),
  ) as string[][];

  it.each(cases.map(([what, , reason], index) => ({ what, reason, found: answers[index] ?? ["no answer"] })))(
    "$what",
    ({ reason, found }) => {
      if (reason === undefined) expect(found).toEqual([]);
      else expect(found.join("\n")).toMatch(reason);
    },
  );

  it("is never published from a computer", () => {
    const args = [join(root, "scripts/release.mjs")];
    const { status, stderr } = spawnSync(process.execPath, args, { encoding: "utf8" });
    expect({ status, stderr }).toMatchObject({ status: 1, stderr: expect.stringContaining("release.yml") });
  });
});

test("every action is named by a commit, with its version beside it", () => {
  const files = ["ci", "release"].map((name) => `.github/workflows/${name}.yml`);
  const uses = files.flatMap((file) => readFileSync(join(root, file), "utf8").match(/uses: .*/g) ?? []);
  expect(uses.length).toBeGreaterThan(5);
  for (const use of uses) expect(use).toMatch(/^uses: [\w-]+\/[\w-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/);
});
