import { diffCluster } from "../../../provider/cluster/diff/diff";
import type { Ctx, Properties } from "../../../provider/contract";
import { type Fixture, initErrorOf, settle, writes } from "./harness";
import { checked } from "./inputs";

/** The requests that the operations of a running cluster are made of. */
export const patch = "PATCH /v1/clusters/:id";
export const stop = "POST /v1/clusters/:id/stop";
export const restart = "POST /v1/clusters/:id/restart";
export const redeploy = "POST /v1/clusters/:id/redeploy";
export const scale = "POST /v1/clusters/:id/scale";

/** A cluster that is to run, and the same one stopped. */
export const asked: Properties = { ...checked, desiredStatus: "running" };
export const atRest: Properties = { ...asked, desiredStatus: "stopped" };

/** A service without `/status`: the status word of the cluster is all that it shows of its health. */
export const noStatus = {
  kind: "status",
  status: 405,
  code: "method_not_allowed",
  method: "GET",
  path: "/v1/clusters/*/status",
  times: 1_000_000,
} as const;

/** A resource as the engine stores it. */
export interface Held {
  readonly id: string;
  readonly state: Properties;
}

/** Updates to new inputs; the record of requests holds this update alone. */
export async function change(
  bench: Fixture,
  { id, state }: Held,
  news: Properties,
  ctx: Partial<Ctx> = {},
): Promise<Held> {
  bench.simulator.requests.length = 0;
  return { id, state: await bench.run(bench.cluster.update(bench.ctx(ctx), id, state, news)) };
}

/** As `change`, but it has to fail: what the engine then stores, and the message that it shows. */
export async function failingChange(bench: Fixture, { id, state }: Held, news: Properties, ctx: Partial<Ctx> = {}) {
  bench.simulator.requests.length = 0;
  const error = await bench.run(initErrorOf(bench.cluster.update(bench.ctx(ctx), id, state, news)));
  return { id: error.id, state: error.state, text: error.reasons.join("\n") };
}

/** A refresh; fails if the cluster is gone. */
export async function refresh(bench: Fixture, { id, state }: Held): Promise<Held> {
  const found = await bench.run(bench.cluster.read(bench.ctx(), id, state));
  if (!found) throw new Error(`${id} was not found`);
  return { id, state: found.state };
}

/** The differences between the state and the inputs, by property path. */
export function toDo(_bench: Fixture, { state }: Held, news: Properties): string[] {
  return Object.keys(diffCluster(state, news).changes);
}

/** There is no difference, neither now nor after a refresh. */
export async function expectAtGoal(bench: Fixture, held: Held, news: Properties): Promise<void> {
  expect(held.state["settled"]).toBe(true);
  expect(toDo(bench, held, news)).toEqual([]);
  const again = await refresh(bench, held);
  expect(toDo(bench, again, news)).toEqual([]);
  expect(again.state).toEqual(held.state);
}

/** Updates to new inputs, by exactly these requests if `calls` is set; then there is no difference. */
export async function reach(bench: Fixture, held: Held, news: Properties, calls?: readonly string[]): Promise<Held> {
  const at = await change(bench, held, news);
  if (calls) expect(writes(bench.simulator)).toEqual(calls);
  await expectAtGoal(bench, at, news);
  return at;
}

/** A cluster that this package has stopped. */
export async function settleStopped(bench: Fixture, inputs: Properties = atRest): Promise<Held> {
  const made = await settle(bench, { ...inputs, desiredStatus: "running" });
  return change(bench, made, inputs);
}

/** What the replicas really run, and how often they were restarted. */
export function running(bench: Fixture, { id }: Held) {
  const { status, generation, deployed, replicaStates = [] } = bench.simulator.cluster(id) ?? {};
  return { status, generation, env: deployed?.env, restarts: Math.max(0, ...replicaStates.map((one) => one.restarts)) };
}

export function warnings({ messages: said }: Fixture): string[] {
  return said.filter((text) => text.startsWith("warning"));
}
