import { isDeepStrictEqual } from "node:util";
import { type ClusterRecord, missingField } from "../../api/decode/records";
import type { UpdateMethod } from "../../api/endpoints";
import { isAboutBody, isNamed, isUnwanted, type UpdateBody, vocabularies } from "../../api/requests";
import { type ConfigInput, configInputs } from "../../api/variant";
import { ApiError, ConfigError, NotInPlaceError, NoUpdateError } from "../../base/errors";
import { cleanText, listOf, maxNamed } from "../../base/text";
import { isWithinPaths } from "../diff/diff";
import { compareObserved, isMasked, unverifiedPaths } from "../diff/drift";
import { secretPathsOf } from "../schema/secrets";
import { type CheckedInputs, pick } from "../schema/state";
import { findCluster, type LookupSources } from "../service/lookup";
import type { Operation } from "../service/operation";
import { replicasOf, requestedInputs, type Update } from "./plan";
import { sendWrite } from "./sendWrite";

/**
 * Sends the configuration: by PATCH what changes, by PUT and POST everything. If a refusal is about the body, one corrected body
 * is sent. A removed variable that the service still shows afterwards is removed by a null; if the service shows no env, the
 * first PATCH has the null.
 * @throws NoUpdateError if the service has no update and only the image changes.
 * @throws NotInPlaceError if the service has no update and another input changes.
 * @throws ConfigError if the body would empty an unmanaged variable, whose value is not known.
 */
export async function sendUpdate(service: LookupSources, operation: Operation, update: Update): Promise<void> {
  const { requested, differing, changed, changes, all, removed } = partsOf(update);
  const isEnvShown = update.record.env !== undefined;
  const first = (method: string) => (method === "PATCH" ? withNulls(changes, isEnvShown ? [] : removed) : all);
  const send = (bodyFor: (method: UpdateMethod) => UpdateBody) =>
    sendWrite(service, operation, {
      kind: "update",
      send: () => {
        const checkedBodyFor = (method: UpdateMethod) => refuseUnknown(update, bodyFor(method));
        return service.client.updateCluster(operation.id, checkedBodyFor, operation.request());
      },
      isDone: (record) => record !== undefined && shows(record, update, changed),
    });
  let answer: ClusterRecord | undefined;
  try {
    answer = await send(first);
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    const refused = first(error.method);
    const second = secondBody(refused, error, { all, differing, inputs: requested });
    if (!second) throw asNotInPlace(error, differing);
    if (hasNulls(refused) && !hasNulls(second))
      operation.warn(`the service shows no env and refuses a null in it, so it may keep ${listOfVariables(removed)}`);
    answer = await send(() => second);
  }
  if (removed.length === 0 || !isEnvShown) return;
  const observed = answer?.env ?? (await findCluster(service, operation.id, operation.lookup()))?.env ?? {};
  const kept = removed.filter((name) => Object.hasOwn(observed, name));
  if (kept.length === 0) return;
  try {
    await send((method) => withNulls(method === "PATCH" ? { env: all.env } : all, kept));
  } catch (error) {
    // A refusal changes nothing, and the end of the update warns of what the service still shows.
    if (!(error instanceof ApiError && isAboutBody(error))) throw error;
  }
}

function listOfVariables(names: readonly string[]): string {
  const paths = names.map((name) => `\`env.${cleanText(name, 60)}\``);
  return listOf(paths, maxNamed);
}

/** The inputs that change, and what the bodies consist of. */
function partsOf(update: Update) {
  const { inputs, state } = update;
  const requested = requestedInputs(update);
  const { env = {}, extraFields = {} } = requested;
  const isUnfinished = state.__unfinished === "rollout";
  const differing = changedFields(inputs, state);
  const changed: readonly ConfigInput[] = isUnfinished ? configInputs : differing;
  const replicas = replicasOf(update) ?? requested.replicas;
  // No program requests 0 replicas, and a service can refuse the number.
  const all = { ...pick(requested, configInputs), env, extraFields, replicas: replicas > 0 ? replicas : undefined };
  const isNew = (name: string) => isUnfinished || !isDeepStrictEqual(extraFields[name], state.extraFields?.[name]);
  const extras = Object.fromEntries(Object.entries(extraFields).filter(([name]) => isNew(name)));
  const values: UpdateBody = {
    ...all,
    registryCredentialId: all.registryCredentialId ?? (state.registryCredentialId === undefined ? undefined : null),
    extraFields: Object.keys(extras).length > 0 ? extras : undefined,
  };
  const changes = Object.fromEntries(
    changed.map((name) => [name, values[name]] as const).filter(([, value]) => value !== undefined),
  );
  const before = changed.includes("env") ? [...Object.keys(state.env ?? {}), ...(state.__sent ?? [])] : [];
  return {
    requested,
    differing,
    changed,
    all,
    // A body cannot name an extra field that is removed: only one with everything else can show that.
    changes: Object.keys(changes).length > 0 ? changes : all,
    /** The variables that the service may still have. */
    removed: [...new Set(before)].filter((name) => !Object.hasOwn(env, name)),
  };
}

