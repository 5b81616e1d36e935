/** Which requests a fault applies to. */
export interface FaultTarget {
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
export type When = "before" | "after";

/** Spoils the answer. A request meets at most one such fault. */
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
export interface DelayFault {
  kind: "delay";
  ms: number;
  when?: When;
}

/** Applies to a new cluster. One fault of each kind can apply to the same cluster. */
export type BirthFault =
  /** Replica number `replica` (from 0) does not become healthy until a roll-out of a new configuration. */
  | { kind: "sick-replica"; replica: number; message: string }
  /**
   * When every replica has become healthy, number `replica` stays healthy for `periodMs`, is unhealthy for `periodMs`, and
   * so on, until it was unhealthy `flaps` times. A status word that depends on every replica changes back and forth too.
   * A roll-out does not end the fault; `change` to `running` does.
   */
  | { kind: "flap"; replica: number; periodMs: number; flaps: number }
  /** The cluster fails halfway, until a roll-out of a new configuration. */
  | { kind: "fail"; message: string }
  /** Reads do not show the cluster for `ms` milliseconds. */
  | { kind: "hidden"; ms: number };

/** A simulated failure of the service, of the network or of a cluster. */
export type Fault = FaultTarget & (AnswerFault | DelayFault | BirthFault);

/** When the simulator looks for a fault: at each request, or at each creation of a cluster. */
export type FaultStage = "request" | "birth";

/** The stage and the slot of each kind: a stage takes at most one fault per slot. */
export const faultSlots: Readonly<Record<Fault["kind"], { stage: FaultStage; slot: string }>> = {
  drop: { stage: "request", slot: "answer" },
  status: { stage: "request", slot: "answer" },
  truncate: { stage: "request", slot: "answer" },
  html: { stage: "request", slot: "answer" },
  body: { stage: "request", slot: "answer" },
  redirect: { stage: "request", slot: "answer" },
  delay: { stage: "request", slot: "delay" },
  "sick-replica": { stage: "birth", slot: "sick-replica" },
  flap: { stage: "birth", slot: "flap" },
  fail: { stage: "birth", slot: "fail" },
  hidden: { stage: "birth", slot: "hidden" },
};
