import fc from "fast-check";
import { type Dialect, dialectOptions, dialects } from "../../../simulator";
import { resolveDialect } from "../../../simulator/dialects";
import { runs } from "../../support/shares";
import {
  closeAll,
  type Fixture,
  type FixtureOptions,
  openFixture,
  rewritingText,
  type Wanted,
} from "../cluster/harness";

/** All options except those of the published services, and of one without updates, whose changes are replacements. */
const { variant, requestNames, unknownFields, catalog, capacityRefusal, updateMethod, ...drawn } = dialectOptions;
const options = { ...drawn, updateMethod: updateMethod.filter((method) => method !== "none") };

const anyChoice: fc.Arbitrary<Dialect> = fc
  .record(Object.fromEntries(Object.entries(options).map(([option, values]) => [option, fc.constantFrom(...values)])))
  .map((chosen) => resolveDialect(chosen as Partial<Dialect>)); // each value is one of its option

const { client: _tested, ...named } = dialects;

/**
 * A named dialect, or any value for each option, except mixtures against the meaning of a method: a PATCH that resets what it
 * does not name, and a PUT that keeps a variable which it does not name.
 */
const anyDialect = fc
  .oneof(
    { weight: 1, arbitrary: fc.constantFrom<Dialect[]>(...Object.values(named)) },
    { weight: 3, arbitrary: anyChoice },
  )
  .filter(({ updateMethod, updateSemantics }) =>
    updateMethod === "PATCH"
      ? updateSemantics !== "replace"
      : updateMethod === "POST" || updateSemantics !== "merge-keys",
  );

/** A service, and what a program has that no step changes. */
export interface Surroundings {
  readonly dialect: Dialect;
  /** How far the clock of the service is ahead of ours. */
  readonly aheadMs: number;
  /** Whether the program marks the whole `env` as secret. */
  readonly hasSecretEnv: boolean;
}

/** More than the two minutes in which a 404 of a new cluster proves nothing. */
const clockErrors = [0, 130_000, -130_000];

const anySurroundings: fc.Arbitrary<Surroundings> = fc.record({
  dialect: anyDialect,
  aheadMs: fc.constantFrom(...clockErrors),
  hasSecretEnv: fc.boolean(),
});

/** A fixture with these surroundings. */
export function openIn({ dialect, aheadMs }: Surroundings, options: FixtureOptions = {}): Promise<Fixture> {
  const moved = (time: string) => new Date(Date.parse(time) + aheadMs).toISOString();
  const wire = rewritingText((body) => body.replace(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, moved));
  return openFixture({ dialect, ...options, wire });
}

/** The inputs of the program, with their marks as an adapter passes them. */
export function markedIn({ hasSecretEnv }: Surroundings, wanted: Wanted): Wanted {
  return hasSecretEnv ? { ...wanted, __secrets: ["env"] } : wanted;
}

/** What another user may change. */
export type Drift = Partial<Pick<Wanted, "replicas" | "container" | "env">>;

/** Changes by another user, some of which no program can request. No value looks masked. */
export const anyDrift: fc.Arbitrary<Drift> = fc.record(
  {
    replicas: fc.integer({ min: 0, max: 4 }),
    container: fc.constantFrom("other/server:1.0", "team/server:3.0"),
    env: fc.dictionary(fc.constantFrom("MODEL", "A.B", "1WEIRD"), fc.constant("value-of-another"), { maxKeys: 3 }),
  },
  { requiredKeys: [], noNullPrototype: true },
);

/** The part of a drift that a service shows completely. */
export function shownIn({ containerEcho, envEcho }: Dialect, { replicas, container, env }: Drift): Drift {
  return {
    ...(replicas !== undefined && { replicas }),
    ...(container !== undefined && containerEcho !== "none" && { container }),
    ...(env !== undefined && envEcho === "same" && { env }),
  };
}

/** A law about any surroundings and any steps, tried so often. */
export function holdsInAny<Steps>(
  count: number,
  anySteps: fc.Arbitrary<Steps>,
  law: (around: Surroundings, steps: Steps) => Promise<void>,
): Promise<void> {
  const closing = async (around: Surroundings, steps: Steps) => {
    try {
      await law(around, steps);
    } finally {
      await closeAll();
    }
  };
  return fc.assert(fc.asyncProperty(anySurroundings, anySteps, closing), { numRuns: runs(count), reporter: report });
}

/** Reports the options that differ from plain, one of which causes the failure, the other values, the steps and the seed. */
function report<Step>(details: fc.RunDetails<[Surroundings, Step]>): void {
  if (!details.failed) return;
  const [{ dialect, ...surroundings }, steps] = details.counterexample ?? [{ dialect: {} }, []];
  const plain = new Map(Object.entries<unknown>(dialects.plain));
  const options = Object.entries(dialect).filter(([option, value]) => plain.get(option) !== value);
  const { seed, counterexamplePath: path, errorInstance } = details;
  const reason = errorInstance instanceof Error ? errorInstance.message : String(errorInstance);
  throw new Error(
    `${JSON.stringify({ seed, path, options: Object.fromEntries(options), ...surroundings, steps }, undefined, 1)}\n${reason}`,
  );
}
