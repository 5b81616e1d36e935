import * as z from "zod";
import { isRecord } from "./fields";

// These types are written out beside the schemas below: inferred ones would bring the types of zod into users' programs.
/** Which requests a fault applies to. */
interface FaultTarget {
  /** @default every method; POST for faults of a new cluster */
  method?: string;
  /** `*` matches any string without a slash, `**` any string. @default every path */
  path?: string | RegExp;
  /** Only requests about a cluster of this name; `*` matches any string. */
  name?: string;
  /** Number of requests that the fault applies to. @default 1 */
  times?: number;
  /** Number of matching requests that pass before the first fault. @default 0 */
  after?: number;
}

/** Before or after the effect of the request. @default "before" */
type When = "before" | "after";

/** Changes the answer. At most one such fault applies to a request. */
export type AnswerFault =
  /** The connection is closed. */
  | { kind: "drop"; when?: When }
  /** Another status, with an error body. */
  | {
      kind: "status";
      status: number;
      code?: string;
      message?: string;
      headers?: Record<string, string>;
      when?: When;
    }
  /** The request has its effect, the JSON ends in the middle and the connection is closed. */
  | { kind: "truncate" }
  /** An HTML page such as proxies send. */
  | { kind: "html"; status: number; when?: When }
  /** The request has its effect, and the answer has this body. */
  | { kind: "body"; body: string; status?: number; contentType?: string }
  /** The request has no effect; the answer is a redirect, by default with status 302. */
  | { kind: "redirect"; location: string; status?: number };

/** Slows a request down, in real time. */
interface DelayFault {
  kind: "delay";
  ms: number;
  when?: When;
}

/**
 * Applies to a new cluster. One fault of each kind can apply to the same cluster. A fault with a `container` applies to each
 * rollout of such a container, in a creation or later; `*` matches any string without a slash.
 */
export type ClusterFault =
  /** Replica number `replica` (from 0) does not become healthy until a rollout of a new configuration. */
  | { kind: "sick-replica"; replica: number; message: string; container?: string }
  /**
   * When every replica has become healthy, number `replica` stays healthy for `periodMs`, is unhealthy for `periodMs`, and
   * so on, until it was unhealthy `flaps` times. A status that depends on every replica changes back and forth too.
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
const string = z.string();

const targetFields = {
  method: string.optional(),
  path: z.union([string, z.instanceof(RegExp)]).optional(),
  name: string.optional(),
  times: amount.optional(),
  after: amount.optional(),
};

/** The fields of each kind. */
const kindFields: Readonly<Record<Fault["kind"], z.ZodRawShape>> = {
  drop: { when },
  status: {
    status: httpStatus,
    code: string.optional(),
    message: string.optional(),
    headers: z.record(string, string).optional(),
    when,
  },
  truncate: {},
  html: { status: httpStatus, when },
  body: { body: string, status: httpStatus.optional(), contentType: string.optional() },
  redirect: { location: string, status: httpStatus.optional() },
  delay: { ms: amount, when },
  "sick-replica": { replica: amount, message: string, container: string.optional() },
  flap: { replica: amount, periodMs: amount, flaps: amount },
  fail: { message: string, container: string.optional() },
  hidden: { ms: amount },
};

const answerKinds: readonly Fault["kind"][] = ["drop", "status", "truncate", "html", "body", "redirect"];
const clusterKinds: readonly Fault["kind"][] = ["sick-replica", "flap", "fail", "hidden"];

/** Whether a fault changes the answer. */
export function isAnswerFault(fault: Fault): fault is Fault & AnswerFault {
  return answerKinds.includes(fault.kind);
}

/** Whether a fault applies to a new cluster or to a rollout. */
export function isClusterFault(fault: Fault): fault is Fault & ClusterFault {
  return clusterKinds.includes(fault.kind);
}

/** Each kind of fault with the names of its fields. */
export function describeFaults(): [string, string][] {
  return Object.entries(kindFields).map(([kind, fields]) => {
    const names = Object.entries(fields).map(([name, field]) => (isOptional(field) ? `${name}?` : name));
    return [kind, names.join(", ")];
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
