import type { ClusterRecord } from "../../api/records";
import { type ConfigInput, configInputs } from "../../api/serviceForm";
import { stateOf } from "../../api/states";
import { messageOf, NotInPlaceError } from "../../base/errors";
import { isMasked, sameImage } from "../compare/drift";
import { isStopped } from "../compare/health";
import { type Rollout, resumedRollout } from "../compare/rollout";
import type { Effect } from "../model/fields";
import { pick } from "../model/state";
import type { CheckedInputs, ClusterState } from "../model/stateFields";
import { find } from "../shared/lookup";
import type { Operation } from "../shared/operation";
import { sendWrite } from "../shared/sendWrite";
import type { Service } from "../shared/service";
import { waitUntilReady } from "../wait/wait";
import { endState, type PartialState, withPartialState } from "./partialState";
import { isAtRest, isRefusedRequest, start, stop } from "./power";
import { restartOnce, updateAndRollOut } from "./requestRollout";
import { changedFields, replicasBefore, sendUpdate } from "./updateRequest";

/** A change of an existing cluster. */
export interface Change {
  /** The inputs of the program. */
  readonly inputs: CheckedInputs;
  /** The same for requests: what does not change has the value that the service shows. */
  readonly wanted: CheckedInputs;
  /** The state and the record before the change. */
  readonly state: ClusterState;
  readonly record: ClusterRecord;
  readonly effects: ReadonlySet<Effect>;
  /** The inputs that an update has to send. */
  readonly changed: ReadonlySet<ConfigInput>;
  /** True if env and container have to be sent, and the replicas have to run them. */
  readonly needsRollout: boolean;
  /** True if the service has just rolled another update of this cluster out by itself. */
  readonly rollsOut?: boolean;
}

export function changeOf(
  record: ClusterRecord,
  inputs: CheckedInputs,
  state: ClusterState,
  effects: ReadonlySet<Effect>,
): Change {
  // A roll-out that did not finish is sent again: if the program has taken it back since, the diff does not show it.
  const needsRollout = effects.has("rollout") || state.__unfinished === "rollout" || isRevived(record, inputs);
  // An update that did not finish may have left anything with the service. What an adopted cluster hides was never sent.
  const isOpen = (field: ConfigInput) =>
    state.__unfinished === "rollout" ||
    (state.adopt !== undefined &&
      inputs[field] !== undefined &&
      field !== "extraFields" &&
      record[field] === undefined);
  const differing = changedFields(inputs, state);
  const changed = new Set(configInputs.filter((field) => differing.includes(field) || isOpen(field)));
  return {
    inputs,
    wanted: withUnchanged(inputs, state, record, effects),
    state,
    record,
    effects,
    changed,
    needsRollout,
  };
}

/** Whether the cluster has failed, so that only a roll-out starts it again. */
export function isRevived({ status }: ClusterRecord, { desiredStatus }: CheckedInputs): boolean {
  return stateOf(status) === "failed" && desiredStatus !== "stopped";
}

/**
 * The inputs of a request that changes only what the diff shows. Every other input has the value of the service: an
 * autoscaler or another person may have changed it, or the program ignores it (`ignoreChanges`). If an earlier operation did
 * not finish, or the cluster is at rest, all inputs are those of the program.
 */
function withUnchanged(
  inputs: CheckedInputs,
  state: ClusterState,
  record: ClusterRecord,
  effects: ReadonlySet<Effect>,
): CheckedInputs {
  const isResting = isStopped(record, state) || inputs.desiredStatus === "stopped";
  if (state.settled !== true || state.__unfinished !== undefined || isResting) return inputs;
  const { container, env } = record;
  const isSame = inputs.container === state.container;
  return {
    ...inputs,
    replicas: effects.has("scale") ? inputs.replicas : record.replicas || inputs.replicas,
    ...(container !== undefined && isSame && !isOwnForm(container, state) ? { container } : {}),
    ...(env !== undefined ? { env: keptEnv(inputs.env, env, state) } : {}),
  };
}

/** Whether the shown image is the applied one, in any form. */
function isOwnForm(shown: string, { container, __echo }: ClusterState): boolean {
  return sameImage(container, shown) || __echo?.container === shown;
}

/**
 * Variables that change have the values of the program, all others those that the service shows. One that it hides or masks has
 * its applied value.
 */
