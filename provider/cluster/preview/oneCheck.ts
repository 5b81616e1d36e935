import type { Settings } from "../../config";
import type { CheckFailure, Ctx, Naming } from "../../core";
import { isRejectedKey } from "../../errors";
import { listOf, resourceNameOf } from "../../text";
import type { Service } from "../service";
import { type Gap, Inquiry, type Lookups, natureOf } from "./facts";

/** The data that the checks of a run share. */
export interface Shared {
  readonly lookups: Lookups;
  /** Messages that were shown: each is shown once. */
  readonly said: Set<string>;
}

/** One check in progress: its lookups, failures and messages. */
export class OneCheck {
  readonly failures: CheckFailure[] = [];
  readonly inquiry: Inquiry;

  /** @param service Undefined if the connection is not known yet: then no request is sent. */
  constructor(
    private readonly ctx: Ctx,
    readonly service: Service | undefined,
    readonly settings: Settings,
    private readonly shared: Shared,
    hide: (text: string) => string,
  ) {
    this.inquiry = new Inquiry(shared.lookups, service, hide);
  }

  get urn(): string {
    return this.ctx.urn;
  }

  get naming(): Naming | undefined {
    return this.ctx.naming;
  }

  get showsOutputs(): boolean {
    return this.ctx.showsOutputs === true;
  }

  fail(property: string, reason: string): void {
    this.failures.push({ property, reason });
  }

  /** @param key For messages about the whole run: shown once, and without the name of this resource. */
  warn(text: string, key?: string): void {
    this.#say(text, "warning", key);
  }

  /** Warns of something that many resources have in common: once in a run, for the first of them. */
  warnOfFirst(text: string, key: string): void {
    if (this.shared.said.has(key)) return;
    this.shared.said.add(key);
    this.warn(text);
  }

  inform(text: string, key?: string): void {
    this.#say(text, "info", key);
  }

  /** Reports failed lookups: one warning in a run, or a failure if the stack sets `strictPreview`. */
  reportGaps(): void {
    const { gaps } = this.inquiry;
    // A rejected key would also be rejected for every request of the update.
    const rejected = gaps.find(({ error }) => isRejectedKey(error));
    if (rejected) {
      this.fail("", rejected.text);
      return;
    }
    if (this.settings.strictPreview) {
      if (gaps.length > 0) this.fail("", `${gapText(gaps)} (an error because of gpucluster:strictPreview)`);
      return;
    }
    const keyOf = (error: unknown) => `gap ${this.service?.seenBy} ${natureOf(error)}`;
    const fresh = gaps.filter(({ error }) => !this.shared.said.has(keyOf(error)));
    for (const { error } of fresh) this.shared.said.add(keyOf(error));
    const text = `${gapText(fresh)}. Further warnings of this kind are hidden in this run`;
    if (fresh.length > 0) this.warn(text, text);
  }

  /**
   * Shows a message once. Preview and update are two processes, so each shows it. Some views do not show the resource
   * of a message, so the text names it.
   */
  #say(text: string, severity: "info" | "warning", key?: string): void {
    const name = resourceNameOf(this.urn);
    const line = key !== undefined || name === "" ? text : `${name}: ${text}`;
    const once = key ?? `${this.urn}\n${text}`;
    if (this.shared.said.has(once)) return;
    this.shared.said.add(once);
    this.ctx.log(line, severity);
  }
}

/** One sentence for all gaps of a check: the failed lookups, and the reasons. */
function gapText(gaps: readonly Gap[]): string {
  const whys = new Map<string, string>();
  for (const { error, text } of gaps) if (!whys.has(natureOf(error))) whys.set(natureOf(error), text);
  const whats = [...new Set(gaps.map(({ what }) => what))];
  return `${listOf(whats)} could not be checked: ${[...whys.values()].join("; ")}`;
}
