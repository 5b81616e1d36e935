import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { writtenFor } from "./releaseFacts";

/**
 * The rules of the Pulumi Registry for a package, as far as files of this repository can break them. The Registry's check
 * reads them from the newest release on GitHub, and installs the plugin of that release. A release has an owner.
 */
const root = join(__dirname, "../..");
const contents = (file: string) => readFileSync(join(root, file));

interface Entry {
  /** The entry for the Registry's list of packages, in CONTRIBUTING.md. */
  readonly listed: { readonly repoSlug: string; readonly schemaFile: string };
  /** The published schema. */
  readonly schema: Record<string, unknown>;
  /** docs/_index.md, and docs/installation-configuration.md. */
  readonly pages: readonly string[];
  readonly logo: Buffer;
  readonly version: string;
  /** What makes a release of a tag. */
  readonly workflow: string;
  readonly script: string;
}

const read = (file: string) => contents(file).toString("utf8");
const [example = "{}"] = /\{ "repoSlug": .*? \}/.exec(read("CONTRIBUTING.md")) ?? [];
const listed = JSON.parse(example.replace("<owner>", "acme"));
const entry: Entry = {
  listed,
  ...writtenFor("acme"),
  logo: contents("docs/logo.png"),
  version: JSON.parse(read("package.json")).version,
  workflow: read(".github/workflows/release.yml"),
  script: read("scripts/release/github.sh"),
};

const frontMatter = /^---\ntitle: (.+)\nmeta_desc: .+\nlayout: package\n---\n/;
const png = Buffer.from("\x89PNG\r\n\x1a\n", "latin1");

/** The addresses in the schema that follow from the repository. */
const addresses = ({ listed: { repoSlug } }: Entry) => ({
  repository: `https://github.com/${repoSlug}`,
  homepage: `https://github.com/${repoSlug}#readme`,
  logoUrl: `https://raw.githubusercontent.com/${repoSlug}/main/docs/logo.png`,
  pluginDownloadURL: `github://api.github.com/${repoSlug}`,
});

/** Each rule, whether an entry keeps it, and an entry that breaks it. */
const rules: Record<string, [(entry: Entry) => boolean, Entry]> = {
  "the version is that of a release, not of a candidate": [
    ({ version }) => /^\d+\.\d+\.\d+$/.test(version),
    { ...entry, version: "1.0.0-rc.1" },
  ],
  "a tag v and version starts the release": [
    ({ workflow }) => /\bpush:\n +tags: \["v\*"\]/.test(workflow),
    { ...entry, workflow: entry.workflow.replace('["v*"]', '["release-*"]') },
  ],
  "the tag becomes a release on GitHub, no draft and no pre-release": [
    ({ script }) => /gh release create "\$tag" --verify-tag/.test(script) && !/--(draft|prerelease)/.test(script),
    { ...entry, script: entry.script.replace("--verify-tag", "--verify-tag --draft") },
  ],
  "the list names the file of the schema": [
    ({ listed: { schemaFile } }) => existsSync(join(root, schemaFile)),
    { ...entry, listed: { ...listed, schemaFile: "schema.json" } },
  ],
  "the schema has no version, or that of the release": [
    ({ schema, version }) => [undefined, version].includes(schema["version"] as string | undefined),
    { ...entry, schema: { ...entry.schema, version: "0.0.1" } },
  ],
  "the repository's name is pulumi- and that of the schema": [
    ({ schema, listed: { repoSlug } }) => repoSlug.split("/")[1] === `pulumi-${schema["name"]}`,
    { ...entry, listed: { ...listed, repoSlug: "acme/gpu" } },
  ],
  "the schema names the addresses of the repository": [
    (all) => Object.entries(addresses(all)).every(([name, address]) => all.schema[name] === address),
    { ...entry, listed: { ...listed, repoSlug: "somebody-else/pulumi-gpucluster" } },
  ],
  "the schema says who publishes the package": [
    ({ schema }) => Boolean(schema["publisher"]),
    { ...entry, schema: { ...entry.schema, publisher: "" } },
  ],
  "the schema has its kind and its category": [
    ({ schema }) => ["kind/native", "category/cloud"].every((word) => (schema["keywords"] as string[]).includes(word)),
    { ...entry, schema: { ...entry.schema, keywords: ["kind/native", "category/clouds"] } },
  ],
  "the schema names the packages of Python and Go": [
    ({ schema }) => {
      const languages = schema["language"] as Record<string, Record<string, unknown> | undefined>;
      return [languages["python"]?.["packageName"], languages["go"]?.["importBasePath"]].every(Boolean);
    },
    { ...entry, schema: { ...entry.schema, language: { nodejs: {}, python: {}, go: {} } } },
  ],
  "the logo is a square PNG of at most 512 pixels": [
    ({ logo }) => {
      const [width, height] = [logo.readUInt32BE(16), logo.readUInt32BE(20)];
      return logo.subarray(0, 8).equals(png) && width === height && width <= 512;
    },
    { ...entry, logo: Buffer.concat([entry.logo.subarray(0, 16), Buffer.alloc(8, 1)]) },
  ],
  "every page begins with its front matter": [
    ({ pages }) => pages.every((page) => frontMatter.test(page)),
    paged((page) => `\n${page}`),
  ],
  "the first page has the title of the schema": [
    ({ schema, pages: [first = ""] }) => frontMatter.exec(first)?.[1] === schema["displayName"],
    { ...entry, schema: { ...entry.schema, displayName: undefined } },
  ],
  "the first page has an example in each language": [
    ({ pages: [first = ""] }) =>
      ["typescript", "python", "go", "csharp", "yaml"].every((language) => first.includes(`\`\`\`${language}\n`)),
    paged((page) => page.replace("```go\n", "```\n")),
  ],
  "the second page has a command for the plugin, the settings of a stack, and those of the environment": [
    ({ schema, pages: [, second = ""] }) =>
      [`--server ${schema["pluginDownloadURL"]}`, "pulumi config set", "GPUCLUSTER_API_KEY"].every((text) =>
        second.includes(text),
      ),
    paged((page) => page.replaceAll("--server", "")),
  ],
  "no page links to a file": [
    ({ pages }) => !pages.some((page) => /\]\((?!https?:|#)|\]\([^)]*\.md[)#]|href=["']\.{0,2}\//.test(page)),
    paged((page) => `${page}\n[the guide](guides/delivery.md)\n`),
  ],
  "no page shows an image of a file": [
    ({ pages }) => !pages.some((page) => /src=["'](?!https?:)|!\[[^\]]*\]\((?!https?:)/.test(page)),
    paged((page) => `${page}\n<img src="logo.png">\n`),
  ],
};

function paged(edit: (page: string) => string): Entry {
  return { ...entry, pages: entry.pages.map(edit) };
}

test.each(Object.entries(rules))("%s", (_rule, [isKept]) => {
  expect(isKept(entry)).toBe(true);
});

test.each(Object.entries(rules))("it is found if not: %s", (_rule, [isKept, broken]) => {
  expect(isKept(broken)).toBe(false);
});