type Configured = Partial<Pick<CheckedInputs, ConfigInput>>;

/** The inputs of an update that differ. */
export function changedFields(inputs: Configured, before: Configured): ConfigInput[] {
  return configInputs.filter((field) => !isDeepStrictEqual(inputs[field] ?? {}, before[field] ?? {}));
}

/** Whether a record shows the new values of these inputs. */
function shows(record: ClusterRecord, update: Update, changed: readonly ConfigInput[]): boolean {
  const requested = requestedInputs(update);
  const { differing } = compareObserved(requested, record, update.state);
  return ![...differing, ...unverifiedPaths(requested, record)].some((path) => isWithinPaths(path, changed));
}

/** Adds a null for each of these variables to a body with env. */
function withNulls(body: UpdateBody, names: readonly string[]): UpdateBody {
  if (!body.env) return body;
  const nulls = Object.fromEntries(names.map((name) => [name, null]));
  return { ...body, env: { ...body.env, ...nulls } };
}

/**
 * Returns the body unchanged. An unmanaged variable whose value the service masks is empty in the state, where it is marked as
 * secret, and in the inputs of a program that ignores env: sending it would overwrite the value. A program that changes env
 * wants what it says. A service that masks by an empty value cannot be distinguished from one that shows an empty variable.
 * @throws ConfigError if the body would empty such a variable.
 */
function refuseUnknown({ record, inputs, state }: Update, body: UpdateBody): UpdateBody {
  if (changedFields(inputs, state).includes("env")) return body;
  const secrets = secretPathsOf(inputs, state);
  const isEmptied = (name: string) => body.env?.[name] === "" && state.env?.[name] === "";
  const unknown = Object.entries(record.env ?? {})
    .filter(([name, value]) => value !== "" && isMasked(value) && isEmptied(name) && secrets?.includes(`env.${name}`))
    .map(([name]) => name);
  if (unknown.length === 0) return body;
  throw new ConfigError(
    `the service masks ${listOfVariables(unknown)}, and this update sends every variable, so it would empty an unknown value. ` +
      "Nothing was sent. Set the variable in the program, without `ignoreChanges` for it, or remove it in the service",
  );
}

function hasNulls({ env = {} }: UpdateBody): boolean {
  return Object.values(env).includes(null);
}

const fields = Object.keys(vocabularies.specification) as (keyof typeof vocabularies.specification)[];

/** What a second body depends on. */
interface UpdateParts {
  /** Everything that an update can change. */
  readonly all: UpdateBody;
  /** The inputs that differ: without one of them, the update would have no effect. */
  readonly differing: readonly string[];
  /** The inputs that the update requests, for a field that only the refusal names. */
  readonly inputs: CheckedInputs;
}

/**
 * The body that a refusal asks for: without a field that the service does not accept, with everything if a field is missing, or
 * without nulls. `undefined` if the refusal is not about the body's fields. Such a refusal means that nothing was done.
 */
export function secondBody(
  body: UpdateBody,
  error: ApiError,
  { all, differing, inputs }: UpdateParts,
): UpdateBody | undefined {
  if (!isAboutBody(error)) return undefined;
  const findField = (matches: (name: string) => boolean) =>
    fields.find((field) => Object.values(vocabularies).some((names) => matches(names[field])));
  const unwanted = findField((name) => isUnwanted(name, error));
  if (unwanted && body[unwanted] !== undefined)
    return differing.includes(unwanted) ? undefined : { ...body, [unwanted]: undefined };
  const missing = missingField.test(error.apiMessage) && findField((name) => isNamed(name, error.apiMessage));
  if (missing && body[missing] === undefined && inputs[missing] !== undefined)
    return { ...all, [missing]: inputs[missing] };
  return hasNulls(body) ? { ...body, env: all.env } : undefined;
}

/** NotInPlaceError if the service has no update and inputs other than the image change; else the error itself. */
function asNotInPlace(error: ApiError, differing: readonly ConfigInput[]): Error {
  const others = differing.filter((field) => field !== "container");
  if (!(error instanceof NoUpdateError) || others.length === 0) return error;
  const what = others.map((field) => `\`${field}\``).join(" and ");
  return new NotInPlaceError(`${what} cannot be changed in place: ${error.reason}`, { cause: error });
}
