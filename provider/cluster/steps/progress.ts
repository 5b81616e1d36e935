import type { ClusterRecord, StatusRecord } from "../../api/decode/records";
import { configInputs } from "../../api/endpoints";
import { type ApiError, briefOf, ClusterFailedError, NotInPlaceError } from "../../base/errors";
import { listOf, maxNamed } from "../../base/text";
import { isWithinPaths, toState, type Update } from "../diff/diff";
import { compareObserved, findSpecMismatches, hasValue, keysIn, unverifiedPaths } from "../diff/drift";
import { isDown, type Rollout } from "../health/health";
import { textNames } from "../schema/fields";
import { type CheckedInputs, type ClusterState, type ObservedInputs, pick } from "../schema/state";
import { find } from "../service/lookup";
import type { Operation } from "../service/operation";
import type { LearnedInputs } from "../service/registry";
import type { Dependencies } from "../wait/wait";

/** One operation on a cluster that exists, be it since a moment, and how far it is. */
export interface Change {
  readonly deps: Dependencies;
  readonly operation: Operation;
  readonly update: Update;
  readonly progress: Progress;
}

type StepsResult = { readonly state: ClusterState } | Failure;

export interface Failure {
  /** An InitError, unless nothing was sent: then the engine keeps its state. */
  readonly failure: Error;
  readonly left?: ClusterState;
  readonly progress: Progress;
}

const replacementAdvice =
  "The next `pulumi up` replaces the cluster, as its preview shows; to keep the cluster, undo the change";

/**
 * Runs the steps. A failure keeps the id, and its state has what the steps have reached; if nothing was sent, the state stays as
 * it was. If the service refused to change an input in place, the state remembers it, and the next update replaces the cluster,
 * unless an update was accepted before.
 */
export async function runSteps(
  base: Omit<Change, "progress">,
  steps: (change: Change) => Promise<ClusterState>,
  what: string,
): Promise<StepsResult> {
  const { deps, operation, update } = base;
  // A failure of a creation puts the id of the cluster into the state in any case.
  const keepsId = operation.kind !== "update";
  const progress = new Progress(update, keepsId);
  try {
    return { state: await steps({ ...base, progress }) };
  } catch (error) {
    const { fixed } = deps.client.capabilities;
    const isFixed = error instanceof NotInPlaceError && update.state.__fixed?.length !== 0 && fixed.length > 0;
    if (!progress.hasBegun && !isFixed)
      return { failure: operation.error(`was not changed: ${briefOf(error)}`, error), progress };
    const before = isFixed ? { ...update.state, __fixed: fixed } : update.state;
    const kind = keepsId ? "creation" : "update";
    const unfinished = { kind, paths: progress.paths } as const;
    const details = { settled: false, unfinished, seenBy: deps.seenBy, before };
    const left = toState(progress.inputs, operation.observed, details);
    const advice = isFixed ? replacementAdvice : undefined;
    return { failure: operation.initError(error, left, what, advice), left, progress };
  }
}

/**
 * The state of a cluster that is as requested. What a stopped cluster gets only at its next start stays marked. If nothing of
 * the configuration was sent, there is nothing to learn from what the service shows.
 */
export async function endState(change: Change): Promise<ClusterState> {
  const { deps, operation, update, progress } = change;
  const { inputs, state: before, effects, target, named } = update;
  const unfinished = progress.paths.length > 0 ? { kind: "start" as const, paths: progress.paths } : undefined;
  if ((inputs.desiredStatus === "stopped") !== (target.desiredStatus === "stopped"))
    operation.warn(`it was ${target.desiredStatus} by another user, and stays so; a refresh shows it`);
  const hasLearned = operation.kind === "update" && before.__observed !== undefined;
  if (unfinished || (hasLearned && !effects.has("rollout") && !effects.has("configure"))) {
    const record = unfinished && (await find(deps, operation));
    const unverifiedInputs = record && unverifiedPaths(inputs, record);
    const details = { settled: true, seenBy: deps.seenBy, before, unverifiedInputs, unfinished };
    return toState(inputs, operation.observed, details);
  }
  // Where the service has no update, it can accept a redeploy with an image that it then ignores.
  if (deps.client.capabilities.hasUpdate === false && named.includes("container") && !target.skipAwait) {
    const record = await find(deps, operation);
    const isOld = record && !hasValue("container", target.container, record);
    if (isOld && hasValue("container", before.container, record)) {
      progress.miss("container");
      throw new ClusterFailedError(
        `the service accepted a redeploy with ${target.container}, but still shows ${record.container}. If it cannot change the ` +
          `image, \`pulumi up --replace '${operation.urn}'\` replaces the cluster`,
      );
    }
  }
  return learnedState(change);
}

