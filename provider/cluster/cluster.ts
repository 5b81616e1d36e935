import { isLeaving, isStopping, stateOf } from "../api/read/states";
import { type ClusterRecord, clusterIdPattern, clusterNamePattern } from "../api/records";
import { cleanText } from "../api/text";
import { abortable, until } from "../clock";
import type { Ctx, Properties } from "../core";
import { ClusterFailedError, messageOf, NotInPlaceError, RequestError } from "../errors";
import { foundOtherwise, foundState, mismatches, withName } from "./adoption";
import { whenFree } from "./busy";
import { applyChange, type Change, changeOf, nothingSent, type PartialState, partialState } from "./change";
import { goalOf, isStopped, judgeGone, judgeReady, type Observation } from "./conditions";
import { diffCluster, effectsOf } from "./diff";
import {
  gpuTypeOf,
  identifiersIn,
  learnForm,
  madeOtherwise,
  sameText,
  unverified,
  withDrift,
  withTakenType,
} from "./drift";
import { replicasWithin } from "./extraFields";
import type { CheckedInputs, ClusterState, Effect } from "./fields";
import { isAsSettled, memberOf, showsAll } from "./listCache";
import {
  acceptAbsence,
  find,
  findAgain,
  findCluster,
  findExisting,
  findOrGone,
  findStatus,
  refuseOtherConnection,
} from "./lookup";
import { Operation } from "./operation";
import { stop } from "./power";
import { listOf } from "./preview/facts";
import { findRest } from "./rest";
import type { Service } from "./service";
import { asInputs, inputsOf, judgedState, programOf, toPlainJson, toState } from "./state";
import { waitUntilReady } from "./wait";

/** Creates exactly one cluster, or adopts an existing one, and waits until the cluster is as requested. */
export async function createCluster(service: Service, ctx: Ctx, news: Properties) {
  const inputs = asInputs(news);
  if (inputs.adopt !== undefined) return adoptCluster(service, ctx, inputs, inputs.adopt);
  const { clock, seenBy } = service;
  const record = await createOnce(service, new Operation(ctx, clock, "create", { id: "", inputs }), inputs);
  // From here on the cluster exists and is paid for: nothing below may lose its id.
  const operation = new Operation(ctx, clock, "create", { id: record.id, inputs, known: service.known.of(record.id) });
  // If the run is killed now, only its output contains the id.
  operation.status(`created as ${record.id}`);
  const isResent = service.creations.wasResent(inputs.name) ? { __resent: true as const } : {};
  const before = { ...toState(inputs, { record }, { settled: false, seenBy }), ...isResent };
  let running = inputs;
  const state = await keep(
    service,
    operation,
    "was created, but is not ready",
    () => ({ running, before, unfinished: true }),
    async () => {
      await refuseOtherForm(service, operation, inputs);
      const found = await otherFound(service, operation, inputs, record);
      running = found?.running ?? inputs;
      if (found) throw found.error;
      if (inputs.desiredStatus === "stopped") await stop(service, operation, inputs);
      else await waitUntilReady(service, operation, inputs);
      await reportTwins(service, operation, before);
      return reached(service, operation, inputs, before);
    },
  );
  return { id: record.id, state };
}

/**
 * Reads the first cluster at once if the service has not confirmed the field names of the request. Otherwise a cluster that
 * was created without its GPU or image would be polled in vain.
 */
async function refuseOtherForm(service: Service, operation: Operation, inputs: CheckedInputs): Promise<void> {
  const { form } = service.client;
  if (form.isConfirmed || !form.isNews("names not confirmed")) return;
  const record = await find(service, operation);
  if (record) refuseOther(service, inputs, record);
}

/** @throws ClusterFailedError if a new cluster shows another GPU type or image than requested. */
function refuseOther({ client: { form } }: Service, inputs: CheckedInputs, record: ClusterRecord): void {
  const problems = madeOtherwise(inputs, record, form.gpus);
  if (problems.length === 0) return;
  throw new ClusterFailedError(
    `the service made it with ${listOf(problems)}. It may not know the names of the request, which were those of the ` +
      `${form.names ?? "specification"}: delete it with \`pulumi destroy\`, set gpucluster:requestNames ` +
      '("specification" or "client") and run `pulumi up` again',
  );
}

