import { isDeepStrictEqual } from "node:util";
import type { UpdateMethod } from "../../api/endpoints";
import { type ClusterRecord, missingField } from "../../api/records";
import { isAboutBody, isNamed, isUnwanted } from "../../api/refusedFields";
import { type UpdateBody, vocabularies } from "../../api/requests";
import { type ConfigInput, configInputs } from "../../api/serviceForm";
import { ApiError, NotInPlaceError, NoUpdateError, RequestError } from "../../base/errors";
import { cleanText, listOf, mostNamed } from "../../base/text";
import { extrasShown } from "../model/extraFields";
import { createdNames, type UpdatedName } from "../model/fields";
import { pick } from "../model/state";
import type { CheckedInputs, ClusterState } from "../model/stateFields";
import { findCluster, type LookupSources } from "../shared/lookup";
import type { Operation } from "../shared/operation";
import { sendWrite } from "../shared/sendWrite";

/** The desired configuration, and the one before. */
export interface UpdateRequest {
  readonly inputs: CheckedInputs;
  /** The inputs that have to be sent: those that differ from the state, or all if an earlier update did not finish. */
  readonly changed: ReadonlySet<ConfigInput>;
  readonly before: ClusterState;
  /** The record before the update. If it shows variables, the effect of the update on them can be observed. */
  readonly shown: ClusterRecord;
  /** True if the service is known to roll the update out by itself. */
  readonly rollsOut?: boolean | undefined;
}

/** Notes what the service may have stored. */
export interface Progress {
  /** Sends the configuration. Only a clear refusal means that the service does not store it. */
  store<T>(send: () => Promise<T>, isRefused: (error: unknown) => boolean): Promise<T>;
}

/**
 * Sends an update.
 * @throws NoUpdateError if the service has no update and only the image changes.
 * @throws NotInPlaceError if the service has no update and another input changes.
 */
export function sendUpdate(
  target: LookupSources,
  operation: Operation,
  request: UpdateRequest,
  progress: Progress,
): Promise<ClusterRecord | undefined> {
  return sendConfiguration({ target, operation, request, progress }).catch((error: unknown) => {
    throw asNotInPlace(error, request);
  });
}

/** The error if the service has no update and other inputs than the image change; else the error itself. */
function asNotInPlace(error: unknown, request: UpdateRequest): unknown {
  const others = neededFields(request).filter((field) => field !== "container");
  if (!(error instanceof NoUpdateError) || others.length === 0) return error;
  const what = others.map((field) => `\`${field}\``).join(" and ");
  return new NotInPlaceError(`${what} cannot be changed in place: ${error.message}`, { cause: error });
}

/** What every request of an update needs. */
interface Update {
  readonly target: LookupSources;
  readonly operation: Operation;
  readonly request: UpdateRequest;
  readonly progress: Progress;
}

/**
 * Sends one update: by PATCH what changes, by PUT and POST everything. If the service merges env by name, only a null removes
 * a variable, but other services may refuse the null or even store it. So where reads show env, a null is sent only for a
 * removed variable that a read still shows. Where they do not, a PATCH has the nulls (a JSON merge patch) if the service takes
 * them.
 */
async function sendConfiguration(update: Update): Promise<ClusterRecord | undefined> {
  const { target, operation, request } = update;
  const { all, changes, removed } = bodiesOf(request);
  const isShown = request.shown.env !== undefined;
  const first = (method: UpdateMethod) => (method === "PATCH" ? withNulls(changes, isShown ? [] : removed) : all);
  const { answer, body, method } = await sendBody(update, first, true);
  if (removed.length === 0) return answer;
  if (!isShown) {
    const names = listOf(
      removed.map((name) => `\`env.${cleanText(name, 60)}\``),
      mostNamed,
    );
    if (method === "PATCH" && !hasNulls(body))
      operation.warn(`the service shows no env and refuses a null in it, so it may keep ${names}`);
    return answer;
  }
  const shown = answer?.env ? answer : await findCluster(target, operation.id, operation.lookup());
  const kept = removed.filter((name) => Object.hasOwn(shown?.env ?? {}, name));
  const again = (method: UpdateMethod) => withNulls(method === "PATCH" ? { env: body.env } : body, kept);
  if (kept.length === 0) return shown;
  await sendBody(update, again, false).catch((error: unknown) => {
    // A refusal has done nothing: the end of the operation says what is still shown.
    if (!(error instanceof ApiError && isAboutBody(error))) throw error;
  });
  return shown;
}

/** The bodies of an update: all fields, and those that change; the variables that it removes. Pure. */
function bodiesOf({ inputs, changed, before, shown }: UpdateRequest) {
  const { container, replicas, env = {}, registryCredentialId, extraFields = {} } = inputs;
  const all: Record<UpdatedName, unknown> & UpdateBody = {
    container,
    replicas,
    env,
    registryCredentialId,
    extraFields,
  };
  const extras = Object.entries(extraFields).filter(
    ([name, value]) => before.__unfinished === "rollout" || !isDeepStrictEqual(value, before.extraFields?.[name]),
  );
  const credential = registryCredentialId ?? (before.registryCredentialId === undefined ? undefined : null);
  const configured: UpdateBody = {
    ...(changed.has("container") ? { container } : {}),
    ...(changed.has("env") ? { env } : {}),
    ...(changed.has("registryCredentialId") && credential !== undefined ? { registryCredentialId: credential } : {}),
    ...(changed.has("extraFields") && extras.length > 0 ? { extraFields: Object.fromEntries(extras) } : {}),
  };
  const size = replicas === replicasBefore(shown, before) ? {} : { replicas };
  const old = changed.has("env") ? [...Object.keys(before.env ?? {}), ...(before.__sent ?? [])] : [];
  return {
    all,
    // A cluster that has failed is updated without a change, and an extra field that is removed has no name in a body. A number
    // of replicas alone is no configuration: a service may refuse it here, and take it by scale.
    changes: Object.keys(configured).length > 0 ? { ...size, ...configured } : all,
    removed: [...new Set(old)].filter((name) => !Object.hasOwn(env, name)),
  };
}

