import { type Ctx, hasUnknown, type Properties } from "../../core";
import { GpuClusterError } from "../../errors";
import { diffCluster } from "../diff";
import type { ClusterState } from "../fields";
import { isYoung, refuseOtherConnection } from "../lookup";
import { Operation } from "../operation";
import { type Gap, type Inquiry, LookUps, natureOf } from "./facts";
import type { OneCheck } from "./oneCheck";
import { isAmong } from "./plan";

/** Whether a difference replaces the cluster: the old cluster then stays with its service until its deletion there. */
export function isReplaced(state: Properties, news: Properties, named: readonly string[] | undefined): boolean {
  return Object.entries(diffCluster(state, news).changes).some(
    ([path, { replace }]) => replace || isAmong(named, path),
  );
}

/** So many answers about a pair of keys hold for all clusters that the one saw last, and the other is asked for. */
const enough = 2;

/** What is known of a pair of keys. */
interface Pair {
  /** Ids of clusters that both keys see. */
  readonly known: Set<string>;
  /** Lookups that failed, by the id of the cluster. */
  readonly failures: Map<string, Gap>;
  /** The end of the recognition before: one cluster after the other is asked for, because its answer may be enough. */
  turn: Promise<unknown>;
}

/**
 * The recognition of clusters that another service or key saw last. It has lookups of its own, so that it takes no time
 * from the checks.
 */
export class Recognition {
  readonly lookUps: LookUps;
  readonly #pairs = new Map<string, Pair>();

  /** @param checks The lookups of the checks. */
  constructor(checks: LookUps) {
    this.lookUps = new LookUps({ attempts: 1 }, checks);
  }

  /**
   * Refuses a connection whose service or key does not know the cluster, if another one saw the cluster last. Without a
   * change in the program, nothing else would report that. An exchanged key of the same organization causes no message.
   * @throws GpuClusterError also if the check is not possible, under `strictPreview`.
   */
  async refuseUnknown(check: OneCheck, ctx: Ctx, id: string, state: ClusterState): Promise<void> {
    const { service, settings } = check;
    if (!service || state.__seenBy === undefined || state.__seenBy === service.seenBy || hasUnknown(id)) return;
    const pair = this.#pairOf(`${state.__seenBy} ${service.seenBy}`);
    const turn = pair.turn.then(() => knows(check.inquiry, id, pair));
    pair.turn = turn.catch(() => undefined);
    const answer = await turn;
    if (answer === true) return;
    const operation = new Operation(ctx, service, "read", { id, inputs: state });
    if (answer === false && !isYoung(state, service.clock.now())) refuseOtherConnection(service, operation, state);
    const [why, nature] = answer === false ? [youngText, "young"] : [answer.text, natureOf(answer.error)];
    const text = `was last seen with another service or API key, and could not be checked with this one: ${why}`;
    if (settings.strictPreview)
      throw new GpuClusterError(`${operation.title} ${text} (an error because of gpucluster:strictPreview). ${wayOut}`);
    check.warnOfFirst(
      `${id} ${text}. ${wayOut}. Further warnings of this kind are hidden in this run`,
      `unseen ${nature}`,
    );
  }

  #pairOf(key: string): Pair {
    const pair = this.#pairs.get(key) ?? { known: new Set(), failures: new Map(), turn: Promise.resolve() };
    this.#pairs.set(key, pair);
    return pair;
  }
}

const youngText = "it was created a moment ago, and the service does not show it yet";
/** The state then names the present key. */
const wayOut = "Run `pulumi refresh` with a key that can see the cluster";

/**
 * Whether the service knows a cluster, or why that is not known. The run's one list of clusters shows it, else the cluster
 * is read by its id, as long as the answers about others are not enough.
 */
async function knows(inquiry: Inquiry, id: string, { known, failures }: Pair): Promise<boolean | Gap> {
  const isListed = await inquiry.lists(id);
  if (isListed === undefined && known.size >= enough) return true;
  const failure = [...failures.values()][enough - 1];
  if (!isListed && failure) return failure;
  const found = isListed || (await inquiry.cluster(id));
  if (found === "none") return false;
  const gap = found === undefined ? inquiry.gaps.at(-1) : undefined;
  if (gap) failures.set(id, gap);
  else known.add(id);
  return gap ?? true;
}