/**
 * The state of a cluster that is now as requested, with what its record shows differently. If no observation has all of it, the
 * cluster is read; the creations of a fleet share what the first one has learned.
 */
export async function learnedState({ deps, operation, update }: Change): Promise<ClusterState> {
  const { inputs, state, target, named } = update;
  const { record: last } = operation.observed;
  const learnFrom = (found: ClusterRecord | undefined): LearnedInputs => {
    const record = { ...(found ?? last), id: operation.id };
    const isMade = operation.kind === "create" || (inputs.adopt === undefined && state.__observed === undefined);
    if (isMade) checkMadeAsRequested(deps, inputs, record);
    return {
      ...learnedFrom(update, record, operation.kind === "update"),
      unverifiedInputs: unverifiedPaths(inputs, record),
      isTypical: found && isTypical(found, inputs, { ...state, ...last }),
    };
  };
  // An unfinished creation that the program has corrected sends changes too.
  const sendsChanges = named.length > 0;
  // With skipAwait, the last observation is older than the change.
  const isCurrent = last?.env !== undefined && !(sendsChanges && target.skipAwait);
  let learned: LearnedInputs;
  if (isCurrent) learned = learnFrom(last);
  else if (operation.kind !== "create" || sendsChanges) learned = learnFrom(await find(deps, operation));
  else
    learned = await deps.registry.learned(inputs, async () =>
      learnFrom(await find(deps, operation, { priority: "lookup" })),
    );

  const { echo, differing, unchanged, unverifiedInputs } = learned;
  const others = differing.filter((path) => !unchanged.includes(path));
  if (others.length > 0) operation.warn(`the service shows ${listOf(others, maxNamed)} differently from the request`);
  if (unchanged.length > 0)
    operation.warn(`the service accepted the change, but still shows ${listOf(unchanged, maxNamed)} as before`);
  const fixed = deps.client.capabilities.hasUpdate ? [] : state.__fixed;
  const before = { ...state, __fixed: fixed, __observed: echo };
  return toState(inputs, operation.observed, { settled: true, seenBy: deps.seenBy, before, unverifiedInputs });
}

/**
 * How the service shows what was applied: all of a creation, and of an update the paths that it names. A difference in anything
 * else is drift. What an adopted cluster had, and the program does not set, is kept.
 */
function learnedFrom({ inputs, state, target, named }: Update, record: ClusterRecord, isUpdate: boolean) {
  const { __observed: known = {} } = state;
  const isSent = (path: string) => !isUpdate || isWithinPaths(path, named);
  const { echo, differing, unchanged } = compareObserved(target, record, state);
  const removed = keysIn(named, "env");
  const kept = known.kept?.filter((name) => !Object.hasOwn(inputs.env ?? {}, name) && !removed.includes(name)) ?? [];
  const keysOf = (map: "env" | "extraFields") => {
    const keys = [
      echo[map]?.filter((key) => isSent(`${map}.${key}`)),
      known[map]?.filter((key) => !isSent(`${map}.${key}`)),
    ];
    return keys.flatMap((some = []) => some).filter((key) => map === "extraFields" || !kept.includes(key));
  };
  const texts = textNames.map((field) => [field, (isSent(field) ? echo : known)[field]] as const);
  const lists = { env: keysOf("env"), extraFields: keysOf("extraFields"), kept };
  const learned: ObservedInputs = {
    ...Object.fromEntries(texts.filter(([, value]) => value !== undefined)),
    ...Object.fromEntries(Object.entries(lists).filter(([, keys]) => keys.length > 0)),
  };
  const keptPaths = kept.map((name) => `env.${name}`);
  const isCompared = (path: string) => isSent(path) && !keptPaths.includes(path);
  return { echo: learned, differing: differing.filter(isCompared), unchanged: unchanged.filter(isCompared) };
}

/** Whether a record shows nothing that the service chose for this one cluster, beyond what is `known` without a read. */
function isTypical(record: ClusterRecord, inputs: CheckedInputs, known: Partial<ClusterRecord>): boolean {
  const { name = inputs.name, replicas = inputs.replicas } = record;
  if (name !== inputs.name || replicas !== inputs.replicas) return false;
  const isKnown = (["status", "endpoint", "createdAt"] as const).every((output) => !record[output] || known[output]);
  return isKnown && textNames.every((input) => record[input] === undefined || inputs[input] !== undefined);
}

