// @ts-check
import { documentation, exported, valuesOf } from "./sources.mjs";
import { fieldsOf } from "./types.mjs";

/** @typedef {import("./types.mjs").Spec} Spec */

const FILE = "provider/cluster/fields.ts";
const { inputFlags, inputDefaults } = await valuesOf(FILE);

/** The resource. What fields.ts has besides inputs and outputs is hidden, and no part of it. */
export function clusterSpec() {
  const inputs = fieldsOf(exported(FILE, "ClusterInputs"));
  const outputs = fieldsOf(exported(FILE, "ClusterOutputs"));
  return {
    description: documentation(exported("sdk/cluster.ts", "Cluster")),
    properties: mapped(outputs.properties, (name, spec) => ({ ...spec, ...flagged(name) })),
    required: outputs.required,
    inputProperties: mapped(inputs.properties, (name, spec) => ({ ...spec, ...flagged(name), ...inputFlagged(name) })),
    requiredInputs: inputs.required,
    // What `get` has to know besides the id.
    stateInputs: { type: "object", properties: { connection: inputs.properties["connection"] } },
    // `list` takes nothing: it names the clusters of the organization.
    listInputs: { properties: {} },
  };
}

/**
 * That a change replaces is told to readers only: the provider decides it, which knows that another list of GPU types may
 * well keep the one that was taken.
 *
 * @param {string} name
 */
function flagged(name) {
  const { secret = false, effect } = inputFlags[name] ?? {};
  return { ...(secret && { secret }), ...(effect === "replace" && { willReplaceOnChanges: true }) };
}

/** @param {string} name */
function inputFlagged(name) {
  const { plain = false } = inputFlags[name];
  return { ...(plain && { plain }), ...(name in inputDefaults && { default: inputDefaults[name] }) };
}

/**
 * @param {Record<string, Spec>} specs
 * @param {(name: string, spec: Spec) => Spec} change
 */
function mapped(specs, change) {
  return Object.fromEntries(Object.entries(specs).map(([name, spec]) => [name, change(name, spec)]));
}
