import type { Properties } from "../../../../provider/contract";
import type { Fault } from "../../../../simulator";
import { type Bench, type BenchOptions, failureOf, forget, openBench, settle } from "../harness";
import { checked } from "../inputs";
import { failingChange, type Held } from "../powerHarness";

export const good: Properties = {
  ...checked,
  container: "acme/model:1",
  desiredStatus: "running",
  onFailedUpdate: "rollBack",
};
export const bad: Properties = { ...good, container: "acme/model:2" };
export const better: Properties = { ...good, container: "acme/model:3" };
const reason = { message: "CUDA out of memory", container: "acme/model:2", times: 9 };
export const broken = { kind: "fail", ...reason } satisfies Fault;
export const sick = { kind: "sick-replica", replica: 1, ...reason } satisfies Fault;

/** A settled cluster of a service on which `acme/model:2` never gets healthy. */
export async function openGood(options: BenchOptions = {}, inputs = good) {
  const bench = await openBench({ faults: [broken], ...options });
  return { bench, made: await settle(bench, inputs) };
}

/** The same after an update that was rolled back. */
export async function openRolledBack(options: BenchOptions = {}) {
  const { bench, made } = await openGood(options);
  const failed = await failingChange(bench, made, bad);
  forget(bench);
  return { bench, made, failed };
}

export const plainText = (text: string) => text.replace(/(cl|rep)_[0-9a-f]+/g, "$1_1");

/** Says what a preview says: the engine asks for it before the difference. */
export async function preview(bench: Bench, { id, state }: Held, news: Properties): Promise<string[]> {
  forget(bench);
  await bench.run(bench.cluster.recognize(bench.ctx(), id, state, news));
  return bench.said;
}

/** An update that fails without a new state. */
export async function refusedChange(bench: Bench, { id, state }: Held, news: Properties): Promise<string> {
  forget(bench);
  const error = await bench.run(failureOf(bench.cluster.update(bench.ctx(), id, state, news)));
  expect(error.name).toBe("GpuClusterError");
  return error.message;
}
