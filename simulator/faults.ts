import { type Answer, errorBody } from "./answers";
import type { ClusterState, Timing } from "./clusterState";
import type { Dialect } from "./dialectOptions";
import { isRecord, isTextRecord } from "./fields";

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

/** Spoils the answer. A request meets at most one such fault. */
type AnswerFault =
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
 * roll-out of such a container, in a creation or later; `*` matches any text without a slash.
 */
type BirthFault =
  /** Replica number `replica` (from 0) does not become healthy until a roll-out of a new configuration. */
  | { kind: "sick-replica"; replica: number; message: string; container?: string }
  /**
   * When every replica has become healthy, number `replica` stays healthy for `periodMs`, is unhealthy for `periodMs`, and
   * so on, until it was unhealthy `flaps` times. A status word that depends on every replica changes back and forth too.
   * A roll-out does not end the fault; `change` to `running` does.
   */
  | { kind: "flap"; replica: number; periodMs: number; flaps: number }
  /** The cluster fails halfway, until a roll-out of a new configuration. */
  | { kind: "fail"; message: string; container?: string }
  /** Reads do not show the cluster for `ms` milliseconds. */
  | { kind: "hidden"; ms: number };

/** A simulated failure of the service, of the network or of a cluster. */
export type Fault = FaultTarget & (AnswerFault | DelayFault | BirthFault);

/** When the simulator looks for a fault: at each request, at each creation of a cluster, or at each later roll-out. */
type FaultStage = "request" | "birth" | "rollout";

