import { type ConfigInput, configInputs } from "../../api/capabilities";
import { type ClusterRecord, missingField } from "../../api/decode/records";
import {
  isAboutBody,
  isNamed,
  isUnwanted,
  type UpdateBody,
  type UpdateMethod,
  vocabularies,
} from "../../api/endpoints";
import { ApiError, ConfigError, NotInPlaceError, NoUpdateError } from "../../base/errors";
import { plainName } from "../../base/text";
import { isWithinPaths, type Update, unknownVariables } from "../diff/diff";
import { compareObserved, keysIn, listOfVariables, unverifiedPaths } from "../diff/drift";
import { type CheckedInputs, pick } from "../schema/state";
import type { LookupSources } from "../service/lookup";
import type { Operation } from "../service/operation";
import { type Attempt, sendWrite } from "./sendWrite";

/**
 * Sends the configuration: by PATCH what the update names, by PUT and POST everything. PATCH and POST may keep what a body omits,
 * so a null removes it. If a refusal is about the body, one corrected body is sent.
 * @param replicas The number that the cluster has now: nothing shrinks before the rollout.
 * @throws NoUpdateError if the service has no update and only the image changes.
 * @throws NotInPlaceError if the service has no update and another input changes.
 * @throws ConfigError if the body would overwrite a variable whose value is not known.
 */
export async function sendUpdate(
  deps: LookupSources,
  operation: Operation,
  update: Update,
  { replicas, attempt }: { readonly replicas: number; readonly attempt: Attempt },
): Promise<readonly ClusterRecord[]> {
  const { target, record, named } = update;
  const differing = namedFields(named);
  const all = everything(target, replicas);
  const removed = keysIn(named, "env").filter((name) => !Object.hasOwn(all.env, name));
  const nulls = removed.filter((name) => record.env === undefined || Object.hasOwn(record.env, name));
  const isCredentialRemoved = differing.includes("registryCredentialId") && all.registryCredentialId === undefined;
  const posted = isCredentialRemoved ? { ...all, registryCredentialId: null } : all;
  const bodies = { PATCH: withNulls(changesOf(update, all), nulls), POST: withNulls(posted, nulls), PUT: all };
  const send = (bodyFor: (method: UpdateMethod) => UpdateBody) =>
    sendWrite(deps, operation, {
      kind: "update",
      send: () => {
        const checkedBodyFor = (method: UpdateMethod) => refuseUnknown(update, bodyFor(method));
        return deps.client.updateCluster(operation.id, checkedBodyFor, operation.request());
      },
      isDone: (found) => found !== undefined && shows(found, update, differing),
      attempt,
    });
  const { answer, seen } = await send((method) => bodies[method]).catch((error: unknown) => {
    if (!(error instanceof ApiError)) throw error;
    // The error can be that of a read between two attempts.
    const refused = Object.entries(bodies).find(([method]) => method === error.method)?.[1];
    const second = refused && secondBody(refused, error, { all, differing, inputs: target });
    if (!second) throw asNotInPlace(error, differing);
    return send(() => second);
  });
  if (nulls.length > 0 && record.env === undefined && deps.client.capabilities.updateMethod !== "PUT")
    operation.warn(`the service shows no env, so it may keep ${listOfVariables(nulls)}`);
  return answer ? [...seen, answer] : seen;
}

function namedFields(named: readonly string[]): ConfigInput[] {
  return configInputs.filter((field) => named.some((path) => isWithinPaths(path, [field])));
}

function everything(target: CheckedInputs, replicas: number) {
  const { env = {}, extraFields = {} } = target;
  // No program requests 0 replicas, and a service can refuse the number.
  return { ...pick(target, configInputs), env, extraFields, replicas: replicas > 0 ? replicas : undefined };
}

/** The body with what the update names: `env` as a whole, and each extra field by itself. */
function changesOf({ named }: Update, all: ReturnType<typeof everything>): UpdateBody {
  const extras = Object.entries(all.extraFields).filter(([name]) => isWithinPaths(`extraFields.${name}`, named));
  const values: UpdateBody = {
    ...all,
    registryCredentialId: all.registryCredentialId ?? null,
    extraFields: extras.length > 0 ? Object.fromEntries(extras) : undefined,
  };
  const entries = namedFields(named).map((name) => [name, values[name]] as const);
  const changes = entries.filter(([, value]) => value !== undefined);
  // A body cannot name an extra field that is removed: only one with everything else can show that.
  return changes.length > 0 ? Object.fromEntries(changes) : all;
}

/** Whether a record shows the new values of these inputs, and nothing of what the update removes. */
function shows(record: ClusterRecord, { target, state, record: old, named }: Update, fields: readonly ConfigInput[]) {
  const isHidden = (field: "env" | "registryCredentialId") => (record[field] ?? old[field]) === undefined;
  if ((["env", "registryCredentialId"] as const).some((field) => fields.includes(field) && isHidden(field)))
    return false;
  const removedExtras = keysIn(named, "extraFields").filter((name) => !Object.hasOwn(target.extraFields ?? {}, name));
  if (removedExtras.some((name) => record.fields?.has(plainName(name)))) return false;
  const { differing } = compareObserved(target, record, state);
  return ![...differing, ...unverifiedPaths(target, record)].some((path) => isWithinPaths(path, fields));
}

function withNulls(body: UpdateBody, names: readonly string[]): UpdateBody {
  if (!body.env) return body;
  const nulls = Object.fromEntries(names.map((name) => [name, null]));
  return { ...body, env: { ...body.env, ...nulls } };
}

/**
 * Returns the body unchanged.
 * @throws ConfigError if it would overwrite another user's variable whose value the service masks.
 */
function refuseUnknown(update: Update, body: UpdateBody): UpdateBody {
  const unknown = body.env === undefined ? [] : unknownVariables(update);
  if (unknown.length === 0) return body;
  throw new ConfigError(
    `the service masks ${listOfVariables(unknown)}, and this update sends every variable, so it would empty an unknown value. ` +
      "Nothing was sent. Set the variable in the program, without `ignoreChanges` for it, or remove it in the service",
  );
}

const fields = Object.keys(vocabularies.specification) as (keyof typeof vocabularies.specification)[];

interface UpdateParts {
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
function secondBody(
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
  const hasNulls = Object.values(body.env ?? {}).includes(null);
  return hasNulls ? { ...body, env: all.env } : undefined;
}

/** NotInPlaceError if the service has no update and inputs other than the image change; else the error itself. */
function asNotInPlace(error: ApiError, differing: readonly ConfigInput[]): Error {
  const others = differing.filter((field) => field !== "container");
  if (!(error instanceof NoUpdateError) || others.length === 0) return error;
  const what = others.map((field) => `\`${field}\``).join(" and ");
  return new NotInPlaceError(`${what} cannot be changed in place: ${error.reason}`, { cause: error });
}
