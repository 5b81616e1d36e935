import { isDeepStrictEqual } from "node:util";
import type { UpdateBody } from "../api/endpoints";
import { type ClusterRecord, missingField } from "../api/records";
import { isAboutBody, isNamed, isUnwanted, vocabularies } from "../api/requestNames";
import { ApiError, NotInPlaceError, NoUpdateError, RequestError } from "../errors";
import { type Target, whenFree } from "./busy";
import type { CheckedInputs, ClusterState } from "./fields";
import { findCluster } from "./lookup";
import type { Operation } from "./operation";

/** What is to run, and what ran before. */
export interface UpdateRequest {
  readonly inputs: CheckedInputs;
  readonly before: Pick<ClusterState, "container" | "env" | "extraFields" | "__unfinished" | "__echo" | "__sent">;
  /** What the service showed before. Where it shows variables, what became of them can be seen. */
  readonly shown: ClusterRecord;
}

/** What is known of a change while it is made. */
export interface Progress {
  /** True once the service may hold the new configuration, whether or not its answer came. */
  isStored: boolean;
}

const writeAttempts = 3;

/**
 * Sends a change that sets values, which does no harm when it arrives twice. After a lost answer it reads back, and sends
 * again only what was not applied. Returns the record that the service shows afterwards, where it shows one.
 */
export async function applyOnce(
  target: Target,
  operation: Operation,
  send: () => Promise<ClusterRecord | undefined>,
  isApplied: (record: ClusterRecord) => boolean,
): Promise<ClusterRecord | undefined> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await whenFree(target, operation, send, (now) => now !== undefined && isApplied(now));
    } catch (error) {
      if (!(error instanceof RequestError && error.maybeApplied)) throw error;
      const record = await findCluster(target, operation.id, { ...operation.look(), urgency: "reconcile" });
      if (record && isApplied(record)) return record;
      if (attempt >= writeAttempts || operation.leftMs() === 0) throw error;
    }
  }
}

/**
 * Sends container, env and replicas in full, so that a service that replaces what it has and one that merges it end the
 * same. Where env is merged by name, a variable goes only by a null, which others may refuse or even store: so the null is
 * sent when the service is seen to keep the variable or, where it shows none, before the update that all of them understand.
 */
export async function sendUpdate(
  target: Target,
  operation: Operation,
  { inputs, before, shown: old }: UpdateRequest,
  progress: Progress,
): Promise<ClusterRecord | undefined> {
  try {
    return await sendConfiguration(target, operation, { inputs, before, shown: old }, progress);
  } catch (error) {
    const others = changedFields(inputs, before).filter((field) => field !== "container");
    if (!(error instanceof NoUpdateError) || others.length === 0) throw error;
    const what = others.map((field) => `\`${field}\``).join(" and ");
    throw new NotInPlaceError(`${what} cannot be changed in place: ${error.message}. ${wayOut(others)}`, {
      cause: error,
    });
  }
}

/** What to do about inputs that a service cannot change on a cluster that exists. */
export function wayOut(inputs: readonly string[]): string {
  const names = inputs.map((input) => `"${input}"`).join(", ");
  return `The resource option \`replaceOnChanges: [${names}]\` makes a new cluster instead`;
}

async function sendConfiguration(
  target: Target,
  operation: Operation,
  { inputs, before, shown: old }: UpdateRequest,
  progress: Progress,
): Promise<ClusterRecord | undefined> {
  const { container, replicas, env = {}, extraFields } = inputs;
  const body: UpdateBody = { container, replicas, env, ...(extraFields ? { extraFields } : {}) };
  const removed = namesToRemove(before, old).filter((name) => !Object.hasOwn(env, name));
  const withNulls = { ...body, env: { ...env, ...Object.fromEntries(removed.map((name) => [name, null])) } };
  const changed = new Set(changedFields(inputs, before));
  const send = (what: UpdateBody) =>
    sendAccepted(target, operation, { inputs, body: what, removed, changed, progress });
  if (old.env === undefined && removed.length > 0) await isAccepted(send(withNulls));
  const record = await send(body);
  if (old.env === undefined || removed.length === 0) return record;
  const shown = record?.env ? record : await findCluster(target, operation.id, operation.look());
  const isKept = removed.some((name) => Object.hasOwn(shown?.env ?? {}, name));
  if (isKept) await isAccepted(send(withNulls));
  return shown;
}

/** What ran before; where an update was not seen through, also what that may have stored. */
function namesToRemove(before: UpdateRequest["before"], shown: ClusterRecord): string[] {
  const { env = {}, __unfinished, __echo, __sent = [] } = before;
  const added = __unfinished === "rollout" ? Object.keys(shown.env ?? {}) : [];
  return [...new Set([...Object.keys(env), ...__sent, ...added.filter((name) => !__echo?.env?.includes(name))])];
}

/** Which fields of an update differ from what was sent before. */
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

/** False when the body was refused, and so nothing done. */
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
  /** Names of variables that have to go. */
  readonly removed: readonly string[];
  readonly changed: ReadonlySet<keyof UpdateBody>;
  readonly progress: Progress;
}

/** Only an answer that surely says "no" leaves it as it was. */
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

/** Sends a body, and once more for each field that the service does not want, or wants besides. */
async function sendAccepted(
  target: Target,
  operation: Operation,
  { inputs, body: whole, removed, changed, progress }: UpdateAttempt,
): Promise<ClusterRecord | undefined> {
  const { name, gpuType } = inputs;
  for (let body = whole; ; ) {
    const send = () => noted(progress, target.client.updateCluster(operation.id, body, operation.request()));
    try {
      return await applyOnce(target, operation, send, (shown) => isConfigured(shown, body, removed));
    } catch (error) {
      const amended =
        error instanceof ApiError ? amend(body, error, { needed: changed, spare: { name, gpuType } }) : undefined;
      if (!amended) throw error;
      body = amended;
    }
  }
}

export interface Leeway {
  /** Fields that have to change: a body without them would be pointless. */
  readonly needed: ReadonlySet<keyof UpdateBody>;
  /** What may be added. */
  readonly spare: UpdateBody;
}

/**
 * The body without the field that the service says it does not want, or with the one that it misses; `undefined` when its
 * refusal is about something else. Pure. Such a refusal means that nothing was done.
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

/** The names of a field in requests. */
function namesOf(field: (typeof updateFields)[number]): string[] {
  return Object.values(vocabularies).map((names) => names[field]);
}

function isConfigured({ container, env }: ClusterRecord, asked: UpdateBody, removed: readonly string[]): boolean {
  if (container !== asked.container || env === undefined) return false;
  const isThere = Object.entries(asked.env ?? {}).every(([name, value]) => (env[name] ?? null) === value);
  return isThere && removed.every((name) => !Object.hasOwn(env, name));
}
