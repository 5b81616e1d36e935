import { isLeaving, stateOf } from "../api/read/states";
import type { ClusterRecord } from "../api/records";
import type { Ctx, Properties } from "../core";
import { ApiError, ClusterFailedError, isNotFound, messageOf } from "../errors";
import { whenFree } from "./busy";
import { applyOnce, type Progress } from "./configure";
import { diffCluster } from "./diff";
import { learnEcho, withDrift } from "./echo";
import type { CheckedInputs, ClusterState } from "./fields";
import { confirmAbsence, findCluster, findStatus } from "./find";
import { Operation } from "./operation";
import { judgeGone, judgeReady, type Look, type Past } from "./readiness";
import { afterRollout, type Rollout, updateAndRollOut } from "./rollout";
import type { Service } from "./service";
import { asInputs, asState, inputsOf, toPlainJson, toState } from "./state";

/** Creates exactly one cluster and waits until every replica is healthy. */
export async function createCluster(service: Service, ctx: Ctx, news: Properties) {
  const inputs = asInputs(news);
  const { clock, seenBy } = service;
  const record = await claim(service, new Operation(ctx, clock, "create", { id: "", inputs }), inputs);
  // From here on the cluster exists and is paid for: nothing below may lose its id.
  const operation = new Operation(ctx, clock, "create", { id: record.id, inputs });
  const before = toState(inputs, { record }, { settled: false, seenBy });
  const state = await keep(
    service,
    operation,
    "was created, but is not ready",
    () => ({ running: inputs, before, unfinished: true }),
    async () => {
      await waitUntilReady(service, operation, inputs.replicas);
      return reached(service, operation, inputs, before);
    },
  );
  return { id: record.id, state };
}

async function claim({ claims }: Service, operation: Operation, inputs: CheckedInputs): Promise<ClusterRecord> {
  const { name, gpuType, replicas, container, env = {} } = inputs;
  operation.status("creating");
  try {
    const warn = (text: string) => operation.warn(text);
    return await claims.create({ name, gpuType, replicas, container, env }, { ...operation.request(), warn });
  } catch (error) {
    throw operation.clean(error);
  }
}

/** Sends only what differs from what the service shows, in the fewest calls, and waits once. */
export async function updateCluster(service: Service, ctx: Ctx, id: string, olds: Properties, news: Properties) {
  const state = asState(olds);
  const inputs = asInputs(news);
  const { seenBy } = service;
  const changes = Object.keys(diffCluster(olds, news).changes);
  // Settings that only this package reads: nothing to send.
  if (changes.every((name) => name === "__timeouts")) {
    return toState(inputs, {}, { settled: true, seenBy: state.__seenBy ?? seenBy, before: state });
  }
  const operation = new Operation(ctx, service.clock, "update", { id, inputs, olds: state });
  const record = await findExisting(service, operation, state);
  const isChanged = changes.some((name) => name === "container" || name.startsWith("env"));
  // One that was sent and not seen through may also have been taken back since: then the diff does not show it.
  // One that has failed comes up again only by a roll-out.
  const needsRollout = isChanged || state.__unfinished === "rollout" || stateOf(record.status) === "failed";
  const change = { record, inputs, state, needsRollout };
  const sent: Sent = { isStored: false, isComplete: false };
  return keep(
    service,
    operation,
    "was not changed completely",
    () => whatRuns(change, sent),
    async () => {
      await sendChanges(service, operation, change, sent);
      await waitUntilReady(service, operation, inputs.replicas, sent.rollout);
      // What a scaled cluster shows of its env may be drift that was there before; it is not learned as its own form.
      if (needsRollout || state.__unfinished) return reached(service, operation, inputs, state);
      return toState(inputs, operation.seen, { settled: true, seenBy, before: state });
    },
  );
}

interface Change {
  readonly record: ClusterRecord;
  readonly inputs: CheckedInputs;
  readonly state: ClusterState;
  readonly needsRollout: boolean;
}

/** How far an update came. */
interface Sent extends Progress {
  /** True once everything was sent. */
  isComplete: boolean;
  /** Present once one was asked for. */
  rollout?: Rollout;
}

/** How far an operation came. */
interface SoFar {
  /** The inputs that the replicas run with by now. */
  readonly running: CheckedInputs;
  readonly before: ClusterState;
  readonly unfinished: ClusterState["__unfinished"];
  readonly sent?: ClusterState["__sent"];
}

