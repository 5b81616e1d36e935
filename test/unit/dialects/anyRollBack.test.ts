import fc from "fast-check";
import { type CallContext, InitError } from "../../../provider/contract";
import { type Fixture, failureOf, type Held, interruptAfter, type Wanted, web } from "../cluster/harness";
import { anyDrift, holdsInAny, markedIn, openIn, shownIn } from "./atRandom";

const good: Wanted = { ...web, onFailedUpdate: "rollBack" };
const bad: Wanted = { ...good, container: "team/broken:9", env: { MODE: "other-mode", "ADDED.BY": "added-value" } };
const better: Wanted = { ...good, container: "team/server:2.0" };

it("an interrupted rollback is followed by what the next update requests, whatever the mixture of options", async () => {
  const anyEnd = fc.record({
    drift: anyDrift,
    ms: fc.integer({ min: 0, max: 45_000 }),
    wanted: fc.constantFrom(good, bad, better),
  });
  await holdsInAny(27, anyEnd, async (around, { drift, ms, wanted }) => {
    const fixture = await openIn(around, { provisioningMs: 20_000 });
    const marked = (inputs: Wanted) => markedIn(around, inputs);
    const created = await fixture.create(marked(good));
    const { container = good.container, env = good.env, ...size } = shownIn(around.dialect, drift);
    fixture.simulator.change(created.id, { container, env, ...size });
    const held = await fixture.refresh(created);
    fixture.simulator.fault({ kind: "fail", message: "no such model", container: "team/broken:9", times: 99 });
    const begin = (ctx: Pick<CallContext, "signal">) =>
      failureOf(fixture.cluster.update(fixture.ctx({ ...ctx, timeoutMs: 120_000 }), held.id, held.state, marked(bad)));
    const { end: error } = await interruptAfter(fixture, ms, begin);
    fixture.forget();
    const left = { id: held.id, state: error instanceof InitError ? error.state : held.state };
    if (wanted !== bad) await fixture.update(left, marked(wanted));
    else await expectGivenUp(fixture, left, { ...good, container, env });
    expect(fixture.living()).toHaveLength(1);
  });
}, 1_200_000);

/**
 * The update to what fails ends with the old configuration, which can be that of another user or, if it was interrupted before
 * the failure, without one.
 */
async function expectGivenUp(fixture: Fixture, left: Held, old: Wanted): Promise<void> {
  const error = await failureOf(fixture.change(left, bad, { timeoutMs: 120_000 }));
  const state = error instanceof InitError ? error.state : left.state;
  if (state["container"] === old.container)
    fixture.expectRunning(left.id, { ...old, replicas: Number(state["replicas"]) });
}
