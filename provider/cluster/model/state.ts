import { GpuClusterError } from "../../base/errors";
import { cleanText } from "../../base/text";
import { isRecord, type Properties } from "../../contract";
import { inputNames } from "./fields";
import { type CheckedInputs, type ClusterState, stateOutputNames } from "./stateFields";

/** The inputs in a state, including the computed ones that a preview shows. */
export function inputsOf(state: ClusterState): CheckedInputs {
  const { status, replicaStatuses, readyReplicas, settled, unverifiedInputs, ...others } = state;
  const { __seenBy, __echo, __unfinished, __sent, __late, __resumedAt, __failed, __fixed, ...rest } = others;
  const { deletionPolicy, ...inputs } = rest;
  return inputs;
}

/** The properties that a program sets to get this cluster: no computed ones, and none of this package's own. */
export function programOf(state: ClusterState): Properties {
  return Object.fromEntries(inputNames.map((name) => [name, state[name]]).filter(([, value]) => value !== undefined));
}

/** Some of the inputs. */
export function pick<Name extends keyof CheckedInputs>(
  inputs: CheckedInputs,
  names: readonly Name[],
): Pick<CheckedInputs, Name> {
  return Object.fromEntries(names.map((name) => [name, inputs[name]])) as Pick<CheckedInputs, Name>;
}

/**
 * Removes `undefined` and replaces lone surrogates, which a variable of the service may contain. The engine would refuse both
 * only after the operation.
 */
export function toPlainJson<T>(value: T): T {
  return JSON.parse(
    JSON.stringify(value).replace(/\\(?:ud[89a-f]..|.)/g, (code) => (code.length > 2 ? "\\ufffd" : code)),
  );
}

/** States come from the engine as plain JSON that an operation has stored. */
export function asState(properties: Properties): ClusterState {
  return properties as unknown as ClusterState;
}

/**
 * The state that an operation works on; a person may have edited it.
 * @throws GpuClusterError that names the cluster and each property of the wrong kind, without its value.
 */
export function judgedState(properties: Properties, id: string): ClusterState {
  const problems = problemsOfState(properties);
  if (problems.length === 0) return asState(readableState(properties));
  const { name } = properties;
  const title = `cluster "${cleanText(typeof name === "string" ? name : id, 140)}" (${cleanText(id, 140)})`;
  throw new GpuClusterError(
    `${title}: its state cannot be read: ${problems.join(", ")}. Nothing was sent. Correct the state ` +
      "(`pulumi stack export`, `pulumi stack import`), or take the cluster out of it with `pulumi state delete` and " +
      `bring it back with \`pulumi import\` or \`adopt: "${cleanText(id, 140)}"\``,
  );
}

/** Inputs come from the engine as plain JSON that `check` has validated. */
export function asInputs(properties: Properties): CheckedInputs {
  return properties as unknown as CheckedInputs;
}

const isText = (value: unknown) => typeof value === "string";
const isScalar = (value: unknown) => ["string", "number", "boolean"].includes(typeof value);
const every = (fits: (value: unknown) => boolean) => (value: unknown) => Array.isArray(value) && value.every(fits);
const everyIn = (fits: (value: unknown) => boolean) => (value: unknown) =>
  isRecord(value) && Object.values(value).every(fits);

/** The kinds of the properties that are no plain texts, numbers or flags: others are only compared and shown. Pure. */
const kinds: Readonly<Record<string, readonly [says: string, fits: (value: unknown) => boolean]>> = {
  name: ["a text", isText],
  gpuType: ["a text", isText],
  fallbackGpuTypes: ["a list of texts", every(isText)],
  container: ["a text", isText],
  status: ["a text", isText],
  replicas: ["a number", Number.isFinite],
  hourlyCost: ["a number", Number.isFinite],
  env: ["a map of names to texts", everyIn(isText)],
  registryCredentialId: ["a text", isText],
  extraFields: ["a map", isRecord],
  readinessProbe: ["a map", isRecord],
  replicaStatuses: ["a list of maps", every(isRecord)],
  restartTriggers: [
    "a map or a list of texts, numbers and flags",
    (value) => every(isScalar)(value) || everyIn(isScalar)(value),
  ],
  redeployTriggers: [
    "a map or a list of texts, numbers and flags",
    (value) => every(isScalar)(value) || everyIn(isScalar)(value),
  ],
  unverifiedInputs: ["a list of texts", every(isText)],
  __secrets: ["a list of texts", every(isText)],
  __sent: ["a list of texts", every(isText)],
  __fixed: ["a list of texts", every(isText)],
  __failed: ["a map of texts", everyIn(isText)],
  __echo: ["a map of texts and of lists of texts", everyIn((value) => isText(value) || every(isText)(value))],
};

/** One text for each property of the wrong kind: "`env` must be a map of names to texts". No value is quoted: it may be secret. */
function problemsOfState(state: Properties): string[] {
  return Object.entries(kinds).flatMap(([name, [says, fits]]) =>
    isMissing(state[name]) || fits(state[name]) ? [] : [`\`${name}\` must be ${says}`],
  );
}

/** What states of earlier versions hold, and has no meaning any more: hidden inputs, a share of the replicas, a policy. */
const former: Readonly<Record<string, (value: unknown) => boolean>> = {
  __secretOutputs: () => true,
  __gpuTypes: () => true,
  __replicaRange: () => true,
  __replicas: () => true,
  minHealthyReplicas: isText,
  deletionPolicy: (value) => value !== "stop",
};

const known: ReadonlySet<string> = new Set([...inputNames, ...stateOutputNames, "deletionPolicy"]);

/** Whether a property means anything to this version: an input that was removed does not. */
function isMeant(name: string, value: unknown): boolean {
  if (Object.hasOwn(former, name) && former[name]?.(value)) return false;
  return known.has(name) || name.startsWith("__");
}

/**
 * A state without the properties of earlier versions, and without those of the wrong kind, for a preview. The operation
 * itself then refuses the state.
 */
export function readableState(state: Properties): Properties {
  const isKept = (name: string, value: unknown) => isMeant(name, value) && (kinds[name]?.[1](value) ?? true);
  return Object.fromEntries(Object.entries(state).filter(([name, value]) => !isMissing(value) && isKept(name, value)));
}

function isMissing(value: unknown): boolean {
  return value === undefined || value === null;
}