/** Until a roll-out is seen, the replicas run with the old configuration, so that an interrupted one is done again. */
function whatRuns(change: Change, { isComplete, isStored, rollout }: Sent): SoFar {
  const { record, inputs, state: before, needsRollout } = change;
  const replicas = isComplete ? inputs.replicas : (record.replicas ?? before.replicas);
  const isThrough = isComplete && rollout?.seen !== false;
  if (isThrough || !needsRollout) return { running: { ...inputs, replicas }, before, unfinished: true };
  const { container, env } = before;
  const unfinished = isStored ? "rollout" : (before.__unfinished ?? true);
  const sent =
    unfinished === "rollout" ? [...new Set([...(before.__sent ?? []), ...Object.keys(inputs.env ?? {})])] : undefined;
  return { running: { ...inputs, replicas, container, env }, before, unfinished, sent };
}

/** What the service shows now. `undefined` only when it says, to the same key, that there is no such cluster. */
export async function readCluster(service: Service, ctx: Ctx, id: string, olds: Properties) {
  const state = asState(olds);
  const operation = new Operation(ctx, service.clock, "read", { id, inputs: { ...state, name: state.name ?? id } });
  const record = await find(service, operation);
  if (!record || stateOf(record.status) === "terminated") {
    refuseStrangers(service, operation, state);
    if (!record) refuseNewcomers(service, operation, state);
    return undefined;
  }
  const look = { record, status: await findStatus(service.client, operation) };
  const shown = withDrift(state, record);
  const { __unfinished: unfinished, __sent: sent } = state;
  const settled = unfinished === undefined && isSettled(look, shown.replicas);
  const next = toState(inputsOf(shown), look, { settled, unfinished, sent, seenBy: service.seenBy, before: state });
  return { state: next, inputs: toPlainJson(inputsOf(next)) };
}

/** Deletes the cluster and waits until it is gone. One that is gone already is fine. */
export async function deleteCluster(service: Service, ctx: Ctx, id: string, olds: Properties): Promise<void> {
  const state = asState(olds);
  const operation = new Operation(ctx, service.clock, "delete", { id, inputs: state });
  operation.status("deleting");
  try {
    const send = () => service.client.deleteCluster(id, operation.request());
    await whenFree(service, operation, send, (now) => !now || isLeaving(now.status));
    await service.watcher.watch({ operation, judge: judgeGone });
  } catch (error) {
    await acceptAbsence(service, operation, state, error);
  }
  service.claims.deleted(id);
  operation.status("deleted");
}

/** A deletion that finds nothing is a success, if there really is nothing. */
async function acceptAbsence(
  service: Service,
  operation: Operation,
  state: ClusterState,
  error: unknown,
): Promise<void> {
  if (!(error instanceof ApiError) || !isNotFound(error)) {
    throw operation.error(`was not deleted: ${messageOf(error)}`, error);
  }
  refuseStrangers(service, operation, state);
  const listed = await confirmAbsence(service, operation.id, operation.request(), error);
  if (listed && !isLeaving(listed.status)) {
    throw operation.error("was not deleted: the service answers that there is no such cluster, but lists it", error);
  }
  if (listed) await service.watcher.watch({ operation, judge: judgeGone });
  else refuseNewcomers(service, operation, state);
}

/** One update for env and container, with the replicas in the same body; one scale call for what is still missing then. */
async function sendChanges(service: Service, operation: Operation, change: Change, sent: Sent): Promise<void> {
  const { record, inputs, state, needsRollout } = change;
  const { replicas } = inputs;
  let shown: ClusterRecord | undefined = record;
  if (needsRollout) {
    operation.status("updating");
    const configuration = { inputs, before: state, shown: record };
    const { record: answered, rollout } = await updateAndRollOut(service, operation, configuration, sent);
    shown = answered?.replicas === undefined ? await find(service, operation) : answered;
    sent.rollout = rollout;
  }
  // Where the service does not show the number, one that was not reached is asked for again.
  const reached = state.settled === false ? undefined : state.replicas;
  if ((shown?.replicas ?? reached) !== replicas) {
    operation.status(`scaling to ${replicas}`);
    const send = () => service.client.scaleCluster(operation.id, replicas, operation.request());
    await applyOnce(service, operation, send, (now) => now.replicas === replicas);
  }
  sent.isComplete = true;
}

