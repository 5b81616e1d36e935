import type { ClusterRecord } from "../../api/records";
import { isLeaving, stateOf } from "../../api/states";
import { cleanText } from "../../text";
import { gpuTypeOf } from "../drift";
import { costOfShown, type ListedFacts, money } from "../money";
import type { Inquiry } from "./facts";

/** Clusters that a list shows: the price of their GPUs, and their cost. */

/** The price and the state of a listed cluster. A list shows neither its tier nor its GPUs per replica. */
export async function factsOfListed(
  inquiry: Inquiry,
  { gpuType, status }: { readonly gpuType?: string; readonly status?: string },
): Promise<ListedFacts> {
  const price = gpuType === undefined ? undefined : await inquiry.price(gpuType, { quietly: true });
  const state = { isStopped: stateOf(status) === "stopped", isLeaving: isLeaving(status) };
  return { ...state, gpuPrice: price?.amount, currency: price?.currency };
}

/** The cost of a listed cluster, with its name for messages. */
export interface ListedCost {
  readonly label: string;
  /** Absent if it is not known. */
  readonly amount?: number;
  readonly currency?: string;
  readonly parts: string;
}

export async function costOfListed(inquiry: Inquiry, record: ClusterRecord): Promise<ListedCost> {
  const { id, name = "", status, replicas } = record;
  const gpuType = gpuTypeOf(record);
  const { gpuPrice, currency, isStopped } = await factsOfListed(inquiry, { gpuType, status });
  return {
    label: cleanText(`${name} ${id}`, 150),
    amount: costOfShown({ replicas, isStopped }, gpuPrice),
    currency,
    parts:
      gpuPrice === undefined ? "" : `${replicas} x ${cleanText(gpuType ?? "", 60)} at ${money(gpuPrice, currency)}`,
  };
}
