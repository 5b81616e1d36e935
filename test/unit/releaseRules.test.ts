import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { manifest, read, repository } from "../support/repository";

/** Runs code that imports modules of scripts/release, with a value. */
function evaluate(code: string, value: unknown): unknown {
  const program = `${code}\nconsole.log(JSON.stringify(answer(JSON.parse(process.argv[1]))));`;
  const args = ["--input-type=module", "-e", program, JSON.stringify(value)];
  const { stdout, stderr } = spawnSync(process.execPath, args, { cwd: repository, encoding: "utf8" });
  if (stdout === "") throw new Error(stderr);
  return JSON.parse(stdout);
}

describe("a release", () => {
  const agreed = {
    version: "1.2.0",
    locked: "1.2.0",
    repository: { url: "git+https://github.com/acme/pulumi-gpucluster.git" } as { url: string } | undefined,
    changelog: "# Changelog\n\n## 1.2.0\n\n## 1.1.0\n",
    tags: ["v1.2.0"],
  };
  const unreleased = { ...agreed, changelog: "## 1.2.0 (unreleased)\n", tags: [] };
  const cases: [string, typeof agreed, RegExp?][] = [
    ["is made if version, changelog and tag agree", agreed],
    [
      "is made before the tag, without a repository, with the section that is not released",
      { ...unreleased, repository: undefined },
    ],
    ["stops if the changelog begins with another version", { ...agreed, version: "1.3.0", locked: "1.3.0" }, /1\.3\.0/],
    ["stops if the section of a tag is not released", { ...unreleased, tags: ["v1.2.0"] }, /CHANGELOG/],
    ["stops if the tag is another version's", { ...agreed, tags: ["v1.2.1"] }, /v1\.2\.1/],
    ["stops if a tag has no repository", { ...agreed, repository: undefined }, /package\.json has no repository/],
    ["stops if the lock has another version", { ...agreed, locked: "1.1.0" }, /package-lock/],
  ];
  const answers = evaluate(
    'import { disagreements } from "./scripts/release/agreement.mjs"; const answer = (all) => all.map(disagreements);',
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
    const { status, stderr } = spawnSync(process.execPath, [join(repository, "scripts/release.mjs")], {
      encoding: "utf8",
    });
    expect({ status, stderr }).toMatchObject({ status: 1, stderr: expect.stringContaining("release.yml") });
  });

  it("names the repository of package.json for the plugin's download and Go; without one, no address", () => {
    const code =
      'import { addressesOf } from "./scripts/schema/addresses.mjs"; const answer = (all) => all.map((each) => addressesOf(each.repository));';
    expect(evaluate(code, [agreed, {}])).toEqual([
      {
        homepage: "https://github.com/acme/pulumi-gpucluster#readme",
        repository: "https://github.com/acme/pulumi-gpucluster",
        configurationDocsUrl: "https://github.com/acme/pulumi-gpucluster/blob/main/docs/installation-configuration.md",
        logoUrl: "https://raw.githubusercontent.com/acme/pulumi-gpucluster/main/docs/logo.png",
        pluginDownloadURL: "github://api.github.com/acme/pulumi-gpucluster",
        importBasePath: "github.com/acme/pulumi-gpucluster/sdk/go/gpucluster",
      },
      {},
    ]);
    expect(manifest.publishConfig).toEqual({ access: "public", provenance: true });
  });
});

test("a release installs what it has published, and runs the program of `npm start` with it", () => {
  const [, job = ""] = read(".github/workflows/release.yml").split(/^ {2}installed:\n/m);
  expect(job).toContain("needs: npm");
  expect(job).toMatch(/scripts\/release\/installed\.sh "pulumi-gpucluster@\$\{TAG#v\}"/);
});

/** What the Pulumi Registry takes of the newest release, as far as files of this repository can break it. */
describe("the Pulumi Registry", () => {
  const pages = ["_index", "installation-configuration"].map((name) => read(`docs/${name}.md`));

  it("finds the schema where its list says, with its kind and its category", () => {
    const [, file = ""] = /"schemaFile": "([^"]+)"/.exec(read("CONTRIBUTING.md")) ?? [];
    expect(existsSync(join(repository, file))).toBe(true);
    const { keywords, publisher } = JSON.parse(read(file));
    expect(keywords).toEqual(expect.arrayContaining(["kind/native", "category/cloud"]));
    expect(publisher).not.toBe("");
  });

  it("finds pages with front matter, which link to no file", () => {
    for (const page of pages) {
      expect(page).toMatch(/^---\ntitle: (.+)\nmeta_desc: .+\nlayout: package\n---\n/);
      expect(page).not.toMatch(/\]\((?!https?:|#)|(href|src)=["'](?!https?:)/);
    }
  });
});

test("every action is named by a commit, with its version beside it", () => {
  const files = ["ci", "release"].map((name) => `.github/workflows/${name}.yml`);
  const uses = files.flatMap((file) => read(file).match(/uses: .*/g) ?? []);
  expect(uses.length).toBeGreaterThan(5);
  for (const use of uses) expect(use).toMatch(/^uses: [\w-]+\/[\w-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/);
});
