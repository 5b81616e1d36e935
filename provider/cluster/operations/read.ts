import { isStopping, stateOf } from "../../api/states";
import type { Ctx, Properties } from "../../contract";
import { gpuTypeOf, unverified, withDrift } from "../compare/drift";
import { type Found, goalOf, isStopped, judgeReady } from "../compare/health";
import { toState } from "../compare/observed";
import { mayScaleTo } from "../model/extraFields";
import { inputsOf, judgedState, programOf, toPlainJson } from "../model/state";
import type { ClusterState } from "../model/stateFields";
import { isAsSettled, showsAll } from "../shared/listCache";
import { checkConnection, findOrGone, findStatus } from "../shared/lookup";
import { Operation } from "../shared/operation";
import type { Service } from "../shared/service";

/** Reads the cluster. Returns `undefined` only if the service tells the same key that the cluster does not exist. */
export async function readCluster(service: Service, ctx: Ctx, id: string, olds: Properties) {
  const state = judgedState(olds, id);
  service.owned.stored(id, state);
  const subject = { id, inputs: { ...state, name: state.name ?? id }, olds: state };
  const operation = new Operation(ctx, service, "read", subject);
  const listed = await service.refreshes.listed(id, operation.lookup());
  if (listed) operation.observe({ record: listed });
  const record =
    listed && showsAll(listed, state) ? operation.observed.record : await findOrGone(service, operation, state);
  if (!record || stateOf(record.status) === "terminated") {
    checkConnection(service, operation, state);
    return undefined;
  }
  const isPlain = listed !== undefined && isAsSettled(record, state);
  const observation = { record, status: isPlain ? undefined : await findStatus(service.client, operation) };
  const isUnknown = state.name === undefined;
  const found = withDrift(state, record);
  // An import writes the GPU type into a program: a readable name is better there than an id.
  const shown = isUnknown ? { ...found, gpuType: gpuTypeOf(record) ?? found.gpuType } : found;
  const { __unfinished: unfinished, __sent: sent } = state;
  const settled = isPlain || isSettled(observation, shown);
  const facts = { settled, unfinished, sent, seenBy: service.seenBy, before: state };
  // A list may show fewer fields than the cluster itself: an input that was verified once stays verified.
  const { unverifiedInputs: once } = state;
  const unverifiedInputs = unverified(shown, record, state.__echo).filter((path) => once?.includes(path) ?? true);
  const next = toState(inputsOf(shown), observation, { ...facts, unverifiedInputs });
  // An import turns these inputs into a program, so they contain only what a program can set.
  return { state: next, inputs: isUnknown ? programOf(next) : toPlainJson(inputsOf(next)) };
}

/** Judges one observation, without a wait. With `skipAwait`, a cluster that is still starting counts as settled. */
function isSettled({ record, status }: Found, shown: ClusterState): boolean {
  // A stopped cluster is settled even if a new configuration waits for its start.
  if (shown.desiredStatus === "stopped") {
    return isStopped(record, shown) || (shown.skipAwait === true && isStopping(record.status));
  }
  if (shown.__unfinished !== undefined) return false;
  if (shown.skipAwait) return stateOf(record.status) !== "failed";
  const requested = shown.replicas ?? status?.replicas.length ?? 0;
  const replicas = mayScaleTo(shown.extraFields, record.replicas) ? record.replicas : requested;
  const verdict = judgeReady({ record, status }, goalOf({ ...shown, replicas }));
  // One observation of words that nobody knows does not end a wait that has not ended.
  return verdict.kind === "ready" && (verdict.unknown === undefined || shown.settled !== false);
}
