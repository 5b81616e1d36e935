import type { ClusterRecord } from "../../api/decode/records";
import { ClusterFailedError, NotInPlaceError } from "../../base/errors";
import { listOf, maxNamed } from "../../base/text";
import type { InitError } from "../../contract";
import { findSpecMismatches, unverified } from "../diff/drift";
import { toState } from "../diff/observed";
import type { CheckedInputs, ClusterState } from "../schema/stateFields";
import { isTypical, type LearnedInputs, learnedOf } from "../service/learned";
import { find } from "../service/lookup";
import type { Operation } from "../service/operation";
import type { Service } from "../wait/service";

/** The result of an operation that failed halfway. */
export interface PartialState {
  /** The inputs that the replicas run with now. */
  readonly running: CheckedInputs;
  readonly before: ClusterState;
  readonly unfinished: ClusterState["__unfinished"];
  readonly sent?: ClusterState["__sent"];
}

const replacing =
  "The next `pulumi up` replaces the cluster, as its preview shows; to keep the cluster, take the change back";

/**
 * The error of an operation that failed halfway. If the service has refused to change an input in place, the state says so, and
 * the next update replaces the cluster; but not because of one refusal if an update was accepted before.
 */
export function partialError(
  { seenBy, client: { variant } }: Service,
  operation: Operation,
  error: unknown,
  what: string,
  { running, before, ...facts }: PartialState,
): InitError {
  const isFixed = error instanceof NotInPlaceError && before.__fixed?.length !== 0 && variant.fixed.length > 0;
  const last = isFixed ? { ...before, __fixed: variant.fixed } : before;
  const state = toState(running, operation.observed, { ...facts, settled: false, seenBy, before: last });
  return operation.initError(error, state, what, isFixed ? replacing : undefined);
}

/** The end of an operation that has succeeded. */
interface End extends Partial<Pick<PartialState, "unfinished" | "sent">> {
  readonly before: ClusterState;
  /** What was sent, if the form in which the service shows it is to be learned. */
  readonly learned?: CheckedInputs | undefined;
}

/** The state of a cluster that is now as requested, with the observed form of its inputs. Warns of values that differ. */
export async function endState(
  service: Service,
  operation: Operation,
  inputs: CheckedInputs,
  { before, learned, ...facts }: End,
): Promise<ClusterState> {
  const known = { settled: true, seenBy: service.seenBy, ...facts };
  const hasUpdate = service.client.variant.has("update") ? { __fixed: [] } : {};
  if (!learned) {
    const { record } = operation.observed;
    const unverifiedInputs = facts.unfinished && record && unverified(inputs, record);
    return toState(inputs, operation.observed, { ...known, before, unverifiedInputs });
  }
  const form = await formNow(service, operation, learned, before);
  const { echo, differing, unchanged, unverifiedInputs } = form;
  const others = differing.filter((path) => !unchanged.includes(path));
  if (others.length > 0) operation.warn(`the service shows ${listOf(others, maxNamed)} differently from the request`);
  if (unchanged.length > 0)
    operation.warn(`the service accepted the change, but still shows ${listOf(unchanged, maxNamed)} as before`);
  return toState(inputs, operation.observed, {
    ...known,
    before: { ...before, ...hasUpdate, __observed: echo },
    unverifiedInputs,
  });
}

/** The form in which the service shows the inputs, in one request at most. */
async function formNow(service: Service, operation: Operation, inputs: CheckedInputs, before: ClusterState) {
  const { record: last } = operation.observed;
  const { isCreation } = operation;
  const isNew = isCreation || before.__observed === undefined;
  const formIn = (own: ClusterRecord | undefined): LearnedInputs => {
    const record = { ...(own ?? last), id: operation.id };
    if (isNew && inputs.adopt === undefined) checkMadeAsRequested(service, inputs, record);
    return { ...learnedOf(inputs, record, before), isTypical: own && isTypical(own, inputs, { ...before, ...last }) };
  };
  // A change that is not waited for has observed nothing since.
  if (last?.env !== undefined && (isCreation || inputs.skipAwait !== true)) return formIn(last);
  if (!isCreation) return formIn(await find(service, operation));
  return service.learned.of(inputs, async () => formIn(await find(service, operation, { urgency: "reconcile" })));
}

/** @throws ClusterFailedError if a new cluster shows another GPU type or image than requested. */
export function checkMadeAsRequested(
  { client: { variant } }: Service,
  inputs: CheckedInputs,
  record: ClusterRecord,
): void {
  const problems = findSpecMismatches(inputs, record, variant.gpus);
  if (problems.length === 0) return;
  const names = variant.names === "client" ? "specification" : "client";
  throw new ClusterFailedError(
    `the service created it with ${listOf(problems)}. It may not know the names of the request's fields: run ` +
      `\`pulumi destroy\`, set gpucluster:requestNames to \`${names}\`, and run \`pulumi up\``,
  );
}