/** The stage and the slot of each kind: a stage takes at most one fault per slot. */
const faultSlots: Readonly<Record<Fault["kind"], { stage: Exclude<FaultStage, "rollout">; slot: string }>> = {
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

interface Rule {
  accepts(value: unknown): boolean;
  words: string;
  optional?: boolean;
}

const text: Rule = { accepts: isText, words: "a string" };
const amount: Rule = { accepts: (value) => typeof value === "number" && value >= 0, words: "a number of at least 0" };
const httpStatus: Rule = { accepts: isStatus, words: "a status from 200 to 599" };
const order: Rule = { accepts: (value) => value === "before" || value === "after", words: '"before" or "after"' };
const pattern: Rule = { accepts: (value) => isText(value) || value instanceof RegExp, words: "a path pattern" };
const texts: Rule = { accepts: isTextRecord, words: "an object of strings" };

const targetRules = {
  method: maybe(text),
  path: maybe(pattern),
  name: maybe(text),
  times: maybe(amount),
  after: maybe(amount),
};

const kindRules: Readonly<Record<Fault["kind"], Readonly<Record<string, Rule>>>> = {
  drop: { when: maybe(order) },
  status: {
    status: httpStatus,
    code: maybe(text),
    message: maybe(text),
    headers: maybe(texts),
    when: maybe(order),
  },
  truncate: {},
  html: { status: httpStatus, when: maybe(order) },
  body: { body: text, status: maybe(httpStatus), contentType: maybe(text) },
  redirect: { location: text, status: maybe(httpStatus) },
  delay: { ms: amount, when: maybe(order) },
  "sick-replica": { replica: amount, message: text, container: maybe(text) },
  flap: { replica: amount, periodMs: amount, flaps: amount },
  fail: { message: text, container: maybe(text) },
  hidden: { ms: amount },
};

/** One line for each kind of fault, with the names of its fields. */
export function faultLines(): string[] {
  return Object.entries(kindRules).map(([kind, rules]) => {
    const fields = Object.entries(rules).map(([name, { optional }]) => (optional ? `${name}?` : name));
    return `${kind.padEnd(14)}${fields.join(", ")}`.trimEnd();
  });
}

/** Parses an untrusted fault, such as JSON on the command line. @throws TypeError that names the wrong field. */
export function parseFault(value: unknown): Fault {
  if (isFault(value)) return value;
  throw new TypeError(`Not a fault: ${problemOf(value)}.`);
}

function isFault(value: unknown): value is Fault {
  return problemOf(value) === undefined;
}

function problemOf(value: unknown): string | undefined {
  if (!isRecord(value)) return "it must be an object";
  const { kind, ...fields } = value;
  if (!isKind(kind)) return `kind must be one of ${Object.keys(faultSlots).join(", ")}`;
  const rules: Readonly<Record<string, Rule>> = { ...targetRules, ...kindRules[kind] };
  const unknown = Object.keys(fields).find((field) => !Object.hasOwn(rules, field));
  if (unknown !== undefined) return `"${unknown}" is no field of ${kind}`;
  for (const [field, rule] of Object.entries(rules)) {
    const given = fields[field];
    if (given === undefined ? !rule.optional : !rule.accepts(given)) return `${field} of ${kind} must be ${rule.words}`;
  }
  return undefined;
}

function isKind(value: unknown): value is Fault["kind"] {
  return typeof value === "string" && Object.hasOwn(faultSlots, value);
}

function isText(value: unknown): boolean {
  return typeof value === "string";
}

function isStatus(value: unknown): boolean {
  return typeof value === "number" && Number.isInteger(value) && value >= 200 && value <= 599;
}

function maybe(rule: Rule): Rule {
  return { ...rule, optional: true };
}

/** The facts of a request that decide whether a fault applies. */
export interface FaultFacts {
  method: string;
  path: string;
  /** Name of the request's cluster. */
  name?: string;
  /** The container of a new cluster or of a roll-out. */
  container?: string;
}

/** The pending faults. */
export class FaultBook {
  readonly #entries: { fault: Fault; seen: number; used: number }[] = [];

  add(fault: Fault): void {
    this.#entries.push({ fault, seen: 0, used: 0 });
  }

  /** Takes the faults for this request, new cluster or roll-out: at most one per slot, oldest first. */
  take(stage: FaultStage, facts: FaultFacts): Fault[] {
    const taken = new Map<string, Fault>();
    for (const entry of this.#entries) {
      const { fault } = entry;
      if (!isAt(stage, fault) || !applies(fault, facts)) continue;
      entry.seen += 1;
      const { slot } = faultSlots[fault.kind];
      if (entry.seen <= (fault.after ?? 0) || entry.used >= (fault.times ?? 1) || taken.has(slot)) continue;
      entry.used += 1;
      taken.set(slot, fault);
    }
    return [...taken.values()];
  }
}

/** A later roll-out meets only the faults of its container. */
function isAt(stage: FaultStage, fault: Fault): boolean {
  const { stage: own } = faultSlots[fault.kind];
  return stage === "rollout" ? own === "birth" && containerOf(fault) !== undefined : own === stage;
}

function containerOf(fault: Fault): string | undefined {
  return "container" in fault ? fault.container : undefined;
}

function applies(fault: Fault, { method, path, name, container = "" }: FaultFacts): boolean {
  if (!matches(containerOf(fault) ?? "**", container)) return false;
  if (fault.method !== undefined && fault.method.toUpperCase() !== method) return false;
  if (fault.path !== undefined && !matches(fault.path, path)) return false;
  return fault.name === undefined || (name !== undefined && matches(fault.name, name));
}

function matches(pattern: string | RegExp, text: string): boolean {
  // `search` ignores the state that a global RegExp keeps between calls.
  if (pattern instanceof RegExp) return text.search(pattern) >= 0;
  const source = pattern.replace(/[.+?^${}()|[\]\\]/g, "\\$&").replace(/\*+/g, (stars) => wildcard(stars));
  return new RegExp(`^${source}$`).test(text);
}

function wildcard(stars: string): string {
  return stars.length > 1 ? ".*" : "[^/]*";
}

/** The answer to a request with a fault; `effect` performs the request. */
export function spoil(fault: AnswerFault, effect: () => Answer, dialect: Dialect): Answer {
  const real = hasEffect(fault) ? effect() : { status: 0 };
  switch (fault.kind) {
    case "drop":
      return { ...real, wire: "drop" };
    case "truncate":
      return { ...real, wire: "truncate" };
    case "status":
      return statusAnswer(fault, dialect);
    case "html":
      return { status: fault.status, text: page(fault.status), headers: { "Content-Type": "text/html" } };
    case "body": {
      const headers = { ...real.headers, "Content-Type": fault.contentType ?? "application/json" };
      return { status: fault.status ?? real.status, text: fault.body, headers };
    }
    case "redirect":
      return { status: fault.status ?? 302, headers: { Location: fault.location } };
  }
}

/** The one fault among them that spoils the answer. */
export function answerFault(faults: readonly Fault[]): AnswerFault | undefined {
  return faults.find(isAnswerFault);
}

/** Milliseconds by which the faults delay a request before or after its effect. */
export function delayOf(faults: readonly Fault[], when: When): number {
  const delay = faults.find((fault): fault is Fault & DelayFault => fault.kind === "delay");
  return delay && (delay.when ?? "before") === when ? delay.ms : 0;
}

function isAnswerFault(fault: Fault): fault is Fault & AnswerFault {
  return faultSlots[fault.kind].slot === "answer";
}

function hasEffect(fault: AnswerFault): boolean {
  if (fault.kind === "truncate" || fault.kind === "body") return true;
  return fault.kind !== "redirect" && fault.when === "after";
}

function statusAnswer(fault: AnswerFault & { kind: "status" }, dialect: Dialect): Answer {
  const { status, code = `fault_${status}`, message = `Simulated status ${status}.`, headers } = fault;
  if (status === 204 || status === 304) return { status, headers };
  return errorBody({ status, code, message }, dialect, headers);
}

function page(status: number): string {
  return `<!DOCTYPE html><html><head><title>${status}</title></head><body><h1>${status}</h1></body></html>\n`;
}

/** Applies the pending faults for new clusters to a new cluster. */
export function applyBirthFaults(faults: FaultBook, state: ClusterState, timing: Timing): void {
  applyFaults("birth", faults, state, { ...timing, now: state.createdAt });
}

/** Applies the pending faults of its container to a cluster whose replicas were just replaced. */
export function applyRolloutFaults(faults: FaultBook, state: ClusterState, timing: Timing, now: number): void {
  applyFaults("rollout", faults, state, { ...timing, now });
}

function applyFaults(
  stage: FaultStage,
  faults: FaultBook,
  state: ClusterState,
  { provisioningMs, now }: Timing & { now: number },
): void {
  const { name, deployed } = state;
  for (const fault of faults.take(stage, { method: "POST", path: "/v1/clusters", name, ...deployed })) {
    if (fault.kind === "hidden") state.hiddenUntil = state.createdAt + fault.ms;
    if (fault.kind === "sick-replica") {
      state.sick = { replica: fault.replica, message: fault.message, blocking: true };
    }
    if (fault.kind === "flap") {
      state.flapping = { replica: fault.replica, periodMs: fault.periodMs, flaps: fault.flaps };
    }
    if (fault.kind === "fail") {
      state.failure = { message: fault.message, at: now + provisioningMs / 2, lasting: true };
    }
  }
}
