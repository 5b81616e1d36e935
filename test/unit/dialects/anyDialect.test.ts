import fc from "fast-check";
import type { Dialect } from "../../../simulator";
import { type Fixture, type Held, type Wanted, web } from "../cluster/harness";
import { check } from "../cluster/preflight/harness";
import { anyDrift, type Drift, holdsInAny, markedIn, openIn, shownIn } from "./atRandom";

const names = ["MODEL", "MODE", "A", "A.B"];
const anyEnv = fc.dictionary(fc.constantFrom(...names), fc.constantFrom("value-one", "value-two", ""), { maxKeys: 4 });
const anyReplicas = fc.integer({ min: 1, max: 4 });
const anyContainer = fc.constantFrom("team/server:1.0", "team/server:2.0", "ghcr.io/team/server:1.0");

type Changes = Partial<Pick<Wanted, "replicas" | "container" | "env">>;

/** The next action of the program or of another user. */
type Step =
  | { readonly kind: "update"; readonly changes: Partial<Wanted> }
  | { readonly kind: "drift" | "adopt"; readonly changes: Changes }
  /** The program ignores the drift, changes the rest, and then no longer ignores it. */
  | { readonly kind: "ignoreChanges"; readonly drift: Drift; readonly changes: Partial<Wanted> }
  | { readonly kind: "recreate" };

const anyChanges = fc.record(
  { replicas: anyReplicas, container: anyContainer, env: anyEnv },
  { requiredKeys: [], noNullPrototype: true },
);

/** An image that no request of a program can have. */
const withoutTag = fc.constant({ container: "team/server" });

const anyStep: fc.Arbitrary<Step> = fc.oneof(
  { weight: 5, arbitrary: anyChanges.map((changes) => ({ kind: "update" as const, changes })) },
  {
    weight: 2,
    arbitrary: fc.oneof(anyChanges, anyDrift, withoutTag).map((changes) => ({ kind: "drift" as const, changes })),
  },
  {
    weight: 2,
    arbitrary: fc.record({ kind: fc.constant("ignoreChanges" as const), drift: anyDrift, changes: anyChanges }),
  },
  { weight: 1, arbitrary: anyChanges.map((changes) => ({ kind: "adopt" as const, changes })) },
  { weight: 1, arbitrary: fc.constant({ kind: "recreate" as const }) },
);

/** A cluster and the program's desired inputs. */
interface Situation {
  readonly held: Held;
  readonly wanted: Wanted;
}

it("a random walk of operations ends with the desired cluster, whatever the mixture of options", async () => {
  await holdsInAny(45, fc.array(anyStep, { minLength: 1, maxLength: 4 }), async (around, steps) =>
    walk(await openIn(around), markedIn(around, web), steps),
  );
}, 1_200_000);

async function walk(fixture: Fixture, program: Wanted, steps: readonly Step[]): Promise<void> {
  let situation: Situation = { held: await fixture.create(program), wanted: program };
  for (const step of steps) {
    fixture.forget();
    situation = await take(fixture, situation, step);
    expect(fixture.living()).toHaveLength(1);
  }
  await remove(fixture, situation.held);
  expect(fixture.living()).toEqual([]);
}

async function take(fixture: Fixture, { held, wanted }: Situation, step: Step): Promise<Situation> {
  if (step.kind === "update") {
    const next = { ...wanted, ...step.changes };
    return { held: await fixture.update(held, next), wanted: next };
  }
  if (step.kind === "drift") {
    const { env, ...others } = step.changes;
    // Where values are masked, an empty variable that another user removes and restores could have any value: the update fails.
    const isKept = env !== undefined && fixture.simulator.dialect.envEcho === "masked";
    const changes = isKept ? { ...others, env: { EMPTY: "", ...env } } : step.changes;
    return { held: await putBack(fixture, held, wanted, changes), wanted };
  }
  if (step.kind === "ignoreChanges") return ignoreChanges(fixture, held, wanted, step);
  const { envEcho, injectedEnv = {} } = fixture.simulator.dialect;
  // Nothing tells what such a service adds to an adopted cluster from what another user has set, and neither value is known.
  if (step.kind === "adopt" && envEcho === "masked" && Object.keys(injectedEnv).length > 0) return { held, wanted };
  if (step.kind === "adopt") return { held: await adopt(fixture, held, wanted, step.changes), wanted };
  await remove(fixture, held);
  return { held: await fixture.create(wanted), wanted };
}