/** @throws ClusterFailedError if a new cluster shows another GPU type or image than requested. */
export function checkMadeAsRequested(
  { client: { capabilities } }: Dependencies,
  inputs: CheckedInputs,
  record: ClusterRecord,
): void {
  const mismatches = findSpecMismatches(inputs, record, capabilities.gpus);
  if (mismatches.length === 0) return;
  const names = capabilities.names === "client" ? "specification" : "client";
  throw new ClusterFailedError(
    `the service created it with ${listOf(mismatches)}. It may not know the names of the request's fields: run ` +
      `\`pulumi destroy\`, set gpucluster:requestNames to \`${names}\`, and run \`pulumi up\``,
  );
}

export const triggerNames = ["restartTriggers", "redeployTriggers"] as const;
/** The inputs that an update brings to the cluster. All others are reached at once, because only this package reads them. */
const sentInputs = [...configInputs, "replicas", "desiredStatus"] as const;
type BroughtInput = (typeof sentInputs | typeof triggerNames)[number];

export interface Stored {
  readonly kind: "stored";
  /** The replicas before the update; absent if they cannot show a rollout. */
  readonly before?: StatusRecord | undefined;
  /** What the service has shown since. */
  readonly seen?: readonly ClusterRecord[];
}

/** What the service has done with a configuration. */
export type Configured =
  /** It has the configuration, and the replicas do not run it yet. */
  | Stored
  /** The replicas run it, or will without a further request. */
  | { readonly kind: "runs"; readonly rollout?: Rollout | undefined }
  | { readonly kind: "refused"; readonly error: ApiError };

export function configPaths({ named }: Update): string[] {
  return named.filter((path) => isWithinPaths(path, configInputs));
}

/**
 * What an update has done so far, which is what a failure puts into the state. A step writes "perhaps" before it sends
 * (`attempt`), a refusal takes that back, and an accepted request stays: `reach` makes it certain.
 */
class Progress {
  inputs: CheckedInputs;
  /** What the service may have, or the replicas may run, besides `inputs`. */
  paths: readonly string[];
  /** Whether anything was sent, or was waited for: if not, a failure changes nothing in the state. */
  hasBegun: boolean;
  rollout: Rollout | undefined;
  /** The number of replicas that the service has; `undefined` if it is not known. */
  replicas: number | undefined;

  constructor(
    private readonly update: Update,
    keepsId: boolean,
  ) {
    const { inputs, state, record } = update;
    // A stopped cluster has no replicas that a trigger would have to restart.
    const names = isDown(record, state) ? sentInputs : [...sentInputs, ...triggerNames];
    this.inputs = { ...inputs, ...pick(state, names), replicas: state.replicas ?? inputs.replicas };
    this.paths = state.__unfinished?.paths ?? [];
    this.hasBegun = keepsId;
    const isKnown = !this.paths.includes("replicas");
    this.replicas = record.replicas ?? (isKnown ? state.replicas : undefined);
  }

  /** Something is about to be sent. Returns what takes that back: the service has refused it. */
  attempt(...paths: readonly string[]): () => void {
    const before = { paths: this.paths, hasBegun: this.hasBegun };
    this.leave(...paths);
    return () => {
      this.paths = before.paths;
      this.hasBegun = before.hasBegun;
    };
  }

  /** The cluster gets these values later, or perhaps. */
  leave(...paths: readonly string[]): void {
    this.paths = [...new Set([...this.paths, ...paths])];
    this.hasBegun = true;
  }

  reach(...names: readonly BroughtInput[]): void {
    this.inputs = { ...this.inputs, ...pick(this.update.inputs, names) };
    this.paths = this.paths.filter((path) => !isWithinPaths(path, names));
    this.hasBegun = true;
  }

  /** The cluster has the old value all the same. */
  miss(name: BroughtInput): void {
    this.inputs = { ...this.inputs, ...pick(this.update.state, [name]) };
    this.leave(name);
  }

  record(configured: Configured): void {
    if (configured.kind === "refused") this.leave(...configPaths(this.update));
    // Extra fields need no rollout.
    if (configured.kind === "stored") this.reach("extraFields");
    if (configured.kind === "runs") {
      this.reach(...configInputs, ...triggerNames);
      this.rollout = configured.rollout;
    }
  }
}
