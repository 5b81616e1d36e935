import { sameId } from "../../api/ids";
import { type CheckFailure, hasUnknown } from "../../core";
import type { Transition } from "./transition";

/** Changes that cannot be made in one step. Pure: it shows in the inputs alone. */
export function refusalsOf({ kind, before, inputs, oldGoesFirst, keeps }: Transition): CheckFailure[] {
  const { adopt, name } = inputs;
  const old = before?.adopt;
  const failures: CheckFailure[] = [];
  const isGiven = adopt !== undefined && !hasUnknown(adopt);
  if (isGiven && old !== undefined && keeps && !sameId(old, adopt)) {
    failures.push({
      property: "adopt",
      reason: `counts at creation only, and this resource manages ${old}: remove the line, or write ${old} again`,
    });
  }
  if (isGiven && old !== undefined && kind === "replace" && sameId(old, adopt)) {
    failures.push({
      property: "adopt",
      reason: `names the cluster that is replaced (${old}); the one that takes its place has to be new: remove the line`,
    });
  }
  if (kind === "replace" && oldGoesFirst && before?.deletionPolicy === "stop") {
    failures.push({
      property: "name",
      reason:
        `"${name}" stays the name of the old cluster, which is stopped and not deleted when it is replaced ` +
        '(`deletionPolicy: "stop"`): give another name, or set `deletionPolicy: "delete"` and run `pulumi up` first',
    });
  }
  return failures;
}

/** The id of the cluster that is taken over in place of creating one. */
export function adoptedId({ kind, before, inputs: { adopt } }: Transition): string | undefined {
  if (adopt === undefined || hasUnknown(adopt) || kind === "update") return undefined;
  return before?.adopt !== undefined && sameId(before.adopt, adopt) ? undefined : adopt;
}