/** Compares a cluster that was found by its name with the inputs. If its replicas or variables differ, it may not be ours. */
async function otherFound(service: Service, operation: Operation, inputs: CheckedInputs, listed: ClusterRecord) {
  if (!service.creations.wasFound(inputs.name)) return undefined;
  // If the cluster cannot be read by its id, the record from the list is compared.
  const record = (await find(service, operation).catch(() => undefined)) ?? listed;
  const { running, paths } = foundOtherwise(inputs, record);
  if (paths.length === 0) return undefined;
  const error = new ClusterFailedError(
    `the answer to its creation was lost, and the cluster that was found by its name shows ${listOf(paths.map((path) => `\`${path}\``))} ` +
      "otherwise than asked for. The next `pulumi up` puts that right; if somebody else made it, run " +
      `\`pulumi state delete '${operation.urn}'\` instead`,
  );
  return { running, error };
}

async function reportTwins(
  { creations }: Service,
  operation: Operation,
  { name, __resent }: ClusterState,
): Promise<void> {
  const warn = (text: string) => operation.warn(text);
  if (__resent) await creations.reportTwins(name, [operation.id], { ...operation.look(), warn });
}

async function createOnce({ creations }: Service, operation: Operation, inputs: CheckedInputs): Promise<ClusterRecord> {
  const { name, gpuType, replicas, container, env = {}, extraFields } = inputs;
  operation.status("creating");
  try {
    const warn = (text: string) => operation.warn(text);
    const options = { ...operation.request(), lookUntilMs: operation.look().deadlineMs, warn };
    return await creations.create({ name, gpuType, replicas, container, env, extraFields }, options);
  } catch (error) {
    // Several operations share the request for the list, so its error names none of their clusters.
    const isShared = error instanceof RequestError && !error.message.includes(operation.title);
    throw isShared ? operation.error(`was not created: ${messageOf(error)}`, error) : operation.clean(error);
  }
}

/** Adopts a cluster. Fields that the service shows are compared and corrected; the others are assumed to match the inputs. */
async function adoptCluster(service: Service, ctx: Ctx, requested: CheckedInputs, id: string) {
  const operation = new Operation(ctx, service.clock, "create", { id, inputs: requested, known: service.known.of(id) });
  const record = await find(service, operation);
  const desired = record ? withTakenType(requested, identifiersIn(record)) : requested;
  const adopter = service.owned.adopt(id, ctx.urn);
  const refusals = [
    ...(record ? mismatches(desired, record).map(({ property, reason }) => `\`${property}\` ${reason}`) : []),
    ...(record
      ? []
      : ["the service knows no such cluster under this API key; getClusters() lists those that there are"]),
    ...(adopter === ctx.urn ? [] : [`${adopter} adopts it already`]),
  ];
  if (!record || refusals.length > 0) throw operation.error(`was not adopted: ${refusals.join("; ")}`);
  service.owned.adopted(id);
  const inputs = withName(desired, record);
  const state = foundState(inputs, record);
  const effects = effectsOf(diffCluster(state, inputs));
  operation.status("adopted");
  return { id, state: await bringAbout(service, operation, { record, inputs, state, effects }, "was adopted, but") };
}

/** Changes an existing cluster to what the inputs request. */
export async function updateCluster(service: Service, ctx: Ctx, id: string, olds: Properties, news: Properties) {
  const state = judgedState(olds, id);
  // If the name was generated, the state has the right one: only the adoption shows the name of an adopted cluster.
  const named = { ...asInputs(news), ...(news["__generatedName"] ? { name: state.name } : {}) };
  const inputs = withTakenType(named, [state.gpuType]);
  const { changes } = diffCluster(olds, news);
  const effects = effectsOf({ changes });
  // Only settings of this package differ: there is nothing to send.
  if (effects.size === 0 && !("settled" in changes)) {
    const { __seenBy: seenBy = service.seenBy, __unfinished: unfinished, __sent: sent } = state;
    return toState(inputs, {}, { settled: true, unfinished, sent, seenBy, before: state });
  }
  const operation = new Operation(ctx, service.clock, "update", {
    id,
    inputs,
    olds: state,
    known: service.known.of(id),
  });
  const record = await findExisting(service, operation, state);
  return bringAbout(service, operation, { record, inputs, state, effects }, "");
}

