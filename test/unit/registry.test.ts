import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";

/** The rules of the Pulumi Registry for a package, as far as files of this repository can break them. */
const root = join(__dirname, "../..");
const read = (file: string) => readFileSync(join(root, file), "utf8");

interface Entry {
  /** The published schema. */
  readonly schema: Record<string, unknown>;
  /** docs/_index.md, and docs/installation-configuration.md. */
  readonly pages: readonly string[];
}

const entry: Entry = {
  schema: JSON.parse(read("provider/schema/schema.json")),
  pages: ["docs/_index.md", "docs/installation-configuration.md"].map(read),
};

const frontMatter = /^---\ntitle: (.+)\nmeta_desc: .+\nlayout: package\n---\n/;

/** Each rule, and whether an entry keeps it. */
const rules: Record<string, (entry: Entry) => boolean> = {
  "every page begins with its front matter": ({ pages }) => pages.every((page) => frontMatter.test(page)),
  "the first page has the title of the schema": ({ schema, pages: [first = ""] }) =>
    frontMatter.exec(first)?.[1] === schema["displayName"],
  "the first page has an example in each language": ({ pages: [first = ""] }) =>
    ["typescript", "python", "go", "csharp", "yaml"].every((language) => first.includes(`\`\`\`${language}\n`)),
  "no page links to a file, or shows one": ({ pages }) =>
    !pages.some((page) => /\]\((?!https?:|#)[^)]*\)|\]\([^)]*\.md[)#]|(href|src)="\.{0,2}\//.test(page)),
  "the schema says who publishes the package": ({ schema }) => Boolean(schema["publisher"]),
  "the schema has its kind and its category": ({ schema }) =>
    ["kind/native", "category/cloud"].every((word) => (schema["keywords"] as string[]).includes(word)),
  "the schema has the addresses of its code, its page and its logo": ({ schema }) =>
    ["repository", "homepage", "logoUrl"].every((name) => /^https:\/\//.test(String(schema[name]))),
  "the repository's name begins with pulumi-": ({ schema }) => /\/pulumi-[\w-]+$/.test(String(schema["repository"])),
  "the plugin is downloaded from releases of the repository": ({ schema }) =>
    schema["pluginDownloadURL"] ===
    String(schema["repository"]).replace("https://github.com", "github://api.github.com"),
};

test.each(Object.entries(rules))("%s", (_rule, isKept) => {
  expect(isKept(entry)).toBe(true);
});

const without = (name: string): Entry => ({ ...entry, schema: { ...entry.schema, [name]: undefined, keywords: [] } });
const paged = (edit: (page: string) => string): Entry => ({ ...entry, pages: entry.pages.map(edit) });

/** For each rule, an entry that breaks it. */
const broken: Record<string, Entry> = {
  "every page begins with its front matter": paged((page) => `\n${page}`),
  "the first page has the title of the schema": without("displayName"),
  "the first page has an example in each language": paged((page) => page.replace("```go\n", "```\n")),
  "no page links to a file, or shows one": paged((page) => `${page}\n[the guide](guides/delivery.md)\n`),
  "the schema says who publishes the package": without("publisher"),
  "the schema has its kind and its category": without("keywords"),
  "the schema has the addresses of its code, its page and its logo": without("logoUrl"),
  "the repository's name begins with pulumi-": without("repository"),
  "the plugin is downloaded from releases of the repository": without("pluginDownloadURL"),
};

test.each(Object.entries(rules))("it is found if not: %s", (rule, isKept) => {
  expect(isKept(broken[rule] ?? entry)).toBe(false);
});

test("the logo is there", () => {
  const [, file = ""] = /\/main\/(.+)$/.exec(String(entry.schema["logoUrl"])) ?? [];
  expect(existsSync(join(root, file))).toBe(true);
});
