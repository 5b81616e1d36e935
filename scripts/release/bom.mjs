// @ts-check
// The bill of materials: what the npm package needs at run time, and what the plugin holds.

/**
 * @typedef {{ "bom-ref": string, scope?: string, properties?: unknown[] }} Component
 * @typedef {{ metadata: { component: Component & { name: string } }, components: Component[], dependencies: { ref: string, dependsOn: string[] }[] }} Bill
 */

/**
 * The part of npm's bill that users get. Without a time, a random number and the name of a folder, so that the same commit
 * has the same bill.
 *
 * @param {Bill & { serialNumber?: string, metadata: { timestamp?: string } }} whole
 * @param {string} name The name of the package.
 * @param {readonly string[]} parts Packages, such as `undici@7.30.2`.
 */
export function billOf({ serialNumber: _random, ...whole }, name, parts) {
  const { timestamp: _time, ...metadata } = whole.metadata;
  const components = whole.components
    .filter((component) => parts.includes(component["bom-ref"]))
    // npm marks what only the build installs, but the plugin holds its code.
    .map(({ properties: _installation, ...component }) => ({ ...component, scope: "required" }));
  const missing = parts.filter((part) => !components.some((component) => component["bom-ref"] === part));
  if (missing.length > 0) throw new Error(`npm's bill of materials lacks ${missing.join(", ")}.`);
  const own = metadata.component["bom-ref"];
  const uses = (/** @type {string} */ ref) => ref === own || parts.includes(ref);
  const dependencies = whole.dependencies
    .filter(({ ref }) => uses(ref))
    .map(({ ref, dependsOn }) => ({ ref, dependsOn: dependsOn.filter(uses) }));
  return { ...whole, metadata: { ...metadata, component: { ...metadata.component, name } }, components, dependencies };
}
