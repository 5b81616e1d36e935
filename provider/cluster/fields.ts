import { z } from "zod";

/**
 * The fields of `Cluster`: the single source of their documentation, rules and flags. Types, checks, diffs and secrets all
 * read these two objects; a new field is one line here.
 */

/** What a field is, beyond its type. */
export interface FieldFlags {
  /** A change of it needs another cluster. */
  readonly replace?: boolean;
  /** Its values are secret: they are encrypted in the state and shown nowhere. */
  readonly secret?: boolean;
}

/** Says what is wrong and what is right. Only numbers are quoted: any text may be a secret of the user's. */
function rule(text: string) {
  return {
    error: ({ input }: { input?: unknown }) => {
      if (input === undefined) return `is required; it ${text}`;
      return typeof input === "number" ? `${text}, got ${input}` : text;
    },
  };
}

/** @assumption The endpoint's host begins with the name (section 2), so it has to be able to stand in a host name. */
const namePattern = /^[a-z0-9]([a-z0-9-]*[a-z0-9])?$/i;
const nameText = "must be 1 to 63 letters, digits and '-', and begin and end with a letter or digit";

// The grammar of image references (host and path, tag, digest); the documented form has a tag, a digest is stricter still.
const imageHost = String.raw`(?:[a-zA-Z0-9.-]+(?::\d{1,5})?|\[[0-9a-fA-F:]+\](?::\d{1,5})?)`;
const imagePart = String.raw`[a-z0-9]+(?:(?:\.|_|__|-+)[a-z0-9]+)*`;
const imagePattern = new RegExp(
  String.raw`^(?:${imageHost}/)?${imagePart}(?:/${imagePart})*(?::\w[\w.-]{0,127}(?:@sha256:[0-9a-f]{64})?|@sha256:[0-9a-f]{64})$`,
);
const imageText = "must be an image reference with a tag, such as vllm/vllm-openai:v0.6.3";

const gpuTypeText = 'must be the identifier of a GPU type, such as "h100"; getGpuTypes() lists them';
const replicasText = "must be a whole number from 1 to 10000";

// More than Linux can pass to a process in one variable.
const maxEnvValueBytes = 128 * 1024;
const envName = z
  .string()
  .regex(
    /^[A-Za-z_][A-Za-z0-9_.-]*$/,
    rule("must be a name of letters, digits, '_', '.' and '-', not beginning with a digit"),
  );
const envValue = z
  .string(rule('must be a string; write numbers and booleans in quotes, such as "8080"'))
  .refine((value) => !value.includes("\0"), rule("must not hold a NUL character"))
  .refine((value) => Buffer.byteLength(value) < maxEnvValueBytes, rule("must be smaller than 128 KiB"));

/** What a program says of a cluster. */
export const inputFields = {
  /**
   * Name of the cluster in the service, and the beginning of its endpoint's host; a change replaces the cluster.
   *
   * 1 to 63 letters, digits and `-`. Default: made from the resource's name and 7 hex digits, and kept from then on. With an
   * explicit name a replacement deletes the old cluster first; with a made one it comes up beside it. (Specification,
   * section 2.)
   */
  name: z
    .string(rule(nameText))
    .regex(namePattern, rule(nameText))
    .max(63, rule(nameText))
    .optional()
    .meta({ replace: true }),
  /**
   * GPU type of each replica, such as `h100`; `getGpuTypes()` lists them. A change replaces the cluster.
   *
   * The service refuses a type that is unknown or not available (`invalid_gpu_type`). (Specification, sections 2 and 7.)
   */
  gpuType: z
    .string(rule(gpuTypeText))
    .regex(/^\w(?:[\w .:+/-]{0,126}[\w+])?$/, rule(gpuTypeText))
    .meta({ replace: true }),
  /**
   * Number of replicas, 1 to 10 000; default 1. Changed in place, by one scale call. (Specification, section 2.)
   */
  replicas: z.int(rule(replicasText)).min(1, rule(replicasText)).max(10_000, rule(replicasText)).default(1).meta({}),
  /**
   * Container image that each replica runs, `<repository>/<image>:<tag>` or with a digest. Changed in place, by one update
   * and a roll-out. (Specification, section 2.)
   */
  container: z.string(rule(imageText)).max(512, rule(imageText)).regex(imagePattern, rule(imageText)).meta({}),
  /**
   * Environment variables of the containers. Every value is a secret: encrypted in the state, masked in previews, while the
   * names stay readable. Changed in place, by one update and a roll-out. Values are strings below 128 KiB.
   * (Specification, section 2.)
   */
  env: z.record(envName, envValue, rule("must be a map of names to strings")).optional().meta({ secret: true }),
} as const;

