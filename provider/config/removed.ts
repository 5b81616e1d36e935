/** What version 0.1 removed, and what a program uses instead: the ends of the errors that a check reports before any request. */

/** Inputs of a cluster. */
export const removedInputs: ReadonlyMap<string, string> = new Map([
  ["deletionPolicy", 'use the option retainOnDelete or protect, or desiredStatus "stopped"'],
  ["healthCheck", "leave it out, because replicas are always read, or use skipAwait to wait for nothing"],
  ["connection", "use a stack for each API key, or the option provider of pulumi-gpucluster/native"],
  ["plainEnv", "leave it out: only what looks like a credential, or is marked as a secret, is hidden"],
]);

/** Settings of the stack, or of an explicit provider, by their names without `gpucluster:`. */
export const removedSettings: ReadonlyMap<string, string> = new Map([
  ["maxHourlyCostOfOrganization", "use gpucluster:maxHourlyCost of the stack, or maxHourlyCost of the cluster"],
  ["connections", "use a stack for each API key, or a Provider of pulumi-gpucluster/native for each"],
]);

/** The whole error: `deletionPolicy was removed: use ...`. */
export function removedText(name: string, instead: string): string {
  return `${name} was removed: ${instead}`;
}
