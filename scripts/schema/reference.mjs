// @ts-check
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { ROOT } from "../lib/root.mjs";
import { withoutUsage } from "./usage.mjs";

/**
 * The parts of docs/reference.md that come from the schema. The examples between them are written by hand.
 *
 * @typedef {{ description?: string, type?: string, $ref?: string, secret?: boolean, items?: Spec, additionalProperties?: Spec,
 *   enum?: { value: string }[], properties?: Record<string, Spec>, required?: string[] }} Spec
 */

const require = createRequire(import.meta.url);
const schema = JSON.parse(readFileSync(join(ROOT, "provider/schema/schema.json"), "utf8"));
const { inputProperties, requiredInputs, properties, required } = schema.resources["gpucluster:index:Cluster"];

const inputs = /** @type {Record<string, Spec>} */ (inputProperties);
const functions = /** @type {Record<string, { description: string, inputs?: Spec, outputs: Spec }>} */ (
  Object.fromEntries(Object.entries(schema.functions).map(([token, spec]) => [token.replace(/.*:/, ""), spec]))
);

/** The table of settings. */
function settings() {
  return table(["setting", "type", "meaning"], rowsOf({ properties: schema.config.variables }));
}

/** The table of times, from the tags of the constants and the values of the build. */
function times() {
  const source = readFileSync(join(ROOT, "provider/base/times.ts"), "utf8");
  const values = require(join(ROOT, "dist/provider/base/times.js"));
  const tags = source.matchAll(/^ \* @shown (.+)\n \*\/\nexport const (\w+)/gm);
  const rows = [...tags].map(([, tag = "", name = ""]) => {
    const [what = "", then = "", setting = ""] = tag.split(" | ");
    return [what, timeOf(values[name]), then, setting];
  });
  return table(["what", "how long", "what happens then", "what changes it"], rows);
}

/**
 * `20 min`; of a list of pauses their sum, of limits by name each.
 *
 * @param {number | number[] | Record<string, number>} ms
 * @returns {string}
 */
function timeOf(ms) {
  if (Array.isArray(ms)) return timeOf(ms.reduce((sum, each) => sum + each, 0));
  if (typeof ms === "object")
    return Object.entries(ms)
      .map(([name, each]) => `${name} ${timeOf(each)}`)
      .join(", ");
  const minutes = ms / 60_000;
  if (minutes >= 24 * 60) return `${minutes / 60} h`;
  return minutes > 1 && Number.isInteger(minutes) ? `${minutes} min` : `${ms / 1_000} s`;
}

/**
 * The page, with its parts written anew. It has to have a part for each input and each function.
 *
 * @param {string} page
 */
export function withReference(page) {
  const missing = new Set([...Object.keys(inputs), ...Object.keys(functions)]);
  const written = page.replace(PART, (_part, begin, kind, names, end) => {
    const [, ...parts] = names.split(" ");
    for (const name of parts) missing.delete(name);
    const write = writers[kind];
    if (write === undefined) throw new Error(`docs/reference.md has a part of the unknown kind ${kind}.`);
    return `${begin}\n${write(parts)}\n${end}`;
  });
  if (missing.size === 0) return written;
  throw new Error(`docs/reference.md has no part for ${[...missing].join(", ")}.`);
}

/** A part: its kind, and the names of its inputs or of its function. */
const PART = /(<!-- (\w+)((?: \w+)*): written by `npm run docs` -->)\n[\s\S]*?(<!-- \/\2 -->)/g;

/** @type {Record<string, (names: string[]) => string>} */
const writers = {
  overview: () =>
    table(
      ["input", "type", "default"],
      Object.entries(inputs).map(([name, spec]) => [
        `[\`${name}\`](#${name.toLowerCase()})`,
        typeOf(spec),
        defaultOf(name),
      ]),
    ),
  inputs: (names) => names.map(inputSection).join("\n\n"),
  outputs: () => {
    const others = Object.entries(properties).filter(([name]) => !(name in inputs));
    return table(["output", "type", "meaning"], rowsOf({ properties: Object.fromEntries(others), required }));
  },
  function: ([name = ""]) => functionSection(name),
  settings,
  times,
};

/** @param {string} name */
function defaultOf(name) {
  if (requiredInputs.includes(name)) return "required";
  const [, value] = /[Dd]efault:? (.+?)(?:[.;:,](?= |$)|$)/m.exec(textOf(inputs[name])) ?? [];
  if (value === undefined) throw new Error(`The description of the input ${name} names no default.`);
  return value;
}

/** @param {string} name */
function inputSection(name) {
  const spec = inputs[name];
  if (spec === undefined) throw new Error(`The cluster has no input ${name}.`);
  const fields = resolved(spec);
  const ofFields = fields.properties ? [table(["field", "type", "meaning"], rowsOf(fields))] : [];
  return [`#### ${name}`, textOf(spec), ...ofFields].join("\n\n");
}

/** @param {string} name */
function functionSection(name) {
  const spec = functions[name];
  if (spec === undefined) throw new Error(`There is no function ${name}.`);
  const args = spec.inputs ? [table(["argument", "type", "meaning"], rowsOf({ required: [], ...spec.inputs }))] : [];
  return [withoutUsage(textOf(spec)), ...args, table(["result", "type", "meaning"], rowsOf(spec.outputs))].join("\n\n");
}

/**
 * A row for each field, and for each field of the records in a list. Without `required`, no row says "optional".
 *
 * @param {Spec} spec
 * @param {string} [prefix]
 * @returns {string[][]}
 */
function rowsOf({ properties = {}, required }, prefix = "") {
  return Object.entries(properties).flatMap(([name, spec]) => {
    const optional = required?.includes(name) === false ? ", optional" : "";
    const row = [`\`${prefix}${name}\``, `${typeOf(spec)}${optional}`, textOf(spec).replaceAll("\n\n", " ")];
    return [row, ...(spec.items?.$ref ? rowsOf(resolved(spec.items), `${prefix}${name}[].`) : [])];
  });
}

/**
 * @param {Spec} spec
 * @returns {string}
 */
function typeOf(spec) {
  const { type, items, additionalProperties, $ref = "" } = spec;
  const words = resolved(spec).enum?.map(({ value }) => `\`${value}\``);
  if (words) return words.join(" or ");
  if (items) return `list of ${items.$ref ? "records" : `${typeOf(items)}s`}`;
  if (additionalProperties) return additionalProperties.type === "string" ? "map of strings" : "map of JSON values";
  if ($ref === "pulumi.json#/Any") return "map or list";
  if ($ref) return "record";
  if (type === "integer") return "whole number";
  return spec.secret ? `${type}, secret` : String(type);
}

/**
 * @param {Spec} spec
 * @returns {Spec}
 */
function resolved(spec) {
  return schema.types[String(spec.$ref).replace("#/types/", "")] ?? spec;
}

/**
 * A description, with code in back quotes: `pulumi do` gets single quotes in their place.
 *
 * @param {{ description?: string } | undefined} spec
 */
function textOf(spec) {
  return (spec?.description ?? "").replace(/(?<!\w)'([^'\n]+)'(?!\w)/g, "`$1`");
}

/**
 * @param {string[]} head
 * @param {string[][]} rows
 */
function table(head, rows) {
  const lines = rows.map((cells) => `| ${cells.map((cell) => cell.replaceAll("|", "\\|")).join(" | ")} |`);
  return [`| ${head.join(" | ")} |`, `|${"---|".repeat(head.length)}`, ...lines].join("\n");
}
