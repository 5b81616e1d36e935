import { createHash } from "node:crypto";
import * as z from "zod";
import { clusterIdPattern, clusterNamePattern } from "../../api/decode/records";
import { maxGeneratedLabel } from "../../api/endpoints";
import { looksSecret } from "../../base/credentials";
import { cut, meantBy, resourceNameOf } from "../../base/text";
import { type CheckFailure, isRecord, type Naming, type Properties, UNKNOWN } from "../../contract";
import { inputOf } from "./extraFields";
import { type ClusterInputs, inputDefaults, inputNames, shownDefaults } from "./fields";
import type { CheckedInputs } from "./stateFields";

/** The inputs by themselves: their rules, defaults and names. */

/** The error of a rule: the text says what is valid. Values are never quoted: each, at any depth, may be a secret. */
function rule(text: string, said: (input: unknown) => string = () => text) {
  return { error: ({ input }: { input?: unknown }) => (input === undefined ? `is required; it ${text}` : said(input)) };
}

/** Like `rule`, for a count or an amount: such a number is no secret, and is quoted. */
function numberRule(text: string) {
  return rule(text, (input) => (typeof input === "number" ? `${text}, got ${input}` : text));
}

const nameText = "must be 1 to 63 letters, digits and '-', and begin and end with a letter or digit";

// The grammar of image references (host and path, tag, digest). The documented form has a tag; a digest is stricter
// still.
const hostLabel = "[a-zA-Z0-9](?:[a-zA-Z0-9-]*[a-zA-Z0-9])?";
const imageHost = String.raw`(?:${hostLabel}(?:\.${hostLabel})*|\[[0-9a-fA-F:]+\])(?::\d{1,5})?`;
const imagePart = String.raw`[a-z0-9]+(?:(?:\.|_|__|-+)[a-z0-9]+)*`;
const imagePattern = new RegExp(
  String.raw`^(?:${imageHost}/)?${imagePart}(?:/${imagePart})*(?::\w[\w.-]{0,127}(?:@sha256:[0-9a-f]{64})?|@sha256:[0-9a-f]{64})$`,
);
const imageText = "must be an image reference with a tag, such as vllm/vllm-openai:v0.6.3";

