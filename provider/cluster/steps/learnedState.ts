import type { ClusterRecord } from "../../api/decode/records";
import { ClusterFailedError } from "../../base/errors";
import { listOf, maxNamed } from "../../base/text";
import { isWithinPaths } from "../diff/diff";
import { compareObserved, findSpecMismatches, keysIn, unverifiedPaths } from "../diff/drift";
import type { Update } from "../diff/merge";
import { toState } from "../diff/observed";
import { textNames } from "../schema/fields";
import type { CheckedInputs, ClusterState, ObservedInputs } from "../schema/state";
import { find } from "../service/lookup";
import type { Operation } from "../service/operation";
import type { LearnedInputs } from "../service/registry";
import type { Service } from "../wait/wait";

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

async function learn(service: Service, operation: Operation, update: Update): Promise<LearnedInputs> {
  const { inputs, state, target } = update;
  const { record: last } = operation.observed;
  const { isCreation } = operation;
  const isNew = isCreation || state.__observed === undefined;
  const learnFrom = (found: ClusterRecord | undefined): LearnedInputs => {
    const record = { ...(found ?? last), id: operation.id };
    if (isNew && inputs.adopt === undefined) checkMadeAsRequested(service, inputs, record);
    return {
      ...learnedFrom(update, record, operation.isUpdate),
      unverifiedInputs: unverifiedPaths(inputs, record),
      isTypical: found && isTypical(found, inputs, { ...state, ...last }),
    };
  };
  // With skipAwait, the last observation is older than the change.
  if (last?.env !== undefined && (isCreation || target.skipAwait !== true)) return learnFrom(last);
  if (!isCreation) return learnFrom(await find(service, operation));
  return service.registry.learned(inputs, async () =>
    learnFrom(await find(service, operation, { priority: "lookup" })),
  );
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
  const isJudged = (path: string) => isSent(path) && !keptPaths.includes(path);
  return { echo: learned, differing: differing.filter(isJudged), unchanged: unchanged.filter(isJudged) };
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
