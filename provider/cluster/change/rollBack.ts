import { createHash } from "node:crypto";
import { isDeepStrictEqual } from "node:util";
import type { ClusterRecord } from "../../api/records";
import { configInputs } from "../../api/serviceForm";
import { isLeaving } from "../../api/states";
import { ClusterFailedError, type GpuClusterError, RequestError, TimeoutError } from "../../base/errors";
import { listOf } from "../../base/text";
import { InitError, isRecord, type Properties } from "../../contract";
import { diffCluster, effectsOf } from "../compare/diff";
import { isMasked } from "../compare/drift";
import { isStopped } from "../compare/health";
import type { Effect } from "../model/fields";
import { costOfReplica, roundCost } from "../model/money";
import { secretsOfAll } from "../model/secrets";
import { asInputs, asState, pick } from "../model/state";
import type { CheckedInputs, ClusterState, FailedUpdate } from "../model/stateFields";
import { find } from "../shared/lookup";
import type { Operation } from "../shared/operation";
import type { Service } from "../shared/service";
import { type Change, carryOut, isRevived, Journal, keptEnv } from "./change";
import { changedFields } from "./updateRequest";

/** What a roll-back brings back. */
const configuration = [...configInputs, "readinessProbe"] as const;

type Configured = Partial<Pick<CheckedInputs, (typeof configuration)[number]>>;

/** The inputs with the configuration of the state, and its cost: extra fields may decide the price. */
export function withOld(inputs: CheckedInputs, state: ClusterState): CheckedInputs {
  const { hourlyCost, replicas, desiredStatus } = inputs;
  const isSamePrice = isDeepStrictEqual(inputs.extraFields ?? {}, state.extraFields ?? {});
  const each = isSamePrice || desiredStatus === "stopped" ? undefined : costOfReplica(state);
  const cost = each === undefined ? hourlyCost : roundCost(each * replicas);
  return { ...inputs, ...pick(state, configuration), __secrets: secretsOfAll(inputs, state), hourlyCost: cost };
}

/** Identifies a configuration, in any order of its names. */
function hashOf(inputs: Configured): string {
  const text = JSON.stringify(configuration.map((name) => sorted(inputs[name] ?? {})));
  return createHash("sha256").update(text).digest("hex");
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (!isRecord(value)) return value;
  const names = Object.keys(value).sort();
  return names.map((name) => [name, sorted(value[name])]);
}

/** The memory of a failure, if the inputs ask for the same configuration again, and nothing asks to try it again. Pure. */
export function failedBefore(
  state: ClusterState,
  inputs: CheckedInputs,
  effects: ReadonlySet<Effect>,
): FailedUpdate | undefined {
  const { __failed: failed } = state;
  if (!failed || inputs.onFailedUpdate !== "rollBack" || effects.has("redeploy")) return undefined;
  const isSame = hashOf(inputs) === failed.configuration;
  return isSame && hashOf(state) !== failed.configuration ? failed : undefined;
}

/** How messages name what was tried, and what is brought back: the image, or the names of the other inputs. */
function sidesOf(inputs: Configured, state: Configured): { readonly tried: string; readonly old: string } {
  const [tried, old] = [inputs.container ?? "", state.container ?? ""];
  if (tried !== old) return { tried, old };
  const others = configuration.filter((name) => !isDeepStrictEqual(inputs[name] ?? {}, state[name] ?? {}));
  const names = listOf(others.map((name) => `\`${name}\``));
  return { tried: `the new ${names}`, old: `the old ${names}` };
}

const advice = "Change `container` or `env`, or `redeployTriggers` to try the same again";

/** The error of an update that asks again for what has failed before. */
export function refusal(
  operation: Operation,
  { at }: FailedUpdate,
  inputs: CheckedInputs,
  state: ClusterState,
): GpuClusterError {
  const { tried, old } = sidesOf(inputs, state);
  return operation.error(`did not get healthy with ${tried} at ${at}, and was rolled back to ${old}. ${advice}`);
}

/** What a preview says of the roll-back of an update. Pure. */
export function rollBackNoteOf(
  olds: Properties,
  news: Properties,
): { readonly text: string; readonly level: "inform" | "warn" } | undefined {
  const [state, inputs] = [asState(olds), asInputs(news)];
  const effects = effectsOf(diffCluster(olds, news));
  const failed = failedBefore(state, inputs, effects);
  if (failed) {
    const { tried, old } = sidesOf(inputs, state);
    const next = state.settled === false ? `brings ${old} back and fails` : "fails";
    const text = `it did not get healthy with ${tried} at ${failed.at}: \`pulumi up\` ${next}. ${advice}`;
    return { text, level: "warn" };
  }
  if (inputs.onFailedUpdate !== "rollBack" || !effects.has("rollout")) return undefined;
  const never = inputs.skipAwait ? "of `skipAwait`" : state.container === undefined ? unknownImage : undefined;
  if (never) return { text: `a failure is not rolled back, because ${never}`, level: "inform" };
  const text = "a failure is rolled back only if the service shows the whole `env`, which was not set by Pulumi";
  return isSentEnv(state) ? undefined : { text, level: "inform" };
}

/** Whether this package has sent the env. It has not if the cluster was adopted or imported. */
function isSentEnv({ adopt, __echo }: ClusterState): boolean {
  return adopt === undefined && __echo !== undefined;
}

