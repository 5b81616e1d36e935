import type { StatusRecord } from "../../api/decode/records";
import { startActions } from "../../api/endpoints";
import { configInputs } from "../../api/variant";
import { briefOf, ConfigError, NotInPlaceError, NoUpdateError, RequestError } from "../../base/errors";
import type { InitError } from "../../contract";
import { isDown } from "../health/health";
import type { Rollout } from "../health/rollout";
import { pick } from "../schema/state";
import type { CheckedInputs, ClusterState } from "../schema/stateFields";
import { find } from "../service/lookup";
import type { Operation } from "../service/operation";
import type { Service } from "../wait/service";
import { waitUntilReady } from "../wait/wait";
import { checkMadeAsRequested, endState, partialError } from "./endState";
import { needsRollout, planOf, planOfCreation, replicasOf, type Step, type Update, wantedInputs } from "./plan";
import { isRefusedRequest, start, stop } from "./power";
import { observeStatus, redeployImage, restartReplicas, rollOutUpdate } from "./rolloutRequests";
import { sendWrite } from "./sendWrite";
import { sendUpdate } from "./updateRequest";

/** What is true of a cluster after the steps so far. */
export interface Progress {
  /** The inputs that its replicas run with. */
  readonly inputs: CheckedInputs;
  /** Whether the new configuration is still to be sent, is stored by the service, or is what the replicas run. */
  readonly configuration: "open" | "stored" | "running";
  /** The replicas before the configuration was stored; absent if they cannot show a roll-out. */
  readonly before?: StatusRecord | undefined;
  /** The roll-out or restart that is to be waited for. */
  readonly rollout?: Rollout | undefined;
  /** The number of replicas that the service has; `undefined` if it is not known. */
  readonly replicas: number | undefined;
}

export type Outcome =
  | { readonly state: ClusterState }
  | { readonly failure: InitError; readonly step: Step | undefined; readonly progress: Progress };

interface Run {
  readonly service: Service;
  readonly operation: Operation;
  readonly update: Update;
}

/** What is to be done, and what is true before. */
export interface Plan {
  readonly steps: readonly Step[];
  readonly progress: Progress;
}

export function updateOf(update: Update): Plan {
  return { steps: planOf(update), progress: progressBefore(update) };
}

/** A new cluster starts with what was requested. */
export function creationOf(inputs: CheckedInputs): Plan {
  const { desiredStatus, replicas } = inputs;
  const started = { ...inputs, desiredStatus: desiredStatus === "stopped" ? "running" : desiredStatus } as const;
  return { steps: planOfCreation(inputs), progress: { inputs: started, configuration: "running", replicas } };
}

/** Runs the steps in order. A failure keeps the id, and the state has what the steps before it have reached. */
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
  const open = needsRollout(update) ? configInputs : effects.has("configure") ? (["extraFields"] as const) : [];
  const { desiredStatus } = inputs;
  return {
    inputs: {
      ...inputs,
      // No replica of a stopped cluster is left that a trigger would have to restart.
      ...pick(state, down ? open : [...open, ...triggers]),
      replicas: effects.has("scale") ? (record.replicas ?? state.replicas) : inputs.replicas,
      desiredStatus: down ? "stopped" : desiredStatus === "stopped" ? "running" : desiredStatus,
    },
    configuration: open.length > 0 ? "open" : "running",
    replicas: replicasOf(update),
  };
}

/** The progress with inputs of the program that are reached now. */
function reached({ update }: Run, progress: Progress, ...names: readonly (keyof CheckedInputs)[]): Progress {
  return { ...progress, inputs: { ...progress.inputs, ...pick(update.inputs, names) } };
}

/** The replicas run the new configuration now, or will without a further request. */
function rolledOut(run: Run, progress: Progress, rollout: Rollout | undefined): Progress {
  return { ...reached(run, progress, ...configInputs, ...triggers), configuration: "running", rollout };
}

