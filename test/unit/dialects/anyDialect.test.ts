import fc from "fast-check";
import { runs } from "../../support/shares";
import { type Bench, closeAll, forget, living } from "../cluster/harness";
import { anyDialect, report } from "./atRandom";
import { create, type Held, open, read, toDo, update, type Wanted, web } from "./harness";

afterEach(closeAll);

const names = ["MODEL", "MODE", "A", "B"];
const anyEnv = fc.dictionary(fc.constantFrom(...names), fc.constantFrom("value-one", "value-two", ""), { maxKeys: 4 });
const anyReplicas = fc.integer({ min: 1, max: 4 });
const anyContainer = fc.constantFrom("team/server:1.0", "team/server:2.0", "ghcr.io/team/server:1.0");

/** The next action of the program, or of another program. */
type Step =
  | { readonly kind: "update"; readonly changes: Partial<Wanted> }
  | { readonly kind: "drift"; readonly changes: Partial<Pick<Wanted, "replicas" | "container" | "env">> }
  | { readonly kind: "recreate" };

const anyChanges = fc.record(
  { replicas: anyReplicas, container: anyContainer, env: anyEnv },
  { requiredKeys: [], noNullPrototype: true },
);

const anyStep: fc.Arbitrary<Step> = fc.oneof(
  { weight: 5, arbitrary: anyChanges.map((changes) => ({ kind: "update" as const, changes })) },
  { weight: 2, arbitrary: anyChanges.map((changes) => ({ kind: "drift" as const, changes })) },
  { weight: 1, arbitrary: fc.constant({ kind: "recreate" as const }) },
);

/** A cluster and the program's desired inputs. */
interface Situation {
  readonly held: Held;
  readonly wanted: Wanted;
}

it("with every mixture of options, a random walk of operations ends with the desired cluster", async () => {
  await fc.assert(
    fc.asyncProperty(anyDialect, fc.array(anyStep, { minLength: 1, maxLength: 4 }), async (dialect, steps) => {
      try {
        await walk(await open(dialect), steps);
      } finally {
        await closeAll();
      }
    }),
    { numRuns: runs(60), reporter: report },
  );
}, 120_000);

async function walk(bench: Bench, steps: readonly Step[]): Promise<void> {
  let situation: Situation = { held: await create(bench), wanted: web };
  for (const step of steps) {
    forget(bench);
    situation = await take(bench, situation, step);
    expect(living(bench.simulator)).toHaveLength(1);
  }
  await remove(bench, situation.held);
  expect(living(bench.simulator)).toEqual([]);
}

async function take(bench: Bench, { held, wanted }: Situation, step: Step): Promise<Situation> {
  if (step.kind === "update") {
    const next = { ...wanted, ...step.changes };
    return { held: await update(bench, held, next), wanted: next };
  }
  if (step.kind === "drift") return { held: await putBack(bench, held, wanted, step.changes), wanted };
  await remove(bench, held);
  return { held: await create(bench, wanted), wanted };
}

/** Corrects by one update the drift that the service shows; drift that it does not show is unknown. */
async function putBack(
  bench: Bench,
  held: Held,
  wanted: Wanted,
  changes: Partial<Pick<Wanted, "replicas" | "container" | "env">>,
): Promise<Held> {
  bench.simulator.change(held.id, changes);
  const found = await read(bench, held);
  const { containerEcho, envEcho } = bench.simulator.dialect;
  const { env = {} } = wanted;
  const sorted = (names: string[]) => [...names].sort().join();
  const isSameNames = sorted(Object.keys(env)) === sorted(Object.keys(changes.env ?? env));
  const isSameEnv = isSameNames && Object.entries(changes.env ?? {}).every(([name, value]) => env[name] === value);
  const isEnvSeen = isSameEnv || envEcho === "same";
  const isContainerSeen = containerEcho !== "none" || (changes.container ?? wanted.container) === wanted.container;
  if (isEnvSeen && isContainerSeen) return update(bench, found, wanted);
  // The drift may be hidden as a whole or in part: only the replicas are always shown.
  const isDrifted = changes.replicas !== undefined && changes.replicas !== wanted.replicas;
  expect(toDo(bench, found, wanted).includes("replicas")).toBe(isDrifted);
  bench.simulator.change(held.id, { container: wanted.container, env });
  return update(bench, await read(bench, found), wanted);
}

async function remove(bench: Bench, { id, state }: Held): Promise<void> {
  await bench.run(bench.cluster.delete(bench.ctx(), id, state));
  expect(bench.simulator.cluster(id)?.status).toBe("gone");
}
