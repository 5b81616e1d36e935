import type { StatusRecord } from "../../api/decode/records";
import { startActions } from "../../api/endpoints";
import { configInputs } from "../../api/variant";
import { briefOf, ConfigError, NotInPlaceError, NoUpdateError, RequestError } from "../../base/errors";
import type { InitError } from "../../contract";
import { isDown } from "../health/health";
import type { Rollout } from "../health/rollout";
import { type CheckedInputs, type ClusterState, pick } from "../schema/state";
import { find } from "../service/lookup";
import type { Operation } from "../service/operation";
import type { Service } from "../wait/service";
import { waitUntilReady } from "../wait/wait";
import { checkMadeAsRequested, endState, partialError } from "./endState";
import { needsRollout, planOf, planOfCreation, replicasOf, requestedInputs, type Step, type Update } from "./plan";
import { isRefusedRequest, start, stop } from "./power";
import { observeStatus, redeployImage, restartReplicas, rollOutUpdate } from "./rolloutRequests";
import { sendWrite } from "./sendWrite";
import { sendUpdate } from "./updateRequest";

/** What the steps so far have reached. */
export interface Progress {
  /** The inputs with which the replicas run. */
  readonly inputs: CheckedInputs;
  /** Whether the new configuration has still to be sent, is stored by the service, or is what the replicas run. */
  readonly configuration: "unsent" | "stored" | "running";
  /** The replicas before the configuration was stored; absent if they cannot show a rollout. */
  readonly before?: StatusRecord | undefined;
  /** The rollout or restart to wait for. */
  readonly rollout?: Rollout | undefined;
  /** The number of replicas that the service has; `undefined` if it is not known. */
  readonly replicas: number | undefined;
}

export type Outcome = { readonly state: ClusterState } | Failure;

export interface Failure {
  readonly failure: InitError;
  readonly step: Step | undefined;
  readonly progress: Progress;
}

interface Run {
  readonly service: Service;
  readonly operation: Operation;
  readonly update: Update;
}

/** Steps, and what is true before them. */
export interface Plan {
  readonly steps: readonly Step[];
  readonly progress: Progress;
}

export function updateOf(update: Update): Plan {
  return { steps: planOf(update), progress: progressBefore(update) };
}

/** A new cluster has the requested inputs, but it runs even if it is to be stopped. */
export function creationOf(inputs: CheckedInputs): Plan {
  const started = { ...inputs, desiredStatus: withoutStop(inputs.desiredStatus) };
  const progress: Progress = { inputs: started, configuration: "running", replicas: inputs.replicas };
  return { steps: planOfCreation(inputs), progress };
}

/** Runs the steps in order. A failure keeps the id, and its state has what the steps before it reached. */
export async function runPlan(run: Run, plan: Plan, what: string): Promise<Outcome> {
  let { progress } = plan;
  let step: Step | undefined;
  try {
    for (step of plan.steps) progress = await steps[step](run, progress);
    return { state: await endOf(run, progress) };
  } catch (error) {
    return { failure: failureOf(run, progress, step, error, what), step, progress };
  }
}

const triggers = ["restartTriggers", "redeployTriggers"] as const;

function progressBefore(update: Update): Progress {
  const { inputs, state, record, effects } = update;
  const down = isDown(record, state);
  const unreached: (keyof CheckedInputs)[] = [];
  if (needsRollout(update)) unreached.push(...configInputs);
  else if (effects.has("configure")) unreached.push("extraFields");
  const configuration = unreached.length > 0 ? "unsent" : "running";
  // A stopped cluster has no replicas that a trigger would have to restart.
  if (!down) unreached.push(...triggers);
  const before = {
    ...inputs,
    ...pick(state, unreached),
    replicas: effects.has("scale") ? (record.replicas ?? state.replicas) : inputs.replicas,
    desiredStatus: down ? "stopped" : withoutStop(inputs.desiredStatus),
  } as const;
  return { inputs: before, configuration, replicas: replicasOf(update) };
}

function withoutStop(desiredStatus: CheckedInputs["desiredStatus"]): CheckedInputs["desiredStatus"] {
  return desiredStatus === "stopped" ? "running" : desiredStatus;
}

/** The progress with more inputs of the program that are reached. */
function reached({ update }: Run, progress: Progress, ...names: readonly (keyof CheckedInputs)[]): Progress {
  return { ...progress, inputs: { ...progress.inputs, ...pick(update.inputs, names) } };
}

/** The progress once the replicas run the new configuration, or will without a further request. */
function rolledOut(run: Run, progress: Progress, rollout: Rollout | undefined): Progress {
  return { ...reached(run, progress, ...configInputs, ...triggers), configuration: "running", rollout };
}

