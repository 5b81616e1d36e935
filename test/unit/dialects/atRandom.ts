import fc from "fast-check";
import { type Dialect, dialectOptions, dialects } from "../../../simulator";

/** Any value for each option, also combinations that no named dialect has. */
export const anyDialect = fc.record(
  Object.fromEntries(
    Object.entries<readonly unknown[]>(dialectOptions).map(([option, values]) => [option, fc.constantFrom(...values)]),
  ),
) as unknown as fc.Arbitrary<Dialect>;

/** Reports the options that differ from plain, one of which causes the failure, the steps and the seed. */
export function report<Step>(details: fc.RunDetails<[Dialect, Step[]]>): void {
  if (!details.failed) return;
  const [dialect, steps] = details.counterexample ?? [{}, []];
  const plain = new Map(Object.entries(dialects["plain"] ?? {}));
  const options = Object.entries(dialect).filter(([option, value]) => plain.get(option) !== value);
  const { seed, counterexamplePath: path, errorInstance } = details;
  const reason = errorInstance instanceof Error ? errorInstance.message : String(errorInstance);
  throw new Error(
    `${JSON.stringify({ seed, path, options: Object.fromEntries(options), steps }, undefined, 1)}\n${reason}`,
  );
}
