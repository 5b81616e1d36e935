import { isDeepStrictEqual } from "node:util";
import { type ClusterRecord, missingField } from "../api/records";
import { isAboutBody, isNamed, isUnwanted, type UpdateBody, vocabularies } from "../api/requestNames";
import { ApiError, NotInPlaceError, NoUpdateError, RequestError } from "../errors";
import { extrasShown } from "./extraFields";
import { createdNames, type UpdatedName } from "./fields";
import { findCluster } from "./lookup";
import type { Operation } from "./operation";
import { sendWrite, type Target } from "./sendWrite";
import { pick } from "./state";
import type { CheckedInputs, ClusterState } from "./stateFields";

/** The desired configuration, and the one before. */
export interface UpdateRequest {
  readonly inputs: CheckedInputs;
  readonly before: Pick<ClusterState, "container" | "env" | "extraFields" | "__unfinished" | "__echo" | "__sent">;
  /** The record before the update. If it shows variables, the effect of the update on them can be observed. */
  readonly shown: ClusterRecord;
}

/** The progress of an update. */
export interface Progress {
  /** True once the service may have stored the new configuration, even if its answer was lost. */
  isStored: boolean;
}

/**
 * Sends an update.
 * @throws NoUpdateError if the service has no update and only the image changes.
 * @throws NotInPlaceError if the service has no update and env or extra fields change.
 */
export function sendUpdate(
  target: Target,
  operation: Operation,
  request: UpdateRequest,
  progress: Progress,
): Promise<ClusterRecord | undefined> {
  return sendConfiguration(target, operation, request, progress).catch((error: unknown) => {
    throw withWayOut(error, request);
  });
}

/** The error if the service has no update and other inputs than the image change; else the error itself. */
function withWayOut(error: unknown, { inputs, before }: UpdateRequest): unknown {
  const others = changedFields(inputs, before).filter((field) => field !== "container");
  if (!(error instanceof NoUpdateError) || others.length === 0) return error;
  const what = others.map((field) => `\`${field}\``).join(" and ");
  const text = `${what} cannot be changed in place: ${error.message}. ${wayOut(others)}`;
  return new NotInPlaceError(text, { cause: error });
}

/** The next step if a service cannot change these inputs in place. */
export function wayOut(inputs: readonly string[]): string {
  const names = inputs.map((input) => `"${input}"`).join(", ");
  return `The resource option \`replaceOnChanges: [${names}]\` makes a new cluster instead`;
}

/**
 * Sends container, env and replicas in full, so that services that replace and services that merge end with the same values.
 * If a service merges env by name, only a null removes a variable, but other services may refuse the null or even store it.
 * So the null is sent only if the service still shows the variable. If the service shows no variables, the null is sent
 * before the update that all services understand.
 */
async function sendConfiguration(
  target: Target,
  operation: Operation,
  { inputs, before, shown: old }: UpdateRequest,
  progress: Progress,
): Promise<ClusterRecord | undefined> {
  const { container, replicas, env = {}, extraFields } = inputs;
  const body: { [Name in UpdatedName]: UpdateBody[Name] } = { container, replicas, env, extraFields };
  const removed = namesToRemove(before, old).filter((name) => !Object.hasOwn(env, name));
  const withNulls = { ...body, env: { ...env, ...Object.fromEntries(removed.map((name) => [name, null])) } };
  const changed = new Set(changedFields(inputs, before));
  const send = (what: UpdateBody) => sendBody(target, operation, { inputs, body: what, removed, changed, progress });
  if (old.env === undefined && removed.length > 0) await isAccepted(send(withNulls));
  const record = await send(body);
  if (old.env === undefined || removed.length === 0) return record;
  const shown = record?.env ? record : await findCluster(target, operation.id, operation.lookup());
  const isKept = removed.some((name) => Object.hasOwn(shown?.env ?? {}, name));
  if (isKept) await isAccepted(send(withNulls));
  return shown;
}

/** The names of the variables before; if an earlier update did not finish, also those that it may have stored. */
function namesToRemove(before: UpdateRequest["before"], shown: ClusterRecord): string[] {
  const { env = {}, __unfinished, __echo, __sent = [] } = before;
  const added = __unfinished === "rollout" ? Object.keys(shown.env ?? {}) : [];
  return [...new Set([...Object.keys(env), ...__sent, ...added.filter((name) => !__echo?.env?.includes(name))])];
}