export function keptEnv(own: CheckedInputs["env"] = {}, shown: NonNullable<ClusterRecord["env"]>, state: ClusterState) {
  const { env: before = {}, __echo: { env: hidden = [], masked = [] } = {} } = state;
  const names = [...new Set([...Object.keys(own), ...Object.keys(shown)])];
  const valueFor = (name: string): string | null | undefined => {
    const [now, value] = [own[name], shown[name]];
    if (now !== before[name] || hidden.includes(name)) return now;
    return value !== undefined && (masked.includes(name) || isMasked(value)) ? now : value;
  };
  const values = names.map((name) => [name, valueFor(name)] as const);
  return Object.fromEntries(values.filter((entry): entry is [string, string] => typeof entry[1] === "string"));
}

const triggers = ["restartTriggers", "redeployTriggers"] as const;

/** What is known to be done of a change. It is the state of a change that fails halfway. */
export class Journal {
  /** The inputs that the replicas run with. */
  #running: CheckedInputs;
  /** True once the service may have stored the new configuration, even if its answer was lost. */
  isStored = false;
  /** True once the cluster was stopped or started. */
  isMoved = false;
  /** True once a cluster was started with the new configuration. */
  isStarted = false;
  /** Present once a roll-out or a restart of running replicas was requested. */
  rollout: Rollout | undefined;

  constructor(private readonly change: Change) {
    const { inputs, state, record, effects, needsRollout } = change;
    const open = needsRollout ? configInputs : effects.has("configure") ? (["extraFields"] as const) : [];
    this.#running = {
      ...inputs,
      ...pick(state, [...open, ...triggers]),
      replicas: effects.has("scale") ? (record.replicas ?? state.replicas) : inputs.replicas,
      desiredStatus: state.desiredStatus === "stopped" ? "stopped" : inputs.desiredStatus,
    };
  }

  /** Notes that the replicas run with these inputs of the program. */
  done(...names: readonly (keyof CheckedInputs)[]): void {
    this.#running = { ...this.#running, ...pick(this.change.inputs, names) };
  }

  /** Sends the configuration. Only a clear refusal means that the service does not store it. */
  async store<T>(send: () => Promise<T>, isRefused: (error: unknown) => boolean): Promise<T> {
    const { isStored } = this;
    this.isStored = true;
    try {
      return await send();
    } catch (error) {
      if (isRefused(error)) this.isStored = isStored;
      throw error;
    }
  }

  /**
   * Until a roll-out is requested or observed, the replicas run with the old configuration, so an interrupted one is requested
   * again. If the service has accepted it, the next operation only waits for it.
   */
  partial(): PartialState {
    const { inputs, state: before, needsRollout } = this.change;
    const { isAccepted = false, seen = false } = this.rollout ?? {};
    const isRolledOut = isAccepted || seen || this.isStarted;
    if (isRolledOut) this.done(...configInputs);
    else if (this.isStored) this.done("extraFields");
    const running = this.#running;
    if (isAccepted && !seen) return { running, before, unfinished: "redeployed" };
    if (!needsRollout || isRolledOut) return { running, before, unfinished: true };
    if (!this.isStored) return { running, before, unfinished: before.__unfinished ?? true, sent: before.__sent };
    return { running, before, unfinished: "rollout", sent: this.names(inputs) };
  }

  /** Names of variables that the service may hold after an update of these inputs. */
  names({ env = {} }: Pick<CheckedInputs, "env">): string[] {
    return [...new Set([...(this.change.state.__sent ?? []), ...Object.keys(env)])];
  }
}

/** Makes a change and returns the state at its end. A failure keeps the id and the partial state. */
export function carryOut(
  service: Service,
  operation: Operation,
  change: Change,
  journal: Journal,
  what: string,
): Promise<ClusterState> {
  const { inputs, wanted, state, needsRollout } = change;
  const soFar = (error: unknown) => {
    const partial = journal.partial();
    const { fixed } = service.client.form;
    // What was changed in place once is not replaced because of one refusal, and nothing is because of a gateway's page.
    const isRemembered = error instanceof NotInPlaceError && state.__fixed?.length !== 0 && fixed.length > 0;
    return isRemembered ? { ...partial, before: { ...state, __fixed: fixed } } : partial;
  };
  return withPartialState(service, operation, what, soFar, async () => {
    if (inputs.desiredStatus === "stopped") await bringToRest(service, operation, change, journal);
    else await bringToRun(service, operation, change, journal);
    if (inputs.desiredStatus === "stopped" && needsRollout) {
      // It runs only after the next start.
      const sent = journal.names(journal.isStored ? {} : state);
      await find(service, operation);
      return endState(service, operation, inputs, { before: state, unfinished: "rollout", sent });
    }
    // Without a roll-out, the env that the service shows may contain earlier drift: it is not learned as the observed form.
    const isLearned = needsRollout || state.__unfinished !== undefined || state.__echo === undefined;
    return endState(service, operation, inputs, { before: state, learned: isLearned ? wanted : undefined });
  });
}

