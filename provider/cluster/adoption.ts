import { sameId } from "../api/names";
import type { ClusterRecord } from "../api/records";
import { isOpaque } from "../api/requestNames";
import { isLeaving } from "../api/states";
import { type CheckFailure, type Diff, type Properties, UNKNOWN } from "../core";
import { GpuClusterError } from "../errors";
import { diffCluster } from "./diff";
import { identifiersIn, isMasked, sameText, showsForm, textNames } from "./drift";
import { inputFlags, type TextName } from "./fields";
import { isAllowed } from "./replicas";
import type { CheckedInputs, ClusterState } from "./stateFields";

/** The adoption of an existing cluster. Pure: the preview uses it to show the effect of the creation. */

/** Only a replacement changes them. The name has a rule of its own. */
const fixedTexts = textNames.filter((field) => field !== "name" && inputFlags[field].effect === "replace");

function isOtherText(field: TextName, inputs: CheckedInputs, record: ClusterRecord): boolean {
  return inputs[field] !== undefined && record[field] !== undefined && !showsForm(field, inputs[field], record);
}

/**
 * The reasons why a cluster cannot be the one that the inputs describe. A field that the service does not show counts
 * as equal.
 */
export function mismatches(inputs: CheckedInputs, record: ClusterRecord): CheckFailure[] {
  const { adopt = "", name, __generatedName: isMade } = inputs;
  if (isLeaving(record.status)) {
    return [{ property: "adopt", reason: `${adopt} is ${record.status}, so it cannot be adopted` }];
  }
  // Opaque identifiers cannot be compared with a name.
  const isOpen = (field: TextName) => field === "gpuType" && identifiersIn(record).every(isOpaque);
  const others = fixedTexts.filter((field) => isOtherText(field, inputs, record) && !isOpen(field));
  const otherName = record.name !== undefined && !isMade && !sameText(record.name, name);
  return [
    ...others.map((property) => ({
      property,
      reason: `is "${inputs[property]}", but ${adopt} has "${record[property]}"; set \`${property}\` to that`,
    })),
    ...(otherName
      ? [
          {
            property: "name",
            reason: `is "${name}", but ${adopt} is "${record.name}"; remove \`name\`, or set it to that`,
          },
        ]
      : []),
  ];
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

function foundEnv(asked: Readonly<Record<string, string>>, shown: NonNullable<ClusterRecord["env"]>) {
  const found = Object.entries(asked).flatMap(([name, value]) => {
    if (!Object.hasOwn(shown, name)) return [];
    const other = shown[name] ?? null;
    return [[name, isMasked(other) ? value : (other ?? value)] as const];
  });
  return Object.fromEntries(found);
}

/**
 * For a cluster that was found after a lost answer: the inputs with its observed replicas and env, and the paths that
 * differ from the request. A number that an autoscaler may choose is no difference, nor is 0, because the replicas may
 * not exist yet.
 */
export function foundOtherwise(inputs: CheckedInputs, record: ClusterRecord) {
  const { replicas: shown = 0 } = record;
  const isOwn = shown === 0 || shown === inputs.replicas || isAllowed(inputs, shown);
  const { env, replicas } = foundState(inputs, isOwn ? { ...record, replicas: inputs.replicas } : record);
  const running = { ...inputs, replicas, env };
  return { running, paths: Object.keys(diffCluster(running, inputs).changes) };
}

/** The paths that the adoption will change. */
export function adoptionChanges(inputs: CheckedInputs, record: ClusterRecord): string[] {
  return Object.keys(diffCluster(foundState(inputs, record), inputs).changes);
}

/**
 * The difference between a state and new inputs. `adopt` counts at creation only: a later change to another cluster
 * would silently have no effect.
 * @throws GpuClusterError if `adopt` names another cluster than the resource has, and nothing replaces the cluster.
 */
export function diffAdopted(state: Properties, news: Properties, id?: string): Diff {
  const diff = diffCluster(state, news);
  const { adopt } = news;
  const isOther = typeof adopt === "string" && adopt !== UNKNOWN && id !== undefined && !sameId(adopt, id);
  if (!isOther || Object.values(diff.changes).some(({ replace }) => replace)) return diff;
  throw new GpuClusterError(
    `cluster "${state["name"]}" (${id}): \`adopt\` names ${adopt}, but this resource already manages ${id}. ` +
      "Remove `adopt`, or set it in another resource",
  );
}