/** The fields of an update that differ from what was sent before. */
export function changedFields(
  inputs: CheckedInputs,
  before: Pick<ClusterState, "container" | "env" | "extraFields">,
): ("container" | "env" | "extraFields")[] {
  const isSameEnv = isDeepStrictEqual(inputs.env ?? {}, before.env ?? {});
  return [
    ...(inputs.container === before.container ? [] : ["container" as const]),
    ...(isSameEnv ? [] : ["env" as const]),
    ...(isDeepStrictEqual(inputs.extraFields ?? {}, before.extraFields ?? {}) ? [] : ["extraFields" as const]),
  ];
}

/** False if the body was refused, so that nothing was done. */
async function isAccepted(work: Promise<unknown>): Promise<boolean> {
  try {
    await work;
    return true;
  } catch (error) {
    if (error instanceof ApiError && isAboutBody(error)) return false;
    throw error;
  }
}

interface UpdateAttempt {
  readonly inputs: CheckedInputs;
  readonly body: UpdateBody;
  /** Names of the variables to remove. */
  readonly removed: readonly string[];
  readonly changed: ReadonlySet<keyof UpdateBody>;
  readonly progress: Progress;
}

/** Notes that the configuration may be stored. Only a clear refusal restores the earlier value. */
async function noted<T>(progress: Progress, sent: Promise<T>): Promise<T> {
  const { isStored } = progress;
  progress.isStored = true;
  try {
    return await sent;
  } catch (error) {
    if (error instanceof RequestError && !error.maybeApplied) progress.isStored = isStored;
    throw error;
  }
}

/** Sends a body. After the refusal of a field, the body has another form, also if it is sent again later. */
async function sendBody(
  target: Target,
  operation: Operation,
  { inputs, body: whole, removed, changed, progress }: UpdateAttempt,
): Promise<ClusterRecord | undefined> {
  let body = whole;
  const spare = pick(inputs, createdNames);
  const amended = (error: ApiError) => {
    const next = amend(body, error, { needed: changed, spare });
    if (next) body = next;
    return next;
  };
  return sendWrite(target, operation, {
    kind: "update",
    send: () => noted(progress, target.client.updateCluster(operation.id, body, operation.request(), amended)),
    isDone: (shown) =>
      shown !== undefined &&
      isConfigured(shown, body, removed) &&
      (!changed.has("extraFields") || extrasShown(body.extraFields, shown, "other", "hidden").length === 0),
  });
}

export interface Leeway {
  /** Fields that have to change: a body without them would have no effect. */
  readonly needed: ReadonlySet<keyof UpdateBody>;
  /** Fields that may be added. */
  readonly spare: UpdateBody;
}

/**
 * The body without the field that the service does not accept, or with the field that it requires; `undefined` if the refusal
 * is about something else. Pure. Such a refusal means that nothing was done.
 */
export function amend(body: UpdateBody, error: ApiError, { needed, spare }: Leeway): UpdateBody | undefined {
  if (!isAboutBody(error)) return undefined;
  const extra = updateFields.find(
    (field) => body[field] !== undefined && namesOf(field).some((name) => isUnwanted(name, error)),
  );
  if (extra) return needed.has(extra) ? undefined : { ...body, [extra]: undefined };
  const missing = updateFields.find(
    (field) =>
      !(field in body) && spare[field] !== undefined && namesOf(field).some((name) => isNamed(name, error.said)),
  );
  return missing && missingField.test(error.said) ? { ...body, [missing]: spare[missing] } : undefined;
}

const updateFields = Object.keys(vocabularies.specification) as (keyof typeof vocabularies.specification)[];

/** The names of a field in requests, one for each vocabulary. */
function namesOf(field: (typeof updateFields)[number]): string[] {
  return Object.values(vocabularies).map((names) => names[field]);
}

function isConfigured({ container, env }: ClusterRecord, sent: UpdateBody, removed: readonly string[]): boolean {
  if (container !== sent.container || env === undefined) return false;
  const isThere = Object.entries(sent.env ?? {}).every(([name, value]) => (env[name] ?? null) === value);
  return isThere && removed.every((name) => !Object.hasOwn(env, name));
}
