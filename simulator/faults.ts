import * as z from "zod";
import { isRecord } from "./fields";

// These types stand beside the schemas below: inferred ones would bring the types of zod into the programs of users.
/** Which requests a fault applies to. */
interface FaultTarget {
  /** Default: every method. For faults of a new cluster: POST. */
  method?: string;
  /** `*` matches any text without a slash, `**` any text. Default: every path. */
  path?: string | RegExp;
  /** Only requests about a cluster of this name; `*` matches any text. */
  name?: string;
  /** Number of requests that meet the fault. @default 1 */
  times?: number;
  /** Number of matching requests that pass before the first fault. @default 0 */
  after?: number;
}

/** Before or after the effect of the request. @default "before" */
type When = "before" | "after";

/** Changes the answer. A request meets at most one such fault. */
export type AnswerFault =
  /** The connection breaks. */
  | { kind: "drop"; when?: When }
  /** Another status, with the error envelope. */
  | {
      kind: "status";
      status: number;
      code?: string;
      message?: string;
      headers?: Record<string, string>;
      when?: When;
    }
  /** The effect happens, the JSON ends in the middle and the connection breaks. */
  | { kind: "truncate" }
  /** An HTML page such as proxies send. */
  | { kind: "html"; status: number; when?: When }
  /** The effect happens, and the answer has this body. */
  | { kind: "body"; body: string; status?: number; contentType?: string }
  /** No effect; the answer is a redirect. Status 302 by default. */
  | { kind: "redirect"; location: string; status?: number };

/** Slows a request down, in real time. */
interface DelayFault {
  kind: "delay";
  ms: number;
  when?: When;
}

/**
 * Applies to a new cluster. One fault of each kind can apply to the same cluster. A fault with a `container` applies to each
 * rollout of such a container, in a creation or later; `*` matches any text without a slash.
 */
export type ClusterFault =
  /** Replica number `replica` (from 0) does not become healthy until a rollout of a new configuration. */
  | { kind: "sick-replica"; replica: number; message: string; container?: string }
  /**
   * When every replica has become healthy, number `replica` stays healthy for `periodMs`, is unhealthy for `periodMs`, and
   * so on, until it was unhealthy `flaps` times. A status word that depends on every replica changes back and forth too.
   * A rollout does not end the fault; `change` to `running` does.
   */
  | { kind: "flap"; replica: number; periodMs: number; flaps: number }
  /** The cluster fails halfway, until a rollout of a new configuration. */
  | { kind: "fail"; message: string; container?: string }
  /** Reads do not show the cluster for `ms` milliseconds. */
  | { kind: "hidden"; ms: number };

/** A simulated failure of the service, of the network or of a cluster. */
export type Fault = FaultTarget & (AnswerFault | DelayFault | ClusterFault);

const when = z.enum(["before", "after"]).optional();
const amount = z.number().min(0);
const httpStatus = z.int().min(200).max(599);
const text = z.string();

const targetFields = {
  method: text.optional(),
  path: z.union([text, z.instanceof(RegExp)]).optional(),
  name: text.optional(),
  times: amount.optional(),
  after: amount.optional(),
};

/** The fields of each kind. */
const kindFields: Readonly<Record<Fault["kind"], z.ZodRawShape>> = {
  drop: { when },
  status: {
    status: httpStatus,
    code: text.optional(),
    message: text.optional(),
    headers: z.record(text, text).optional(),
    when,
  },
  truncate: {},
  html: { status: httpStatus, when },
  body: { body: text, status: httpStatus.optional(), contentType: text.optional() },
  redirect: { location: text, status: httpStatus.optional() },
  delay: { ms: amount, when },
  "sick-replica": { replica: amount, message: text, container: text.optional() },
  flap: { replica: amount, periodMs: amount, flaps: amount },
  fail: { message: text, container: text.optional() },
  hidden: { ms: amount },
};

const answerKinds: readonly Fault["kind"][] = ["drop", "status", "truncate", "html", "body", "redirect"];
const clusterKinds: readonly Fault["kind"][] = ["sick-replica", "flap", "fail", "hidden"];

/** Whether a fault changes the answer. */
export function isAnswerFault(fault: Fault): fault is Fault & AnswerFault {
  return answerKinds.includes(fault.kind);
}

/** Whether a fault is one of a new cluster, or of a rollout. */
export function isClusterFault(fault: Fault): fault is Fault & ClusterFault {
  return clusterKinds.includes(fault.kind);
}

/** One line for each kind of fault, with the names of its fields. */
export function faultLines(): string[] {
  return Object.entries(kindFields).map(([kind, fields]) => {
    const names = Object.entries(fields).map(([name, field]) => (isOptional(field) ? `${name}?` : name));
    return `${kind.padEnd(14)}${names.join(", ")}`.trimEnd();
  });
}

/** Parses an untrusted fault, such as JSON on the command line. @throws TypeError that names the wrong field. */
export function parseFault(value: unknown): Fault {
  const kind = isRecord(value) ? value.kind : undefined;
  if (!isKind(kind)) throw new TypeError(`Not a fault: kind: must be one of ${Object.keys(kindFields).join(", ")}.`);
  const schema = z.strictObject({ kind: z.literal(kind), ...targetFields, ...kindFields[kind] });
  const [issue] = schema.safeParse(value).error?.issues ?? [];
  if (issue) throw new TypeError(`Not a fault: ${[...issue.path, issue.message].join(": ")}.`);
  return value as Fault; // as the schema of its kind says
}

function isKind(value: unknown): value is Fault["kind"] {
  return typeof value === "string" && Object.hasOwn(kindFields, value);
}

function isOptional(field: z.core.$ZodType): boolean {
  return z.safeParse(field, undefined).success;
}