/** Stops the cluster. A new number of replicas is sent only with the next start. */
async function bringToRest(service: Service, operation: Operation, change: Change, journal: Journal): Promise<void> {
  const { inputs, needsRollout } = change;
  journal.isMoved = await stop(service, operation, inputs);
  journal.done("desiredStatus");
  if (needsRollout) {
    const refusal = await storeAtRest(service, operation, change, journal);
    if (refusal)
      operation.warn(
        `the new configuration takes effect at the next start, because the service refuses it now: ${refusal}`,
      );
    // Some services start a cluster when they update it.
    else if (await find(service, operation)) await stop(service, operation, inputs);
  }
  journal.done(...triggers);
}

/** Sends only the differences from what the service shows, in the fewest calls, and waits once. */
async function bringToRun(service: Service, operation: Operation, change: Change, journal: Journal): Promise<void> {
  const { wanted: inputs, state, effects, needsRollout } = change;
  const isStart = await isAtRest(service, operation);
  // After a start, no replica from before the stop runs: no trigger has to restart it.
  if (isStart) journal.done(...triggers);
  const isStored = isStart && needsRollout && !(await storeAtRest(service, operation, change, journal));
  if (isStart) await startUp(service, operation, inputs, isStored);
  journal.isStarted = isStored;
  journal.done("desiredStatus");
  journal.isMoved = isStart;
  const { record = change.record } = operation.observed;
  const size = { shown: record.replicas, asked: inputs.replicas };
  const trigger = (["redeploy", "restart"] as const).find((action) => effects.has(action));
  const { changed, rollsOut } = change;
  const request = { inputs, changed, rollsOut, before: state, shown: record };
  let shown: ClusterRecord | undefined = record;
  if (needsRollout && !isStored) {
    operation.status("updating");
    shown = await updateAndRollOut(service, operation, request, journal);
  } else if (effects.has("configure")) {
    operation.status("updating");
    shown = await sendUpdate(service, operation, request, journal);
  } else if (trigger && !isStart) {
    journal.rollout = await restartOnce(service, operation, trigger, size);
  } else if (state.__unfinished === "redeployed" && !isStart) {
    journal.rollout = resumedRollout(service.clock, state.replicaStatuses ?? [], size);
  }
  journal.done(...triggers);
  if (shown?.replicas === undefined) shown = await find(service, operation);
  await scale(service, operation, change, shown);
  journal.done("replicas");
  await waitUntilReady(service, operation, inputs, journal.rollout);
}

/** Starts the cluster if it is still at rest. A configuration that was changed at rest certainly runs only after a redeploy. */
async function startUp(service: Service, operation: Operation, { replicas }: CheckedInputs, isChanged: boolean) {
  await find(service, operation);
  const actions = isChanged ? (["redeploy", "restart", "scale"] as const) : undefined;
  const isResting = await isAtRest(service, operation);
  const by = isResting ? await start(service, operation, replicas, actions) : undefined;
  if (isChanged && by !== "redeploy")
    await restartOnce(service, operation, "redeploy", { shown: undefined, asked: replicas });
  await find(service, operation);
}

/** Changes env and container of a stopped cluster. Returns the reason if the service refuses. */
async function storeAtRest(service: Service, operation: Operation, change: Change, journal: Journal) {
  const { wanted, record, state, changed } = change;
  const inputs = { ...wanted, replicas: record.replicas ?? wanted.replicas };
  operation.status("updating");
  try {
    await sendUpdate(service, operation, { inputs, changed, before: state, shown: record }, journal);
    return undefined;
  } catch (error) {
    if (isRefusedRequest(error)) return messageOf(error);
    throw error;
  }
}

/** Sends one scale call if the number of replicas still differs. */
async function scale(service: Service, operation: Operation, change: Change, shown: ClusterRecord | undefined) {
  const { replicas } = change.wanted;
  if (replicasBefore(shown, change.state) === replicas) return;
  operation.status(`scaling to ${replicas}`);
  await sendWrite(service, operation, {
    kind: "scale",
    send: () => service.client.scaleCluster(operation.id, replicas, operation.request()),
    isDone: (now) => now?.replicas === replicas,
  });
}
