import * as z from "zod";

const amount = z.number().min(0);
const text = z.string();
const httpStatus = z.int().min(200).max(599);

/** Which requests a fault applies to. */
const target = {
  /** Default: every method. For faults of a new cluster: POST. */
  method: text.optional(),
  /** `*` matches any text without a slash, `**` any text. Default: every path. */
  path: z.union([text, z.instanceof(RegExp)]).optional(),
  /** Only requests about a cluster of this name; `*` matches any text. */
  name: text.optional(),
  /** Number of requests that meet the fault. @default 1 */
  times: amount.optional(),
  /** Number of matching requests that pass before the first fault. @default 0 */
  after: amount.optional(),
};

/** Before or after the effect of the request. @default "before" */
const when = z.enum(["before", "after"]).optional();

/** Faults that change the answer. A request meets at most one of them. */
const answerFaults = [
  /** The connection breaks. */
  z.strictObject({ kind: z.literal("drop"), when, ...target }),
  /** Another status, with the error envelope. */
  z.strictObject({
    kind: z.literal("status"),
    status: httpStatus,
    code: text.optional(),
    message: text.optional(),
    headers: z.record(text, text).optional(),
    when,
    ...target,
  }),
  /** The effect happens, the JSON ends in the middle and the connection breaks. */
  z.strictObject({ kind: z.literal("truncate"), ...target }),
  /** An HTML page such as proxies send. */
  z.strictObject({ kind: z.literal("html"), status: httpStatus, when, ...target }),
  /** The effect happens, and the answer has this body. */
  z.strictObject({
    kind: z.literal("body"),
    body: text,
    status: httpStatus.optional(),
    contentType: text.optional(),
    ...target,
  }),
  /** No effect; the answer is a redirect. Status 302 by default. */
  z.strictObject({ kind: z.literal("redirect"), location: text, status: httpStatus.optional(), ...target }),
] as const;

/** Slows a request down by `ms` milliseconds of real time. */
const delay = z.strictObject({ kind: z.literal("delay"), ms: amount, when, ...target });

/**
 * Faults of a new cluster. One of each kind can apply to the same cluster. A fault with a `container` applies to each roll-out
 * of such a container, in a creation or later; `*` matches any text without a slash.
 */
const clusterFaults = [
  /** Replica number `replica` (from 0) does not become healthy until a roll-out of a new configuration. */
  z.strictObject({
    kind: z.literal("sick-replica"),
    replica: amount,
    message: text,
    container: text.optional(),
    ...target,
  }),
  /**
   * When every replica has become healthy, number `replica` stays healthy for `periodMs`, is unhealthy for `periodMs`, and
   * so on, until it was unhealthy `flaps` times. A status word that depends on every replica changes back and forth too.
   * A roll-out does not end the fault; `change` to `running` does.
   */
  z.strictObject({ kind: z.literal("flap"), replica: amount, periodMs: amount, flaps: amount, ...target }),
  /** The cluster fails halfway, until a roll-out of a new configuration. */
  z.strictObject({ kind: z.literal("fail"), message: text, container: text.optional(), ...target }),
  /** Reads do not show the cluster for `ms` milliseconds. */
  z.strictObject({ kind: z.literal("hidden"), ms: amount, ...target }),
] as const;

const faults = [...answerFaults, delay, ...clusterFaults] as const;
const kinds = faults.map(({ shape }) => shape.kind.value).join(", ");
const schema = z.discriminatedUnion("kind", faults, `must be one of ${kinds}`);

/** A simulated failure of the service, of the network or of a cluster. */
export type Fault = z.infer<typeof schema>;

/** A fault that changes the answer. */
export type AnswerFault = z.infer<(typeof answerFaults)[number]>;

/** A fault of a new cluster, or of a roll-out. */
export type ClusterFault = z.infer<(typeof clusterFaults)[number]>;

/** Whether a fault changes the answer. */
export function isAnswerFault(fault: Fault): fault is AnswerFault {
  return answerFaults.some(({ shape }) => shape.kind.value === fault.kind);
}

/** Whether a fault is one of a new cluster, or of a roll-out. */
export function isClusterFault(fault: Fault): fault is ClusterFault {
  return clusterFaults.some(({ shape }) => shape.kind.value === fault.kind);
}

/** Parses an untrusted fault, such as JSON on the command line. @throws TypeError that names the wrong field. */
export function parseFault(value: unknown): Fault {
  const { data, error } = schema.safeParse(value);
  if (!error) return data;
  const [{ path, message } = { path: [], message: "" }] = error.issues;
  throw new TypeError(`Not a fault: ${[...path, message].join(": ")}.`);
}

/** One line for each kind of fault, with the names of its fields. */
export function faultLines(): string[] {
  return faults.map(({ shape: { kind, ...shape } }) => {
    const fields = Object.entries<z.ZodType>(shape).filter(([name]) => !Object.hasOwn(target, name));
    const names = fields.map(([name, field]) => (field.safeParse(undefined).success ? `${name}?` : name));
    return `${kind.value.padEnd(14)}${names.join(", ")}`.trimEnd();
  });
}
