import * as z from "zod";
import { isRecord } from "./read/json";

/**
 * camelCase in TypeScript, snake_case on the wire. The names to change come from the schema, never from the data: keys of a
 * record (`env`) are the user's own and stay as they are.
 */

/** `gpuType` -> `gpu_type`. */
export function snakeCase(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

/** Renames the properties that the schema knows for the wire; leaves out what is undefined or unknown to the schema. */
export function toWire(schema: z.ZodType, value: unknown): unknown {
  const inner = unwrap(schema);
  if (inner instanceof z.ZodObject && isRecord(value)) {
    const known = Object.entries<z.ZodType>(inner.shape).filter(([name]) => value[name] !== undefined);
    return Object.fromEntries(known.map(([name, field]) => [snakeCase(name), toWire(field, value[name])]));
  }
  if (inner instanceof z.ZodArray && Array.isArray(value))
    return value.map((item) => toWire(asType(inner.element), item));
  return value;
}

/** What is inside optional, nullable, default, catch and transform. */
function unwrap(schema: z.ZodType): z.ZodType {
  if (schema instanceof z.ZodPipe) return unwrap(asType(schema.def.in));
  if ("innerType" in schema.def && schema.def.innerType instanceof z.ZodType) return unwrap(schema.def.innerType);
  return schema;
}

/** zod types what is inside a schema by its core class; every schema made here is of the full class. */
function asType(schema: unknown): z.ZodType {
  if (schema instanceof z.ZodType) return schema;
  throw new TypeError("not a zod schema");
}
