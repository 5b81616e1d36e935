import { type ClusterRecord, missingField } from "../../api/decode/records";
import {
  type ConfigInput,
  configInputs,
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
 * Sends the configuration: by PATCH what the update names, by PUT and POST everything. If a refusal is about the body, one
 * corrected body is sent.
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
  const differing = configInputs.filter((field) => update.named.some((path) => isWithinPaths(path, [field])));
  const { bodies, nulls } = bodiesOf(update, differing, replicas);
  const unknown = unknownVariables(update);
  const send = (bodyFor: (method: UpdateMethod) => UpdateBody) =>
    sendWrite(deps, operation, {
      kind: "update",
      send: () => {
        const checkedBodyFor = (method: UpdateMethod) => {
          const body = bodyFor(method);
          if (body.env === undefined || unknown.length === 0) return body;
          throw new ConfigError(
            `the service masks ${listOfVariables(unknown)}, and this update sends every variable, so it would empty an unknown ` +
              "value. Nothing was sent. Set the variable in the program, without `ignoreChanges` for it, or remove it in the service",
          );
        };
        return deps.client.updateCluster(operation.id, checkedBodyFor, operation.requestOptions());
      },
      isDone: (found) => found !== undefined && shows(found, update, differing),
      attempt,
    });
  const { answer, seen } = await send((method) => bodies[method]).catch((error: unknown) => {
    if (!(error instanceof ApiError)) throw error;
    // The error can be that of a read between two attempts.
    const refused = Object.entries(bodies).find(([method]) => method === error.method)?.[1];
    const second = refused && secondBody(refused, error, { all: bodies.PUT, differing, inputs: update.target });
    if (second) return send(() => second);
    const others = differing.filter((field) => field !== "container");
    if (!(error instanceof NoUpdateError) || others.length === 0) throw error;
    const what = others.map((field) => `\`${field}\``).join(" and ");
    throw new NotInPlaceError(`${what} cannot be changed in place: ${error.reason}`, { cause: error });
  });
  if (nulls.length > 0 && update.record.env === undefined && deps.client.capabilities.updateMethod !== "PUT")
    operation.warn(`the service shows no env, so it may keep ${listOfVariables(nulls)}`);
  return answer ? [...seen, answer] : seen;
}

/** The body of each method. PATCH and POST may keep what a body omits, so a null removes it (`nulls`: the variables). */
function bodiesOf({ target, record, named }: Update, differing: readonly ConfigInput[], replicas: number) {
  const { env = {}, extraFields = {} } = target;
  const removed = keysIn(named, "env").filter((name) => !Object.hasOwn(env, name));
  const nulls = removed.filter((name) => record.env === undefined || Object.hasOwn(record.env, name));
  const envWithNulls = { ...env, ...Object.fromEntries(nulls.map((name) => [name, null])) };
  // No program requests 0 replicas, and a service can refuse the number.
  const all = { ...pick(target, configInputs), env, extraFields, replicas: replicas > 0 ? replicas : undefined };
  const isCredentialRemoved = differing.includes("registryCredentialId") && all.registryCredentialId === undefined;
  const posted = { ...all, env: envWithNulls, ...(isCredentialRemoved ? { registryCredentialId: null } : {}) };
  // `env` as a whole, and each extra field by itself.
  const extras = Object.entries(extraFields).filter(([name]) => isWithinPaths(`extraFields.${name}`, named));
  const changes: UpdateBody = {
    ...all,
    env: envWithNulls,
    registryCredentialId: all.registryCredentialId ?? null,
    extraFields: extras.length > 0 ? Object.fromEntries(extras) : undefined,
  };
  const sent = differing.filter((field) => changes[field] !== undefined);
  // A body cannot name an extra field that is removed: only one with everything else can show that.
  const patched =
    sent.length > 0 ? Object.fromEntries(sent.map((field) => [field, changes[field]])) : { ...all, env: envWithNulls };
  const bodies: Readonly<Record<UpdateMethod, UpdateBody>> = { PATCH: patched, POST: posted, PUT: all };
  return { bodies, nulls };
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
