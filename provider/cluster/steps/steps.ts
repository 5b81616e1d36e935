import { stateOf } from "../../api/decode/states";
import { startActions } from "../../api/endpoints";
import { configInputs } from "../../api/variant";
import { briefOf, ClusterFailedError, NotInPlaceError, NoUpdateError } from "../../base/errors";
import { diffCluster, isWithinPaths } from "../diff/diff";
import { hasValue, unverifiedPaths } from "../diff/drift";
import type { Update } from "../diff/merge";
import { toState } from "../diff/observed";
import { isDown } from "../health/health";
import type { ClusterState } from "../schema/state";
import { find } from "../service/lookup";
import type { Operation } from "../service/operation";
import { type Service, waitUntilReady as waitUntil } from "../wait/wait";
import { checkMadeAsRequested, learnedState } from "./learnedState";
import { isRefusedRequest, start, stop } from "./power";
import { Progress, triggers } from "./progress";
import { observeStatus, redeployImage, repair, rollOutUpdate, type Stored, trigger } from "./rolloutRequests";
import { sendWrite } from "./sendWrite";
import { sendUpdate } from "./updateRequest";

/** One operation on an existing cluster, and how far it is. */
interface Run {
  readonly service: Service;
  readonly operation: Operation;
  readonly update: Update;
  readonly progress: Progress;
}

type Outcome = { readonly state: ClusterState } | Failure;

export interface Failure {
  /** An InitError, unless nothing was sent: then the engine keeps its state. */
  readonly failure: Error;
  readonly left?: ClusterState;
  readonly progress: Progress;
}

/** Runs the steps. A failure keeps the id, and its state has what the steps have reached. */
export async function runSteps(
  base: Omit<Run, "progress">,
  steps: (run: Run) => Promise<ClusterState>,
  what: string,
): Promise<Outcome> {
  const run = { ...base, progress: new Progress(base.update, !base.operation.isUpdate) };
  try {
    return { state: await steps(run) };
  } catch (error) {
    return { ...failureOf(run, error, what), progress: run.progress };
  }
}

/** After a create request: the service has everything, but it runs the cluster even if that is to be stopped. */
export async function finishCreation(run: Run): Promise<ClusterState> {
  const { service, operation, update, progress } = run;
  const { variant } = service.client;
  progress.reach(...configInputs, "replicas", ...triggers);
  // A cluster without its GPU or image never gets ready. Reading the first cluster is enough to find out.
  if (!variant.isConfirmed && !variant.hasReported("names not confirmed")) {
    variant.noteReport("names not confirmed");
    const record = await find(service, operation);
    if (record) checkMadeAsRequested(service, update.inputs, record);
  }
  if (update.inputs.desiredStatus === "stopped") await stopCluster(run);
  else await waitUntilReady(run, true);
  return learnedState(service, operation, update);
}

/**
 * Brings a cluster to its target. The configuration comes first, so that a refusal changes nothing. The number of replicas changes
 * after the new configuration is healthy: nobody pays for more replicas of a bad one, and no good one is gone.
 */
export async function changeCluster(run: Run): Promise<ClusterState> {
  const { service, operation, update, progress } = run;
  const { state, record, effects, target } = update;
  const down = isDown(record, state);
  const rollsOut = effects.has("rollout");
  const configures = rollsOut || effects.has("configure");

  if (target.desiredStatus === "stopped") {
    if (configures) await (down ? configureStopped(run) : configure(run));
    // Some services start a cluster when they update it.
    if (configures) await find(service, operation);
    await stopCluster(run);
    return endState(run);
  }

  const attempt = () => progress.attempt();
  if (down) await startStopped(run, configures);
  else if (configures) {
    const stored = await configure(run);
    if (stored && rollsOut) rolledOut(run, await rollOutUpdate(service, operation, stored));
  }
  if (!down && !rollsOut) {
    const action = effects.has("redeploy") ? "redeploy" : "restart";
    if (stateOf(record.status) === "failed") rolledOut(run, await repair(service, operation, attempt));
    else if (effects.has(action)) progress.rollout = await trigger(service, operation, action, attempt);
  }
  progress.reach(...triggers);

  // Without a replica, nothing shows whether the new configuration is healthy.
  const isScaled = progress.replicas !== target.replicas;
  if (rollsOut && !down && isScaled && progress.replicas !== 0) await waitUntilReady(run, false);
  if (isScaled) await scale(run);
  progress.reach("replicas");
  await waitUntilReady(run, isScaled);
  return endState(run);
}

