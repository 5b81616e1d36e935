import { createHash } from "node:crypto";
import { isDeepStrictEqual } from "node:util";
import * as z from "zod";
import { clusterIdPattern, clusterNamePattern } from "../../api/decode/records";
import { maxGeneratedLabel, sentNames } from "../../api/endpoints";
import { looksSecret } from "../../base/credentials";
import { closestName, cut, plainName, resourceNameOf } from "../../base/text";
import { type CallContext, type CheckFailure, isRecord, type Naming, type Properties, UNKNOWN } from "../../contract";
import { type ClusterInputs, inputDefaults, inputNames } from "./fields";
import { asInputs, type CheckedInputs } from "./state";

/** The message of a rule says what is valid. It never quotes a value, which can be a secret at any depth. */
function rule(message: string) {
  return { error: ({ input }: { input?: unknown }) => (input === undefined ? `is required; it ${message}` : message) };
}

/** Like `rule`, for a value of another type than string: a config returns strings, unless one of these methods reads it. */
function parsedRule(message: string, methods: string) {
  const { error } = rule(message);
  return {
    error: (issue: { input?: unknown }) =>
      typeof issue.input === "string" ? `${message}, not a string: read the config with ${methods}` : error(issue),
  };
}

/** Like `parsedRule`, for a number, which is not secret and is quoted. */
function numberRule(message: string) {
  const { error } = parsedRule(message, "`requireNumber`, in Python `require_int` or `require_float`");
  return {
    error: (issue: { input?: unknown }) =>
      typeof issue.input === "number" ? `${message}, got ${issue.input}` : error(issue),
  };
}

const nameRule = rule("must be 1 to 63 letters, digits and '-', and begin and end with a letter or digit");

// The grammar of image references: host and path, and the documented tag or a digest, which is stricter.
const hostLabel = "[a-zA-Z0-9](?:[a-zA-Z0-9-]*[a-zA-Z0-9])?";
const imageHost = String.raw`(?:${hostLabel}(?:\.${hostLabel})*|\[[0-9a-fA-F:]+\])(?::\d{1,5})?`;
const imagePart = String.raw`[a-z0-9]+(?:(?:\.|_|__|-+)[a-z0-9]+)*`;
const imagePattern = new RegExp(
  String.raw`^(?:${imageHost}/)?${imagePart}(?:/${imagePart})*(?::\w[\w.-]{0,127}(?:@sha256:[0-9a-f]{64})?|@sha256:[0-9a-f]{64})$`,
);
const imageText = "must be an image reference with a tag, such as acme/model:1";

/** The longest reference of the grammar, rounded up: 255 characters of name, 128 of tag, 71 of digest. */
const maxImageLength = 512;

