import { IdSet } from "../../api/names";
import type { ClusterRecord } from "../../api/records";
import { resourceNameOf } from "../../text";
import type { ReplicaRange } from "../fields";
import { money, roundCost } from "../money";
import type { Service } from "../service";
import type { ListedCost } from "./elsewhere";

/** Sums of costs, and the texts of limits that they exceed. Pure. */

/** The cost of a cluster for one hour, as far as it is known. */
export interface Cost {
  readonly amount?: number;
  /** The least and the greatest cost, if the inputs give a range of replicas: limits count the greatest. */
  readonly range?: ReplicaRange;
  readonly currency?: string;
  /** The parts of the cost: `2 x h100 at 2.99 USD`. */
  readonly parts: string;
}

/** The cost that limits count. */
export function mostOf({ amount, range }: Cost): number | undefined {
  return range?.max ?? amount;
}

/** A cluster in a sum: its cost, and its name for messages. */
interface Item extends Cost {
  readonly label: string;
}

/** A listed cluster and its cost. */
export interface Listed extends ListedCost {
  readonly record: ClusterRecord;
}

/** The place of a cluster of the run in its organization. */
export interface Place {
  /** Undefined if the connection is not known yet. */
  readonly service: Service | undefined;
  /** Names, and the id of an adoption: by these, a list shows the cluster, or the one that it replaces. */
  readonly marks: readonly string[];
  /** The cost that the operation ends; undefined if the limit of the organization does not concern the cluster. */
  readonly before?: number;
}

/** The cost of the clusters of a run: one entry for each resource, which its next check overwrites. */
export class Costs {
  readonly #byUrn = new Map<string, { readonly item: Item; readonly place?: Place }>();

  /** @param place That of the last check, if it is not given. */
  set(urn: string, cost: Cost, place = this.#byUrn.get(urn)?.place): void {
    const label = resourceNameOf(urn) || "this cluster";
    this.#byUrn.set(urn, { item: { ...cost, amount: mostOf(cost), label }, place });
  }

  /** Whether a cluster will cost more than it does now. */
  rises(urn: string): boolean {
    const { item, place } = this.#byUrn.get(urn) ?? {};
    return item?.amount !== undefined && place?.before !== undefined && item.amount > place.before;
  }

  /**
   * The names of the resources whose cost cannot be counted: it is not known, or in another currency than the first.
   */
  uncounted(): string[] {
    return sumOf(this.#items()).uncounted;
  }

  /** The text if all clusters so far cost more than the limit of the stack allows. */
  overLimit(limit: number): string | undefined {
    const groups = [{ items: this.#items() }];
    return overText("gpucluster:maxHourlyCost", limit, "the clusters seen so far cost", groups);
  }

  /** The text if the clusters of the run and the others in the list cost more than the limit of the organization allows. */
  overOrganization(limit: number, urn: string, listed: readonly Listed[]): string | undefined {
    const { own, others } = this.#organization(urn, listed);
    const groups = [
      { title: "in this run", items: own },
      { title: "elsewhere", items: others },
    ];
    const text = overText(
      "gpucluster:maxHourlyCostOfOrganization",
      limit,
      "the clusters that the API key sees would cost",
      groups,
    );
    const note = "; a cluster that this run deletes, or has not checked yet, counts as it is now";
    return text && others.some(({ amount = 0 }) => amount > 0) ? `${text}${note}` : text;
  }

  /** The names of the other clusters in the list whose cost cannot be counted. */
  uncountedIn(urn: string, listed: readonly Listed[]): string[] {
    const { own, others } = this.#organization(urn, listed);
    return sumOf(others, currencyOf([...own, ...others])).uncounted;
  }

  #items(): Item[] {
    return [...this.#byUrn.values()].map(({ item }) => item);
  }

  /** The clusters of one organization. A cluster of the run whose cost is not known counts as the list shows it. */
  #organization(urn: string, listed: readonly Listed[]) {
    const service = this.#byUrn.get(urn)?.place?.service;
    const entries = [...this.#byUrn.values()].filter(
      ({ item, place }) => item.amount !== undefined && place?.service?.seenBy === service?.seenBy,
    );
    // Names are compared as ids are: neither is case-sensitive.
    const known = new IdSet(entries.flatMap(({ place }) => place?.marks ?? []));
    const others = listed
      .filter(({ record: { id, name = "" } }) => !known.has(id) && !known.has(name))
      .filter(({ record }) => service?.owned.isThere(record))
      // A cluster without a name may be one of the run.
      .map((each) => (each.record.name === undefined ? { ...each, amount: undefined } : each));
    return { own: entries.map(({ item }) => item), others };
  }
}

const longestList = 3;

/** Amounts in different currencies have no sum. An amount without a currency is taken for the same currency. */
function isCounted({ amount, currency }: Cost, base: string | undefined): boolean {
  return amount !== undefined && (currency === undefined || base === undefined || currency === base);
}

function currencyOf(items: readonly Item[]): string | undefined {
  return items.find(({ currency }) => currency !== undefined)?.currency;
}

/** The sum of costs in one currency, its largest parts, and the names of what it leaves out. Pure. */
function sumOf(items: readonly Item[], currency = currencyOf(items)) {
  const counted = items
    .flatMap((item) => (isCounted(item, currency) ? [{ ...item, amount: item.amount ?? 0 }] : []))
    .filter(({ amount }) => amount > 0)
    .sort((a, b) => b.amount - a.amount);
  const largest = counted
    .slice(0, longestList)
    .map(({ label, amount, parts }) => `${label} ${money(amount)} (${parts})`);
  const more = counted.length > longestList ? [`and ${counted.length - longestList} more`] : [];
  return {
    amount: roundCost(counted.reduce((total, { amount }) => total + amount, 0)),
    parts: [...largest, ...more].join(", "),
    uncounted: items.filter((item) => !isCounted(item, currency)).map(({ label }) => label),
  };
}

/** The text if several groups of clusters together cost more than a limit allows. Pure. */
function overText(
  setting: string,
  limit: number,
  what: string,
  groups: readonly { readonly title?: string; readonly items: readonly Item[] }[],
): string | undefined {
  const items = groups.flatMap((group) => group.items);
  const currency = currencyOf(items);
  const { amount, uncounted } = sumOf(items, currency);
  if (amount <= limit) return undefined;
  const sums = groups.map((group) => ({ ...group, sum: sumOf(group.items, currency) }));
  const parts = sums
    .filter(({ sum }) => sum.amount > 0)
    .map(({ title, sum }) => (title === undefined ? sum.parts : `${money(sum.amount)} ${title}: ${sum.parts}`));
  const missing = uncounted.length > 0 ? `; not counted: ${uncounted.length} whose cost is not known` : "";
  return `${setting} is ${money(limit)}, but ${what} ${money(amount, currency)} per hour: ${parts.join("; ")}${missing}`;
}