/** The configuration that the replicas run, or will without a further request. */
function rolledOut({ progress }: Run, rollout: Progress["rollout"]): void {
  progress.reach(...configInputs, ...triggers);
  progress.rollout = rollout;
}

function configPaths({ update: { named } }: Run): string[] {
  return named.filter((path) => isWithinPaths(path, configInputs));
}

/**
 * Sends the configuration or, if only the image changes and the service has no update, redeploys with it.
 * @returns What shows the rollout of an update. Nothing if no more is to do.
 */
async function configure(run: Run): Promise<Stored | undefined> {
  const { service, operation, update, progress } = run;
  try {
    return await store(run);
  } catch (error) {
    // A service without an update has not stored what an earlier one left open.
    const isNothingToDo = error instanceof NotInPlaceError && !isWithinDiff(update, configInputs);
    if (!isNothingToDo && !(error instanceof NoUpdateError)) throw error;
    const attempt = () => progress.attempt(...configPaths(run));
    const { container } = update.target;
    rolledOut(run, isNothingToDo ? undefined : await redeployImage(service, operation, container, attempt));
    return undefined;
  }
}

/** Whether the difference between the program and the state, without what an operation left, is within these inputs. */
function isWithinDiff({ state, inputs }: Update, names: readonly string[]): boolean {
  return Object.keys(diffCluster({ ...state }, { ...inputs }).changes).some((path) => isWithinPaths(path, names));
}

/** Sends the configuration. Extra fields need no rollout. */
async function store(run: Run): Promise<Stored> {
  const { service, operation, update, progress } = run;
  operation.status("updating");
  // Replicas that the update adds to none do not show whether they run the new configuration.
  const canShowRollout = update.effects.has("rollout") && update.record.replicas !== 0;
  const before = canShowRollout ? await observeStatus(service, operation) : undefined;
  const replicas = progress.replicas ?? update.state.replicas ?? update.target.replicas;
  const attempt = () => progress.attempt(...configPaths(run));
  const seen = await sendUpdate(service, operation, update, { replicas, attempt });
  progress.reach("extraFields");
  return { before, seen };
}

/** The same for a stopped cluster. A refusal is not a failure: the configuration follows at the next start. */
async function configureStopped(run: Run): Promise<boolean> {
  const { operation, update, progress } = run;
  try {
    await store(run);
    return true;
  } catch (error) {
    if (!isRefusedRequest(error)) throw error;
    progress.leave(...configPaths(run));
    if (update.target.desiredStatus === "stopped")
      operation.warn(`the new configuration takes effect at the next start, because now: ${briefOf(error)}`);
    return false;
  }
}

async function stopCluster({ service, operation, update, progress }: Run): Promise<void> {
  await stop(service, operation, update.target, () => progress.attempt("desiredStatus"));
  progress.reach("desiredStatus", ...triggers);
}

async function startStopped(run: Run, configures: boolean): Promise<void> {
  const { service, operation, update, progress } = run;
  const isStored = configures && (await configureStopped(run));
  const record = isStored ? await find(service, operation) : update.record;
  // Only the image can change where there is no update: the redeploy that changes it starts the cluster too.
  const hasNoUpdate = configures && !isStored && service.client.variant.has("update") === false;
  const redeployBody = hasNoUpdate ? { container: update.target.container } : undefined;
  // Only a redeploy certainly runs a configuration that was stored while the cluster was stopped.
  const actions = isStored || hasNoUpdate ? (["redeploy", "restart", "scale"] as const) : startActions;
  // The update itself may have started the cluster.
  const isStarted = record !== undefined && !isDown(record, update.state);
  const attempt = () => progress.attempt("desiredStatus");
  const { replicas } = update.target;
  const options = { replicas, actions, redeployBody, attempt };
  const action = isStarted ? undefined : await start(service, operation, options);
  progress.reach("desiredStatus");
  progress.replicas = operation.observed.record?.replicas ?? progress.replicas;
  const hasRun = action === "redeploy" && (isStored || hasNoUpdate);
  if (!configures || (!isStored && !hasRun && !(await configure(run)))) return;
  const isRolledOut = hasRun || !update.effects.has("rollout");
  rolledOut(run, isRolledOut ? undefined : await rollOutUpdate(service, operation));
}

