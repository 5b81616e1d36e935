import type { Budget } from "./rateContract";
import { isRecord } from "./read/json";

/**
 * Where all copies of the package in this process find the budgets: the limit counts for a key, not for a copy. Under each
 * fingerprint stands a `Budget` and nothing else.
 */
const registryKey = Symbol.for("pulumi-gpucluster.budgets.v1");

/** The budget of a service and key in this process; made once. */
export function sharedBudget(fingerprint: string, make: () => Budget): Budget {
  const budgets = registry();
  const found = budgets.get(fingerprint);
  if (isBudget(found)) return found;
  const budget = make();
  budgets.set(fingerprint, budget);
  return budget;
}

function registry(): Map<unknown, unknown> {
  const found: unknown = Reflect.get(globalThis, registryKey);
  if (found instanceof Map) return found;
  const budgets = new Map<unknown, unknown>();
  Reflect.defineProperty(globalThis, registryKey, { value: budgets, configurable: true });
  return budgets;
}

/** Whatever else stands there is not ours. */
function isBudget(value: unknown): value is Budget {
  return isRecord(value) && typeof value["enter"] === "function" && typeof value["view"] === "function";
}