/** Waits until every replica is healthy; what was seen last is in `operation.seen`, also when this fails. */
async function waitUntilReady(service: Service, operation: Operation, replicas: number, rollout?: Rollout) {
  const isReady = (look: Look, past: Past) => judgeReady(look, past, replicas);
  const judge = rollout ? afterRollout(isReady, rollout, service.clock) : isReady;
  const verdict = await service.watcher.watch({ operation, judge });
  if (verdict.kind === "gone") throw new ClusterFailedError("it disappeared from the service while it was waited for");
  if (verdict.kind === "failed") throw new ClusterFailedError([verdict.summary, ...verdict.reasons].join("; "));
  const canBeSeen = rollout?.before?.isCounted !== true;
  if (rollout && canBeSeen && !rollout.seen) {
    operation.warn("no replica was seen to restart with the new configuration");
  }
  operation.status(`${replicas}/${replicas} replicas healthy`);
}

/** The state of a cluster that is now what was asked for; what the service shows otherwise is remembered, and said. */
async function reached(service: Service, operation: Operation, inputs: CheckedInputs, before: ClusterState) {
  const record = operation.seen.record?.env ? operation.seen.record : await find(service, operation);
  const { echo, differing, unchanged } = learnEcho(inputs, record ?? { id: operation.id }, before);
  const others = differing.filter((path) => !unchanged.includes(path));
  if (others.length > 0) operation.warn(`the service shows ${others.join(", ")} otherwise than asked for`);
  if (unchanged.length > 0)
    operation.warn(`the service accepted the change, but still shows ${unchanged.join(", ")} as before`);
  const facts = { settled: true, seenBy: service.seenBy, before: { ...before, __echo: echo } };
  return toState(inputs, operation.seen, facts);
}

/** Runs what comes after the cluster exists: every failure keeps its id, and the state as far as it was reached. */
async function keep(
  { seenBy }: Service,
  operation: Operation,
  what: string,
  soFar: () => SoFar,
  work: () => Promise<ClusterState>,
): Promise<ClusterState> {
  try {
    return await work();
  } catch (error) {
    const { running, before, ...facts } = soFar();
    const state = toState(running, operation.seen, { ...facts, settled: false, seenBy, before });
    throw operation.initError(error, state, what);
  }
}

async function find(service: Service, operation: Operation): Promise<ClusterRecord | undefined> {
  const record = await findCluster(service, operation.id, operation.request());
  operation.see({ ...operation.seen, record });
  return operation.seen.record;
}

async function findExisting(service: Service, operation: Operation, state: ClusterState): Promise<ClusterRecord> {
  const record = await find(service, operation);
  if (!record) refuseStrangers(service, operation, state);
  if (record && !isLeaving(record.status)) return record;
  throw operation.error(
    "is gone from the service. Run `pulumi refresh` first; the next `pulumi up` then creates it anew",
  );
}

/** One look, judged without a wait. */
function isSettled(look: Look, replicas: number): boolean {
  const past = { seen: true, misses: 0, healthyLooks: 1, contradicted: false, waitedMs: 0 };
  return judgeReady(look, past, replicas).kind === "ready";
}

/** "No such cluster" proves nothing when another key or address asks than the one that last saw it. */
function refuseStrangers({ seenBy }: Service, operation: Operation, state: ClusterState): void {
  if (state.__seenBy === undefined || state.__seenBy === seenBy) return;
  throw operation.error(
    "is not known to this service and API key, but it was last seen under others, so it may well exist. " +
      "Set GPUCLUSTER_BASE_URL and GPUCLUSTER_API_KEY (or gpucluster:baseUrl and gpucluster:apiKey) to those again; " +
      `if it is really gone, run \`pulumi state delete '${operation.urn}'\``,
  );
}

/** Until it was ready once, reads may lag behind the creation. */
const newcomerMs = 2 * 60_000;

function refuseNewcomers({ clock }: Service, operation: Operation, state: ClusterState): void {
  const ageMs = clock.now() - Date.parse(state.createdAt ?? "");
  if (state.__echo !== undefined || !(Math.abs(ageMs) < newcomerMs)) return;
  throw operation.error(
    "was created only just now, and the service does not show it yet. Run the command again in a while",
  );
}
