// @ts-check
import { documentation, exported, valuesOf } from "./sources.mjs";
import { asFlags, fieldsOf, namedTypes } from "./types.mjs";
import { usageIn } from "./usage.mjs";

/** @typedef {import("./types.mjs").Spec} Spec */

const FILE = "provider/cluster/schema/fields.ts";
const { inputFlags } = await valuesOf(FILE);

/** The resource: inputs and outputs. Further fields of fields.ts are hidden, and not part of the schema. */
export function clusterSpec() {
  const inputs = fieldsOf(exported(FILE, "ClusterInputs"));
  const outputs = fieldsOf(exported(FILE, "ClusterOutputs"));
  for (const name of Object.keys(inputFlags)) flagParts(inputs.properties[name], inputFlags[name].secretParts);
  return {
    description: `${documentation(exported("sdk/index.ts", "Cluster"))}\n\n${usageIn("docs/_index.md")}`,
    properties: mapped(outputs.properties, (name, spec) => ({ ...spec, ...flagged(name) })),
    required: outputs.required,
    // Without defaults, which the provider applies: `pulumi do … patch` would send them, and a patch of the container would
    // also scale the cluster to one replica.
    inputProperties: mapped(asFlags(inputs.properties), (name, spec) => ({ ...spec, ...flagged(name) })),
    requiredInputs: inputs.required,
    // `list` takes no arguments: it lists the clusters of the organization.
    listInputs: { properties: {} },
  };
}

/**
 * Flags of a field. `willReplaceOnChanges` only informs readers. The provider decides whether a change replaces: another list
 * of GPU types may still contain the type of the cluster.
 *
 * @param {string} name
 */
function flagged(name) {
  const { effect } = inputFlags[name] ?? {};
  return { ...(effect === "replace" && { willReplaceOnChanges: true }) };
}

/**
 * Flags the secret parts of an input in its own type.
 *
 * @param {Spec | undefined} spec
 * @param {readonly string[]} [parts]
 */
function flagParts(spec, parts = []) {
  const type = namedTypes[String(spec?.["$ref"]).replace("#/types/", "")];
  const properties = /** @type {Record<string, Spec>} */ (type?.["properties"] ?? {});
  for (const part of parts) properties[part] = { ...properties[part], secret: true };
}

/**
 * @param {Record<string, Spec>} specs
 * @param {(name: string, spec: Spec) => Spec} change
 */
function mapped(specs, change) {
  return Object.fromEntries(Object.entries(specs).map(([name, spec]) => [name, change(name, spec)]));
}
