// @ts-check
// Writes the pages of docs/reference, and the table of settings, from the schema and from the doc comments (by TypeDoc).
// `--check FOLDER` only compares.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Application } from "typedoc";
import { isMain, ROOT, runMain } from "./lib/root.mjs";

/** @typedef {{ type?: string, $ref?: string, description?: string, items?: Property, additionalProperties?: Property, oneOf?: Property[], secret?: boolean, willReplaceOnChanges?: boolean }} Property */
/** @typedef {{ description?: string, properties?: Record<string, Property>, required?: string[], enum?: { value: string, description?: string }[] }} Type */

const schema = JSON.parse(readFileSync(join(ROOT, "provider/schema/schema.json"), "utf8"));
/** @type {Record<string, Type>} */
const types = schema.types;
const schemaNotice = "<!-- Written by `npm run docs` from the schema; do not edit. -->";
const commentNotice = "<!-- Written by `npm run docs` from the doc comments; do not edit. -->";

/** @param {string} name */
const shortName = (name) => name.replace(/^.*:/, "");

const triggers = "map or list of string, number and boolean";
/** The schema has no type for these inputs. @type {Readonly<Record<string, string>>} */
const openInputs = {
  gpuType: "string or list of string",
  restartTriggers: triggers,
  redeployTriggers: triggers,
};

/**
 * The type of a property, with a link to the types of the same page.
 *
 * @param {Property} property
 * @returns {string}
 */
function typeOf({ type, $ref, items, additionalProperties, oneOf }) {
  if (oneOf) return oneOf.map(typeOf).join(" or ");
  if ($ref?.startsWith("#/types/")) {
    const name = shortName($ref);
    return `[${name}](#${name.toLowerCase()})`;
  }
  if (type === "array") return `list of ${typeOf(items ?? {})}`;
  if (type === "object") return additionalProperties ? `map of ${typeOf(additionalProperties)}` : "map";
  return type ?? "any value";
}

/**
 * One heading for each property, in the order of the schema.
 *
 * @param {Record<string, Property>} properties
 * @param {readonly string[]} required
 * @param {string} level
 */
function entriesOf(properties, required, level) {
  return Object.entries(properties).map(([name, property]) => {
    const marks = [
      property.$ref?.endsWith("#/Any") ? (openInputs[name] ?? typeOf(property)) : typeOf(property),
      required.includes(name) ? "required" : "",
      property.secret ? "secret" : "",
      property.willReplaceOnChanges ? "a change replaces the cluster" : "",
    ].filter(Boolean);
    return `${level} \`${name}\`\n\n*${marks.join(", ")}*\n\n${property.description ?? ""}`;
  });
}

/**
 * Names of the types that properties refer to, also through other types.
 *
 * @param {unknown} value
 * @param {Set<string>} found
 */
