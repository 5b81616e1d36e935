import * as z from "zod";
import { clusterIdPattern, clusterNamePattern } from "../../api/records";
import { inputOf } from "../extraFields";
import type { ClusterInputs } from "../fields";

/** The rules for the inputs of fields.ts in one place, with the messages for invalid values. */

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

const gpuTypeText = 'must be the identifier of a GPU type, such as "h100"; getGpuTypes() lists them';
const gpuType = z.string(rule(gpuTypeText)).regex(/^\w(?:[\w .:+/-]{0,126}[\w+])?$/, rule(gpuTypeText));
const gpuTypesText = "must be the identifier of a GPU type, or a list of 1 to 20 different ones, the best first";
const gpuTypes = z
  .array(gpuType, rule(gpuTypesText))
  .min(1, rule(gpuTypesText))
  .max(20, rule(gpuTypesText))
  .refine((types) => new Set(types).size === types.length, rule(gpuTypesText));
const replicasText = "must be a whole number from 1 to 10000";

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

const triggersText = "must be a map or a list of strings, numbers and booleans";
const trigger = z.union([z.string(), z.number(), z.boolean()], rule(triggersText));
const triggers = z
  .union([z.record(z.string(), trigger, rule(triggersText)), z.array(trigger, rule(triggersText))])
  .optional();
const flag = z.boolean(rule("must be true or false")).optional();
const adoptText = 'must be the id of a cluster, such as "cl_1a2b3c"; getClusters() lists them';
const minHealthyText = 'must be a whole number from 1 to `replicas`, or a share from "1%" to "100%"';
// Each form has the text too, because a value of its kind is judged by that form alone.
const minHealthy = z.union([
  z.int(numberRule(minHealthyText)).min(1, numberRule(minHealthyText)).max(10_000, numberRule(minHealthyText)),
  z.string(numberRule(minHealthyText)).regex(/^([1-9]\d?|100)%$/, numberRule(minHealthyText)),
]);
const costText = "must be a number above 0";
const connectionText = "must be the name of an entry of gpucluster:connections";

function oneOf<const Word extends string>(...words: [Word, Word]) {
  const text = `must be ${words.map((word) => `"${word}"`).join(" or ")}`;
  return z.enum(words, rule(text)).optional();
}

const inputRules = {
  name: z.string(rule(nameText)).regex(clusterNamePattern, rule(nameText)).max(63, rule(nameText)).optional(),
  gpuType: z.union([gpuType, gpuTypes]),
  replicas: z
    .int(numberRule(replicasText))
    .min(1, numberRule(replicasText))
    .max(10_000, numberRule(replicasText))
    .optional(),
  container: z
    .string(rule(imageText))
    .max(512, rule(imageText))
    .regex(imagePattern, rule(imageText))
    .refine((image) => portOf(image) <= 65_535, rule(imageText)),
  env: z.record(envName, envValue, rule("must be a map of names to strings")).optional(),
  extraFields: z
    .record(extraName, z.json(rule(extraText)), rule(extraText))
    .refine((fields) => Buffer.byteLength(JSON.stringify(fields)) <= maxExtraBytes, rule(extraSizeText))
    .optional(),
  desiredStatus: oneOf("running", "stopped"),
  restartTriggers: triggers,
  redeployTriggers: triggers,
  adopt: z.string(rule(adoptText)).regex(clusterIdPattern, rule(adoptText)).optional(),
  skipAwait: flag,
  minHealthyReplicas: minHealthy.optional(),
  healthCheck: oneOf("status", "list"),
  deletionPolicy: oneOf("delete", "stop"),
  maxHourlyCost: z.number(numberRule(costText)).positive(numberRule(costText)).optional(),
  plainEnv: flag,
  connection: z.string(rule(connectionText)).min(1, rule(connectionText)).max(100, rule(connectionText)).optional(),
} satisfies { [Name in keyof Required<ClusterInputs>]: z.ZodType<ClusterInputs[Name]> };

/** Strict: an unknown input is an error, because its author expects it to work. */
export const clusterRules = z.strictObject(inputRules);
