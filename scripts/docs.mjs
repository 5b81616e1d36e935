// @ts-check
// Writes what documents take from other files: the settings from the schema, the layers from the imports. `--check` only
// compares.
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { cruise } from "dependency-cruiser";
import config, { all, layerOf } from "../.dependency-cruiser.mjs";
import { withPart } from "./lib/parts.mjs";
import { isMain, ROOT, runMain } from "./lib/root.mjs";

/** @typedef {{ description?: string, secret?: boolean }} Setting */

function settings() {
  const schema = JSON.parse(readFileSync(join(ROOT, "provider/schema/schema.json"), "utf8"));
  /** @type {[string, Setting][]} */
  const variables = Object.entries(schema.config.variables);
  const rows = variables.map(([name, { description = "", secret }]) => {
    const text = description.replaceAll("\n\n", " ").replaceAll("|", "\\|");
    return `| \`${name}\`${secret ? " (secret)" : ""} | ${text} |`;
  });
  return ["| option | |", "|---|---|", ...rows].join("\n");
}

/** The layers and their imports, without those that follow from others. */
async function layers() {
  const { output } = await cruise(["provider", "sdk"], { ...config.options, baseDir: ROOT });
  if (typeof output === "string") throw new Error(output);
  const imports = new Set(
    output.modules.flatMap(({ source, dependencies }) =>
      dependencies.map(({ resolved }) => `${layerOf(source)} ${layerOf(resolved)}`),
    ),
  );
  const has = (/** @type {string} */ from, /** @type {string} */ to) => from !== to && imports.has(`${from} ${to}`);
  const lines = all.toReversed().flatMap((from) => {
    const lower = all.filter((to) => has(from, to) && !all.some((middle) => has(from, middle) && has(middle, to)));
    return lower.length > 0 ? `  ${from} --> ${lower.join(" & ")}` : [];
  });
  return ["```mermaid", "flowchart TD", ...lines, "```"].join("\n").replaceAll("provider/", "");
}

/**
 * @param {string} path
 * @param {string} name
 * @param {string} text
 */
function update(path, name, text) {
  const file = join(ROOT, path);
  const present = readFileSync(file, "utf8");
  const written = withPart(present, { name, command: "docs", text });
  if (process.argv[2] !== "--check") writeFileSync(file, written);
  else if (present !== written) throw new Error(`${path} is not up to date: run \`npm run docs\`.`);
}

async function main() {
  update("docs/installation-configuration.md", "settings", settings());
  update("ARCHITECTURE.md", "layers", await layers());
}

if (isMain(import.meta.url)) await runMain(main);