const replicaStatus = z.object({
  /** The service's id of the replica; its place in the list, where there is none. */
  id: z.string(),
  /** The service's own word, such as `starting`. */
  status: z.string(),
  healthy: z.boolean(),
  /** Why it is not healthy, where the service says so. */
  message: z.string().optional(),
});

/** What the service says of a cluster. */
export const outputFields = {
  /** Lifecycle state, in the service's own word, such as `running`. (Specification, section 3.) */
  status: z.string(),
  /** URL at which the cluster is served. (Specification, section 2.) */
  endpoint: z.string(),
  /** When the cluster was created, ISO 8601 in UTC. (Specification, section 2.) */
  createdAt: z.string(),
  /** Health of each replica, as last looked at. (Specification, section 4.) */
  replicaStatuses: z.array(replicaStatus),
  /** How many replicas were healthy when last looked at. */
  readyReplicas: z.number(),
  /** Whether everything that the inputs ask for was reached; otherwise the next `pulumi up` goes on with it. */
  settled: z.boolean(),
} as const;

// The annotations keep the doc comments of the fields in the published types.
export const clusterInputs: z.ZodObject<typeof inputFields, z.core.$strict> = z.strictObject(inputFields);
export const clusterOutputs: z.ZodObject<typeof outputFields> = z.object(outputFields);

/** Inputs as a program may write them. */
export type ClusterInputs = z.input<typeof clusterInputs>;
/** What a program can read of a cluster. */
export type ClusterOutputs = Omit<z.output<typeof clusterInputs>, "name"> & { name: string } & z.output<
    typeof clusterOutputs
  >;
export type ReplicaStatus = z.output<typeof replicaStatus>;

/** Inputs that only this package sets. */
export type HiddenInputs = {
  /** The resource's URN, which the engine does not tell. */
  readonly __urn?: string;
  /** Pulumi's `customTimeouts`, which the engine does not pass on. */
  readonly __timeouts?: Readonly<Record<string, string>>;
  /** Present when the name was made, not given. */
  readonly __generatedName?: boolean;
};

/** Inputs after check: with defaults, with a name, and with what is already certain of the outputs. */
export type CheckedInputs = z.output<typeof clusterInputs> &
  HiddenInputs & { readonly name: string; readonly endpoint?: string; readonly createdAt?: string };

/** What is remembered of a cluster between two runs. */
export type ClusterState = CheckedInputs &
  Partial<z.output<typeof clusterOutputs>> & {
    /** Which service and key last saw it: 8 hex digits of a hash. A 404 under another one proves nothing. */
    readonly __seenBy?: string;
    /** How the service shows what was asked for, where it shows it otherwise, so that this is no drift later. */
    readonly __echo?: Echo;
    /** Present while an operation has not reached its end; only an update takes it away, whatever a refresh sees. */
    readonly __unfinished?: true;
  };

/** The service's own form of some inputs, right after they were applied. */
export interface Echo {
  readonly name?: string;
  readonly gpuType?: string;
  readonly container?: string;
  /** Names that it adds, hides, or shows with another value (masked): they are not compared. Never values. */
  readonly env?: readonly string[];
}

export type InputName = keyof typeof inputFields;
export const inputNames = Object.keys(inputFields) as InputName[];

/** The flags of an input. */
export function flagsOf(name: InputName): FieldFlags {
  const meta = inputFields[name].meta();
  return { replace: meta?.["replace"] === true, secret: meta?.["secret"] === true };
}
