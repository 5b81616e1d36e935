/**
 * Whether a value is a resource of a type, also one that another copy of this package has made. Policy packs ask so too:
 * `validateResourceOfType` finds the resources of a class by its `__pulumiType`, or by its `isInstance`.
 */
export function isOfType(value: unknown, type: string): boolean {
  return typeof value === "object" && value !== null && Reflect.get(value, "__pulumiType") === type;
}
