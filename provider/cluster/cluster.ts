import type { UpdateBody } from "../api/endpoints";
import { type ClusterRecord, isLeaving, stateOf } from "../api/records";
import type { Ctx, Properties } from "../core";
import { ClusterFailedError, isNotFound, messageOf } from "../errors";
import { diffCluster } from "./diff";
import { learnEcho, withDrift } from "./echo";
import type { CheckedInputs, ClusterState } from "./fields";
import { Operation } from "./operation";
import { judgeGone, judgeReady, type Look } from "./readiness";
import { applyOnce, statusIfAny, updateAndRollOut } from "./rollout";
import type { Service } from "./service";
import { asInputs, asState, inputsOf, toPlainJson, toState } from "./state";

/** Creates exactly one cluster and waits until every replica is healthy. */
export async function createCluster(service: Service, ctx: Ctx, news: Properties) {
  const inputs = asInputs(news);
  const { claims, clock, seenBy } = service;
  const { name, gpuType, replicas, container, env = {} } = inputs;
  ctx.status("creating");
  const request = new Operation(ctx, clock, "create", { id: "", inputs }).request();
  const record = await claims.create({ name, gpuType, replicas, container, env }, request);
  // From here on the cluster exists and is paid for: nothing below may lose its id.
  const operation = new Operation(ctx, clock, "create", { id: record.id, inputs });
  const before = toState(inputs, { record }, { settled: false, seenBy });
  const state = await keep(
    service,
    operation,
    "was created, but is not ready",
    () => [inputs, before],
    async () => {
      await waitUntilReady(service, operation, inputs.replicas);
      return reached(service, operation, inputs, before);
    },
  );
  return { id: record.id, state };
}

/** Sends only what differs from what the service shows, in the fewest calls, and waits once. */
export async function updateCluster(service: Service, ctx: Ctx, id: string, olds: Properties, news: Properties) {
  const state = asState(olds);
  const inputs = asInputs(news);
  const changes = Object.keys(diffCluster(olds, news).changes);
  // Settings that only this package reads: nothing to send.
  if (changes.every((name) => name === "__timeouts")) return { ...state, ...inputs };
  const operation = new Operation(ctx, service.clock, "update", { id, inputs, olds: state });
  const record = await findExisting(service, operation, state);
  const needsRollout = changes.some((name) => name === "container" || name.startsWith("env"));
  // Until the roll-out is through, the state says what the replicas run with, so that an interrupted one is done again.
  let running: CheckedInputs = needsRollout ? { ...inputs, container: state.container, env: state.env } : inputs;
  return keep(
    service,
    operation,
    "was not changed completely",
    () => [running, state],
    async () => {
      await sendChanges(service, operation, { record, inputs, state, needsRollout });
      running = inputs;
      await waitUntilReady(service, operation, inputs.replicas);
      if (!needsRollout)
        return toState(inputs, operation.seen, { settled: true, seenBy: service.seenBy, before: state });
      return reached(service, operation, inputs, state);
    },
  );
}

/** What the service shows now. `undefined` only when it says, to the same key, that there is no such cluster. */
export async function readCluster(service: Service, ctx: Ctx, id: string, olds: Properties) {
  const state = asState(olds);
  const operation = new Operation(ctx, service.clock, "read", { id, inputs: { ...state, name: state.name ?? id } });
  const record = await find(service, operation);
  if (!record || stateOf(record.status) === "terminated") {
    refuseStrangers(service, operation, state);
    return undefined;
  }
  const look = { record, status: await statusIfAny(service, operation) };
  const shown = withDrift(state, record);
  const facts = { settled: isSettled(look, shown.replicas), seenBy: service.seenBy, before: state };
  const next = toState(inputsOf(shown), look, facts);
  return { state: next, inputs: toPlainJson(inputsOf(next)) };
}

