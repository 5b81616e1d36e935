// @ts-check
import { clusterExamples } from "./examples.mjs";
import { documentation, exported, valuesOf } from "./sources.mjs";
import { asFlags, fieldsOf } from "./types.mjs";

/** @typedef {import("./types.mjs").Spec} Spec */

const FILE = "provider/cluster/fields.ts";
const { inputFlags } = await valuesOf(FILE);

/** The resource. What fields.ts has besides inputs and outputs is hidden, and no part of it. */
export function clusterSpec() {
  const inputs = fieldsOf(exported(FILE, "ClusterInputs"));
  const outputs = fieldsOf(exported(FILE, "ClusterOutputs"));
  return {
    description: `${documentation(exported("sdk/cluster.ts", "Cluster"))}\n\n${clusterExamples()}`,
    properties: mapped(outputs.properties, (name, spec) => ({ ...spec, ...flagged(name) })),
    required: outputs.required,
    inputProperties: mapped(asFlags(inputs.properties), (name, spec) => ({
      ...spec,
      ...flagged(name),
      ...inputFlagged(name),
    })),
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

/**
 * Without defaults, which the provider knows: `pulumi do … patch` would send them too, and scale a cluster to one replica of
 * which it is to change the container.
 *
 * @param {string} name
 */
function inputFlagged(name) {
  const { plain = false } = inputFlags[name];
  return plain && { plain };
}

/**
 * @param {Record<string, Spec>} specs
 * @param {(name: string, spec: Spec) => Spec} change
 */
function mapped(specs, change) {
  return Object.fromEntries(Object.entries(specs).map(([name, spec]) => [name, change(name, spec)]));
}