async function scale({ service, operation, update, progress }: Run): Promise<void> {
  const { replicas } = update.target;
  operation.status(`scaling to ${replicas}`);
  await sendWrite(service, operation, {
    kind: "scale",
    send: () => service.client.scaleCluster(operation.id, replicas, operation.request()),
    isDone: (record) => record?.replicas === replicas,
    attempt: () => progress.attempt("replicas"),
  });
  progress.replicas = replicas;
}

/** A rollout that the wait observes was accepted in any case. */
async function waitUntilReady(
  { service, operation, update, progress }: Run,
  isCreatedOrScaled: boolean,
): Promise<void> {
  const { target } = update;
  progress.leave();
  const { rollout } = progress;
  const inputs = { ...target, replicas: progress.replicas || target.replicas };
  await waitUntil(service, operation, inputs, { rollout, isAccepted: isCreatedOrScaled || rollout !== undefined });
  progress.rollout = undefined;
}

/**
 * The state of a cluster that is as requested. What a stopped cluster gets only at its next start stays marked. If nothing of
 * the configuration was sent, there is nothing to learn from what the service shows.
 */
async function endState(run: Run): Promise<ClusterState> {
  const { service, operation, update, progress } = run;
  const { inputs, state: before, effects, target } = update;
  const unfinished = progress.atStart;
  if ((inputs.desiredStatus === "stopped") !== (target.desiredStatus === "stopped"))
    operation.warn(`it was ${target.desiredStatus} by another user, and stays so; a refresh shows it`);
  const isNew = !operation.isUpdate || before.__observed === undefined;
  if (!unfinished && (isNew || effects.has("rollout") || effects.has("configure"))) {
    if (service.client.variant.has("update") === false) await judgeImage(run);
    return learnedState(service, operation, update);
  }
  const record = unfinished && (await find(service, operation));
  const unverifiedInputs = record && unverifiedPaths(inputs, record);
  const details = { settled: true, seenBy: service.seenBy, before, unverifiedInputs, unfinished };
  return toState(inputs, operation.observed, details);
}

/** @throws ClusterFailedError if a redeploy was accepted and is over, and the service still shows the old image. */
async function judgeImage({ service, operation, update, progress }: Run): Promise<void> {
  const { state, target, named } = update;
  const record = named.includes("container") && !target.skipAwait ? await find(service, operation) : undefined;
  if (!record || hasValue("container", target.container, record)) return;
  if (!hasValue("container", state.container, record)) return;
  progress.inputs = { ...progress.inputs, container: state.container ?? target.container };
  progress.leave("container");
  throw new ClusterFailedError(
    `the service accepted a redeploy with ${target.container}, but still shows ${record.container}. If it cannot change the ` +
      `image, \`pulumi up --replace '${operation.urn}'\` replaces the cluster`,
  );
}

const replacementAdvice =
  "The next `pulumi up` replaces the cluster, as its preview shows; to keep the cluster, undo the change";

/**
 * The error of steps that failed. If nothing was sent, the state stays as it was. If the service refused to change an input in
 * place, the state remembers it, and the next update replaces the cluster, unless an update was accepted before.
 */
function failureOf(
  { service, operation, update, progress }: Run,
  error: unknown,
  what: string,
): Pick<Failure, "failure" | "left"> {
  const { variant } = service.client;
  const isFixed = error instanceof NotInPlaceError && update.state.__fixed?.length !== 0 && variant.fixed.length > 0;
  const before = isFixed ? { ...update.state, __fixed: variant.fixed } : update.state;
  const { unfinished, hasBegun, inputs } = progress;
  if (!hasBegun && !isFixed) return { failure: operation.error(`was not changed: ${briefOf(error)}`, error) };
  const details = { settled: false, unfinished, seenBy: service.seenBy, before };
  const left = toState(inputs, operation.observed, details);
  return { failure: operation.initError(error, left, what, isFixed ? replacementAdvice : undefined), left };
}
