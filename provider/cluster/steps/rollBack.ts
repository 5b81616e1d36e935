import { isDeepStrictEqual } from "node:util";
import { isLeaving, stateOf } from "../../api/decode/states";
import { configInputs } from "../../api/variant";
import { ClusterFailedError, RequestError, TimeoutError } from "../../base/errors";
import { listOf } from "../../base/text";
import { InitError } from "../../contract";
import { diffCluster, effectsOf } from "../diff/diff";
import { isDown, isStopped } from "../health/health";
import { costOfReplica, roundCost } from "../schema/money";
import { secretsOfAll } from "../schema/secrets";
import { asState, pick } from "../schema/state";
import type { CheckedInputs, ClusterState } from "../schema/stateFields";
import { find } from "../service/lookup";
import type { Operation } from "../service/operation";
import type { Service } from "../wait/service";
import type { Update } from "./plan";
import { type Outcome, runPlan, updateOf } from "./steps";

/** What a roll-back brings back. */
const configuration = [...configInputs, "readinessProbe"] as const;

/**
 * Brings the old configuration back if the new one did not get healthy: an update of its own, from the failed configuration to
 * the old one. The number of replicas has not changed yet. Nothing is remembered: the next `pulumi up` tries again.
 * @returns The error to end with: the failure itself if nothing is rolled back.
 */
export async function rollBack(
  service: Service,
  operation: Operation,
  update: Update,
  outcome: Extract<Outcome, { failure: InitError }>,
): Promise<InitError> {
  const { failure, progress } = outcome;
  const { inputs, state } = update;
  if (!isBadRollout(operation, update, outcome)) return failure;
  const obstacle = obstacleTo(update);
  if (obstacle) {
    operation.warn(`it is not rolled back, because ${obstacle}`);
    return failure;
  }
  const again = operation.renewed();
  const record = await find(service, again).catch(() => undefined);
  if (!record || isLeaving(record.status) || isStopped(record)) return failure;
  // A roll-back that is refused has observed no replicas of its own.
  again.observe({ ...operation.observed, ...again.observed });
  const failed = { ...state, ...pick(progress.inputs, configuration), __secrets: secretsOfAll(progress.inputs, state) };
  const old = withOld(progress.inputs, failed, state);
  const back = { inputs: old, state: failed, record, effects: effectsOf(diffCluster(failed, old)) };
  const names = namesOf(inputs, state);
  operation.info(`it did not get healthy with ${names.tried}: ${names.old} is rolled out again`);
  const result = await runPlan(
    { service, operation: again, update: back },
    updateOf(back),
    `was not rolled back to ${names.old} completely`,
  );
  const story = (end: ClusterState, next: string) =>
    operation.initError(failure.cause, end, `did not get healthy with ${names.tried}`, next);
  if ("failure" in result) {
    const { id, state: left, reasons, cause } = result.failure;
    const first = story(asState(left), `The roll-back to ${names.old} failed too`);
    return new InitError(id, left, [...first.reasons, ...reasons], { cause });
  }
  warnOfExtraFields(operation, inputs, old);
  const { readyReplicas, replicas } = result.state;
  const next = `Rolled back: ${readyReplicas}/${replicas} replicas healthy with ${names.old}. The next \`pulumi up\` tries again`;
  return story(result.state, next);
}

/** The inputs with the old configuration, and its cost for the present number of replicas. */
function withOld(now: CheckedInputs, { __secrets }: CheckedInputs, state: ClusterState): CheckedInputs {
  const each = costOfReplica(state);
  const hourlyCost = each === undefined ? undefined : roundCost(each * now.replicas);
  return { ...now, ...pick(state, configuration), hourlyCost, __secrets };
}

/** Whether the new configuration itself has failed: not an interrupt, a refusal, or a service that cannot be reached. */
function isBadRollout(
  operation: Operation,
  { inputs }: Update,
  { failure: { cause }, step, progress }: Extract<Outcome, { failure: InitError }>,
): boolean {
  const isVerdict =
    cause instanceof ClusterFailedError || (cause instanceof TimeoutError && !(cause.cause instanceof RequestError));
  const isRollout = step === "waitUntilReady" && progress.rollout !== undefined;
  return operation.isUpdate && inputs.onFailedUpdate === "rollBack" && !inputs.skipAwait && isVerdict && isRollout;
}

/** Why the old configuration is not brought back. */
function obstacleTo(update: Update): string | undefined {
  const { state, record, effects } = update;
  if (!effects.has("rollout") || state.settled !== true || state.__unfinished !== undefined)
    return "it was not ready before";
  if (isDown(record, state) || stateOf(record.status) === "failed") return "it did not run before";
  // A service may not show the image of a cluster that was imported.
  return state.container === undefined ? "its old `container` is not known" : undefined;
}

type Configured = Partial<Pick<CheckedInputs, (typeof configuration)[number]>>;

/** How messages call the two configurations: by their images, or by the names of the other inputs. */
function namesOf(inputs: Configured, state: Configured): { readonly tried: string; readonly old: string } {
  const [tried, old] = [inputs.container ?? "", state.container ?? ""];
  if (tried !== old) return { tried, old };
  const others = configuration.filter((name) => !isDeepStrictEqual(inputs[name] ?? {}, state[name] ?? {}));
  const names = listOf(others.map((name) => `\`${name}\``));
  return { tried: `the new ${names}`, old: `the old ${names}` };
}

function warnOfExtraFields(operation: Operation, tried: CheckedInputs, { extraFields: old = {} }: CheckedInputs): void {
  const added = Object.keys(tried.extraFields ?? {}).filter((name) => !Object.hasOwn(old, name));
  const paths = listOf(added.map((name) => `\`extraFields.${name}\``));
  if (paths) operation.warn(`the service may keep ${paths} of the failed update: no request removes an extra field`);
}