/** Whether the env before a change is known completely: it was sent, or the service shows all of it. Pure. */
function isEnvKnown(state: ClusterState, { env: shown }: ClusterRecord, { env: next = {} }: CheckedInputs): boolean {
  const isSent = isSentEnv(state);
  const { env: hidden = [], masked = [] } = state.__echo ?? {};
  if (!shown) return isSent;
  // A killed update may have left its own variables with the service.
  const isOwn = (name: string) => hidden.includes(name) || masked.includes(name) || Object.hasOwn(next, name);
  return Object.entries(shown).every(([name, value]) =>
    isSent ? isOwn(name) || !isMasked(value) : !isMasked(value) && !hidden.includes(name),
  );
}

/** A service may not show the image of a cluster that was imported. */
const unknownImage = "its old `container` is not known";

/** The reasons not to roll a failed update back. Pure; the first one decides. Those with a text are said. */
const obstacles: readonly (readonly [
  is: (change: Change, journal: Journal, cause: unknown) => boolean,
  says?: string,
])[] = [
  [({ inputs }) => inputs.onFailedUpdate !== "rollBack" || inputs.skipAwait === true],
  [(_change, _journal, cause) => !isVerdict(cause)],
  [({ effects }, { isStored }) => !effects.has("rollout") || !isStored],
  [({ inputs }) => inputs.desiredStatus === "stopped"],
  [({ state }) => state.settled !== true || state.__unfinished !== undefined, "it was not ready before"],
  [({ record, inputs }, { isMoved }) => isRevived(record, inputs) || isMoved, "it did not run before"],
  [({ state, record, inputs }) => !isEnvKnown(state, record, inputs), "its old `env` is not known completely"],
  [({ state }) => state.container === undefined, unknownImage],
];

/** Whether a failure is about the cluster. An interrupt, a refusal and a service that cannot be reached are not. */
function isVerdict(cause: unknown): boolean {
  return (
    cause instanceof ClusterFailedError || (cause instanceof TimeoutError && !(cause.cause instanceof RequestError))
  );
}

/**
 * Brings the old configuration back after a failed update, and waits for it. Returns the error to end with: the first failure
 * itself if nothing was rolled back. From the first request on, the state is that of a roll-out of the old configuration that
 * is not finished, so that the next update continues it.
 */
export async function rollBack(
  service: Service,
  operation: Operation,
  change: Change,
  journal: Journal,
  failure: unknown,
): Promise<unknown> {
  if (!(failure instanceof InitError) || !operation.isUpdate) return failure;
  const { cause } = failure;
  const obstacle = obstacles.find(([is]) => is(change, journal, cause));
  if (obstacle?.[1]) operation.warn(`it is not rolled back, because ${obstacle[1]}`);
  if (obstacle) return failure;
  const again = operation.renewed();
  const record = await find(service, again).catch(() => undefined);
  // A roll-back that is refused has observed no replicas of its own.
  again.observe({ ...operation.observed, ...again.observed });
  const { inputs } = change;
  if (!record || isLeaving(record.status) || isStopped(record, change.state)) return failure;
  const { tried, old } = sidesOf(inputs, change.state);
  const story = (state: ClusterState, next: string) =>
    operation.initError(cause, state, `did not get healthy with ${tried}`, next);
  operation.info(`it did not get healthy with ${tried}: ${old} is rolled out again`);
  try {
    const at = new Date(service.clock.now()).toISOString().replace(/\.\d+Z$/, "Z");
    const way = wayBack(change, journal, record, { at, configuration: hashOf(inputs) });
    const what = `was not rolled back to ${old} completely`;
    const state = await carryOut(service, again, way, new Journal(way), what);
    const added = Object.keys(inputs.extraFields ?? {}).filter((name) => !Object.hasOwn(state.extraFields ?? {}, name));
    const paths = listOf(added.map((name) => `\`extraFields.${name}\``));
    if (paths) operation.warn(`the service may keep ${paths} of the failed update: no request removes an extra field`);
    return story(
      state,
      `Rolled back: ${state.readyReplicas}/${state.replicas} replicas healthy with ${old}. ${advice}`,
    );
  } catch (error) {
    if (!(error instanceof InitError)) return failure;
    const { reasons } = story(asState(error.state), `The roll-back to ${old} failed too`);
    return new InitError(error.id, error.state, [...reasons, ...error.reasons], { cause: error.cause });
  }
}

/** The roll-back as a change. Replicas and everything else stay as the failed update has set them. Pure. */
function wayBack(
  { inputs, wanted, state }: Change,
  { rollout }: Journal,
  record: ClusterRecord,
  failed: FailedUpdate,
): Change {
  const own = withOld(inputs, state);
  const changed = changedFields(inputs, state);
  const further = ["readinessProbe", "hourlyCost"] as const;
  // What others have set stays.
  const env = record.env ? keptEnv(own.env, record.env, { ...state, env: inputs.env }) : own.env;
  const sent = [...new Set([...(state.__sent ?? []), ...Object.keys(inputs.env ?? {})])];
  return {
    inputs: own,
    wanted: { ...wanted, ...pick({ ...own, env }, [...changed, ...further]) },
    state: { ...state, ...own, settled: false, __unfinished: "rollout", __sent: sent, __failed: failed },
    record,
    effects: new Set(),
    changed: new Set(changed),
    needsRollout: true,
    rollsOut: rollout?.seen === true && !rollout.isAccepted,
  };
}
