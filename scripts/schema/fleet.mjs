// @ts-check
import { checker, documentation, exported } from "./sources.mjs";
import { asFlags, namedTypes } from "./types.mjs";

/** @typedef {import("./types.mjs").Spec} Spec */

const FILE = "sdk/clusterFleet.ts";
const MEMBER = "gpucluster:index:FleetCluster";
const member = { $ref: `#/types/${MEMBER}` };

/**
 * The inputs: the interface that documents each, and its type. Plain ones decide how many resources there are, and in which
 * order.
 *
 * @type {[string, string, Spec][]}
 */
const INPUTS = [
  ["CountedFleetArgs", "count", { type: "integer", plain: true }],
  ["CountedFleetArgs", "cluster", member],
  ["KeyedFleetArgs", "clusters", { type: "object", additionalProperties: member }],
  ["CountedFleetArgs", "waves", { type: "array", items: { $ref: "pulumi.json#/Any" }, plain: true }],
  ["CountedFleetArgs", "await", { type: "string", plain: true }],
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
  const inputs = INPUTS.map(([owner, name, type]) => [name, { description: documented(owner, name), ...type }]);
  const outputs = Object.entries(OUTPUTS).map(([name, type]) => [
    name,
    { description: documented("ClusterFleet", name), ...type },
  ]);
  return {
    isComponent: true,
    description: documentation(exported(FILE, "ClusterFleet")),
    properties: Object.fromEntries(outputs),
    required: ["endpoints"],
    inputProperties: asFlags(Object.fromEntries(inputs)),
  };
}

/**
 * @param {string} owner
 * @param {string} name
 */
function documented(owner, name) {
  const type = checker.getDeclaredTypeOfSymbol(exported(FILE, owner));
  const symbol = checker.getPropertyOfType(type, name);
  if (symbol === undefined) throw new Error(`${owner} has no ${name}.`);
  return documentation(symbol);
}
