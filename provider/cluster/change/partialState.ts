import type { ClusterRecord } from "../../api/records";
import { abortable, until } from "../../base/clock";
import { ClusterFailedError, NotInPlaceError } from "../../base/errors";
import { listOf, mostNamed } from "../../base/text";
import { madeOtherwise, unverified } from "../compare/drift";
import { toState } from "../compare/observed";
import type { CheckedInputs, ClusterState } from "../model/stateFields";
import { formOf } from "../shared/forms";
import { find } from "../shared/lookup";
import type { Operation } from "../shared/operation";
import type { Service } from "../shared/service";

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

/** Runs the work on a cluster that exists: every failure keeps the id and the partial state. */
export async function withPartialState(
  { seenBy }: Service,
  operation: Operation,
  what: string,
  soFar: (error: unknown) => PartialState,
  work: () => Promise<ClusterState>,
): Promise<ClusterState> {
  try {
    return await work();
  } catch (error) {
    const { running, before, ...facts } = soFar(error);
    const state = toState(running, operation.observed, { ...facts, settled: false, seenBy, before });
    const isReplaced = error instanceof NotInPlaceError && before.__fixed?.length;
    throw operation.initError(error, state, what, isReplaced ? replacing : undefined);
  }
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
  const hasUpdate = service.client.form.has("update") ? { __fixed: [] } : {};
  if (!learned) {
    const { record } = operation.observed;
    const unverifiedInputs = facts.unfinished && record && unverified(inputs, record, before.__echo);
    return toState(inputs, operation.observed, { ...known, before, unverifiedInputs });
  }
  const form = await formNow(service, operation, learned, before);
  const { echo, differing, unchanged, unverifiedInputs } = form;
  const others = differing.filter((path) => !unchanged.includes(path));
  if (others.length > 0) operation.warn(`the service shows ${listOf(others, mostNamed)} differently from the request`);
  if (unchanged.length > 0)
    operation.warn(`the service accepted the change, but still shows ${listOf(unchanged, mostNamed)} as before`);
  const isLate = operation.isCreation && service.client.form.readsLag ? { __late: true as const } : {};
  return toState(inputs, operation.observed, {
    ...known,
    before: { ...before, ...hasUpdate, __echo: echo, ...isLate },
    unverifiedInputs,
  });
}

/** The form in which the service shows the inputs, in one request at most. */
async function formNow(service: Service, operation: Operation, inputs: CheckedInputs, before: ClusterState) {
  const { record: last } = operation.observed;
  // A change that is not waited for has observed nothing since.
  const isFresh = last?.env !== undefined && (operation.isCreation || inputs.skipAwait !== true);
  const read = (urgency?: "reconcile") => find(service, operation, { urgency });
  const { clock, forms } = service;
  // The read may belong to another operation, which has a later deadline.
  const late = () => operation.timeout(", while its details were read");
  const ofKind = (signal: AbortSignal) =>
    abortable(
      forms.of(inputs, { ...before, ...last }, () => read("reconcile")),
      signal,
    );
  const shared =
    operation.isCreation && !isFresh
      ? await until({ clock, deadlineMs: operation.lookup().deadlineMs, late }, ofKind)
      : undefined;
  if (shared && "form" in shared && shared.form) return shared.form;
  const own = isFresh ? last : shared && "record" in shared ? shared.record : await read();
  const record = { ...operation.observed.record, ...own, id: operation.id };
  const isNew = operation.isCreation || before.__echo === undefined;
  if (isNew && inputs.adopt === undefined) checkMadeAsAsked(service, inputs, record);
  return formOf(inputs, record, before);
}

/** @throws ClusterFailedError if a new cluster shows another GPU type or image than requested. */
export function checkMadeAsAsked({ client: { form } }: Service, inputs: CheckedInputs, record: ClusterRecord): void {
  const problems = madeOtherwise(inputs, record, form.gpus);
  if (problems.length === 0) return;
  const names = form.names === "client" ? "specification" : "client";
  throw new ClusterFailedError(
    `the service created it with ${listOf(problems)}. It may not know the names of the request's fields: run ` +
      `\`pulumi destroy\`, set gpucluster:requestNames to \`${names}\`, and run \`pulumi up\``,
  );
}