/** The number of replicas that the service has. If it shows none, and the last one may not have been reached: `undefined`. */
export function replicasBefore(shown: ClusterRecord | undefined, { settled, replicas }: ClusterState) {
  return shown?.replicas ?? (settled === false ? undefined : replicas);
}

/** The body with a null for each of these variables, if it has env. */
function withNulls(body: UpdateBody, names: readonly string[]): UpdateBody {
  return body.env ? { ...body, env: { ...body.env, ...Object.fromEntries(names.map((name) => [name, null])) } } : body;
}

function hasNulls({ env = {} }: UpdateBody): boolean {
  return Object.values(env).includes(null);
}

/** The inputs of an update that differ. */
export function changedFields(inputs: Configured, before: Configured): ConfigInput[] {
  return configInputs.filter((field) => !isDeepStrictEqual(inputs[field] ?? {}, before[field] ?? {}));
}

type Configured = Partial<Pick<CheckedInputs, ConfigInput>>;

/** The inputs without which an update would have no effect. */
function neededFields({ inputs, changed, before }: UpdateRequest): ConfigInput[] {
  return changedFields(inputs, before).filter((field) => changed.has(field));
}

/** Sends the body for a method. After a refusal it has another form, also if it is sent again later. Returns the last one. */
async function sendBody(
  { target, operation, request, progress }: Update,
  bodyFor: (method: UpdateMethod) => UpdateBody,
  mayKeepRemoved: boolean,
) {
  const { all, removed } = bodiesOf(request);
  const needed = new Set<keyof UpdateBody>(neededFields(request));
  const leeway = { needed, all, spare: pick(request.inputs, createdNames), mayKeepRemoved };
  let amended: UpdateBody | undefined;
  let last: { readonly body: UpdateBody; readonly method: UpdateMethod } = { body: all, method: "PATCH" };
  const noted = (method: UpdateMethod) => {
    last = { body: amended ?? bodyFor(method), method };
    return last.body;
  };
  const send = async (): Promise<ClusterRecord | undefined> => {
    try {
      return await target.client.updateCluster(operation.id, noted, operation.request());
    } catch (error) {
      const next = error instanceof ApiError ? amend(last.body, error, leeway) : undefined;
      if (!next) throw error;
      amended = next;
      return send();
    }
  };
  const answer = await sendWrite(target, operation, {
    kind: "update",
    send: () => progress.store(send, (error) => error instanceof RequestError && !error.maybeApplied),
    isDone: (shown) =>
      shown !== undefined &&
      isConfigured(shown, last.body, removed) &&
      (!needed.has("extraFields") || extrasShown(last.body.extraFields, shown, "other", "hidden").length === 0),
  });
  return { answer, ...last };
}

export interface Leeway {
  /** Fields that have to change: a body without them would have no effect. */
  readonly needed: ReadonlySet<keyof UpdateBody>;
  /** The body with all fields. */
  readonly all: UpdateBody;
  /** Fields that may be added. */
  readonly spare: UpdateBody;
  /** Whether an update is of use without its nulls. */
  readonly mayKeepRemoved: boolean;
}

/**
 * The body in the form that a refusal asks for; `undefined` if the refusal is about something else. Pure. Such a refusal means
 * that nothing was done. The field that the service does not accept is left out. A service that misses a field may reset every
 * other one that is missing, so it gets all. A null is left out last: no refusal names it in a known way.
 */
export function amend(body: UpdateBody, error: ApiError, leeway: Leeway): UpdateBody | undefined {
  if (!isAboutBody(error)) return undefined;
  const { needed, all, spare, mayKeepRemoved } = leeway;
  const extra = updateFields.find(
    (field) => body[field] !== undefined && namesOf(field).some((name) => isUnwanted(name, error)),
  );
  if (extra && !needed.has(extra)) return { ...body, [extra]: undefined };
  const missing = updateFields.find(
    (field) =>
      !(field in body) && spare[field] !== undefined && namesOf(field).some((name) => isNamed(name, error.apiMessage)),
  );
  if (!extra && missing && missingField.test(error.apiMessage)) return { ...all, ...body, [missing]: spare[missing] };
  const kept = Object.entries(body.env ?? {}).filter(([, value]) => value !== null);
  return mayKeepRemoved && hasNulls(body) ? { ...body, env: Object.fromEntries(kept) } : undefined;
}

const updateFields = Object.keys(vocabularies.specification) as (keyof typeof vocabularies.specification)[];

/** The names of a field in requests, one for each vocabulary. */
function namesOf(field: (typeof updateFields)[number]): string[] {
  return Object.values(vocabularies).map((names) => names[field]);
}

function isConfigured(
  { container, env, registryCredentialId }: ClusterRecord,
  sent: UpdateBody,
  removed: readonly string[],
): boolean {
  if (sent.container !== undefined && sent.container !== container) return false;
  if (sent.registryCredentialId !== undefined && sent.registryCredentialId !== (registryCredentialId ?? null))
    return false;
  if (sent.env === undefined) return true;
  const isThere = Object.entries(sent.env).every(([name, value]) => (env?.[name] ?? null) === value);
  return env !== undefined && isThere && removed.every((name) => !Object.hasOwn(env, name));
}
