import type { ClusterRecord } from "../api/records";
import { abortable, until } from "../clock";
import { ClusterFailedError, messageOf } from "../errors";
import { listOf } from "../text";
import type { Change, Sent } from "./change";
import { learnForm, madeOtherwise, unverified } from "./drift";
import { find } from "./lookup";
import type { Operation } from "./operation";
import type { Service } from "./service";
import { toState } from "./state";
import type { CheckedInputs, ClusterState } from "./stateFields";

/** The state of a cluster that is now as requested, with the observed form of its inputs. Warns of values that differ. */
export async function reached(service: Service, operation: Operation, inputs: CheckedInputs, before: ClusterState) {
  const detail = await readDetails(service, operation, inputs, before);
  const record = { ...operation.observed.record, ...detail, id: operation.id };
  const isNew = operation.isCreation || before.__echo === undefined;
  if (isNew && inputs.adopt === undefined) refuseOther(service, inputs, record);
  const { echo: form, differing, unchanged } = learnForm(inputs, record, before);
  const others = differing.filter((path) => !unchanged.includes(path));
  if (others.length > 0) operation.warn(`the service shows ${others.join(", ")} differently from the request`);
  if (unchanged.length > 0)
    operation.warn(`the service accepted the change, but still shows ${unchanged.join(", ")} as before`);
  const isLate = operation.isCreation && service.client.form.showsLate ? { __late: true as const } : {};
  const facts = { settled: true, seenBy: service.seenBy, before: { ...before, __echo: form, ...isLate } };
  return toState(inputs, operation.observed, { ...facts, unverifiedInputs: unverified(inputs, record, form) });
}

/** The inputs as the service shows them, in one request at most. */
async function readDetails(service: Service, operation: Operation, inputs: CheckedInputs, before: ClusterState) {
  const { record: last } = operation.observed;
  if (last?.env) return last;
  const read = (urgency?: "reconcile") => find(service, operation, { urgency });
  if (!operation.isCreation) return read();
  // The read may belong to another operation, which has a later deadline.
  const late = () => operation.timeout(", while its details were read");
  return until({ clock: service.clock, deadlineMs: operation.lookup().deadlineMs, late }, (signal) =>
    abortable(service.details.read(inputs, { ...before, ...last }, read), signal),
  );
}

/**
 * Runs the work on a cluster that exists: every failure keeps the id and the partial state. If nothing was done at all
 * (`soFar` returns undefined), the engine keeps its state and its inputs. So the next diff still shows the change, and the
 * option `replaceOnChanges` can make it a replacement.
 */
export async function keep(
  { seenBy }: Service,
  operation: Operation,
  what: string,
  soFar: (error: unknown) => PartialState | undefined,
  work: () => Promise<ClusterState>,
): Promise<ClusterState> {
  try {
    return await work();
  } catch (error) {
    const progress = soFar(error);
    if (!progress) throw operation.error(`was not changed: ${messageOf(error)}`, error);
    const { running, before, ...facts } = progress;
    const state = toState(running, operation.observed, { ...facts, settled: false, seenBy, before });
    throw operation.initError(error, state, what);
  }
}

/** The result of an operation that failed halfway. */
export interface PartialState {
  /** The inputs that the replicas run with now. */
  readonly running: CheckedInputs;
  readonly before: ClusterState;
  readonly unfinished: ClusterState["__unfinished"];
  readonly sent?: ClusterState["__sent"];
}

/**
 * Until a roll-out is requested or observed, the replicas run with the old configuration, so an interrupted one is requested
 * again. If the service has accepted the roll-out, the next operation only waits for it.
 */
export function partialState(change: Change, sent: Sent): PartialState {
  const { isScaled, isRestarted, isStarted, isStored, rollout, wasAtRest } = sent;
  const { record, inputs: desired, state: before, needsRollout, needsUpdate } = change;
  const replicas = isScaled ? desired.replicas : (record.replicas ?? before.replicas);
  const { restartTriggers, redeployTriggers } = isRestarted ? desired : before;
  // If no status word shows that the cluster is stopped, the state has to show it until the start.
  const wasStopped = (wasAtRest || before.desiredStatus === "stopped") && !isStarted;
  const desiredStatus = wasStopped ? ("stopped" as const) : desired.desiredStatus;
  const extraFields = (needsUpdate || needsRollout) && !isStored ? before.extraFields : desired.extraFields;
  const inputs = { ...desired, replicas, restartTriggers, redeployTriggers, desiredStatus, extraFields };
  if (rollout?.isAccepted && !rollout.seen) return { running: inputs, before, unfinished: "redeployed" };
  const isFinished = rollout?.seen ?? isScaled;
  if (isFinished || !needsRollout) return { running: inputs, before, unfinished: true };
  // `plainEnv` says whether the old env is secret.
  const { container, env, plainEnv } = before;
  const unfinished = isStored ? "rollout" : (before.__unfinished ?? true);
  const names =
    unfinished === "rollout" ? [...new Set([...(before.__sent ?? []), ...Object.keys(desired.env ?? {})])] : undefined;
  return { running: { ...inputs, container, env, plainEnv }, before, unfinished, sent: names };
}

/** @throws ClusterFailedError if a new cluster shows another GPU type or image than requested. */
export function refuseOther({ client: { form } }: Service, inputs: CheckedInputs, record: ClusterRecord): void {
  const problems = madeOtherwise(inputs, record, form.gpus);
  if (problems.length === 0) return;
  throw new ClusterFailedError(
    `the service created it with ${listOf(problems)}. It may not know the field names of the request, which were those of ` +
      `the ${form.names ?? "specification"}: delete it with \`pulumi destroy\`, set gpucluster:requestNames ` +
      '("specification" or "client") and run `pulumi up` again',
  );
}
