import type { ClusterList, ClusterRecord } from "../../api/decode/records";
import { CreateError, type ErrorDetails } from "../../base/errors";
import { cleanText } from "../../base/text";
import type { OwnedIds } from "../service/owners";

/** The clusters that have a name. */
export interface TakenName {
  readonly holders: readonly ClusterRecord[];
  /** Whether the list of clusters shows all of them. */
  readonly complete: ClusterList["complete"];
}

/** The name is taken, so nothing was created. */
export class TakenError extends CreateError {
  constructor(
    reason: string,
    override readonly details: ErrorDetails & { readonly taken: TakenName },
  ) {
    super(reason, details);
  }
}

/** @throws TakenError if the list shows a cluster of the name. */
export function refuseTaken(owned: OwnedIds, name: string, list: ClusterList | undefined, cause?: Error): void {
  const holders = list ? owned.holders(name, list) : [];
  if (!list || holders.length === 0) return;
  const taken = { holders, complete: list.complete };
  throw new TakenError(`the name "${name}" ${takenReason(holders)}`, { taken, cause });
}

/** The reason why a name cannot be used, and the next step. A preview shows the same text. */
export function takenReason(holders: readonly ClusterRecord[]): string {
  return (
    `is already the name of ${describe(holders)}. If it is yours (compare age and image: two stacks of one name generate the same ` +
    `names), set \`adopt: "${idOf(holders)}"\`; if you renamed its resource, \`aliases\`; to replace it (\`--replace\`, ` +
    "`pulumi state taint`), `deleteBeforeReplace: true`; otherwise use another `name`"
  );
}

/** The id for an `adopt` line. */
function idOf([holder, other]: readonly ClusterRecord[]): string {
  return holder && !other ? holder.id : "<its id>";
}

const maxDescribed = 2;

/** `cl_1 (running, since 2026-11-21T10:00:00Z, team/server:1.0)`: enough to recognize the cluster. Of several, the image is left out. */
export function describe(clusters: readonly ClusterRecord[]): string {
  const described = clusters.slice(0, maxDescribed).map(({ id, status, createdAt, container }) => {
    const image = clusters.length === 1 && container && cleanText(container, 60);
    const details = [status, createdAt && `since ${createdAt}`, image].filter(Boolean).join(", ");
    return details ? `${id} (${details})` : id;
  });
  const more = clusters.length - described.length;
  return [...described, ...(more > 0 ? [`${more} more`] : [])].join(", ");
}
