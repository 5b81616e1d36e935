import type * as z from "zod";
import { type CheckFailure, type Naming, type Properties, UNKNOWN } from "../../core";
import { cut } from "../../text";
import { type CheckedInputs, inputDefaults, inputNames, shownDefaults } from "../fields";
import { generatedName } from "./names";
import { clusterRules } from "./rules";

/** All problems of the inputs at once. Values that are not known yet are not judged. Pure. */
export function findFailures(news: Properties): CheckFailure[] {
  const result = clusterRules.safeParse(withoutHidden(news));
  const issues = result.success ? [] : result.error.issues.flatMap(flattenIssue);
  const failures = [...issues, ...forbiddenNames(news), ...contradictions(news)]
    .filter(({ path, isAboutName }) => isAboutName || !isUnknownAt(news, path))
    .map(({ path, message }) => ({
      property: path.map(pathStep).join("."),
      reason: message,
    }));
  // One value may break several rules with the same text.
  return [...new Map(failures.map((failure) => [`${failure.property} ${failure.reason}`, failure])).values()];
}

/** A name in a path; quoted if it could garble the line. */
export function pathStep(step: PropertyKey): string {
  const name = cut(String(step), 100);
  return /^[\x21-\x7e]([\x20-\x7e]*[\x21-\x7e])?…?$/.test(name)
    ? name
    : JSON.stringify(name).replace(/[^\x20-\x7e…]/g, escaped);
}

function escaped(letter: string): string {
  return `\\u${letter.charCodeAt(0).toString(16).padStart(4, "0")}`;
}

interface Issue {
  readonly path: readonly PropertyKey[];
  readonly message: string;
  /** True if the name is wrong, whatever the value is or will be. */
  readonly isAboutName?: boolean;
}

/** Finds the name `__proto__`, which has its own meaning in JavaScript, and which zod ignores. */
function forbiddenNames({ env, extraFields }: Properties): Issue[] {
  const has = (map: unknown) => typeof map === "object" && map !== null && Object.hasOwn(map, "__proto__");
  const issue = (name: string, message: string) => ({ path: [name, "__proto__"], message, isAboutName: true });
  return [
    ...(has(env) ? [issue("env", "cannot be the name of a variable")] : []),
    ...(has(extraFields) ? [issue("extraFields", "cannot be the name of a request field")] : []),
  ];
}

/** Finds inputs that are right on their own, and contradict each other. */
function contradictions({ minHealthyReplicas, replicas = inputDefaults.replicas, healthCheck }: Properties): Issue[] {
  const path = ["minHealthyReplicas"];
  if (minHealthyReplicas === undefined) return [];
  const isTooMany =
    typeof minHealthyReplicas === "number" && typeof replicas === "number" && minHealthyReplicas > replicas;
  return [
    ...(isTooMany ? [{ path, message: `must not be more than \`replicas\`, which is ${replicas}` }] : []),
    ...(healthCheck === "list"
      ? [{ path, message: 'needs `healthCheck: "status"`: the list counts no replicas' }]
      : []),
  ];
}

/**
 * Makes one issue of each problem: zod reports unknown inputs together, and the problems of a key inside its record.
 */
function flattenIssue(issue: z.core.$ZodIssue): Issue[] {
  if (issue.code === "unrecognized_keys") {
    const message = `is not an input of a cluster; the inputs are ${inputNames.join(", ")}`;
    return issue.keys.map((key) => ({ path: [...issue.path, key], message }));
  }
  if (issue.code === "invalid_key") {
    return issue.issues.map(({ message }) => ({ path: issue.path, message, isAboutName: true }));
  }
  // No form of the union fits. The union's own text is best, otherwise the text of the closest form.
  if (issue.code === "invalid_union" && isBareUnion(issue)) return closestForm(issue).flatMap(flattenIssue);
  return [issue];
}

/** Whether a union has no text of its own. */
function isBareUnion({ message }: { message: string }): boolean {
  return message === "Invalid input";
}

/** The issues of the form that accepts this kind of value. */
function closestForm({ errors, path }: { errors: z.core.$ZodIssue[][]; path: PropertyKey[] }): z.core.$ZodIssue[] {
  const byKind = errors.find(
    (issues) => !issues.some((issue) => issue.code === "invalid_type" && issue.path.length === 0),
  );
  return (byKind ?? errors[0] ?? []).map((issue) => ({ ...issue, path: [...path, ...issue.path] }));
}

function isUnknownAt(news: Properties, path: readonly PropertyKey[]): boolean {
  let value: unknown = news;
  for (const step of path) {
    if (value === UNKNOWN) return true;
    value = typeof value === "object" && value !== null ? Reflect.get(value, step) : undefined;
  }
  return value === UNKNOWN;
}

/** Removes hidden inputs. */
function withoutHidden(news: Properties): Properties {
  return Object.fromEntries(Object.entries(news).filter(([name]) => !name.startsWith("__")));
}

/** The sources of a name that the program does not give. */
export interface NameContext {
  readonly urn: string;
  /** The name in the state; absent for a creation. */
  readonly current?: string;
  /** The name of the cluster that this one replaces. */
  readonly predecessor?: string;
  readonly naming?: Naming | undefined;
}

/** The problem of a name that `pulumi:autonaming` of the stack generates, or requires from the program. Pure. */
export function namingFailures({ name, adopt }: Properties, { current, naming }: NameContext): CheckFailure[] {
  if (!naming || name !== undefined || current !== undefined || adopt !== undefined) return [];
  const { proposed } = naming;
  if (proposed === undefined) {
    return [
      { property: "name", reason: "is required: pulumi:autonaming is disabled here, so set a name for each cluster" },
    ];
  }
  const { error } = clusterRules.shape.name.safeParse(proposed);
  const rule = error?.issues[0]?.message;
  const what = `${JSON.stringify(cut(proposed, 100))}, from pulumi:autonaming, is not a valid name of a cluster`;
  return rule ? [{ property: "name", reason: `${what}: it ${rule}. Change the pattern, or set \`name\`` }] : [];
}

/** The inputs with their defaults and a name: the given one, else the one in the state, else a generated one. Pure. */
export function completeInputs(news: Properties, context: NameContext): CheckedInputs {
  const { name, ...rest } = news;
  const given = name !== undefined;
  const proposed = context.naming?.proposed;
  return {
    ...Object.fromEntries(shownDefaults.map((input) => [input, inputDefaults[input]])),
    ...rest,
    name: given ? name : (context.current ?? proposed ?? generatedName(context.urn, context.predecessor)),
    ...(given ? {} : { __generatedName: true }),
  } as CheckedInputs; // judged by findFailures; unknown values stay unknown, which no type can express
}
