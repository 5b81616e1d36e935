import fc from "fast-check";
import { GpuClusterError, InterruptedError } from "../../../provider/base/errors";
import { InitError } from "../../../provider/contract";
import type { Fault } from "../../../simulator";
import { type Fixture, type Held, type Wanted, web } from "../cluster/harness";
import { anyDrift, type Drift, holdsInAny, markedIn, openIn, shownIn } from "./atRandom";

const anyChanges: fc.Arbitrary<Partial<Wanted>> = fc.record(
  {
    desiredStatus: fc.constantFrom("running", "stopped"),
    replicas: fc.integer({ min: 1, max: 4 }),
    container: fc.constantFrom("team/server:1.0", "team/server:2.0"),
    env: fc.constantFrom<Record<string, string>[]>(
      { MODEL: "value-one" },
      { MODEL: "value-two", "MODE.A": "value-three" },
    ),
    restartTriggers: fc.constantFrom(["a"], ["b"]),
    redeployTriggers: fc.constantFrom({ v: 1 }, { v: 2 }),
    maxHourlyCost: fc.constantFrom(100, 200),
  },
  { requiredKeys: [], noNullPrototype: true },
);

/** A variable that another user adds while an operation is not finished counts as added by the service: no read tells them apart. */
const anyKnownDrift = anyDrift.filter(({ env = {} }) => Object.keys(env).every((name) => name === "MODEL"));

/** A disturbance of one update: a fault, a change by another user, which a refresh may show before the update, or an interrupt. */
type Trouble =
  | { readonly fault: Fault }
  | { readonly interruptAfterMs: number }
  | { readonly changedTo: "stopped" | "failed" }
  | { readonly drift: Drift };

const anyTrouble: fc.Arbitrary<Trouble> = fc.oneof(
  fc
    .tuple(fc.constantFrom("stop", "restart", "redeploy", "scale"), fc.constantFrom("before", "after"))
    .map(([action, when]) => ({ fault: { kind: "drop", when, path: `**/${action}` } as Fault })),
  fc.integer({ min: 0, max: 12_000 }).map((interruptAfterMs) => ({ interruptAfterMs })),
  fc.constantFrom("stopped" as const, "failed" as const).map((changedTo) => ({ changedTo })),
  anyKnownDrift.map((drift) => ({ drift })),
);

interface Step {
  readonly changes: Partial<Wanted>;
  readonly trouble?: Trouble | undefined;
  readonly isRefreshed: boolean;
}

const anyStep: fc.Arbitrary<Step> = fc.record({
  changes: anyChanges,
  trouble: fc.option(anyTrouble, { nil: undefined }),
  isRefreshed: fc.boolean(),
});

it("disturbed updates end with the desired cluster after at most three updates, whatever the mixture of options", async () => {
  await holdsInAny(30, fc.array(anyStep, { minLength: 1, maxLength: 4 }), async (around, steps) => {
    const fixture = await openIn(around, { provisioningMs: 6_000, deletionMs: 2_000 });
    let wanted = markedIn(around, web);
    let held = await fixture.create(wanted);
    for (const step of steps) {
      wanted = { ...wanted, ...step.changes };
      held = await take(fixture, held, wanted, step);
    }
  });
}, 1_200_000);

/** Number of faults that each walk has added. */
const faults = new WeakMap<Fixture, number>();

async function take(fixture: Fixture, before: Held, wanted: Wanted, { trouble, isRefreshed }: Step): Promise<Held> {
  const isDrift = trouble !== undefined && "drift" in trouble;
  if (isDrift) fixture.simulator.change(before.id, shownIn(fixture.simulator.dialect, trouble.drift));
  const start = isDrift ? await fixture.refresh(before) : before;
  let held = await update(fixture, start, wanted, trouble);
  if (isRefreshed) held = await fixture.refresh(held);
  held = await repeat(fixture, held, wanted);
  await expectGoal(fixture, held, wanted);
  return held;
}

/** At most two updates, and one more for each fault that no request of its step has met. */
async function repeat(fixture: Fixture, before: Held, wanted: Wanted): Promise<Held> {
  const limit = 2 + (faults.get(fixture) ?? 0);
  let held = before;
  for (let count = 0; count < limit && fixture.toDo(held, wanted).length > 0; count += 1)
    held = await update(fixture, held, wanted);
  return held;
}

/** One update with at most one disturbance. Returns the resource after it, whether or not the update succeeded. */
async function update(fixture: Fixture, held: Held, wanted: Wanted, trouble?: Trouble): Promise<Held> {
  const { id, state } = held;
  const controller = new AbortController();
  if (trouble && "fault" in trouble) {
    fixture.simulator.fault(trouble.fault);
    faults.set(fixture, (faults.get(fixture) ?? 0) + 1);
  }
  if (trouble && "changedTo" in trouble) fixture.simulator.change(id, { status: trouble.changedTo });
  if (trouble && "interruptAfterMs" in trouble) {
    const interrupt = () => controller.abort(new InterruptedError("interrupted"));
    void fixture.clock.sleep(trouble.interruptAfterMs).then(interrupt);
  }
  if (fixture.toDo(held, wanted).length === 0) return held;
  try {
    const ctx = fixture.ctx({ signal: controller.signal });
    return { id, state: await fixture.run(fixture.cluster.update(ctx, id, state, wanted)) };
  } catch (error) {
    if (error instanceof InitError) return { id: error.id, state: error.state };
    // Nothing was changed.
    if (error instanceof GpuClusterError) return held;
    throw error;
  }
}

async function expectGoal(fixture: Fixture, held: Held, wanted: Wanted): Promise<void> {
  expect(fixture.toDo(held, wanted)).toEqual([]);
  expect(fixture.living()).toHaveLength(1);
  // Another user's change since then is unknown to the state, and no update had a reason to read the cluster.
  const seen = await fixture.refresh(held);
  if (fixture.toDo(seen, wanted).length > 0) return expectGoal(fixture, await repeat(fixture, seen, wanted), wanted);
  if (wanted["desiredStatus"] === "stopped") expect(fixture.simulator.cluster(held.id)?.status).toBe("stopped");
  else fixture.expectRunning(held.id, wanted);
  expect(JSON.parse(JSON.stringify(held.state))).toStrictEqual(held.state);
}
