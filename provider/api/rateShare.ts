import type { Budget } from "./rateContract";
import { isRecord } from "./read/json";

/**
 * The key under which all copies of the package in this process find the budgets: the limit applies to an API key, not
 * to a copy. Each fingerprint maps to a `Budget` and to nothing else.
 */
const registryKey = Symbol.for("pulumi-gpucluster.budgets.v1");

/** The budget of a service and key in this process; created once. */
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

/** Any other value there does not belong to this package. */
function isBudget(value: unknown): value is Budget {
  return isRecord(value) && typeof value["enter"] === "function" && typeof value["view"] === "function";
}
