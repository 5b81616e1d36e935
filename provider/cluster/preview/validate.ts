import type * as z from "zod";
import { cut } from "../../api/text";
import { type CheckFailure, type Naming, type Properties, UNKNOWN } from "../../core";
import { type CheckedInputs, inputDefaults, inputNames, shownDefaults } from "../fields";
import { generatedName } from "./names";
import { clusterRules } from "./rules";

/** Everything wrong with the inputs, all at once. What is not known yet is not judged. Pure. */
export function findFailures(news: Properties): CheckFailure[] {
  const result = clusterRules.safeParse(withoutHidden(news));
  const issues = result.success ? [] : result.error.issues.flatMap(flattenIssue);
  const failures = [...issues, ...forbiddenNames(news), ...contradictions(news)]
    .filter(({ path, isAboutName }) => isAboutName || !isUnknownAt(news, path))
    .map(({ path, message }) => ({
      property: path.map(pathStep).join("."),
      reason: message,
    }));
  // One value may break several rules that say the same.
  return [...new Map(failures.map((failure) => [`${failure.property} ${failure.reason}`, failure])).values()];
}

/** A name in a path: as it is, or quoted where it could garble the line. */
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
  /** True when the name is wrong, whatever the value is or will be. */
  readonly isAboutName?: boolean;
}

/** A name that means something else to JavaScript; zod passes it over. */
function forbiddenNames({ env, extraFields }: Properties): Issue[] {
  const has = (map: unknown) => typeof map === "object" && map !== null && Object.hasOwn(map, "__proto__");
  const issue = (name: string, message: string) => ({ path: [name, "__proto__"], message, isAboutName: true });
  return [
    ...(has(env) ? [issue("env", "cannot be the name of a variable")] : []),
    ...(has(extraFields) ? [issue("extraFields", "cannot be the name of a request field")] : []),
  ];
}

/** What is right in itself, and wrong together. */
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

/** zod reports unknown inputs together, and what is wrong with a key inside the record: each becomes an issue of its own. */
function flattenIssue(issue: z.core.$ZodIssue): Issue[] {
  if (issue.code === "unrecognized_keys") {
    const message = `is not an input of a cluster; the inputs are ${inputNames.join(", ")}`;
    return issue.keys.map((key) => ({ path: [...issue.path, key], message }));
  }
  if (issue.code === "invalid_key") {
    return issue.issues.map(({ message }) => ({ path: issue.path, message, isAboutName: true }));
  }
  // None of the forms fits: the rule of the whole says it best, else the one of the form that came closest.
  if (issue.code === "invalid_union" && isBareUnion(issue)) return closestForm(issue).flatMap(flattenIssue);
  return [issue];
}

/** Without a text of its own. */
function isBareUnion({ message }: { message: string }): boolean {
  return message === "Invalid input";
}

/** The complaints of the form whose kind of value it is. */
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

/** Hidden inputs, and outputs that an earlier check has put among the inputs. */
function withoutHidden(news: Properties): Properties {
  return Object.fromEntries(Object.entries(news).filter(([name]) => !name.startsWith("__")));
}

/** Where a new name would come from. */
export interface NameContext {
  readonly urn: string;
  /** The name in the state; absent for a creation. */
  readonly current?: string;
  /** The name of the cluster that this one replaces. */
  readonly predecessor?: string;
  readonly naming?: Naming | undefined;
}

/** What is wrong with a name that the stack's `pulumi:autonaming` makes, or wants the program to give. Pure. */
export function namingFailures({ name, adopt }: Properties, { current, naming }: NameContext): CheckFailure[] {
  if (!naming || name !== undefined || current !== undefined || adopt !== undefined) return [];
  const { proposed } = naming;
  if (proposed === undefined) {
    return [
      { property: "name", reason: "is required: pulumi:autonaming is disabled here, so give each cluster a name" },
    ];
  }
  const { error } = clusterRules.shape.name.safeParse(proposed);
  const rule = error?.issues[0]?.message;
  const what = `${JSON.stringify(cut(proposed, 100))}, made by pulumi:autonaming, is no name of a cluster`;
  return rule ? [{ property: "name", reason: `${what}: it ${rule}. Change the pattern, or give a \`name\`` }] : [];
}

/** The inputs with their defaults and with a name: the given one, else the one in the state, else a made one. Pure. */
export function completeInputs(news: Properties, context: NameContext): CheckedInputs {
  const { name, ...rest } = news;
  const given = name !== undefined;
  const proposed = context.naming?.proposed;
  return {
    ...Object.fromEntries(shownDefaults.map((input) => [input, inputDefaults[input]])),
    ...rest,
    name: given ? name : (context.current ?? proposed ?? generatedName(context.urn, context.predecessor)),
    ...(given ? {} : { __generatedName: true }),
  } as CheckedInputs; // judged by findFailures; what is unknown stays so, which no type can say
}