/** The port of the registry; 0 if the reference has none. */
function portOf(image: string): number {
  return Number(/^[^/]*:(\d+)\//.exec(image)?.[1] ?? 0);
}

const gpuTypeRule = rule('must be the identifier of a GPU type, such as "h100"; getGpuTypes() lists them');
const gpuType = z.string(gpuTypeRule).regex(/^\w(?:[\w .:+/-]{0,126}[\w+])?$/, gpuTypeRule);
const fallbackText = "must be a list of 1 to 10 GPU types, the best first";
const fallbackGpuTypes = z.array(gpuType, rule(fallbackText)).min(1, rule(fallbackText)).max(10, rule(fallbackText));

// Linux cannot pass a variable of this size to a process.
const maxEnvValueBytes = 128 * 1024;
const envName = z
  .string()
  .max(1_024, rule("must be a name of at most 1024 characters"))
  .regex(
    /^[A-Za-z_][A-Za-z0-9_.-]*$/,
    rule("must be a name of letters, digits, '_', '.' and '-', not beginning with a digit"),
  );
const envValue = z
  .string(rule('must be a string; write numbers and booleans in quotes, such as "8080"'))
  .refine((value) => !value.includes("\0"), rule("must not contain a NUL character"))
  .refine((value) => value.isWellFormed(), rule("must be valid Unicode text"))
  .refine((value) => Buffer.byteLength(value) < maxEnvValueBytes, rule("must be smaller than 128 KiB"));

const credentialText = "must be the id of a credential that the service stores: 1 to 256 characters without spaces";
const registryCredentialId = z
  .string(rule(credentialText))
  .regex(/^[\x21-\x7e]{1,256}$/, rule(credentialText))
  .refine(
    (id) => !looksSecret("", id),
    rule("is a credential itself: store it with the service, and give its id here"),
  );

const extraText = "must be a map of names to JSON values";
const extraSizeText = "must be at most 64 KiB as JSON";
const maxExtraBytes = 64 * 1024;
const extraName = z
  .string()
  .regex(/^[A-Za-z_][A-Za-z0-9_.-]{0,127}$/, rule("must be the name of a request field"))
  .superRefine((name, context) => {
    const input = inputOf(name);
    if (input === undefined) return;
    context.addIssue({ code: "custom", message: `"${name}" is sent by this package: use the input \`${input}\`` });
  });

function isJson(value: unknown): boolean {
  if (typeof value === "object" && value !== null) return Object.values(value).every(isJson);
  return value === null || Number.isFinite(value) || typeof value === "string" || typeof value === "boolean";
}

const triggersText = "must be a map or a list of strings, numbers and booleans";
const trigger = z.union([z.string(), z.number(), z.boolean()]);
const triggers = z.union([z.record(z.string(), trigger), z.array(trigger)], rule(triggersText)).optional();
const flag = z.boolean(rule("must be true or false")).optional();
const adoptText = 'must be the id of a cluster, such as "cl_1a2b3c"; getClusters() lists them';
const minHealthyText = "must be a whole number from 1 to `replicas`";
const costText = "must be a number above 0";

function oneOf<const Word extends string>(...words: [Word, ...Word[]]) {
  const text = `must be ${words.map((word) => `"${word}"`).join(" or ")}`;
  return z.enum(words, rule(text)).optional();
}

const pathText =
  "must be a path below the endpoint, such as /health: printable ASCII without spaces, '//', '..', '\\', '#' and '%2e'";
const headerNameText = "must be the name of a header that a probe may set: letters, digits and '-'";
const headerText = "must be a text of printable characters, at most 8 KiB";
const probeBodyText = "must be a text of at most 64 KiB";
/** Headers that would lead the request to another host, or change how it is sent. */
const ownHeaders =
  /^(host|connection|content-length|expect|keep-alive|proxy-.*|te|trailer|transfer-encoding|upgrade)$/i;

function wholeNumber(min: number, max: number) {
  const text = `must be a whole number from ${min} to ${max}`;
  return z.int(numberRule(text)).min(min, numberRule(text)).max(max, numberRule(text));
}

const readinessProbe = z.strictObject(
  {
    path: z
      .string(rule(pathText))
      .max(2_048, rule("must have at most 2048 characters"))
      .regex(/^\/(?!.*(?:\/\/|\.\.|\\|#|%2e))[\x21-\x7e]*$/i, rule(pathText))
      .refine((path) => !path.startsWith("//"), rule(pathText)),
    port: wholeNumber(1, 65_535).optional(),
    method: oneOf("GET", "HEAD", "POST"),
    status: wholeNumber(200, 599).optional(),
    headers: z
      .record(
        z
          .string()
          .regex(/^[A-Za-z][A-Za-z0-9-]{0,127}$/, rule(headerNameText))
          .refine((name) => !ownHeaders.test(name), rule(headerNameText)),
        z.string(rule(headerText)).regex(/^[\t\x20-\x7e\xa0-\xff]{0,8192}$/, rule(headerText)),
        rule("must be a map of names to texts"),
      )
      .optional(),
    body: z
      .string(rule(probeBodyText))
      .refine((body) => Buffer.byteLength(body) <= 64 * 1024, rule(probeBodyText))
      .optional(),
    period: wholeNumber(1, 600).optional(),
    timeout: wholeNumber(1, 60).optional(),
    successThreshold: wholeNumber(1, 100).optional(),
  },
  rule("must be a map with at least a `path`"),
);

const inputRules = {
  name: z.string(rule(nameText)).regex(clusterNamePattern, rule(nameText)).max(63, rule(nameText)).optional(),
  gpuType,
  fallbackGpuTypes: fallbackGpuTypes.optional(),
  replicas: wholeNumber(1, 10_000).optional(),
  container: z
    .string(rule(imageText))
    .max(512, rule(imageText))
    .regex(imagePattern, rule(imageText))
    .refine((image) => portOf(image) <= 65_535, rule(imageText)),
  env: z.record(envName, envValue, rule("must be a map of names to strings")).optional(),
  registryCredentialId: registryCredentialId.optional(),
  extraFields: z
    .record(extraName, z.custom(isJson, extraText), rule(extraText))
    .refine((fields) => Buffer.byteLength(JSON.stringify(fields)) <= maxExtraBytes, rule(extraSizeText))
    .optional(),
  desiredStatus: oneOf("running", "stopped"),
  restartTriggers: triggers,
  redeployTriggers: triggers,
  adopt: z.string(rule(adoptText)).regex(clusterIdPattern, rule(adoptText)).optional(),
  skipAwait: flag,
  minHealthyReplicas: z.int(numberRule(minHealthyText)).min(1, numberRule(minHealthyText)).optional(),
  readinessProbe: readinessProbe.optional(),
  onFailedUpdate: oneOf("keep", "rollBack"),
  maxHourlyCost: z.number(numberRule(costText)).positive(numberRule(costText)).optional(),
  waitForCapacity: flag,
} satisfies { [Name in keyof Required<ClusterInputs>]: z.ZodType<ClusterInputs[Name]> };

/** Strict: an unknown input is an error, because its author expects it to work. */
const clusterRules = z.strictObject(inputRules);

/** All problems of the inputs at once. Values that are not known yet are not judged. */
export function findFailures(news: Properties): CheckFailure[] {
  const result = clusterRules.safeParse(withoutHidden(news));
  const issues = result.success ? [] : result.error.issues.flatMap(flattenIssue);
  const failures = [...issues, ...forbiddenNames(news), ...contradictions(news)]
    .filter(({ path, isAboutName }) => isAboutName || !isUnknownAt(news, path))
    .map(({ path, message }) => ({ property: path.map(pathStep).join("."), reason: message }));
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
function forbiddenNames({ env, extraFields, readinessProbe }: Properties): Issue[] {
  const headers = isRecord(readinessProbe) ? readinessProbe["headers"] : undefined;
  const maps = [
    { map: env, path: ["env"], message: "cannot be the name of a variable" },
    { map: headers, path: ["readinessProbe", "headers"], message: headerNameText },
    { map: extraFields, path: ["extraFields"], message: "cannot be the name of a request field" },
  ];
  const found = maps.filter(({ map }) => isRecord(map) && Object.hasOwn(map, "__proto__"));
  return found.map(({ path, message }) => ({ path: [...path, "__proto__"], message, isAboutName: true }));
}

/** Finds inputs that are right on their own, and contradict each other. */
function contradictions(news: Properties): Issue[] {
  const { replicas = inputDefaults.replicas, minHealthyReplicas: least, readinessProbe: probe } = news;
  const body = isRecord(probe) && probe["method"] !== UNKNOWN && probe["method"] !== "POST" ? probe["body"] : undefined;
  const found: [isWrong: boolean, path: string[], message: string][] = [
    [isMore(least, replicas), ["minHealthyReplicas"], `must not be more than \`replicas\`, which is ${replicas}`],
    [body !== undefined, ["readinessProbe", "body"], 'needs `method: "POST"`'],
  ];
  return found.flatMap(([isWrong, path, message]) => (isWrong ? [{ path, message }] : []));
}

function isMore(count: unknown, most: unknown): boolean {
  return typeof count === "number" && typeof most === "number" && count > most;
}

/**
 * Makes one issue of each problem: zod reports unknown inputs together, and the problems of a key inside its record.
 */
function flattenIssue(issue: z.core.$ZodIssue): Issue[] {
  if (issue.code === "unrecognized_keys") {
    if (issue.path.length === 0) return issue.keys.map(strangeInput);
    const message = `is not a field of \`${issue.path.map(pathStep).join(".")}\``;
    return issue.keys.map((key) => ({ path: [...issue.path, key], message }));
  }
  if (issue.code === "invalid_key") {
    return issue.issues.map(({ message }) => ({ path: issue.path, message, isAboutName: true }));
  }
  return [issue];
}

/** The issue of an input that a cluster does not have. */
function strangeInput(name: string): Issue {
  const meant = meantBy(name, inputNames);
  const advice = meant === undefined ? `the inputs are ${inputNames.join(", ")}` : `did you mean \`${meant}\`?`;
  return { path: [name], message: `is not an input of a cluster; ${advice}` };
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
  /** The setting `resume` of the stack. */
  readonly salt?: string;
  readonly naming?: Naming | undefined;
}

/** The problem of a name that `pulumi:autonaming` of the stack generates, or requires from the program. */
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

/** The inputs with their defaults and a name: the given one, else the one in the state, else a generated one. */
export function completeInputs(news: Properties, context: NameContext): CheckedInputs {
  const { name, ...rest } = news;
  const given = name !== undefined;
  const proposed = context.naming?.proposed;
  return {
    ...Object.fromEntries(shownDefaults.map((input) => [input, inputDefaults[input]])),
    ...rest,
    name: given ? name : (context.current ?? proposed ?? generatedName(context.urn, context.predecessor, context.salt)),
    ...(given ? {} : { __generatedName: true }),
  } as CheckedInputs; // judged by findFailures; unknown values stay unknown, which no type can express
}

/**
 * The generated name of a cluster: the resource's name and 7 hex digits. The digits come from the URN and from the name
 * of the cluster that this one replaces. So they are the same in preview, in update and in a second run after a crash.
 * They never equal those of the replaced cluster, which may still exist. With a salt they are 12, and no stack with
 * another salt makes the same name.
 */
export function generatedName(urn: string, predecessor = "", salt?: string): string {
  const parts = salt === undefined ? [urn, predecessor] : [urn, predecessor, salt];
  const hash = createHash("sha256").update(parts.join("\n")).digest("hex");
  return `${labelOf(urn)}-${hash.slice(0, salt === undefined ? 7 : 12)}`;
}

/** The resource's name as a DNS label. */
function labelOf(urn: string): string {
  const label = resourceNameOf(urn)
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "-")
    .slice(0, maxGeneratedLabel)
    .replace(/^-+|-+$/g, "");
  return label || "cluster";
}