/** What is wrong with a string that is no image reference: the first pattern that matches. */
const imageProblems: readonly (readonly [pattern: RegExp, problem: string])[] = [
  [/^\w*:\/\//, "it begins with a scheme"],
  [/@(?!sha256:[0-9a-f]{64}$)/, "what follows '@' must be sha256: and 64 digits from 0 to 9 and a to f"],
  [/^(?:.*\/)?[^/:@]+$/, "it has no tag"],
  [
    /:(?!\w[\w.-]{0,127}(?:@|$))[^/]*$/,
    "its tag must have 1 to 128 letters, digits, '_', '.' and '-', not '.' or '-' first",
  ],
  [/^(?:[^/]*\/|(?!.*\/))[^:@]*[A-Z]/, "its repository has an upper-case letter"],
];

/** The message about a string that is no image reference. It quotes one character at most. */
function imageProblem(image: string): string | undefined {
  const port = Number(/^[^/]*:(\d+)\//.exec(image)?.[1] ?? 0);
  if (image.length <= maxImageLength && imagePattern.test(image) && port <= 65_535) return undefined;
  const [stranger] = /[^\w./:@[\]-]/u.exec(image) ?? [];
  if (stranger !== undefined) return `${imageText}; it contains the character ${pathStep(stranger)}`;
  if (image.length > maxImageLength) return `${imageText}; it has more than ${maxImageLength} characters`;
  if (port > 65_535) return `${imageText}; its port is above 65535`;
  const problem = imageProblems.find(([pattern]) => pattern.test(image))?.[1];
  return problem === undefined ? imageText : `${imageText}; ${problem}`;
}

const gpuTypeRule = rule('must be the identifier of a GPU type, such as "h100"; getGpuTypes() lists them');
const gpuType = z.string(gpuTypeRule).regex(/^\w(?:[\w .:+/-]{0,126}[\w+])?$/, gpuTypeRule);
const fallbackRule = rule("must be a list of 1 to 10 GPU types, the best first");
const fallbackGpuTypes = z.array(gpuType, fallbackRule).min(1, fallbackRule).max(10, fallbackRule);

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
  .string(
    rule(
      'must be a string; write numbers and booleans in quotes, such as "8080"; in YAML, convert a value of the config with `fn::toJSON`',
    ),
  )
  .refine((value) => !value.includes("\0"), rule("must not contain a NUL character"))
  .refine((value) => value.isWellFormed(), rule("must be valid Unicode text"))
  .refine((value) => Buffer.byteLength(value) < maxEnvValueBytes, rule("must be smaller than 128 KiB"));

const credentialRule = rule(
  "must be the id of a credential that the service stores: 1 to 256 characters without spaces",
);
const registryCredentialId = z
  .string(credentialRule)
  .regex(/^[\x21-\x7e]{1,256}$/, credentialRule)
  .refine(
    (id) => !looksSecret("", id),
    rule("is a credential itself: store it with the service, and give its id here"),
  );

const extraText = "must be a map of names to JSON values";
const extraName = z
  .string()
  .regex(/^[A-Za-z_][A-Za-z0-9_.-]{0,127}$/, rule("must be the name of a request field"))
  .superRefine((name, context) => {
    const input = sentNames.get(plainName(name));
    if (input === undefined) return;
    context.addIssue({ code: "custom", message: `"${name}" is sent by this package: use the input \`${input}\`` });
  });

function isJson(value: unknown): boolean {
  if (typeof value === "object" && value !== null) return Object.values(value).every(isJson);
  return value === null || Number.isFinite(value) || typeof value === "string" || typeof value === "boolean";
}

const triggersRule = rule("must be a map or a list of strings, numbers and booleans");
const triggerValue = z.union([z.string(), z.number(), z.boolean()]);
const optionalTriggers = z.union([z.record(z.string(), triggerValue), z.array(triggerValue)], triggersRule).optional();
const flagRule = parsedRule("must be true or false", "`requireBoolean`, in Python `require_bool`");
const adoptRule = rule('must be the id of a cluster, such as "cl_1a2b3c"; getClusters() lists them');
const minHealthyRule = numberRule("must be a whole number from 1 to `replicas`");
const costRule = numberRule("must be a number above 0");

const timeText =
  'must be a date and a time with a zone in ISO 8601, such as "2030-06-30T18:00Z" or "2030-06-30T18:00+02:00"';
const time = z.string(rule(timeText)).refine(isTime, {
  error: ({ input }) => (isTime(`${input}Z`) ? `${timeText}; it has no zone` : timeText),
});

function isTime(text: string): boolean {
  const pattern = /^(\d{4}-\d\d-\d\d)T([01]\d|2[0-3]):[0-5]\d(:[0-5]\d(\.\d{1,9})?)?(Z|[+-]([01]\d|2[0-3]):?[0-5]\d)$/;
  const [, day] = pattern.exec(text) ?? [];
  // JavaScript takes the 30th of February for the 2nd of March.
  return z.iso.date().safeParse(day).success;
}

function oneOf<const Word extends string>(...words: [Word, ...Word[]]) {
  const choices = words.map((word) => `"${word}"`).join(" or ");
  return z.enum(words, rule(`must be ${choices}`)).optional();
}

const pathRule = rule(
  "must be a path below the endpoint, such as /health: printable ASCII without spaces, '//', '..', '\\', '#' and '%2e'",
);
const headerNameRule = rule("must be the name of a header that a probe can set: letters, digits and '-'");
const headerRule = rule("must be a string of printable characters, at most 8 KiB");
const probeBodyRule = rule("must be a string of at most 64 KiB");
/** Headers that would lead the request to another host, or change how it is sent. */
const forbiddenHeaders =
  /^(host|connection|content-length|expect|keep-alive|proxy-.*|te|trailer|transfer-encoding|upgrade)$/i;

function wholeNumber(min: number, max: number) {
  const countRule = numberRule(`must be a whole number from ${min} to ${max}`);
  return z.int(countRule).min(min, countRule).max(max, countRule);
}

const readinessProbe = z.strictObject(
  {
    path: z
      .string(pathRule)
      .max(2_048, rule("must have at most 2048 characters"))
      .regex(/^\/(?!\/|.*(?:\/\/|\.\.|\\|#|%2e))[\x21-\x7e]*$/i, pathRule),
    port: wholeNumber(1, 65_535).optional(),
    method: oneOf("GET", "HEAD", "POST"),
    status: wholeNumber(200, 599).optional(),
    headers: z
      .record(
        z
          .string()
          .regex(/^[A-Za-z][A-Za-z0-9-]{0,127}$/, headerNameRule)
          .refine((name) => !forbiddenHeaders.test(name), headerNameRule),
        z.string(headerRule).regex(/^[\t\x20-\x7e\xa0-\xff]{0,8192}$/, headerRule),
        rule("must be a map of names to strings"),
      )
      .optional(),
    body: z
      .string(probeBodyRule)
      .refine((body) => Buffer.byteLength(body) <= 64 * 1024, probeBodyRule)
      .optional(),
    period: wholeNumber(1, 600).optional(),
    timeout: wholeNumber(1, 60).optional(),
    successThreshold: wholeNumber(1, 100).optional(),
  },
  rule("must be a map with at least a `path`"),
);

const inputRules = {
  name: z.string(nameRule).regex(clusterNamePattern, nameRule).max(63, nameRule).optional(),
  gpuType,
  fallbackGpuTypes: fallbackGpuTypes.optional(),
  replicas: wholeNumber(1, 10_000).optional(),
  container: z
    .string(rule(imageText))
    .refine((image) => imageProblem(image) === undefined, { error: ({ input }) => imageProblem(String(input)) }),
  env: z.record(envName, envValue, rule("must be a map of names to strings")).optional(),
  registryCredentialId: registryCredentialId.optional(),
  extraFields: z
    .record(extraName, z.custom(isJson, extraText), rule(extraText))
    .refine((fields) => Buffer.byteLength(JSON.stringify(fields)) <= 64 * 1024, rule("must be at most 64 KiB as JSON"))
    .optional(),
  desiredStatus: oneOf("running", "stopped"),
  runUntil: time.optional(),
  restartTriggers: optionalTriggers,
  redeployTriggers: optionalTriggers,
  adopt: z.string(adoptRule).regex(clusterIdPattern, adoptRule).optional(),
  skipAwait: z.boolean(flagRule).optional(),
  minHealthyReplicas: z.int(minHealthyRule).min(1, minHealthyRule).optional(),
  readinessProbe: readinessProbe.optional(),
  onFailedUpdate: oneOf("keep", "rollBack"),
  maxHourlyCost: z.number(costRule).positive(costRule).optional(),
  onNoCapacity: oneOf("fail", "wait", "nextRun"),
} satisfies { [Name in keyof Required<ClusterInputs>]: z.ZodType<ClusterInputs[Name]> };

const clusterRules = z.strictObject(inputRules);

/**
 * All problems of the inputs at once. Values that are not known yet are not judged. Neither are those of the last run: what the
 * service or another user has set need not follow the rules, and `ignoreChanges` returns it as an input.
 */
export function findFailures(
  news: Properties,
  olds: Properties = {},
  { current, naming, canAwait = true }: Partial<NameContext> & Pick<CallContext, "canAwait"> = {},
): CheckFailure[] {
  const visible = Object.fromEntries(Object.entries(news).filter(([name]) => !name.startsWith("__")));
  const issues = (clusterRules.safeParse(visible).error?.issues ?? []).flatMap(flattenIssue).filter(({ path }) => {
    const old = valuesAlong(olds, path).at(-1);
    return old === undefined || !isDeepStrictEqual(old, valuesAlong(news, path).at(-1));
  });

  // An old number of replicas can be that of an autoscaler, and then a wait for more healthy ones is a wait for all.
  const { replicas = inputDefaults.replicas, minHealthyReplicas, readinessProbe: probe, onNoCapacity } = news;
  const isOld = replicas === olds["replicas"] && minHealthyReplicas === olds["minHealthyReplicas"];
  const areKnown = typeof replicas === "number" && typeof minHealthyReplicas === "number";
  if (!isOld && areKnown && minHealthyReplicas > replicas) {
    const message = `must not be more than \`replicas\`, which is ${replicas}`;
    issues.push({ path: ["minHealthyReplicas"], message });
  }
  if (isRecord(probe) && probe["body"] !== undefined && probe["method"] !== UNKNOWN && probe["method"] !== "POST")
    issues.push({ path: ["readinessProbe", "body"], message: 'needs `method: "POST"`' });

  // The name that `pulumi:autonaming` of the stack generates, or requires from the program.
  if (naming && news["name"] === undefined && current === undefined && news["adopt"] === undefined) {
    const { proposed = "" } = naming;
    const broken = clusterRules.shape.name.safeParse(proposed).error?.issues[0]?.message;
    const what = `${JSON.stringify(cut(proposed, 100))}, from pulumi:autonaming, is not a valid name of a cluster`;
    let message = "is required: pulumi:autonaming is disabled here, so set a name for each cluster";
    if (naming.proposed !== undefined) message = `${what}: it ${broken}. Change the pattern, or set \`name\``;
    if (broken !== undefined) issues.push({ path: ["name"], message });
  }
  if (!canAwait && onNoCapacity === "nextRun" && olds["onNoCapacity"] !== "nextRun") {
    const message = '"nextRun" needs the plugin: use `Cluster` of `pulumi-gpucluster/native`, or set "wait"';
    issues.push({ path: ["onNoCapacity"], message });
  }

  const failures = issues
    .filter(({ path, isAboutName }) => isAboutName || !valuesAlong(news, path).includes(UNKNOWN))
    .map(({ path, message }) => ({ property: path.map(pathStep).join("."), reason: message }));
  // One value can break several rules that have the same message.
  return [...new Map(failures.map((failure) => [`${failure.property} ${failure.reason}`, failure])).values()];
}

/** A name in a path; quoted if it could garble the line. */
function pathStep(step: PropertyKey): string {
  const name = cut(String(step), 100);
  return /^[\x21-\x7e]([\x20-\x7e]*[\x21-\x7e])?…?$/.test(name)
    ? name
    : JSON.stringify(name).replace(
        /[^\x20-\x7e…]/g,
        (letter) => `\\u${letter.charCodeAt(0).toString(16).padStart(4, "0")}`,
      );
}

interface Issue extends Pick<z.core.$ZodIssue, "path" | "message"> {
  /** True if the name is wrong, whatever the value is or will be. */
  readonly isAboutName?: boolean;
}

/** Makes one issue of each problem: zod reports unknown inputs together, and the problems of a key inside its record. */
function flattenIssue(issue: z.core.$ZodIssue): Issue[] {
  if (issue.code === "unrecognized_keys") {
    return issue.keys.map((key) => {
      const path = [...issue.path, key];
      if (path.length > 1) return { path, message: `is not a field of \`${issue.path.map(pathStep).join(".")}\`` };
      const meant = closestName(key, inputNames);
      const advice = meant === undefined ? `the inputs are ${inputNames.join(", ")}` : `did you mean \`${meant}\`?`;
      return { path, message: `is not an input of a cluster; ${advice}` };
    });
  }
  if (issue.code === "invalid_key") {
    return issue.issues.map(({ message }) => ({ path: issue.path, message, isAboutName: true }));
  }
  return [issue];
}

/** The last one is the value at the path. */
function valuesAlong(properties: Properties, path: readonly PropertyKey[]): unknown[] {
  const values: unknown[] = [properties];
  for (const step of path) {
    const outer = values.at(-1);
    values.push(typeof outer === "object" && outer !== null ? Reflect.get(outer, step) : undefined);
  }
  return values;
}

interface NameContext {
  readonly urn: string;
  readonly current?: string;
  readonly predecessor?: string;
  readonly salt?: string;
  readonly naming?: Naming | undefined;
}

export function completeInputs(news: Properties, context: NameContext): CheckedInputs {
  const { urn, current, predecessor, salt, naming } = context;
  // The state and previews show these defaults, because users look for them there.
  const { replicas, desiredStatus } = inputDefaults;
  const completed: Properties = { replicas, desiredStatus, ...news };
  if (news["name"] === undefined) {
    completed["name"] = current ?? naming?.proposed ?? generatedName(urn, predecessor, salt);
    completed["__generatedName"] = true;
  }
  return asInputs(completed);
}

/**
 * The digits depend on the URN and on the name of the replaced cluster, so that preview, update and a run after a crash generate
 * the same name, and a replacement another one. With a salt they are 12, so that stacks with other salts generate other names.
 */
export function generatedName(urn: string, predecessor = "", salt?: string): string {
  const parts = salt === undefined ? [urn, predecessor] : [urn, predecessor, salt];
  const hash = createHash("sha256").update(parts.join("\n")).digest("hex");
  const label = resourceNameOf(urn)
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "-")
    .slice(0, maxGeneratedLabel)
    .replace(/^-+|-+$/g, "");
  return `${label || "cluster"}-${hash.slice(0, salt === undefined ? 7 : 12)}`;
}
