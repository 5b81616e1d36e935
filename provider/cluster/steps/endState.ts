import type { ClusterRecord } from "../../api/decode/records";
import { ClusterFailedError, NotInPlaceError } from "../../base/errors";
import { listOf, maxNamed } from "../../base/text";
import type { InitError } from "../../contract";
import { compareObserved, findSpecMismatches, unverifiedPaths } from "../diff/drift";
import { toState } from "../diff/observed";
import type { CheckedInputs, ClusterState } from "../schema/state";
import { isTypical, type LearnedInputs } from "../service/learned";
import { find } from "../service/lookup";
import type { Operation } from "../service/operation";
import type { Service } from "../wait/service";

/** What an operation that failed halfway leaves. */
interface PartialState {
  /** The inputs with which the replicas run now. */
  readonly running: CheckedInputs;
  readonly before: ClusterState;
  readonly unfinished: ClusterState["__unfinished"];
  readonly sent?: ClusterState["__sent"];
}

const replacementAdvice =
  "The next `pulumi up` replaces the cluster, as its preview shows; to keep the cluster, undo the change";

/**
 * The error of an operation that failed halfway. If the service refused to change an input in place, the state remembers it, and
 * the next update replaces the cluster, unless an update was accepted before.
 */
export function partialError(
  { seenBy, client: { variant } }: Service,
  operation: Operation,
  error: unknown,
  what: string,
  { running, before, ...mark }: PartialState,
): InitError {
  const isFixed = error instanceof NotInPlaceError && before.__fixed?.length !== 0 && variant.fixed.length > 0;
  const state = toState(running, operation.observed, {
    ...mark,
    settled: false,
    seenBy,
    before: isFixed ? { ...before, __fixed: variant.fixed } : before,
  });
  return operation.initError(error, state, what, isFixed ? replacementAdvice : undefined);
}

/** The end of an operation that has succeeded. */
interface End extends Partial<Pick<PartialState, "unfinished" | "sent">> {
  readonly before: ClusterState;
  /** The inputs that were sent, if the way in which the service shows them has to be learned. */
  readonly sentInputs?: CheckedInputs | undefined;
}

/** The state of a cluster that is now as requested. Warns of inputs that the service shows differently. */
export async function endState(
  service: Service,
  operation: Operation,
  inputs: CheckedInputs,
  { before, sentInputs, ...mark }: End,
): Promise<ClusterState> {
  const details = { settled: true, seenBy: service.seenBy, ...mark };
  if (!sentInputs) {
    const { record } = operation.observed;
    const unverifiedInputs = mark.unfinished && record && unverifiedPaths(inputs, record);
    return toState(inputs, operation.observed, { ...details, before, unverifiedInputs });
  }
  const learned = await learn(service, operation, sentInputs, before);
  const { echo, differing, unchanged, unverifiedInputs } = learned;
  const others = differing.filter((path) => !unchanged.includes(path));
  if (others.length > 0) operation.warn(`the service shows ${listOf(others, maxNamed)} differently from the request`);
  if (unchanged.length > 0)
    operation.warn(`the service accepted the change, but still shows ${listOf(unchanged, maxNamed)} as before`);
  const fixed = service.client.variant.has("update") ? [] : before.__fixed;
  const last = { ...before, __fixed: fixed, __observed: echo };
  return toState(inputs, operation.observed, { ...details, before: last, unverifiedInputs });
}

/** Learns how the service shows the inputs, by one request at most. */
async function learn(service: Service, operation: Operation, inputs: CheckedInputs, before: ClusterState) {
  const { record: last } = operation.observed;
  const { isCreation } = operation;
  const isNew = isCreation || before.__observed === undefined;
  const learnFrom = (found: ClusterRecord | undefined): LearnedInputs => {
    const record = { ...(found ?? last), id: operation.id };
    if (isNew && inputs.adopt === undefined) checkMadeAsRequested(service, inputs, record);
    return {
      ...compareObserved(inputs, record, before),
      unverifiedInputs: unverifiedPaths(inputs, record),
      isTypical: found && isTypical(found, inputs, { ...before, ...last }),
    };
  };
  // With skipAwait, the last observation is older than the change.
  if (last?.env !== undefined && (isCreation || inputs.skipAwait !== true)) return learnFrom(last);
  if (!isCreation) return learnFrom(await find(service, operation));
  return service.learned.of(inputs, async () => learnFrom(await find(service, operation, { priority: "lookup" })));
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