interface DesiredChange {
  readonly record: ClusterRecord;
  readonly inputs: CheckedInputs;
  readonly state: ClusterState;
  readonly effects: ReadonlySet<Effect>;
}

async function bringAbout(
  service: Service,
  operation: Operation,
  { record, inputs, state, effects }: DesiredChange,
  what: string,
): Promise<ClusterState> {
  const rest = inputs.desiredStatus === "stopped" ? undefined : await findRest(service, operation, record);
  const change = changeOf(record, inputs, state, effects, rest === "failed" || undefined);
  const sent = nothingSent();
  return keep(
    service,
    operation,
    `${what} was not changed completely`.trim(),
    (error) => {
      if (operation.isUpdate && error instanceof NotInPlaceError && !sent.isMoved) return undefined;
      const soFar = partialState(change, sent);
      return { ...soFar, running: asApplied(soFar.running, change, inputs) };
    },
    async () => {
      await applyChange(service, operation, change, sent);
      const { seenBy } = service;
      if (sent.isPostponed) {
        const names = [...(state.__sent ?? []), ...(sent.isStored ? [] : Object.keys(state.env ?? {}))];
        const left = { unfinished: "rollout" as const, sent: [...new Set(names)] };
        const facts = { settled: true, ...left, seenBy, before: state };
        const shown = await find(service, operation);
        const unverifiedInputs = shown && unverified(inputs, shown, state.__echo);
        return toState(inputs, operation.observed, { ...facts, unverifiedInputs });
      }
      // Without a roll-out, the env that the service shows may contain earlier drift: it is not learned as the observed form.
      const isLearned = change.needsRollout || state.__unfinished !== undefined || state.__echo === undefined;
      if (isLearned)
        return toPlainJson({ ...(await reached(service, operation, change.inputs, state)), ...ownOf(inputs) });
      return toState(inputs, operation.observed, { settled: true, seenBy, before: state });
    },
  );
}

/** The inputs that a change may send with other values than the program has: it keeps what others have changed. */
const kept = ["replicas", "container", "env"] as const;

/** Puts the program's values in place of those that a change has kept from others: that drift is for a refresh to show. */
function asApplied(running: CheckedInputs, { inputs: sent }: Change, inputs: CheckedInputs): CheckedInputs {
  const names = kept.filter((name) => running[name] === sent[name]);
  return { ...running, ...Object.fromEntries(names.map((name) => [name, inputs[name]])) };
}

/** The same inputs with the values of the program, for the state. */
function ownOf(inputs: CheckedInputs): Partial<ClusterState> {
  return Object.fromEntries(kept.filter((name) => inputs[name] !== undefined).map((name) => [name, inputs[name]]));
}

/** Reads the cluster. Returns `undefined` only if the service tells the same key that the cluster does not exist. */
export async function readCluster(service: Service, ctx: Ctx, id: string, olds: Properties) {
  const state = judgedState(olds, id);
  const subject = { id, inputs: { ...state, name: state.name ?? id }, olds: state, known: service.known.of(id) };
  const operation = new Operation(ctx, service.clock, "read", subject);
  const listed = await service.refreshes.listed(id, operation.look());
  if (listed) operation.observe({ record: listed });
  const record =
    listed && showsAll(listed, state) ? operation.observed.record : await findOrGone(service, operation, state);
  if (!record || stateOf(record.status) === "terminated") {
    refuseOtherConnection(service, operation, state);
    return undefined;
  }
  await reportTwins(service, operation, state);
  const isPlain = listed !== undefined && isAsSettled(record, state);
  const observation = { record, status: isPlain ? undefined : await findStatus(service.client, operation) };
  const isUnknown = state.name === undefined;
  const isAtRest = !isPlain && (await findRest(service, operation, record, observation.status)) === "stopped";
  const found = withDrift(state, record, isAtRest);
  // An import writes the GPU type into a program: a readable name is better there than an id.
  const shown = isUnknown ? { ...found, gpuType: gpuTypeOf(record) ?? found.gpuType } : found;
  const { __unfinished: unfinished, __sent: sent } = state;
  const settled = isPlain || (isAtRest && shown.desiredStatus === "stopped") || isSettled(observation, shown);
  const facts = { settled, unfinished, sent, seenBy: service.seenBy, before: state };
  // A list may show fewer fields than the cluster itself: an input that was verified once stays verified.
  const { unverifiedInputs: once } = state;
  const unverifiedInputs = unverified(shown, record, state.__echo).filter((path) => once?.includes(path) ?? true);
  const next = toState(inputsOf(shown), observation, { ...facts, unverifiedInputs });
  // An import turns these inputs into a program, so they contain only what a program can set.
  return { state: next, inputs: isUnknown ? programOf(next) : toPlainJson(inputsOf(next)) };
}