const steps: Readonly<Record<Step, (run: Run, progress: Progress) => Promise<Progress>>> = {
  async checkMade({ service, operation, update }, progress) {
    const { variant } = service.client;
    // A cluster without its GPU or image never gets ready. Reading the first cluster is enough to find out.
    if (variant.isConfirmed || !variant.isFirstReport("names not confirmed")) return progress;
    const record = await find(service, operation);
    if (record) checkMadeAsRequested(service, update.inputs, record);
    return progress;
  },
  async configure(run, progress) {
    if (progress.configuration !== "unsent") return progress;
    const { service, operation, update } = run;
    try {
      return await store(run, progress);
    } catch (error) {
      if (!(error instanceof NoUpdateError)) throw error;
      const { container } = requestedInputs(update);
      return rolledOut(run, progress, await redeployImage(service, operation, container, update.state));
    }
  },
  async configureStopped(run, progress) {
    try {
      return await store(run, progress);
    } catch (error) {
      if (!isRefusedRequest(error)) throw error;
      if (run.update.inputs.desiredStatus === "stopped")
        run.operation.warn(`the new configuration takes effect at the next start, because now: ${briefOf(error)}`);
      return progress;
    }
  },
  async rollOut(run, progress) {
    // A redeploy that started the cluster, or that changed the image, has already rolled it out.
    if (progress.configuration === "running") return progress;
    return rolledOut(run, progress, await rollOutUpdate(run.service, run.operation, progress.before));
  },
  async stop(run, progress) {
    // Some services start a cluster when they update it.
    if (progress.configuration === "stored") await find(run.service, run.operation);
    await stop(run.service, run.operation, run.update.inputs);
    return reached(run, progress, "desiredStatus", ...triggers);
  },
  start: startStopped,
  restart: (run, progress) => restart(run, progress, "restart"),
  redeploy: (run, progress) => restart(run, progress, "redeploy"),
  scale,
  async waitUntilReady({ service, operation, update }, progress) {
    const inputs = requestedInputs(update);
    const goal = { ...inputs, replicas: progress.replicas || inputs.replicas };
    await waitUntilReady(service, operation, goal, progress.rollout);
    return { ...progress, rollout: undefined };
  },
};

/** Sends the configuration. Extra fields need no rollout. */
async function store(run: Run, progress: Progress): Promise<Progress> {
  const { service, operation, update } = run;
  operation.status("updating");
  // Replicas that the update adds to none do not show whether they run the new configuration.
  const canShowRollout = needsRollout(update) && update.record.replicas !== 0;
  const before = canShowRollout ? await observeStatus(service, operation) : undefined;
  await sendUpdate(service, operation, update);
  const configuration = needsRollout(update) ? "stored" : "running";
  return { ...reached(run, progress, "extraFields"), configuration, before };
}

async function startStopped(run: Run, progress: Progress): Promise<Progress> {
  const { service, operation, update } = run;
  const isStored = progress.configuration === "stored";
  const record = isStored ? await find(service, operation) : update.record;
  // Only a redeploy certainly runs a configuration that was stored while the cluster was stopped.
  const actions = isStored ? (["redeploy", "restart", "scale"] as const) : startActions;
  // The update itself may have started the cluster.
  const isStarted = record !== undefined && !isDown(record, update.state);
  const action = isStarted ? undefined : await start(service, operation, requestedInputs(update).replicas, actions);
  const replicas = operation.observed.record?.replicas ?? progress.replicas;
  const next = { ...reached(run, progress, "desiredStatus"), before: undefined, replicas };
  return isStored && action === "redeploy" ? rolledOut(run, next, undefined) : next;
}

async function restart(run: Run, progress: Progress, action: "restart" | "redeploy"): Promise<Progress> {
  const rollout = await restartReplicas(run.service, run.operation, action);
  return { ...reached(run, progress, ...triggers), rollout };
}

async function scale(run: Run, progress: Progress): Promise<Progress> {
  const { service, operation, update } = run;
  const { replicas } = requestedInputs(update);
  const next = { ...reached(run, progress, "replicas"), replicas };
  if (progress.replicas === replicas) return next;
  operation.status(`scaling to ${replicas}`);
  await sendWrite(service, operation, {
    kind: "scale",
    send: () => service.client.scaleCluster(operation.id, replicas, operation.request()),
    isDone: (record) => record?.replicas === replicas,
  });
  return next;
}

/** The state of a successful update. The configuration of a stopped cluster takes effect at its next start. */
async function endOf({ service, operation, update }: Run, { configuration }: Progress): Promise<ClusterState> {
  const { inputs, state: before } = update;
  if (configuration !== "running") {
    await find(service, operation);
    return endState(service, operation, inputs, { before, ...unfinishedRollout(update, configuration === "stored") });
  }
  // Without a rollout, the env that the service shows may contain earlier drift, so nothing is learned from it.
  const isLearned = needsRollout(update) || before.__unfinished !== undefined || before.__observed === undefined;
  const sentInputs = isLearned ? requestedInputs(update) : undefined;
  return endState(service, operation, inputs, { before, sentInputs });
}

/** The failure of a step, with the state that the steps before it reached. */
function failureOf(
  { service, operation, update }: Run,
  { inputs, configuration }: Progress,
  step: Step | undefined,
  error: unknown,
  what: string,
): InitError {
  const { state: before } = update;
  const isSending = step === "configure" || step === "configureStopped";
  const isStored = configuration === "stored" || (isSending && !isClearRefusal(error));
  const mayBeStored = isStored || before.__unfinished === "rollout";
  const isUnfinishedRollout = needsRollout(update) && configuration !== "running" && mayBeStored;
  const mark = isUnfinishedRollout ? unfinishedRollout(update, isStored) : ({ unfinished: true } as const);
  return partialError(service, operation, error, what, { running: inputs, before, ...mark });
}

/** Whether the service has certainly not stored the configuration. */
function isClearRefusal(error: unknown): boolean {
  if (error instanceof NotInPlaceError || error instanceof ConfigError) return true;
  return error instanceof RequestError && error.method !== "GET" && !error.maybeApplied;
}

/** Marks a configuration that the replicas do not run yet, with the names of variables that the service may have. */
function unfinishedRollout({ inputs, state }: Update, isStored: boolean) {
  const { env = {} } = isStored ? inputs : state;
  const names = [...(state.__sent ?? []), ...Object.keys(env)];
  return { unfinished: "rollout", sent: [...new Set(names)] } as const;
}