function typesIn(value, found = new Set()) {
  for (const [, name = ""] of JSON.stringify(value).matchAll(/#\/types\/([^"]+)/g)) {
    if (found.has(name)) continue;
    found.add(name);
    typesIn(types[name], found);
  }
  return found;
}

/** @param {Set<string>} names */
function typeSections(names) {
  return [...names].sort().flatMap((name) => {
    const { description, properties = {}, required = [], enum: values = [] } = types[name] ?? {};
    const lines = values.map((value) => `- \`${value.value}\`: ${value.description ?? ""}`);
    return [
      `### ${shortName(name)}`,
      description ?? "",
      ...(lines.length > 0 ? [lines.join("\n")] : []),
      ...entriesOf(properties, required, "####"),
    ];
  });
}

/**
 * @param {string} title
 * @param {readonly string[]} parts
 */
function page(title, parts) {
  return `${[`# ${title}`, ...parts].filter(Boolean).join("\n\n")}\n`;
}

function clusterPage() {
  const { description, properties, inputProperties, requiredInputs } = schema.resources["gpucluster:index:Cluster"];
  const [text = ""] = description.split("{{% examples %}}");
  const outputs = Object.fromEntries(
    Object.entries(properties).filter(([name]) => !Object.hasOwn(inputProperties, name)),
  );
  const used = typesIn([inputProperties, outputs]);
  return page("Cluster", [
    schemaNotice,
    text.trim(),
    "Names are those of TypeScript and YAML; Python has `gpu_type` for `gpuType`, Go and C# have `GpuType`. Examples: [lifecycle](../guides/lifecycle.md), [delivery](../guides/delivery.md).",
    "## Inputs",
    ...entriesOf(inputProperties, requiredInputs, "###"),
    "## Outputs",
    "Every input is an output too, with its default. `id` is the service's id of the cluster, `cl_…`.",
    ...entriesOf(outputs, [], "###"),
    "## Types",
    ...typeSections(used),
  ]);
}

function functionsPage() {
  /** @type {[string, { description: string, inputs?: Type, outputs?: Type }][]} */
  const functions = Object.entries(schema.functions);
  const sections = functions.flatMap(([token, { description, inputs, outputs }]) => [
    `## ${shortName(token)}`,
    description,
    ...(Object.keys(inputs?.properties ?? {}).length > 0
      ? ["**Arguments**", ...entriesOf(inputs?.properties ?? {}, inputs?.required ?? [], "####")]
      : []),
    "**Result**",
    ...entriesOf(outputs?.properties ?? {}, [], "####"),
  ]);
  return page("Functions", [
    schemaNotice,
    "Functions run in the program, at each preview and update, and change nothing. Equal calls at the same time share one request. A fact that the service does not show is absent, never invented. Values of `env` are in no result. If something does not exist or is in doubt, the function fails, and the error says what to do.",
    "Each function has a second form that takes and returns outputs, such as `getClusterOutput`. In a preview that does not know its arguments yet, it sends no request:",
    '```ts\nexport const embeddings = gpu.getCluster({ name: "embeddings" }).then(({ endpoint }) => endpoint);\nexport const ready = gpu.getClusterStatusOutput({ id: web.id }).readyReplicas;\n```',
    "[examples/inventory](../../examples/inventory/index.ts) is a whole program.",
    ...sections,
    "## Types",
    ...typeSections(typesIn(schema.functions)),
  ]);
}

function providerPage() {
  const { variables } = schema.config;
  return page("Provider and settings", [
    schemaNotice,
    "Set a setting for a stack with `pulumi config set gpucluster:<name> <value>`. An explicit `Provider` (native only) takes the same names as arguments. The address and the key may also stand in the environment, which has priority over the config: `GPUCLUSTER_BASE_URL` and `GPUCLUSTER_API_KEY`.",
    "## Settings",
    ...entriesOf(variables, [], "###"),
    "## Types",
    ...typeSections(typesIn(variables)),
  ]);
}

const begin = "<!-- settings: written by `npm run docs` -->";
const end = "<!-- /settings -->";

/** The page of the registry, with the present table of settings. */
function installationPage() {
  const text = readFileSync(join(ROOT, "docs/installation-configuration.md"), "utf8");
  const [before, rest] = text.split(begin);
  const after = rest?.split(end)[1];
  if (before === undefined || after === undefined) throw new Error(`The page has no lines "${begin}" and "${end}".`);
  /** @type {[string, Property][]} */
  const variables = Object.entries(schema.config.variables);
  const rows = variables.map(([name, { description = "", secret }]) => {
    const text = description.replaceAll("\n\n", " ").replaceAll("|", "\\|");
    return `| \`${name}\`${secret ? " (secret)" : ""} | ${text} |`;
  });
  return `${before}${begin}\n| option | |\n|---|---|\n${rows.join("\n")}\n${end}${after}`;
}

/** The modules that the schema does not describe: the source, the page, its title and its introduction. */
const modules = [
  {
    source: "sdk/clusterFleet",
    name: "fleet",
    title: "ClusterFleet",
    text: "Guide: [many clusters](../guides/many-clusters.md).",
  },
  {
    source: "sdk/automation",
    name: "automation",
    title: "pulumi-gpucluster/automation",
    text: "Guides: [automation](../guides/automation.md), [report](../guides/report.md).",
  },
  {
    source: "simulator",
    entry: "simulator/index",
    name: "simulator",
    title: "pulumi-gpucluster/simulator",
    text: "Guide: [testing](../guides/testing.md). On the command line: `npx pulumi-gpucluster simulator --help`.",
  },
];

/** The pages that TypeDoc writes from the doc comments, by their names. */
async function commentPages() {
  const out = mkdtempSync(join(tmpdir(), "gpucluster-docs-"));
  try {
    const app = await Application.bootstrapWithPlugins({
      plugin: ["typedoc-plugin-markdown"],
      entryPoints: modules.map(({ source, entry = source }) => join(ROOT, `${entry}.ts`)),
      out,
      tsconfig: join(ROOT, "tsconfig.json"),
      readme: "none",
      router: "module",
      logLevel: "Error",
      disableSources: true,
      excludePrivate: true,
      excludeExternals: true,
      ...{ hidePageHeader: true, hideBreadcrumbs: true, parametersFormat: "table" },
    });
    const project = await app.convert();
    if (!project) throw new Error("TypeDoc could not read the doc comments.");
    await app.generateOutputs(project);
    return modules.map(({ source, name, title, text }) => {
      const written = readFileSync(join(out, `${source}.md`), "utf8").replace(/^# .*\n/, "");
      // Which member of a base class is overridden is of no use here.
      const plain = written.replace(/^#+ (Overrides|Inherited from)\n\n.*\n\n?/gm, "").replace(/\n{3,}/g, "\n\n");
      return [`reference/${name}.md`, page(title, [commentNotice, text, plain.trim()])];
    });
  } finally {
    rmSync(out, { recursive: true });
  }
}

/** @type {Readonly<Record<string, () => string>>} */
const schemaPages = {
  "installation-configuration.md": installationPage,
  "reference/cluster.md": clusterPage,
  "reference/functions.md": functionsPage,
  "reference/provider.md": providerPage,
};

async function main() {
  const [flag, folder = join(ROOT, "docs")] = process.argv.slice(2);
  const fromSchema = Object.entries(schemaPages).map(([name, write]) => [name, write()]);
  const pages = [...fromSchema, ...(await commentPages())];
  if (flag !== "--check") for (const [name = "", text = ""] of pages) writeFileSync(join(folder, name), text);
  const stale = pages.filter(([name = "", text]) => readFileSync(join(folder, name), "utf8") !== text);
  if (stale.length > 0)
    throw new Error(`Not up to date: ${stale.map(([name]) => `docs/${name}`).join(", ")}. Run \`npm run docs\`.`);
}

if (isMain(import.meta.url)) await runMain(main);
