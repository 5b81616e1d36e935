import { spawnSync } from "node:child_process";
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const root = join(__dirname, "../..");
const read = (file: string) => readFileSync(join(root, file), "utf8");
const { owner, repository, publisher } = JSON.parse(read("release.json"));
const manifest = JSON.parse(read("package.json"));
const schema = JSON.parse(read("provider/schema/schema.json"));

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "facts-"));
  const files = ["package.json", "docs/_index.md", "docs/guides/languages.md"];
  for (const file of files) cpSync(join(root, file), join(folder, file));
});
afterEach(() => rmSync(folder, { recursive: true }));

const check = () =>
  spawnSync(process.execPath, [join(root, "scripts/facts.mjs"), "--check", folder], { encoding: "utf8" });

test("package.json and the documents say what release.json says", () => {
  expect(check().stderr).toBe("");
});

test.each([
  ["package.json", `/${owner}/`],
  ["package.json", publisher],
  ["docs/_index.md", `/${owner}/`],
  ["docs/guides/languages.md", `/${owner}/`],
])("%s with something else than %s is stale", (file, fact) => {
  const path = join(folder, file);
  writeFileSync(path, readFileSync(path, "utf8").replaceAll(fact, "/somebody-else/"));
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
