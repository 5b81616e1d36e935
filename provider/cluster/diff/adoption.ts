import { type ClusterRecord, isUuid, sameId } from "../../api/decode/records";
import { isDeleting, isStopping, stateOf } from "../../api/decode/states";
import { GpuClusterError } from "../../base/errors";
import { cleanText, listOf, maxNamed } from "../../base/text";
import { type CheckFailure, type Diff, hasUnknown, type Properties, UNKNOWN } from "../../contract";
import { inputFlags, type TextName, textNames } from "../schema/fields";
import type { CheckedInputs, ClusterState } from "../schema/state";
import { diffCluster, isUnknownAt, isWithinPaths } from "./diff";
import { gpuTypeOf, hasValue, identifiersIn, isMasked, maskedVariables, sameText } from "./drift";

/** Only a replacement changes them. `findMismatches` compares the name by another rule. */
const fixedTexts = textNames.filter((field) => field !== "name" && inputFlags[field].effect === "replace");

/** Whether a record reports another value than the inputs. A field that it does not report counts as equal. */
function isOtherText(field: TextName, inputs: CheckedInputs, record: ClusterRecord): boolean {
  return inputs[field] !== undefined && record[field] !== undefined && !hasValue(field, inputs[field], record);
}

/**
 * The reasons why a cluster cannot be the one that the inputs describe.
 * @param fixed The inputs that the service cannot change in place: a difference would replace the adopted cluster.
 */
export function findMismatches(
  inputs: CheckedInputs,
  record: ClusterRecord,
  fixed: readonly string[] = [],
): CheckFailure[] {
  const { id } = record;
  if (isDeleting(record.status)) {
    return [{ property: "adopt", reason: `${id} is ${record.status}, so it cannot be adopted` }];
  }
  // Opaque identifiers cannot be compared with a name.
  const isOpaqueType = (field: TextName) => field === "gpuType" && identifiersIn(record).every(isUuid);
  const others = fixedTexts.filter((field) => isOtherText(field, inputs, record) && !isOpaqueType(field));
  const failures: CheckFailure[] = others.map((property) => ({
    property,
    reason: `is "${inputs[property]}", but ${id} has "${property === "gpuType" ? gpuTypeOf(record) : record[property]}"; set \`${property}\` to that`,
  }));
  if (record.name !== undefined && !inputs.__generatedName && !sameText(record.name, inputs.name)) {
    const reason = `is "${inputs.name}", but ${id} is "${record.name}"; remove \`name\`, or set it to that`;
    failures.push({ property: "name", reason });
  }
  const changes = adoptionChanges(inputs, record);
  const sendsEnv = changes.some((path) => isWithinPaths(path, ["env"]));
  const unread = sendsEnv ? maskedVariables(record).filter((name) => !Object.hasOwn(inputs.env ?? {}, name)) : [];
  if (unread.length > 0) {
    const names = listOf(
      unread.map((name) => `\`${cleanText(name, 60)}\``),
      maxNamed,
    );
    const reason = `differs from that of ${id}, which has ${names} with values that the service masks: set them in the program, or remove them in the service`;
    failures.push({ property: "env", reason });
  }
  for (const property of fixed) {
    const paths = changes.filter((path) => isWithinPaths(path, [property])).map((path) => cleanText(path, 100));
    const reason = `is not that of ${id} (${listOf(paths)}), and the service cannot change it in place; set it to what ${id} has`;
    if (paths.length > 0) failures.push({ property, reason });
  }
  return failures;
}

/** The inputs with the name of the adopted cluster; an explicit name keeps the spelling of the program. */
export function withName(inputs: CheckedInputs, { name }: ClusterRecord): CheckedInputs {
  return name === undefined || !inputs.__generatedName ? inputs : { ...inputs, name };
}

/** An adopted cluster has these in the spelling of the program. */
const spelledByProgram: ReadonlySet<TextName> = new Set(["name", "gpuType"]);

/**
 * The state that this package would have written for the cluster: the observed values, or those of the program if the service
 * reports none. It omits unmanaged variables, so that no difference removes them.
 */
export function adoptedState(inputs: CheckedInputs, record: ClusterRecord): ClusterState {
  const { env, replicas, desiredStatus } = inputs;
  const others = textNames.filter((field) => !spelledByProgram.has(field) && isOtherText(field, inputs, record));
  const state = stateOf(record.status);
  const isPowerKnown = state !== "unknown" && !isStopping(record.status) && !hasUnknown(desiredStatus);
  const actual = state === "stopped" ? "stopped" : "running";
  const found = Object.entries(env ?? {}).filter(([name]) => Object.hasOwn(record.env ?? {}, name));
  const foundEnv = found.map(([name, value]) => {
    const observed = record.env?.[name] ?? null;
    return [name, observed === null || isMasked(observed) ? value : observed] as const;
  });
  return {
    ...inputs,
    ...(isPowerKnown && actual !== (desiredStatus ?? "running") && { desiredStatus: actual }),
    replicas: record.replicas ?? replicas,
    ...Object.fromEntries(others.map((field) => [field, record[field]])),
    env: env && record.env ? Object.fromEntries(foundEnv) : env,
    __observed: { kept: Object.keys(record.env ?? {}).filter((name) => !Object.hasOwn(env ?? {}, name)) },
    endpoint: record.endpoint,
    createdAt: record.createdAt,
  };
}

/** The paths that the adoption will change. Values that are not known yet count as equal. */
export function adoptionChanges(inputs: CheckedInputs, record: ClusterRecord): string[] {
  const paths = Object.keys(diffCluster(adoptedState(inputs, record), inputs).changes);
  return paths.filter((path) => !isUnknownAt(inputs, path));
}

/**
 * The difference between a state and new inputs. `adopt` is used only at creation: a later change to another cluster would
 * silently have no effect.
 * @throws GpuClusterError if `adopt` names another cluster than the resource has, and nothing replaces the cluster.
 */
export function diffAdopted(state: Properties, news: Properties, id: string, fixed: readonly string[] = []): Diff {
  const diff = diffCluster(state, news, fixed);
  const { adopt } = news;
  const isOther = typeof adopt === "string" && adopt !== UNKNOWN && !sameId(adopt, id);
  if (!isOther || Object.values(diff.changes).some(({ replace }) => replace)) return diff;
  throw new GpuClusterError(
    `cluster "${state["name"]}" (${id}): \`adopt\` names ${adopt}, but this resource already manages ${id}. ` +
      "Remove `adopt`, or set it in another resource",
  );
}