/** Judges one observation, without a wait. With `skipAwait`, a cluster that is still starting counts as settled. */
function isSettled({ record, status }: Observation, shown: ClusterState): boolean {
  // A stopped cluster is settled even if a new configuration waits for its start.
  if (shown.desiredStatus === "stopped") {
    return isStopped(record ?? {}, shown) || (shown.skipAwait === true && isStopping(record?.status));
  }
  if (shown.__unfinished !== undefined) return false;
  if (shown.skipAwait) return stateOf(record?.status) !== "failed";
  const past = { seen: true, misses: 0, healthyLooks: 1, contradicted: false, waitedMs: 0 };
  const requested = shown.replicas ?? status?.replicas.length ?? 0;
  const replicas = replicasWithin(shown.extraFields, requested, record?.replicas);
  return judgeReady({ record, status }, past, goalOf({ ...shown, replicas })).kind === "ready";
}

/** Deletes the cluster, or stops it if its `deletionPolicy` says so, and waits. A cluster that is already gone is a success. */
export async function deleteCluster(service: Service, ctx: Ctx, id: string, olds: Properties): Promise<void> {
  const state = judgedState(olds, id);
  const operation = new Operation(ctx, service.clock, "delete", {
    id,
    inputs: state,
    olds: state,
    known: service.known.of(id),
  });
  const adoption = service.owned.adoptionOf(id);
  if (adoption === "failed") throw operation.error("was not deleted: the resource that was to adopt it has failed to");
  if (adoption === "done") {
    operation.warn("a resource of this program adopts it, so it stays as it is; only this entry of the state goes");
    return;
  }
  await refuseOtherName(service, operation, state);
  if (state.deletionPolicy === "stop") return stopInstead(service, operation, state);
  try {
    operation.status("deleting");
    const send = () => service.client.deleteCluster(id, operation.request());
    const isGone = async (now: ClusterRecord | undefined) => {
      const shown = now ?? (await findAgain(service, operation, state));
      return !shown || isLeaving(shown.status);
    };
    await whenFree(service, operation, send, isGone);
    await service.poller.poll({ operation, judge: judgeGone, isDeleted: true });
  } catch (error) {
    await acceptAbsence(service, operation, state, error);
  }
  service.owned.deleted(id);
  operation.status("deleted");
  const isSecret = state.__secretOutputs?.includes("hourlyCost");
  if (state.hourlyCost && !isSecret) operation.info(`was deleted; it cost ${state.hourlyCost} an hour`);
}

/** The greatest age of the list in which a cluster is looked up before its deletion: many deletions share one list. */
const deletionListAgeMs = 30_000;

/** Refuses a deletion if the id in the state belongs to a cluster of another name. A record without a name is accepted. */
async function refuseOtherName(service: Service, operation: Operation, { name, __echo }: ClusterState): Promise<void> {
  if (name === undefined || !clusterIdPattern.test(operation.id)) return;
  const shown = (await recordForName(service, operation))?.name;
  const isOther = shown !== undefined && clusterNamePattern.test(shown) && !sameText(shown, name);
  if (!isOther || __echo?.name === shown) return;
  throw operation.error(
    `was not deleted: the state calls it "${name}", but the service calls ${operation.id} "${cleanText(shown, 100)}". If it is ` +
      `this resource's cluster, run \`pulumi refresh\` first; if not, run \`pulumi state delete '${operation.urn}'\``,
  );
}

