import * as z from "zod";
import type { Clock } from "../clock";
import { GpuClusterError } from "../errors";
import { cleanText, listOf } from "../text";

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

function problemOf(issue: z.core.$ZodIssue, takes: string): string {
  if (issue.code === "unrecognized_keys") {
    const keys = issue.keys.map((key) => `\`${cleanText(key, 60)}\``).join(", ");
    return `${keys}: not an argument; the arguments are ${takes}`;
  }
  if (issue.path.length > 0) return `\`${issue.path.join(".")}\` ${issue.message}`;
  return issue.code === "invalid_type" ? `takes one object, with ${takes}` : issue.message;
}

interface Entry<Answer> {
  readonly answer: Promise<Answer>;
  /** Infinite while the request is in flight. */
  untilMs: number;
}

/**
 * A cache with single flight: equal questions to a service share one request, and its answer is cached for `keepMs`.
 * Failures are not cached. Each caller gets a copy of its own, and may change it.
 */
export function singleFlight<Service extends object, Answer>(keepMs: number, clock: Clock) {
  const entries = new WeakMap<Service, Map<string, Entry<Answer>>>();
  return async (service: Service, question: string, ask: () => Promise<Answer>): Promise<Answer> => {
    const known = entries.get(service) ?? new Map<string, Entry<Answer>>();
    entries.set(service, known);
    const kept = known.get(question);
    if (kept && kept.untilMs > clock.now()) return structuredClone(await kept.answer);
    const entry: Entry<Answer> = { answer: ask(), untilMs: Number.POSITIVE_INFINITY };
    known.set(question, entry);
    try {
      return structuredClone(await entry.answer);
    } catch (error) {
      entry.untilMs = 0;
      throw error;
    } finally {
      entry.untilMs = Math.min(entry.untilMs, clock.now() + keepMs);
    }
  };
}
