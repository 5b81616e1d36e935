import { createHash } from "node:crypto";
import { longestMadeLabel } from "../../api/endpoints";

/**
 * The name of a cluster whose program gives none: the resource's name and 7 hex digits. The digits come from the URN and
 * from the name of the cluster that this one replaces, so they are the same in preview, in update and in a second run after
 * a crash, and never those of the predecessor, which may still be there.
 */
export function generatedName(urn: string, predecessor = ""): string {
  const hash = createHash("sha256").update(`${urn}\n${predecessor}`).digest("hex").slice(0, 7);
  return `${labelOf(urn)}-${hash}`;
}

/** The resource's own name; empty where the engine has not said the URN. */
export function resourceNameOf(urn: string): string {
  return urn.split("::").slice(3).join("::");
}

/** The resource's name as a DNS label. */
function labelOf(urn: string): string {
  const label = resourceNameOf(urn)
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "-")
    .slice(0, longestMadeLabel)
    .replace(/^-+|-+$/g, "");
  return label || "cluster";
}
