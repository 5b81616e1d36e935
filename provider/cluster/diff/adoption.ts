import { sameId } from "../../api/decode/names";
import type { ClusterRecord } from "../../api/decode/records";
import { isLeaving } from "../../api/decode/states";
import { isOpaque } from "../../api/requests";
import { GpuClusterError } from "../../base/errors";
import { cleanText, listOf } from "../../base/text";
import { type CheckFailure, type Diff, type Properties, UNKNOWN } from "../../contract";
import { inputFlags, type TextName, textNames } from "../schema/fields";
import type { CheckedInputs, ClusterState } from "../schema/stateFields";
import { diffCluster, isUnknownAt, isWithinPaths } from "./diff";
import { identifiersIn, isMasked, sameText, showsValue } from "./drift";

/** The adoption of an existing cluster, as its preview shows it. */

/** Only a replacement changes them. The name has a rule of its own. */
const fixedTexts = textNames.filter((field) => field !== "name" && inputFlags[field].effect === "replace");

function isOtherText(field: TextName, inputs: CheckedInputs, record: ClusterRecord): boolean {
  return inputs[field] !== undefined && record[field] !== undefined && !showsValue(field, inputs[field], record);
}

/**
 * The reasons why a cluster cannot be the one that the inputs describe. A field that the service does not show counts
 * as equal.
 * @param fixed The inputs that the service cannot change in place: a difference would replace the adopted cluster.
 */
export function mismatches(
  inputs: CheckedInputs,
  record: ClusterRecord,
  fixed: readonly string[] = [],
): CheckFailure[] {
  const { name, __generatedName: isMade } = inputs;
  const { id } = record;
  if (isLeaving(record.status)) {
    return [{ property: "adopt", reason: `${id} is ${record.status}, so it cannot be adopted` }];
  }
  // Opaque identifiers cannot be compared with a name.
  const isOpaqueType = (field: TextName) => field === "gpuType" && identifiersIn(record).every(isOpaque);
  const others = fixedTexts.filter((field) => isOtherText(field, inputs, record) && !isOpaqueType(field));
  const otherName = record.name !== undefined && !isMade && !sameText(record.name, name);
  return [
    ...others.map((property) => ({
      property,
      reason: `is "${inputs[property]}", but ${id} has "${record[property]}"; set \`${property}\` to that`,
    })),
    ...(otherName
      ? [
          {
            property: "name",
            reason: `is "${name}", but ${id} is "${record.name}"; remove \`name\`, or set it to that`,
          },
        ]
      : []),
    ...(fixed.length > 0 ? unchangeable(inputs, record, fixed) : []),
  ];
}

function unchangeable(inputs: CheckedInputs, record: ClusterRecord, fixed: readonly string[]): CheckFailure[] {
  const paths = adoptionChanges(inputs, record);
  return fixed.flatMap((property) => {
    const own = paths.filter((path) => isWithinPaths(path, [property])).map((path) => cleanText(path, 100));
    const reason = `is not that of ${record.id} (${listOf(own)}), and the service cannot change it in place; set it to what ${record.id} has`;
    return own.length > 0 ? [{ property, reason }] : [];
  });
}

/** The inputs with the name of the adopted cluster; a name that the program gives stays as it is written there. */
export function withName(inputs: CheckedInputs, { name }: ClusterRecord): CheckedInputs {
  return name === undefined || !inputs.__generatedName ? inputs : { ...inputs, name };
}

/** An adopted cluster has them as the program writes them. */
const identity: ReadonlySet<TextName> = new Set(["name", "gpuType"]);

/**
 * The state that this package would have written for the cluster: the observed values, or the program's values if the
 * service shows none. Variables that the program does not name belong to the service or to somebody else; they are left
 * out, so that no difference removes them.
 */
export function foundState(inputs: CheckedInputs, record: ClusterRecord): ClusterState {
  const { env, replicas } = inputs;
  const others = textNames.filter((field) => !identity.has(field) && isOtherText(field, inputs, record));
  return {
    ...inputs,
    replicas: record.replicas ?? replicas,
    ...Object.fromEntries(others.map((field) => [field, record[field]])),
    ...(env && record.env ? { env: foundEnv(env, record.env) } : {}),
    endpoint: record.endpoint,
    createdAt: record.createdAt,
  };
}

function foundEnv(requested: Readonly<Record<string, string>>, observed: NonNullable<ClusterRecord["env"]>) {
  const found = Object.entries(requested).flatMap(([name, value]) => {
    if (!Object.hasOwn(observed, name)) return [];
    const other = observed[name] ?? null;
    return [[name, isMasked(other) ? value : (other ?? value)] as const];
  });
  return Object.fromEntries(found);
}

/** The paths that the adoption will change. Values that are not known yet count as equal. */
export function adoptionChanges(inputs: CheckedInputs, record: ClusterRecord): string[] {
  const paths = Object.keys(diffCluster(foundState(inputs, record), inputs).changes);
  return paths.filter((path) => !isUnknownAt(inputs, path));
}

/**
 * The difference between a state and new inputs. `adopt` counts at creation only: a later change to another cluster
 * would silently have no effect.
 * @throws GpuClusterError if `adopt` names another cluster than the resource has, and nothing replaces the cluster.
 */
export function diffAdopted(state: Properties, news: Properties, id?: string, fixed: readonly string[] = []): Diff {
  const diff = diffCluster(state, news, fixed);
  const { adopt } = news;
  const isOther = typeof adopt === "string" && adopt !== UNKNOWN && id !== undefined && !sameId(adopt, id);
  if (!isOther || Object.values(diff.changes).some(({ replace }) => replace)) return diff;
  throw new GpuClusterError(
    `cluster "${state["name"]}" (${id}): \`adopt\` names ${adopt}, but this resource already manages ${id}. ` +
      "Remove `adopt`, or set it in another resource",
  );
}
