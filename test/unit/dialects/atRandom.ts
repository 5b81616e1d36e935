import fc from "fast-check";
import { type Dialect, dialectOptions, dialects } from "../../../simulator";
import { resolveDialect } from "../../../simulator/dialects";

/** All options except those of the published services, and of one without updates, whose changes are replacements. */
const { variant, requestNames, unknownFields, catalog, capacityRefusal, updateMethod, ...drawn } = dialectOptions;
const options = { ...drawn, updateMethod: updateMethod.filter((method) => method !== "none") };

const anyChoice: fc.Arbitrary<Dialect> = fc
  .record(Object.fromEntries(Object.entries(options).map(([option, values]) => [option, fc.constantFrom(...values)])))
  .map((chosen) => resolveDialect(chosen as Partial<Dialect>)); // each value is one of its option

const { client: _tested, ...named } = dialects;

/**
 * A named dialect, or any value for each option, except mixtures against the meaning of a method: a PATCH that resets what it
 * does not name; a PUT or POST of all fields that keeps a variable which it does not name, and which no read shows.
 */
export const anyDialect = fc
  .oneof(
    { weight: 1, arbitrary: fc.constantFrom<Dialect[]>(...Object.values(named)) },
    { weight: 3, arbitrary: anyChoice },
  )
  .filter(({ updateMethod, updateSemantics, envEcho }) =>
    updateMethod === "PATCH" ? updateSemantics !== "replace" : updateSemantics !== "merge-keys" || envEcho !== "none",
  );

/** Reports the options that differ from plain, one of which causes the failure, the steps and the seed. */
export function report<Step>(details: fc.RunDetails<[Dialect, Step[]]>): void {
  if (!details.failed) return;
  const [dialect, steps] = details.counterexample ?? [{}, []];
  const plain = new Map(Object.entries<unknown>(dialects.plain));
  const options = Object.entries(dialect).filter(([option, value]) => plain.get(option) !== value);
  const { seed, counterexamplePath: path, errorInstance } = details;
  const reason = errorInstance instanceof Error ? errorInstance.message : String(errorInstance);
  throw new Error(
    `${JSON.stringify({ seed, path, options: Object.fromEntries(options), steps }, undefined, 1)}\n${reason}`,
  );
}