const steps: Readonly<Record<Step, (run: Run, progress: Progress) => Promise<Progress>>> = {
  async checkMade({ service, operation, update }, progress) {
    const { variant } = service.client;
    // Without its GPU or image, a cluster would be polled in vain. The first one shows that.
    const isSuspect = !variant.isConfirmed && variant.isFirstReport("names not confirmed");
    const record = isSuspect ? await find(service, operation) : undefined;
    if (record) checkMadeAsRequested(service, update.inputs, record);
    return progress;
  },
  async configure(run, progress) {
    if (progress.configuration !== "open") return progress;
    const { service, operation, update } = run;
    try {
      return await store(run, progress);
    } catch (error) {
      if (!(error instanceof NoUpdateError)) throw error;
      const { container } = wantedInputs(update);
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
    // A redeploy that started the cluster, or that brought the image, has rolled it out already.
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
    const wanted = wantedInputs(update);
    const goal = { ...wanted, replicas: progress.replicas || wanted.replicas };
    await waitUntilReady(service, operation, goal, progress.rollout);
    return { ...progress, rollout: undefined };
  },
};

/** Sends the configuration. Extra fields need no roll-out. */
async function store(run: Run, progress: Progress): Promise<Progress> {
  const { service, operation, update } = run;
  operation.status("updating");
  const before = needsRollout(update) ? await observeStatus(service, operation) : undefined;
  await sendUpdate(service, operation, update);
  const configuration = needsRollout(update) ? "stored" : "running";
  return { ...reached(run, progress, "extraFields"), configuration, before };
}

async function startStopped(run: Run, progress: Progress): Promise<Progress> {
  const { service, operation, update } = run;
  const isStored = progress.configuration === "stored";
  const record = isStored ? await find(service, operation) : update.record;
  // Only a redeploy certainly runs a configuration that was stored while the cluster was stopped. The update itself may start it.
  const actions = isStored ? (["redeploy", "restart", "scale"] as const) : startActions;
  const isStarted = record !== undefined && !isDown(record, update.state);
  const action = isStarted ? undefined : await start(service, operation, wantedInputs(update).replicas, actions);
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
  const { replicas } = wantedInputs(update);
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

/** The state of an update that has succeeded. The configuration of a stopped cluster takes effect at its next start. */
async function endOf({ service, operation, update }: Run, { configuration }: Progress): Promise<ClusterState> {
  const { inputs, state: before } = update;
  if (configuration !== "running") {
    await find(service, operation);
    return endState(service, operation, inputs, { before, ...unfinishedRollout(update, configuration === "stored") });
  }
  // Without a roll-out, the env that the service shows may contain earlier drift: it is not learned as the observed form.
  const isLearned = needsRollout(update) || before.__unfinished !== undefined || before.__observed === undefined;
  return endState(service, operation, inputs, { before, learned: isLearned ? wantedInputs(update) : undefined });
}

/** The failure of a step, with the state that the steps before it have reached. */
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
  const isOpen = needsRollout(update) && configuration !== "running" && (isStored || before.__unfinished === "rollout");
  const mark = isOpen ? unfinishedRollout(update, isStored) : ({ unfinished: true } as const);
  return partialError(service, operation, error, what, { running: inputs, before, ...mark });
}

/** Whether the service has certainly not stored the configuration. */
function isClearRefusal(error: unknown): boolean {
  if (error instanceof NotInPlaceError || error instanceof ConfigError) return true;
  return error instanceof RequestError && error.method !== "GET" && !error.maybeApplied;
}

/** The mark of a configuration that the replicas do not run, with the names of variables that the service may hold. */
function unfinishedRollout({ inputs, state }: Update, isStored: boolean) {
  const { env = {} } = isStored ? inputs : state;
  const names = [...(state.__sent ?? []), ...Object.keys(env)];
  return { unfinished: "rollout", sent: [...new Set(names)] } as const;
}
