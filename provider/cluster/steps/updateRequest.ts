import { isDeepStrictEqual } from "node:util";
import { type ClusterRecord, missingField } from "../../api/decode/records";
import type { UpdateMethod } from "../../api/endpoints";
import { isAboutBody, isNamed, isUnwanted, type UpdateBody, vocabularies } from "../../api/requests";
import { type ConfigInput, configInputs } from "../../api/variant";
import { ApiError, ConfigError, NotInPlaceError, NoUpdateError } from "../../base/errors";
import { cleanText, listOf, maxNamed } from "../../base/text";
import { isWithinPaths } from "../diff/diff";
import { isMasked, learnObserved, unverified } from "../diff/drift";
import { secretsOfAll } from "../schema/secrets";
import { pick } from "../schema/state";
import type { CheckedInputs } from "../schema/stateFields";
import { findCluster, type LookupSources } from "../service/lookup";
import type { Operation } from "../service/operation";
import { replicasOf, type Update, wantedInputs } from "./plan";
import { sendWrite } from "./sendWrite";

/**
 * Sends the configuration: by PATCH what changes, by PUT and POST everything. If a refusal is about the body, it is sent once
 * more in the form that the refusal asks for. A removed variable that the service still shows afterwards is removed by a null; if
 * it shows none, the null is in the first PATCH.
 * @throws NoUpdateError if the service has no update and only the image changes.
 * @throws NotInPlaceError if the service has no update and another input changes.
 * @throws ConfigError if the body would empty a variable of others, whose value is not known.
 */
export async function sendUpdate(service: LookupSources, operation: Operation, update: Update): Promise<void> {
  const { differing, changed, changes, all, removed } = partsOf(update);
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
  const answer = await send(first).catch((error: unknown) => {
    if (!(error instanceof ApiError)) throw error;
    const refused = first(error.method);
    const second = secondBody(refused, error, { all, differing, inputs: update.inputs });
    if (!second) throw asNotInPlace(error, differing);
    if (hasNulls(refused) && !hasNulls(second)) {
      const paths = removed.map((name) => `\`env.${cleanText(name, 60)}\``);
      operation.warn(`the service shows no env and refuses a null in it, so it may keep ${listOf(paths, maxNamed)}`);
    }
    return send(() => second);
  });
  if (removed.length === 0 || !isEnvShown) return;
  const shown = answer?.env ?? (await findCluster(service, operation.id, operation.lookup()))?.env ?? {};
  const kept = removed.filter((name) => Object.hasOwn(shown, name));
  if (kept.length === 0) return;
  await send((method) => withNulls(method === "PATCH" ? { env: all.env } : all, kept)).catch((error: unknown) => {
    // A refusal has done nothing. The end of the update says what the service still shows.
    if (!(error instanceof ApiError && isAboutBody(error))) throw error;
  });
}