/** A path at which a cluster differs from the program, and whether the dialect shows it. */
interface Difference {
  readonly path: string;
  readonly isShown: boolean;
}

function differences(changes: Changes, wanted: Wanted, { containerEcho, envEcho }: Dialect): Difference[] {
  const { replicas, container, env = {} } = { ...wanted, ...changes };
  const { env: wantedEnv = {} } = wanted;
  const variables = [...new Set([...Object.keys(env), ...Object.keys(wantedEnv)])]
    .filter((name) => env[name] !== wantedEnv[name])
    .map((name): Difference => {
      const isInBoth = Object.hasOwn(env, name) && Object.hasOwn(wantedEnv, name);
      // A value that is empty may be one that the service hides.
      const isValueShown = envEcho === "same" && env[name] !== "";
      return { path: `env.${name}`, isShown: isInBoth ? isValueShown : envEcho !== "none" };
    });
  return [
    ...(container === wanted.container ? [] : [{ path: "container", isShown: containerEcho !== "none" }]),
    ...variables,
    ...(replicas === wanted.replicas ? [] : [{ path: "replicas", isShown: true }]),
  ];
}

/** Corrects by one update the drift that the service shows; drift that it does not show is unknown. */
async function putBack(fixture: Fixture, held: Held, wanted: Wanted, changes: Changes): Promise<Held> {
  const { simulator } = fixture;
  const drift = differences(changes, wanted, simulator.dialect);
  const shown = drift.filter(({ isShown }) => isShown).map(({ path }) => path);
  simulator.change(held.id, changes);
  const found = await fixture.refresh(held);
  expect(fixture.toDo(found, wanted).sort()).toEqual(shown.sort());
  if (shown.length === drift.length) return fixture.update(found, wanted);
  simulator.change(held.id, { container: wanted.container, env: wanted.env ?? {} });
  return fixture.update(await fixture.refresh(found), wanted);
}

/** The program gets the values of another user as its inputs, until it no longer ignores them. */
async function ignoreChanges(
  fixture: Fixture,
  held: Held,
  wanted: Wanted,
  { drift, changes }: { readonly drift: Drift; readonly changes: Partial<Wanted> },
): Promise<Situation> {
  const { simulator } = fixture;
  const { dialect } = simulator;
  // A service that requires every field refuses the number 0, so this cluster cannot be updated while the program ignores it.
  const isRefused = drift.replicas === 0 && dialect.updateSemantics === "replace";
  const { container, ...others } = shownIn(dialect, isRefused ? { ...drift, replicas: 1 } : drift);
  // In another spelling, the program would not get the value that the cluster has.
  const isSpelledAlike = container !== undefined && dialect.containerEcho === "same";
  const ignored = isSpelledAlike ? { ...others, container } : others;
  simulator.change(held.id, ignored);
  const found = await fixture.refresh(held);
  const observed = Object.fromEntries(Object.keys(ignored).map((name) => [name, found.state[name]]));
  const next: Wanted = { ...wanted, ...changes, ...observed };
  expect((await check(fixture, next, found.state)).refusals).toEqual([]);
  const program: Wanted = { ...wanted, ...changes };
  return { held: await fixture.update(await fixture.update(found, next), program), wanted: program };
}

/** Adopts the cluster, and corrects what differs if the service shows all of it. */
async function adopt(fixture: Fixture, { id }: Held, wanted: Wanted, changes: Changes): Promise<Held> {
  const { simulator } = fixture;
  const drift = differences(changes, wanted, simulator.dialect);
  const isCorrected = drift.every(({ path, isShown }) => isShown && !isUnmanaged(path, wanted));
  if (isCorrected) simulator.change(id, changes);
  fixture.forget();
  // In a process of its own: in the process of an adoption, a deletion leaves the cluster as it is.
  const held = await fixture.run(fixture.as("seen").create(fixture.ctx(), { ...wanted, adopt: id }));
  await fixture.expectReached(held, wanted);
  expect(fixture.countOf("POST /v1/clusters")).toBe(0);
  if (!isCorrected || drift.length === 0) expect(fixture.writes()).toEqual([]);
  return held;
}

/** Whether the program does not have this variable: an adoption leaves it, because the service may have added it. */
function isUnmanaged(path: string, { env = {} }: Wanted): boolean {
  return path.startsWith("env.") && !Object.hasOwn(env, path.slice("env.".length));
}

async function remove(fixture: Fixture, { id, state }: Held): Promise<void> {
  await fixture.remove({ id, state });
  expect(fixture.simulator.cluster(id)?.status).toBe("gone");
}
