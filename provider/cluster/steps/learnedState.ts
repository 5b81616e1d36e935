import type { ClusterRecord } from "../../api/decode/records";
import { ClusterFailedError } from "../../base/errors";
import { listOf, maxNamed } from "../../base/text";
import { isWithinPaths } from "../diff/diff";
import { compareObserved, findSpecMismatches, keysIn, unverifiedPaths } from "../diff/drift";
import type { Update } from "../diff/merge";
import { toState } from "../diff/observed";
import type { CheckedInputs, ClusterState } from "../schema/state";
import { isTypical, type LearnedInputs } from "../service/learned";
import { find } from "../service/lookup";
import type { Operation } from "../service/operation";
import type { Service } from "../wait/service";

/** The state of a cluster that is now as requested. Warns of inputs that the service shows differently. */
export async function learnedState(service: Service, operation: Operation, update: Update): Promise<ClusterState> {
  const { inputs, state: before } = update;
  const { echo, differing, unchanged, unverifiedInputs } = await learn(service, operation, update);
  const others = differing.filter((path) => !unchanged.includes(path));
  if (others.length > 0) operation.warn(`the service shows ${listOf(others, maxNamed)} differently from the request`);
  if (unchanged.length > 0)
    operation.warn(`the service accepted the change, but still shows ${listOf(unchanged, maxNamed)} as before`);
  const fixed = service.client.variant.has("update") ? [] : before.__fixed;
  const last = { ...before, __fixed: fixed, __observed: echo };
  return toState(inputs, operation.observed, { settled: true, seenBy: service.seenBy, before: last, unverifiedInputs });
}

/** Learns how the service shows the inputs, by one request at most. */
async function learn(service: Service, operation: Operation, update: Update): Promise<LearnedInputs> {
  const { inputs, state } = update;
  const { record: last } = operation.observed;
  const { isCreation } = operation;
  const isNew = isCreation || state.__observed === undefined;
  const learnFrom = (found: ClusterRecord | undefined): LearnedInputs => {
    const record = { ...(found ?? last), id: operation.id };
    if (isNew && inputs.adopt === undefined) checkMadeAsRequested(service, inputs, record);
    return {
      ...learnedFrom(update, record, isCreation),
      unverifiedInputs: unverifiedPaths(inputs, record),
      isTypical: found && isTypical(found, inputs, { ...state, ...last }),
    };
  };
  // With skipAwait, the last observation is older than the change.
  if (last?.env !== undefined && (isCreation || inputs.skipAwait !== true)) return learnFrom(last);
  if (!isCreation) return learnFrom(await find(service, operation));
  return service.learned.of(inputs, async () => learnFrom(await find(service, operation, { priority: "lookup" })));
}

/**
 * How the service shows what was applied. Only an update that has sent `env` shows which variables the service adds or masks by
 * itself: without one, others can be of another user. What an adopted cluster had, and the program does not set, is kept.
 */
function learnedFrom({ inputs, state, target, named }: Update, record: ClusterRecord, isCreation: boolean) {
  const { __observed: known } = state;
  const isEnvSent = isCreation || named.some((path) => isWithinPaths(path, ["env"]));
  const removed = new Set(keysIn(named, "env"));
  const kept = known?.kept?.filter((name) => !Object.hasOwn(inputs.env ?? {}, name) && !removed.has(name)) ?? [];
  const without = <Value>(env: Readonly<Record<string, Value>> | undefined) =>
    env && Object.fromEntries(Object.entries(env).filter(([name]) => !kept.includes(name)));
  const applied = { ...target, env: without(target.env) };
  const compared = compareObserved(applied, { ...record, env: without(record.env) }, state);
  const env = isEnvSent || known === undefined ? compared.echo.env : known.env;
  return { ...compared, echo: { ...compared.echo, env, kept: kept.length > 0 ? kept : undefined } };
}

/** @throws ClusterFailedError if a new cluster shows another GPU type or image than requested. */
export function checkMadeAsRequested(
  { client: { variant } }: Service,
  inputs: CheckedInputs,
  record: ClusterRecord,
): void {
  const mismatches = findSpecMismatches(inputs, record, variant.gpus);
  if (mismatches.length === 0) return;
  const names = variant.names === "client" ? "specification" : "client";
  throw new ClusterFailedError(
    `the service created it with ${listOf(mismatches)}. It may not know the names of the request's fields: run ` +
      `\`pulumi destroy\`, set gpucluster:requestNames to \`${names}\`, and run \`pulumi up\``,
  );
}
