import { spawnSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const root = join(__dirname, "../..");
const read = (file: string) => readFileSync(join(root, file), "utf8");
const { owner, repository, publisher } = JSON.parse(read("release.json"));
const manifest = JSON.parse(read("package.json"));
const schema = JSON.parse(read("provider/schema/schema.json"));

const pages = ["_index", "installation-configuration", "guides/languages"].map((name) => `docs/${name}.md`);
const files = ["package.json", "CONTRIBUTING.md", ...pages];
let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "facts-"));
  mkdirSync(join(folder, "docs/guides"), { recursive: true });
  for (const file of files) cpSync(join(root, file), join(folder, file));
});
afterEach(() => rmSync(folder, { recursive: true }));

const check = () =>
  spawnSync(process.execPath, [join(root, "scripts/facts.mjs"), "--check", folder], { encoding: "utf8" });

test("package.json and the documents say what release.json says", () => {
  expect(check().stderr).toBe("");
});

test.each([
  ["package.json", `/${owner}/`, "/somebody-else/"],
  ["package.json", publisher, "Somebody else"],
  ["docs/_index.md", `/${owner}/`, "/somebody-else/"],
  ["docs/installation-configuration.md", `/${owner}/`, "/somebody-else/"],
  ["docs/installation-configuration.md", `gpucluster ${manifest.version}`, "gpucluster 0.0.1"],
  ["docs/guides/languages.md", `gpucluster@${manifest.version}`, "gpucluster@0.0.1"],
  ["docs/guides/languages.md", `/${owner}/`, "/somebody-else/"],
  ["CONTRIBUTING.md", `"${owner}/`, '"somebody-else/'],
])("%s with something else than %s is stale: %s", (file, fact, other) => {
  const path = join(folder, file);
  writeFileSync(path, readFileSync(path, "utf8").replaceAll(fact, other));
  const { status, stderr } = check();
  expect(status).toBe(1);
  expect(stderr).toContain("npm run facts");
});

test("npm's provenance, the plugin's download and the Go module name the same repository", () => {
  const place = `github.com/${owner}/${repository}`;
  expect(manifest.repository.url).toBe(`git+https://${place}.git`);
  expect(manifest.publishConfig).toEqual({ access: "public", provenance: true });
  expect(schema.repository).toBe(`https://${place}`);
  expect(schema.pluginDownloadURL).toBe(`github://api.github.com/${owner}/${repository}`);
  expect(schema.language.go.importBasePath).toBe(`${place}/sdk/go/gpucluster`);
});
