import type { Properties } from "../../../provider/contract";
import { type Dialect, dialects } from "../../../simulator";
import { type Fixture, type FixtureOptions, living, openFixture, writes } from "../cluster/harness";
import { change, expectAtGoal, type Held, warnings as warningsOf } from "../cluster/powerHarness";

/** The names of all dialects except that of the official client, which published.test.ts tests. */
export const names = Object.keys(dialects).filter((name) => name !== "client");

/** The desired inputs of a cluster, as check returns them. */
export interface Wanted extends Properties {
  name: string;
  gpuType: string;
  replicas: number;
  container: string;
  env?: Record<string, string>;
}

export const web: Wanted = {
  name: "web",
  gpuType: "h100",
  replicas: 2,
  container: "team/server:1.0",
  env: { MODEL: "llama-3-8b-instruct", MODE: "value-of-mode", EMPTY: "" },
};

/** A fixture whose simulator uses a dialect. */
export function open(dialect: string | Partial<Dialect>, options: FixtureOptions = {}): Promise<Fixture> {
  return openFixture({ dialect, ...options });
}

/** Creates a cluster and checks that it exists. */
export async function create(bench: Fixture, wanted: Wanted = web): Promise<Held> {
  const held = await bench.run(bench.cluster.create(bench.ctx(), wanted));
  await expectReached(bench, held, wanted);
  return held;
}

/** Updates a cluster and checks that it is the desired one. */
export async function update(bench: Fixture, held: Held, wanted: Wanted): Promise<Held> {
  const next = await change(bench, held, wanted);
  await expectReached(bench, next, wanted);
  return next;
}

/** All warnings except that of a removed variable where the service neither shows env nor accepts a null. */
export function warnings(bench: Fixture): string[] {
  const { envEcho, updateMethod, updateSemantics } = bench.simulator.dialect;
  const refusesNull = envEcho === "none" && updateMethod === "PATCH" && updateSemantics !== "merge-keys";
  return warningsOf(bench).filter((message) => !refusesNull || !message.includes("refuses a null"));
}

/**
 * The postcondition of each success: one living cluster of that name, its replicas run the desired configuration, and the
 * state matches. Neither the next preview nor one after a refresh shows a change. There is no warning.
 */
export async function expectReached(bench: Fixture, held: Held, wanted: Wanted): Promise<void> {
  expectRunning(bench, held.id, wanted);
  expect(held.state).toMatchObject({ ...wanted, settled: true, readyReplicas: wanted.replicas });
  expect(held.state["env"]).toEqual(wanted.env);
  expect(JSON.parse(JSON.stringify(held.state))).toStrictEqual(held.state);
  const sent = writes(bench.simulator).length;
  await expectAtGoal(bench, held, wanted);
  expect(writes(bench.simulator)).toHaveLength(sent);
  // A second create request after a lost answer always warns.
  expect(warnings(bench).filter((message) => !message.includes("the request is sent again"))).toEqual([]);
}

/** Checks the configuration that really runs, whatever the service shows. */
export function expectRunning({ simulator }: Fixture, id: string, wanted: Wanted): void {
  const configuration = { container: wanted.container, env: wanted.env ?? {} };
  expect(living(simulator).filter(({ name }) => name === wanted.name)).toEqual([
    expect.objectContaining({ id, status: "running", replicas: wanted.replicas, ...configuration }),
  ]);
  const cluster = simulator.cluster(id);
  expect(cluster?.deployed).toEqual(configuration);
  expect(cluster?.replicaStates.map(({ healthy }) => healthy)).toEqual(Array(wanted.replicas).fill(true));
}
