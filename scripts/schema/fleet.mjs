// @ts-check
import { examplesOf } from "./examples.mjs";
import { documentation, documented, exported } from "./sources.mjs";
import { namedTypes } from "./types.mjs";

/** @typedef {import("./types.mjs").Spec} Spec */

const ARGS = "sdk/fleetArgs.ts";
const COMPONENT = "sdk/clusterFleet.ts";
const MEMBER = "gpucluster:index:FleetCluster";
const member = { $ref: `#/types/${MEMBER}` };

/**
 * The inputs: the interface that documents each, and its type. The plain ones cannot come from other resources.
 *
 * @type {[string, string, Spec][]}
 */
const INPUTS = [
  ["CountedFleetArgs", "count", { type: "integer", plain: true }],
  ["CountedFleetArgs", "cluster", member],
  ["KeyedFleetArgs", "clusters", { type: "object", additionalProperties: member }],
  ["CountedFleetArgs", "waves", { type: "array", items: { $ref: "pulumi.json#/Any" } }],
];

/** @type {Record<string, Spec>} */
const OUTPUTS = {
  endpoints: { type: "object", additionalProperties: { type: "string" } },
  hourlyCost: { type: "number" },
};

/**
 * The component, which the plugin declares for programs in any language.
 *
 * @param {{ inputProperties: Record<string, Spec>, requiredInputs: string[] }} cluster
 */
export function fleetSpec({ inputProperties, requiredInputs }) {
  namedTypes[MEMBER] = {
    description: documentation(exported("sdk/clusterArgs.ts", "ClusterArgs")),
    type: "object",
    properties: inputProperties,
    required: requiredInputs,
  };
  const inputs = INPUTS.map(([owner, name, type]) => [name, { description: documented(ARGS, owner, name), ...type }]);
  const outputs = Object.entries(OUTPUTS).map(([name, type]) => [
    name,
    { description: documented(COMPONENT, "ClusterFleet", name), ...type },
  ]);
  return {
    isComponent: true,
    description: `${documentation(exported(COMPONENT, "ClusterFleet"))}\n\n${examplesOf("fleet")}`,
    properties: Object.fromEntries(outputs),
    required: ["endpoints"],
    inputProperties: Object.fromEntries(inputs),
  };
}