/** Reads the record from the list that many deletions share, else by its id. Warns if the record cannot be read. */
async function recordForName(service: Service, operation: Operation): Promise<ClusterRecord | undefined> {
  const { id } = operation;
  try {
    const list = await service.lists.recent(deletionListAgeMs, operation.look()).catch(() => undefined);
    return (list && memberOf(list, id)) ?? (await findCluster(service, id, { ...operation.look(), attempts: 2 }));
  } catch (error) {
    operation.warn(`whether ${id} is the cluster of this name could not be checked: ${messageOf(error)}`);
    return undefined;
  }
}

async function stopInstead(service: Service, operation: Operation, state: ClusterState): Promise<void> {
  const record = await findOrGone(service, operation, state);
  if (!record || isLeaving(record.status)) return operation.status("is gone already");
  try {
    await stop(service, operation, {});
  } catch (error) {
    throw operation.error(`was not stopped: ${messageOf(error)}`, error);
  }
  operation.warn(
    `was stopped and not deleted, as its \`deletionPolicy\` says. \`adopt: "${operation.id}"\` takes it up again, and starts ` +
      "it. The service does not say what a stopped cluster costs",
  );
}

/** The state of a cluster that is now as requested, with the observed form of its inputs. Warns of values that differ. */
async function reached(service: Service, operation: Operation, inputs: CheckedInputs, before: ClusterState) {
  const detail = await readDetails(service, operation, inputs, before);
  const record = { ...operation.observed.record, ...detail, id: operation.id };
  const isNew = operation.isCreation || before.__echo === undefined;
  if (isNew && inputs.adopt === undefined) refuseOther(service, inputs, record);
  const { echo: form, differing, unchanged } = learnForm(inputs, record, before);
  const others = differing.filter((path) => !unchanged.includes(path));
  if (others.length > 0) operation.warn(`the service shows ${others.join(", ")} otherwise than asked for`);
  if (unchanged.length > 0)
    operation.warn(`the service accepted the change, but still shows ${unchanged.join(", ")} as before`);
  const isLate = operation.isCreation && service.client.form.showsLate ? { __late: true as const } : {};
  const facts = { settled: true, seenBy: service.seenBy, before: { ...before, __echo: form, ...isLate } };
  return toState(inputs, operation.observed, { ...facts, unverifiedInputs: unverified(inputs, record, form) });
}

/** The inputs as the service shows them, in one request at most. */
async function readDetails(service: Service, operation: Operation, inputs: CheckedInputs, before: ClusterState) {
  const { record: last } = operation.observed;
  if (last?.env) return last;
  const read = (urgency?: "reconcile") => find(service, operation, { urgency });
  if (!operation.isCreation) return read();
  // The read may belong to another operation, which has a later deadline.
  const late = () => operation.timeout(", while its details were read");
  return until({ clock: service.clock, deadlineMs: operation.look().deadlineMs, late }, (signal) =>
    abortable(service.details.look(inputs, { ...before, ...last }, read), signal),
  );
}

/**
 * Runs the work on a cluster that exists: every failure keeps the id and the partial state. If nothing was done at all
 * (`soFar` returns undefined), the engine keeps its state and its inputs. So the next diff still shows the change, and the
 * option `replaceOnChanges` can make it a replacement.
 */
async function keep(
  { seenBy }: Service,
  operation: Operation,
  what: string,
  soFar: (error: unknown) => PartialState | undefined,
  work: () => Promise<ClusterState>,
): Promise<ClusterState> {
  try {
    return await work();
  } catch (error) {
    const progress = soFar(error);
    if (!progress) throw operation.error(`was not changed: ${messageOf(error)}`, error);
    const { running, before, ...facts } = progress;
    const state = toState(running, operation.observed, { ...facts, settled: false, seenBy, before });
    throw operation.initError(error, state, what);
  }
}
