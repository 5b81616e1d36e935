import { z } from "zod";
import { cleanText } from "./api/text";
import { GpuClusterError } from "./errors";

/** A text; `what` says what it has to be. Texts that were given are never quoted: any may be a secret of the user's. */
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
 * The arguments of a data function, judged before any request. Strict, as the inputs of resources are.
 * @throws GpuClusterError that says everything that is wrong, and what is right.
 */
export function checkArgs<Shape extends z.ZodRawShape>(
  name: string,
  rules: z.ZodObject<Shape, z.core.$strict>,
  args: unknown,
): z.output<z.ZodObject<Shape, z.core.$strict>> {
  const result = rules.safeParse(args);
  if (result.success) return result.data;
  const takes = Object.keys(rules.shape)
    .map((arg) => `\`${arg}\``)
    .join(" and ");
  const problems = result.error.issues.map((issue) => problemOf(issue, takes));
  throw new GpuClusterError(`${name}: ${problems.join("; ")}. Nothing was sent`);
}

function problemOf(issue: z.core.$ZodIssue, takes: string): string {
  if (issue.code === "unrecognized_keys") {
    const keys = issue.keys.map((key) => `\`${cleanText(key, 60)}\``).join(", ");
    return `${keys}: not an argument of it, which takes ${takes}`;
  }
  if (issue.path.length > 0) return `\`${issue.path.join(".")}\` ${issue.message}`;
  return issue.code === "invalid_type" ? `takes one object, with ${takes}` : issue.message;
}
