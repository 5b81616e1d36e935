import * as z from "zod";
import { GpuClusterError } from "../errors";
import { cleanText } from "../text";

/** A rule for a text; `what` describes a valid one. Texts are never quoted in errors, because each may be a secret. */
export function textArg(what: string, isRight: (text: string) => boolean) {
  return z.string({ error: ({ input }) => typeText(what, input) }).refine(isRight, `must be ${what}`);
}

function typeText(what: string, input: unknown): string {
  const text = `must be a string, ${what}`;
  return typeof input === "object" && input !== null
    ? `${text}; for an output of a resource, call the Output form of the function`
    : text;
}

/**
 * Rules for a function's own arguments and `connection`. Unknown arguments are errors, as unknown inputs of resources
 * are.
 */
export function argRules<Shape extends z.ZodRawShape>(shape: Shape) {
  const connection = textArg("the name of an entry of gpucluster:connections", (text) => text.trim() !== "").optional();
  return z.strictObject({ ...shape, connection });
}

/** For functions without arguments of their own. */
export const connectionRules = argRules({});

/** Rules for an object with exactly these arguments. */
export type ArgRules<Args> = z.ZodType<Args> & { readonly shape: object };

/**
 * The arguments of a data function, judged before any request is sent.
 * @throws GpuClusterError that names each problem, and its remedy.
 */
export function checkArgs<Args>(name: string, rules: ArgRules<Args>, args: unknown): Args {
  const result = rules.safeParse(args);
  if (result.success) return result.data;
  const takes = listOf(Object.keys(rules.shape).map((arg) => `\`${arg}\``));
  const problems = result.error.issues.map((issue) => problemOf(issue, takes));
  throw new GpuClusterError(`${name}: ${problems.join("; ")}. Nothing was sent`);
}

/** `a`, `a and b`, `a, b and c`. */
function listOf(words: readonly string[]): string {
  const [last = "", ...others] = [...words].reverse();
  return others.length > 0 ? `${others.reverse().join(", ")} and ${last}` : last;
}

function problemOf(issue: z.core.$ZodIssue, takes: string): string {
  if (issue.code === "unrecognized_keys") {
    const keys = issue.keys.map((key) => `\`${cleanText(key, 60)}\``).join(", ");
    return `${keys}: not an argument; the arguments are ${takes}`;
  }
  if (issue.path.length > 0) return `\`${issue.path.join(".")}\` ${issue.message}`;
  return issue.code === "invalid_type" ? `takes one object, with ${takes}` : issue.message;
}