/** Deletes the cluster and waits until it is gone. One that is gone already is fine. */
export async function deleteCluster(service: Service, ctx: Ctx, id: string, olds: Properties): Promise<void> {
  const state = asState(olds);
  const { client, claims, watcher, clock } = service;
  const operation = new Operation(ctx, clock, "delete", { id, inputs: state });
  ctx.status("deleting");
  try {
    await client.deleteCluster(id, operation.request());
    const { deadlineMs } = operation;
    const report = (summary: string) => ctx.status(summary);
    await watcher.watch({ id, judge: judgeGone, deadlineMs, signal: ctx.signal, report });
  } catch (error) {
    if (!isNotFound(error)) throw operation.error(`was not deleted: ${messageOf(error)}`, error);
    refuseStrangers(service, operation, state);
  }
  claims.deleted(id);
  ctx.status("deleted");
}

interface Change {
  readonly record: ClusterRecord;
  readonly inputs: CheckedInputs;
  readonly state: ClusterState;
  readonly needsRollout: boolean;
}

/** One update for env and container, with the replicas in the same body; one scale call for what is still missing then. */
async function sendChanges(service: Service, operation: Operation, { record, inputs, state, needsRollout }: Change) {
  const { replicas } = inputs;
  let shown: ClusterRecord | undefined = record;
  if (needsRollout) {
    operation.ctx.status("updating");
    const env = inputs.env ?? (state.env ? {} : undefined);
    const body: UpdateBody = { container: inputs.container, replicas, ...(env ? { env } : {}) };
    shown = await updateAndRollOut(service, operation, body);
    if (shown?.replicas === undefined) shown = await find(service, operation);
  }
  if ((shown?.replicas ?? state.replicas) === replicas) return;
  operation.ctx.status(`scaling to ${replicas}`);
  const send = () => service.client.scaleCluster(operation.id, replicas, operation.request());
  await applyOnce(service, operation, send, (now) => now.replicas === replicas);
}

/** Waits until every replica is healthy; what was seen last is in `operation.seen`, also when this fails. */
async function waitUntilReady(service: Service, operation: Operation, replicas: number): Promise<void> {
  const { ctx, id, deadlineMs } = operation;
  const { verdict } = await service.watcher.watch({
    id,
    judge: (look, past) => judgeReady(look, past, replicas),
    deadlineMs,
    signal: ctx.signal,
    report: (summary) => ctx.status(summary),
    onLook: (look) => {
      operation.seen = look;
    },
  });
  if (verdict.kind === "gone") throw new ClusterFailedError("it disappeared from the service while it was waited for");
  if (verdict.kind === "failed") throw new ClusterFailedError([verdict.summary, ...verdict.reasons].join("; "));
  ctx.status(`${replicas}/${replicas} replicas healthy`);
}

/** The state of a cluster that is now what was asked for; what the service shows otherwise is remembered, and said. */
async function reached(service: Service, operation: Operation, inputs: CheckedInputs, before: ClusterState) {
  const record = operation.seen.record?.env ? operation.seen.record : await find(service, operation);
  const __echo = record && learnEcho(inputs, record);
  const differing = Object.keys(__echo ?? {}).join(", ");
  if (differing) operation.ctx.log(`${operation.title}: the service shows ${differing} not as asked for`, "warning");
  return toState(inputs, operation.seen, { settled: true, seenBy: service.seenBy, before: { ...before, __echo } });
}

/** Runs what comes after the cluster exists: every failure keeps its id, and the state as far as it was reached. */
async function keep(
  { seenBy }: Service,
  operation: Operation,
  what: string,
  soFar: () => [CheckedInputs, ClusterState],
  work: () => Promise<ClusterState>,
): Promise<ClusterState> {
  try {
    return await work();
  } catch (error) {
    const [inputs, before] = soFar();
    throw operation.initError(error, toState(inputs, operation.seen, { settled: false, seenBy, before }), what);
  }
}

async function find({ client }: Service, operation: Operation): Promise<ClusterRecord | undefined> {
  try {
    return await client.getCluster(operation.id, operation.request());
  } catch (error) {
    if (isNotFound(error)) return undefined;
    throw error;
  }
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
      `if it is really gone, run \`pulumi state delete '${operation.ctx.urn}'\``,
  );
}
