import type { Settings } from "../../config";
import type { CheckFailure, Ctx, Naming } from "../../core";
import { isRejectedKey } from "../../errors";
import type { Service } from "../service";
import { gapText, natureOf } from "./gaps";
import { Inquiry } from "./inquiry";
import type { LookUps } from "./lookups";
import { resourceNameOf } from "./names";

/** Where the cluster is, and what the stack says of all of them. */
export interface Surroundings {
  /** Absent where its connection is not known yet: then nobody is asked. */
  readonly service: Service | undefined;
  readonly settings: Settings;
}

/** What the checks of a run share. */
export interface Shared {
  readonly lookUps: LookUps;
  /** What has been said, for each text is said once. */
  readonly said: Set<string>;
}

/** One check, while it is under way: what it asks, finds wrong and says. */
export class OneCheck {
  readonly failures: CheckFailure[] = [];
  readonly service: Service | undefined;
  readonly settings: Settings;
  readonly inquiry: Inquiry;

  constructor(
    private readonly ctx: Ctx,
    { service, settings }: Surroundings,
    private readonly shared: Shared,
    hide: (text: string) => string,
  ) {
    this.service = service;
    this.settings = settings;
    this.inquiry = new Inquiry(shared.lookUps, service, hide);
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

  /** @param key For what concerns the whole run: it is said once, and without the name of this resource. */
  warn(text: string, key?: string): void {
    this.#say(text, "warning", key);
  }

  inform(text: string, key?: string): void {
    this.#say(text, "info", key);
  }

  /** What could not be found out is one warning in a run, and a failure where the stack wants it so. */
  reportGaps(): void {
    const { gaps } = this.inquiry;
    // A key that is rejected would be so for everything that the update needs.
    const rejected = gaps.find(({ error }) => isRejectedKey(error));
    if (rejected) {
      this.fail("", rejected.text);
      return;
    }
    if (this.settings.strictPreview) {
      if (gaps.length > 0) this.fail("", `${gapText(gaps)}; gpucluster:strictPreview makes that an error`);
      return;
    }
    const keyOf = (error: unknown) => `gap ${this.service?.seenBy} ${natureOf(error)}`;
    const fresh = gaps.filter(({ error }) => !this.shared.said.has(keyOf(error)));
    for (const { error } of fresh) this.shared.said.add(keyOf(error));
    const text = `${gapText(fresh)}. Nothing more is said of that in this run`;
    if (fresh.length > 0) this.warn(text, text);
  }

  /** Preview and update are two processes, so everything shows once in each. Some views do not say whose message it is. */
  #say(text: string, severity: "info" | "warning", key?: string): void {
    const name = resourceNameOf(this.urn);
    const line = key !== undefined || name === "" ? text : `${name}: ${text}`;
    const once = key ?? `${this.urn}\n${text}`;
    if (this.shared.said.has(once)) return;
    this.shared.said.add(once);
    this.ctx.log(line, severity);
  }
}
