import { spawnSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { writtenFor } from "./releaseFacts";

const root = join(__dirname, "../..");
const read = (file: string) => readFileSync(join(root, file), "utf8");
const { publisher } = JSON.parse(read("release.json"));
const manifest = JSON.parse(read("package.json"));

const pages = ["_index", "installation-configuration", "guides/languages"].map((name) => `docs/${name}.md`);
const templates = ["typescript/package.json", "yaml/package.json", "yaml/Pulumi.yaml", "python/package.json"];
const files = ["package.json", ...pages, ...[...templates, "python/Pulumi.yaml"].map((name) => `templates/${name}`)];
let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "facts-"));
  for (const file of files) {
    mkdirSync(dirname(join(folder, file)), { recursive: true });
    cpSync(join(root, file), join(folder, file));
  }
});
afterEach(() => rmSync(folder, { recursive: true }));

const check = () =>
  spawnSync(process.execPath, [join(root, "scripts/facts.mjs"), "--check", folder], { encoding: "utf8" });

test("package.json and the documents say what release.json says", () => {
  expect(check().stderr).toBe("");
});

test.each([
  ["package.json", publisher, "Somebody else"],
  ["package.json", '"author":', '"homepage": "https://github.com/somebody-else/gpu#readme",\n  "author":'],
  ["docs/_index.md", "/sdk/go/gpucluster", "-else/sdk/go/gpucluster"],
  ["docs/installation-configuration.md", "pulumi plugin install", "pulumi plugin  install"],
  ["docs/installation-configuration.md", `gpucluster ${manifest.version}`, "gpucluster 0.0.1"],
  ["docs/guides/languages.md", `gpucluster@${manifest.version}`, "gpucluster@0.0.1"],
  ["templates/typescript/package.json", `gpucluster": "${manifest.version}`, 'gpucluster": "0.0.1'],
  ["templates/yaml/Pulumi.yaml", `gpucluster ${manifest.version}`, "gpucluster 0.0.1"],
  ["templates/python/Pulumi.yaml", `gpucluster@${manifest.version}`, "gpucluster@0.0.1"],
])("%s with something else than %s is stale: %s", (file, fact, other) => {
  const path = join(folder, file);
  writeFileSync(path, readFileSync(path, "utf8").replaceAll(fact, other));
  const { status, stderr } = check();
  expect(status).toBe(1);
  expect(stderr).toContain("npm run facts");
});

test("npm's provenance, the plugin's download and the Go module name the repository of the owner", () => {
  const { manifest, schema, pages } = writtenFor("acme");
  const place = "github.com/acme/pulumi-gpucluster";
  expect(manifest).toMatchObject({
    repository: { url: `git+https://${place}.git` },
    publishConfig: { access: "public", provenance: true },
  });
  expect(schema).toMatchObject({
    repository: `https://${place}`,
    pluginDownloadURL: "github://api.github.com/acme/pulumi-gpucluster",
    language: { go: { importBasePath: `${place}/sdk/go/gpucluster` } },
  });
  expect(pages[1]).toContain(
    `gpucluster ${manifest["version"]} --server github://api.github.com/acme/pulumi-gpucluster\n`,
  );
});

test("without an owner, nothing names an address", () => {
  const { manifest, schema, pages } = writtenFor("");
  for (const name of ["homepage", "repository", "bugs"]) expect(manifest).not.toHaveProperty(name);
  for (const name of ["homepage", "repository", "logoUrl", "pluginDownloadURL"])
    expect(schema).not.toHaveProperty(name);
  expect(schema).not.toHaveProperty("language.go.importBasePath");
  expect(pages[1]).toContain(" --file node_modules/pulumi-gpucluster/plugin/");
  expect(pages[1]).not.toContain("github:");
});
