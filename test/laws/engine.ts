/**
 * A small model of Pulumi's engine on top of the provider's resource, with one cluster. Each command is a process of its own; an
 * `up` is a preview and an update. It does what the engine does: a check gets the old inputs, a diff the state; an InitError keeps
 * id and state and stores the *new* inputs; any other error keeps the old ones; a refresh replaces inputs and state.
 */

import { Client } from "../../provider/api/client";
import { type Permit, RateLimiter } from "../../provider/api/http/rateLimiter";
import type { HttpRequest, Send } from "../../provider/api/http/send";
import { Transport } from "../../provider/api/http/transport";
import { ConnectionError, InterruptedError, messageOf } from "../../provider/base/errors";
import { createClusterResource, createDependencies } from "../../provider/cluster/resource";
import { Secret } from "../../provider/config/settings";
import { type CallContext, type Diff, InitError, type Properties, type Resource } from "../../provider/contract";
import { sources } from "../support/sources";
import { LifeClock } from "./clock";
import { type Dialect, kindOf, refusal, type Sent, Service, type Truth } from "./service";

/** What goes wrong in one update; see `faults` of lives.ts. */
export interface Fault {
  /** The kind of request that it concerns, and from which one on. */
  readonly at?: string;
  readonly nth?: number;
  readonly does: string;
  readonly inputs?: Properties;
}

interface Held {
  readonly id: string;
  readonly inputs: Properties;
  readonly state: Properties;
  /** Whether the last operation ended with an InitError: then the engine calls update, whatever the diff is. */
  readonly isInitFailed: boolean;
}

/** What an `up`, or a refresh, was. */
export interface Step {
  readonly title: string;
  readonly kind: "up" | "refresh";
  readonly outcome: "same" | "created" | "updated" | "replaced" | "failed" | "refreshed";
  readonly isInitFailed: boolean;
  /** The inputs that the program asked for, after `ignoreChanges`. */
  readonly inputs: Properties;
  /** The diff of the preview, and that of the update. */
  readonly preview: Diff["changes"];
  readonly diff: Diff["changes"];
  readonly previewMessages: readonly string[];
  readonly messages: readonly string[];
  readonly error: string;
  readonly sent: readonly Sent[];
  readonly rollouts: readonly string[];
  readonly before: Truth;
  readonly after: Truth;
  readonly state: Properties;
  readonly fault: Fault | undefined;
  /** Whether the fault has occurred. */
  readonly isStruck: boolean;
}

export interface Up {
  readonly title: string;
  readonly program: Properties;
  /** The program as a preview sees it, if values are not known yet. */
  readonly previewed?: Properties | undefined;
  readonly ignoreChanges?: string | undefined;
  readonly fault?: Fault | undefined;
}

interface Failed {
  readonly error: string;
  readonly messages: readonly string[];
}

interface Plan {
  readonly process: Process;
  readonly inputs: Properties;
  readonly diff: Diff;
  /** Those of the check and the diff. */
  readonly messages: readonly string[];
}

interface Process {
  readonly cluster: Resource;
  readonly ctx: CallContext;
  readonly messages: string[];
}

/** This service has no rate limit, and a limiter would take a tenth of the time of the lives. */
class FreeLimiter extends RateLimiter {
  override acquire(): Promise<Permit> {
    return Promise.resolve({ release: () => undefined });
  }
}

/** The time limit of each operation: short, so that a wait for what never comes is few polls. */
const timeoutMs = 2 * 60_000;
const urn = "urn:pulumi:dev::app::gpucluster:index:Cluster::web";

export class Engine {
  readonly clock = new LifeClock();
  readonly service: Service;
  readonly steps: Step[] = [];
  held: Held | undefined;
  #fault: Fault | undefined;
  #interrupt = new AbortController();
  #seen = 0;
  #isStruck = false;
  #hasShownFailure = false;

  constructor(dialect: Dialect) {
    this.service = new Service(dialect, this.clock);
  }