/** The inputs that change, and the bodies that say so. */
function partsOf(update: Update) {
  const { inputs, state } = update;
  const wanted = wantedInputs(update);
  const { env = {}, extraFields = {} } = wanted;
  const isUnfinished = state.__unfinished === "rollout";
  const differing = changedFields(inputs, state);
  const changed: readonly ConfigInput[] = isUnfinished ? configInputs : differing;
  const all = { ...pick(wanted, configInputs), env, extraFields, replicas: replicasOf(update) ?? wanted.replicas };
  const isNew = (name: string) => isUnfinished || !isDeepStrictEqual(extraFields[name], state.extraFields?.[name]);
  const extras = Object.fromEntries(Object.entries(extraFields).filter(([name]) => isNew(name)));
  const own: UpdateBody = {
    ...all,
    registryCredentialId: all.registryCredentialId ?? (state.registryCredentialId === undefined ? undefined : null),
    extraFields: Object.keys(extras).length > 0 ? extras : undefined,
  };
  const changes = Object.fromEntries(
    changed.map((name) => [name, own[name]] as const).filter(([, value]) => value !== undefined),
  );
  const before = changed.includes("env") ? [...Object.keys(state.env ?? {}), ...(state.__sent ?? [])] : [];
  return {
    differing,
    changed,
    all,
    // An extra field that is removed has no name in a body: only one with everything else can show that.
    changes: Object.keys(changes).length > 0 ? changes : all,
    /** Variables that the service may still have. */
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
  const wanted = wantedInputs(update);
  const { differing } = learnObserved(wanted, record, update.state);
  return ![...differing, ...unverified(wanted, record)].some((path) => isWithinPaths(path, changed));
}

/** The body with a null for each of these variables, if it has env. */
function withNulls(body: UpdateBody, names: readonly string[]): UpdateBody {
  return body.env ? { ...body, env: { ...body.env, ...Object.fromEntries(names.map((name) => [name, null])) } } : body;
}

/**
 * The same body. A variable of others whose value the service masks stands as an empty one in the state, marked as secret, and in
 * the inputs of a program that ignores env: to send that would overwrite the value. A program that changes env means what it says.
 * A service that masks by an empty value cannot be told from one that shows an empty variable.
 */
function refuseUnknown({ record, inputs, state }: Update, body: UpdateBody): UpdateBody {
  if (changedFields(inputs, state).includes("env")) return body;
  const secrets = secretsOfAll(inputs, state);
  const masked = Object.entries(record.env ?? {}).filter(([, shown]) => shown !== "" && isMasked(shown));
  const isEmptied = (name: string) => body.env?.[name] === "" && state.env?.[name] === "";
  const unknown = masked
    .filter(([name]) => isEmptied(name) && secrets?.includes(`env.${name}`))
    .map(([name]) => `\`env.${cleanText(name, 60)}\``);
  if (unknown.length === 0) return body;
  throw new ConfigError(
    `the service masks ${listOf(unknown, maxNamed)}, and this update sends every variable, so it would empty what is not known. ` +
      "Nothing was sent. Set the variable in the program, without `ignoreChanges` for it, or remove it in the service",
  );
}

function hasNulls({ env = {} }: UpdateBody): boolean {
  return Object.values(env).includes(null);
}

const fields = Object.keys(vocabularies.specification) as (keyof typeof vocabularies.specification)[];

/** What a second body depends on. */
interface Leeway {
  /** Everything that an update may change. */
  readonly all: UpdateBody;
  /** The inputs that differ: without one of them, the update would have no effect. */
  readonly differing: readonly string[];
  readonly inputs: CheckedInputs;
}

/**
 * The body in the form that a refusal asks for: without a field that the service does not accept, with everything if it misses a
 * field, or without nulls. `undefined` if the refusal is about something else. Such a refusal means that nothing was done.
 */
export function secondBody(
  body: UpdateBody,
  error: ApiError,
  { all, differing, inputs }: Leeway,
): UpdateBody | undefined {
  if (!isAboutBody(error)) return undefined;
  const find = (isIt: (name: string) => boolean) =>
    fields.find((field) => Object.values(vocabularies).some((names) => isIt(names[field])));
  const unwanted = find((name) => isUnwanted(name, error));
  if (unwanted && body[unwanted] !== undefined)
    return differing.includes(unwanted) ? undefined : { ...body, [unwanted]: undefined };
  const missing = missingField.test(error.apiMessage) && find((name) => isNamed(name, error.apiMessage));
  if (missing && body[missing] === undefined && inputs[missing] !== undefined)
    return { ...all, [missing]: inputs[missing] };
  return hasNulls(body) ? { ...body, env: all.env } : undefined;
}

/** The error if the service has no update and other inputs than the image change; else the error itself. */
function asNotInPlace(error: ApiError, differing: readonly ConfigInput[]): Error {
  const others = differing.filter((field) => field !== "container");
  if (!(error instanceof NoUpdateError) || others.length === 0) return error;
  const what = others.map((field) => `\`${field}\``).join(" and ");
  return new NotInPlaceError(`${what} cannot be changed in place: ${error.reason}`, { cause: error });
}
