import { sameId } from "../../api/ids";
import { isStopping, stateOf } from "../../api/read/states";
import type { ClusterRecord } from "../../api/records";
import { type CheckFailure, hasUnknown } from "../../core";
import { cleanText } from "../../text";
import { adoptionChanges, mismatches, withName } from "../adoption";
import { gpuTypeOf } from "../drift";
import type { CheckedInputs } from "../fields";
import { listOf } from "./facts";
import type { OneCheck } from "./oneCheck";
import { isUnknownAt, runs, type Transition } from "./plan";

/** The cluster to adopt. */
export interface Adoption {
  /** Absent if no cluster is adopted. */
  readonly id?: string;
  /** Absent if the lookup failed. */
  readonly record?: ClusterRecord;
}

/** Looks up the cluster to adopt, if any. */
export async function findAdopted(check: OneCheck, id: string | undefined): Promise<Adoption> {
  const found = id === undefined ? undefined : await check.inquiry.cluster(id);
  if (found === "none") {
    check.fail("adopt", `${id} is not a cluster that this API key can see; getClusters() lists them`);
    return { id };
  }
  return { id, record: found };
}

/** The inputs with the name of the adopted cluster, if the program gives none. */
export function withFoundName(inputs: CheckedInputs, { record }: Adoption): CheckedInputs {
  return record ? withName(inputs, record) : inputs;
}

/** Checks that this resource can adopt the cluster, and reports the changes that this makes. */
export function judgeAdoption(check: OneCheck, { inputs }: Transition, { id, record }: Adoption): void {
  const { adopt } = inputs;
  if (adopt !== undefined && !hasUnknown(adopt)) {
    const adopter = check.service?.owned.adopt(adopt, check.urn) ?? check.urn;
    if (adopter !== check.urn) {
      check.fail("adopt", `the resource ${adopter} adopts ${adopt} too; two resources cannot manage the same cluster`);
    } else if (id === undefined) {
      // The resource has had the cluster since an earlier run.
      check.service?.owned.adopted(adopt);
    }
  }
  if (id === undefined || !record) return;
  const wrong = mismatches(comparable(inputs, record), record);
  check.failures.push(...wrong);
  if (wrong.length === 0) check.inform(`adopts ${id}${describe(record)}: ${changesText(inputs, record)}`);
}

/** The inputs, with the cluster's own values for those that are not known yet: these count as equal. */
function comparable(inputs: CheckedInputs, { gpuType = "", name = "" }: ClusterRecord): CheckedInputs {
  return {
    ...inputs,
    ...(hasUnknown(inputs.gpuType) ? { gpuType } : {}),
    ...(hasUnknown(inputs.name) ? { name } : {}),
  };
}

function describe(record: ClusterRecord): string {
  const { name, replicas } = record;
  const gpu = gpuTypeOf(record);
  const size = replicas !== undefined && gpu ? `${replicas} x ${gpu}` : undefined;
  const facts = [name && `"${name}"`, size].filter(Boolean).join(", ");
  return facts ? ` (${cleanText(facts, 200)})` : "";
}

function changesText(inputs: CheckedInputs, record: ClusterRecord): string {
  const paths = adoptionChanges(inputs, record).filter((path) => !isUnknownAt(inputs, path));
  const power = isPowerChange(inputs, record) ? ["desiredStatus"] : [];
  const changed = [...new Set([...power, ...paths])].map((path) => cleanText(path, 100));
  if (changed.length === 0) return "nothing is changed";
  const isEnvSent = paths.some((path) => path.startsWith("env"));
  const others = isEnvSent ? "variables that the program does not set may be removed" : "nothing else is changed";
  return `${listOf(changed)} will be changed to match the program; ${others}`;
}

/** Whether the adoption starts or stops the cluster, as far as the status word shows. */
function isPowerChange(inputs: CheckedInputs, { status }: ClusterRecord): boolean {
  const state = stateOf(status);
  if (hasUnknown(inputs.desiredStatus) || state === "unknown" || isStopping(status)) return false;
  return runs(inputs) === (state === "stopped");
}

/** Changes that cannot be made in one step. Pure: the inputs alone show them. */
export function refusalsOf({ kind, before, inputs, oldGoesFirst, keeps }: Transition): CheckFailure[] {
  const { adopt, name } = inputs;
  const old = before?.adopt;
  const failures: CheckFailure[] = [];
  const isGiven = adopt !== undefined && !hasUnknown(adopt);
  if (isGiven && old !== undefined && keeps && !sameId(old, adopt)) {
    failures.push({
      property: "adopt",
      reason: `is used at creation only, and this resource manages ${old}: remove it, or set it to ${old}`,
    });
  }
  if (isGiven && old !== undefined && kind === "replace" && sameId(old, adopt)) {
    failures.push({
      property: "adopt",
      reason: `names the cluster that is replaced (${old}): remove it, because the replacement is a new cluster`,
    });
  }
  if (kind === "replace" && oldGoesFirst && before?.deletionPolicy === "stop") {
    failures.push({
      property: "name",
      reason:
        `"${name}" stays in use: the replaced cluster is stopped and not deleted ` +
        '(`deletionPolicy: "stop"`): use another name, or set `deletionPolicy: "delete"` and run `pulumi up` first',
    });
  }
  return failures;
}

/** The id of the cluster that is adopted instead of creating one. */
export function adoptedId({ kind, before, inputs: { adopt } }: Transition): string | undefined {
  if (adopt === undefined || hasUnknown(adopt) || kind === "update") return undefined;
  return before?.adopt !== undefined && sameId(before.adopt, adopt) ? undefined : adopt;
}