  async up({ title, program, previewed = program, ignoreChanges, fault }: Up): Promise<Step> {
    const begin = this.#begin(title, "up", fault);
    const ignoring = (inputs: Properties) => withIgnored(inputs, this.held?.inputs, ignoreChanges);
    const planned = await this.#plan(ignoring(previewed));
    if ("error" in planned) return begin({ ...planned, outcome: "failed" });
    // The update is another process than the preview, which would answer the same if all values were known.
    const plan = previewed === program ? planned : await this.#plan(ignoring(program));
    const known = { previewMessages: planned.messages, preview: planned.diff.changes };
    if ("error" in plan) return begin({ ...plan, ...known, outcome: "failed" });
    const { process, inputs, diff } = plan;
    const { held } = this;
    const all = { ...known, inputs, diff: diff.changes, messages: process.messages };
    const isReplaced = Object.values(diff.changes).some(({ replace }) => replace);
    const isSame = held !== undefined && Object.keys(diff.changes).length === 0 && !held.isInitFailed;
    if (isSame) return begin({ ...all, outcome: "same" });
    this.#arm(fault);
    try {
      await this.clock.run(this.#apply(process, inputs, diff, isReplaced));
      const outcome = isReplaced ? "replaced" : held ? "updated" : "created";
      return begin({ ...all, outcome, isStruck: this.#isStruck });
    } catch (error) {
      const end = { outcome: "failed", error: textOf(error), isInitFailed: error instanceof InitError } as const;
      return begin({ ...all, ...end, isStruck: this.#isStruck });
    } finally {
      this.#fault = undefined;
      this.service.cure();
    }
  }

  /** Lets the engine's resource be the cluster with this id. */
  async import(id: string): Promise<void> {
    const { cluster, ctx } = this.#start();
    const found = await this.clock.run(cluster.read(ctx, id, undefined));
    if (!found) throw new Error("the import found nothing");
    this.held = { id, ...plain(found), isInitFailed: false };
  }

  async refresh(title = "refresh"): Promise<Step> {
    const end = this.#begin(title, "refresh");
    const { held } = this;
    if (!held) return end({ outcome: "failed", error: "nothing is held" });
    const { cluster, ctx, messages } = this.#start();
    try {
      const found = await this.clock.run(cluster.read(ctx, held.id, held.state));
      this.held = found && { id: held.id, ...plain(found), isInitFailed: false };
      return end({ outcome: "refreshed", messages });
    } catch (error) {
      return end({ outcome: "failed", error: textOf(error), messages });
    }
  }

  /** What the next preview would show. */
  async preview(program: Properties, ignoreChanges: string | undefined): Promise<Diff["changes"]> {
    const planned = await this.#plan(withIgnored(program, this.held?.inputs, ignoreChanges));
    return "error" in planned ? {} : planned.diff.changes;
  }

  async #plan(news: Properties): Promise<Plan | Failed> {
    const process = this.#start();
    const { cluster, ctx, messages } = process;
    const { held } = this;
    try {
      const { inputs, failures } = await this.clock.run(cluster.check(ctx, news, held?.inputs));
      if (failures.length > 0) return { error: failures.map(({ reason }) => reason).join("; "), messages };
      const diff = held ? await this.clock.run(cluster.diff(ctx, held.id, held.state, inputs)) : { changes: {} };
      return { process, inputs: plain(inputs), diff, messages: [...messages] };
    } catch (error) {
      return { error: textOf(error), messages };
    }
  }

  async #apply({ cluster, ctx }: Process, inputs: Properties, diff: Diff, isReplaced: boolean): Promise<void> {
    const { held } = this;
    try {
      if (held && !isReplaced) {
        const state = plain(await cluster.update(ctx, held.id, held.state, inputs));
        this.held = { id: held.id, inputs, state, isInitFailed: false };
        return;
      }
      if (held && isReplaced && diff.deleteBeforeReplace) {
        await cluster.delete(ctx, held.id, held.state);
        this.held = undefined;
      }
      const { inputs: again } = await cluster.check(ctx, inputs);
      const { id, state } = await cluster.create(ctx, again);
      if (this.held) await cluster.delete(ctx, this.held.id, this.held.state);
      this.held = { id, inputs, state: plain(state), isInitFailed: false };
    } catch (error) {
      if (error instanceof InitError)
        this.held = { id: error.id, inputs, state: plain(error.state), isInitFailed: true };
      throw error;
    }
  }

  /** A process of the provider. */
  #start(): Process {
    const { clock } = this;
    const messages: string[] = [];
    const timing = { clock, random: () => 0.5, rateLimiter: new FreeLimiter({ clock, random: () => 0.5 }) };
    const wire: Send = async (request) => this.#answer(request);
    const chain = {
      baseUrl: "http://127.0.0.1:1",
      apiKey: new Secret("key-of-the-laws"),
      userAgent: "laws/1",
      sources,
    };
    const client = new Client(new Transport({ ...chain, ...timing, wire }));
    const service = { ...createDependencies(client, "seen", clock, 15_000, chain.baseUrl), random: () => 0.5 };
    const settings = { previewChecks: "default" } as const;
    const cluster = createClusterResource(
      () => service,
      () => settings,
    );
    this.#interrupt = new AbortController();
    const log: CallContext["log"] = (message, severity = "info") => messages.push(`${severity}: ${message}`);
    return { cluster, messages, ctx: { urn, timeoutMs, signal: this.#interrupt.signal, log, status: () => undefined } };
  }

  #arm(fault: Fault | undefined): void {
    this.#fault = fault;
    this.#seen = 0;
    this.#hasShownFailure = false;
    this.#isStruck = false;
    if (fault?.does === "slow") this.service.trouble.delayMs = 30 * 60_000;
    if (fault?.does === "sick") this.service.trouble.sickens = true;
  }

  #answer(request: HttpRequest) {
    const kind = kindOf(request);
    const { service } = this;
    const does = this.#strike(request, kind);
    if (does === undefined) {
      const answer = service.handle(request, kind);
      this.#hasShownFailure ||= kind === "get" && /"status":"failed"/.test(answer.body);
      return answer;
    }
    this.#isStruck = true;
    if (does === "interrupt") {
      this.#interrupt.abort(new InterruptedError("interrupted"));
      if (request.method === "GET") throw this.#interrupt.signal.reason;
      return service.handle(request, kind);
    }
    if (does === "lostAfter" || does === "502") service.handle(request, kind);
    else service.note(request, kind, does === "lostBefore" ? "lost" : Number.parseInt(does, 10) || 409);
    if (does.startsWith("lost")) {
      const { method, path, subject } = request;
      throw new ConnectionError("the connection broke", { outcome: "ambiguous", method, path, subject });
    }
    const code = does === "busy" ? "cluster_busy" : `code_${does}`;
    const status = does === "busy" ? 409 : Number(does);
    return { status, headers: {}, body: JSON.stringify(refusal(status, code, "not now")[1]) };
  }

  /** What the fault does to this request. */
  #strike({ method }: HttpRequest, kind: string): string | undefined {
    const { at, nth = 1, does = "" } = this.#fault ?? {};
    if (does.startsWith("interrupt") && does !== "interrupt" && method !== "GET" && !this.#isStruck) {
      this.#isStruck = true;
      const { signal } = this.#interrupt;
      const controller = this.#interrupt;
      void this.clock
        .sleep(Number(does.slice("interrupt".length)) * 1_000)
        .then(() => signal.aborted || controller.abort(new InterruptedError("interrupted")));
      return undefined;
    }
    if (does === "sick") {
      this.#isStruck = this.#hasShownFailure;
      return at === "unread" && this.#hasShownFailure && kind === "get" ? "503" : undefined;
    }
    const isLateRead = at === "late" && method === "GET" && this.#seen > 0;
    if (at === "late" && method !== "GET") this.#seen += 1;
    if (isLateRead) return does;
    if (kind !== at || (kind === "update" && method !== this.service.dialect.method)) return undefined;
    this.#seen += 1;
    const times = { lostBefore: 1, lostAfter: 1, "502": 1, interrupt: 1, busy: 3 }[does] ?? 1_000;
    return this.#seen >= nth && this.#seen < nth + times ? does : undefined;
  }

  /** Begins a step; the result ends it. */
  #begin(title: string, kind: Step["kind"], fault?: Fault) {
    const { service } = this;
    const before = service.truth();
    const sent = service.sent.length;
    const rollouts = service.rollouts.length;
    return (end: Partial<Step> & Pick<Step, "outcome">): Step => {
      const step: Step = {
        ...{ title, kind, fault, before, isInitFailed: false, inputs: {}, preview: {}, diff: {}, isStruck: false },
        ...{ previewMessages: [], messages: [], error: "" },
        ...end,
        sent: service.sent.slice(sent),
        rollouts: service.rollouts.slice(rollouts),
        after: service.truth(),
        state: this.held?.state ?? {},
      };
      this.steps.push(step);
      return step;
    };
  }
}

/** The option `ignoreChanges`: the old inputs' value takes the place of the new one before the check. */
function withIgnored(news: Properties, olds: Properties | undefined, name: string | undefined): Properties {
  if (!olds || name === undefined) return news;
  const { [name]: _ignored, ...others } = news;
  return olds[name] === undefined ? others : { ...others, [name]: olds[name] };
}

function textOf(error: unknown): string {
  return error instanceof InitError ? error.reasons.join("\n") : messageOf(error);
}

/** As the engine stores it. */
function plain<T>(value: T): T {
  return JSON.parse(JSON.stringify(value));
}
