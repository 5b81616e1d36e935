/** Which requests a fault applies to. */
export interface FaultTarget {
  /** Default: every method. For faults of a new cluster: POST. */
  method?: string;
  /** `*` stands for a part of the path without a slash, `**` for anything. Default: every path. */
  path?: string | RegExp;
  /** Only requests about a cluster of this name; `*` stands for any text. */
  name?: string;
  /** How often it happens. @default 1 */
  times?: number;
  /** How many matching requests pass before. @default 0 */
  after?: number;
}

/** Before or after the request had its effect. @default "before" */
export type When = "before" | "after";

/** Spoils the answer. A request meets at most one of them. */
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
  /** A page as proxies send it. */
  | { kind: "html"; status: number; when?: When }
  /** The effect happens, the answer has this body. */
  | { kind: "body"; body: string; status?: number; contentType?: string }
  /** No effect; the client is sent elsewhere. Status 302 if not given. */
  | { kind: "redirect"; location: string; status?: number };

/** Slows a request down, in real time. */
export interface DelayFault {
  kind: "delay";
  ms: number;
  when?: When;
}

/** Befalls a new cluster. One of each kind can apply to the same cluster. */
export type BirthFault =
  /** Replica number `replica` (from 0) never gets healthy, until a new configuration is rolled out. */
  | { kind: "sick-replica"; replica: number; message: string }
  /**
   * Whenever every replica has become healthy, number `replica` stays so for `periodMs`, is unhealthy for `periodMs`, and
   * so on, until it was unhealthy `flaps` times. A status word that waits for every replica goes back and forth with it.
   * A roll-out does not cure it; `change` to `running` does.
   */
  | { kind: "flap"; replica: number; periodMs: number; flaps: number }
  /** The cluster fails halfway, until a new configuration is rolled out. */
  | { kind: "fail"; message: string }
  /** Reads do not show the cluster for this long. */
  | { kind: "hidden"; ms: number };

/** Something that goes wrong. */
export type Fault = FaultTarget & (AnswerFault | DelayFault | BirthFault);

/** When a fault is looked for: at each request, or at each creation of a cluster. */
export type FaultStage = "request" | "birth";

/** Per kind, when it is looked for, and its slot: a stage meets at most one fault per slot. */
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
