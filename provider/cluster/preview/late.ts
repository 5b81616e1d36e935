import { abortable, until } from "../../clock";
import type { Ctx } from "../../core";
import { RequestError, TimeoutError } from "../../errors";
import type { CheckedInputs } from "../fields";
import type { Service } from "../service";
import { Inquiry, isRefusal, LookUps } from "./facts";

/** An operation that needs a fact before it sends anything. */
export interface Asker {
  readonly ctx: Ctx;
  readonly deadlineMs: number;
  readonly service: Service;
  readonly inputs: CheckedInputs;
  /** Removes secrets from texts of the service. */
  readonly hide: (text: string) => string;
}

/** Lookups, and the operation that they began with. */
interface Begun {
  readonly lookUps: LookUps;
  readonly startMs: number;
  readonly deadlineMs: number;
}

/** The lookups of the operations of a run. They may take as long as the operation, and operations share them. */
export class LateLookUps {
  #begun: Begun | undefined;

  /** The wait ends with the operation or its interrupt; the requests go on for other operations. */
  async ask<T>(asker: Asker, ask: (inquiry: Inquiry) => Promise<T>): Promise<T> {
    const { ctx, deadlineMs, service, inputs } = asker;
    ctx.signal.throwIfAborted();
    const late = () =>
      new TimeoutError(
        `cluster "${inputs.name}": no price or stock came before the time limit of the operation. Nothing was sent`,
      );
    return until({ clock: service.clock, deadlineMs, late }, (limit) =>
      abortable(this.#askUntilWhole(asker, ask), AbortSignal.any([limit, ctx.signal])),
    );
  }

  /** Repeats lookups that have failed for an earlier operation. */
  async #askUntilWhole<T>(
    { ctx, deadlineMs, service, hide }: Asker,
    ask: (inquiry: Inquiry) => Promise<T>,
  ): Promise<T> {
    const own = { startMs: ctx.startMs ?? service.clock.now(), deadlineMs };
    for (;;) {
      const begun = this.#begun ?? { ...own, lookUps: new LookUps({ deadlineMs }) };
      this.#begun = begun;
      const inquiry = new Inquiry(begun.lookUps, service, hide);
      const answer = await ask(inquiry);
      const mayRepeat = inquiry.gaps.some(({ error }) => isOfOther(error, begun, own));
      if (!mayRepeat || ctx.signal.aborted) return answer;
      if (this.#begun === begun) this.#begun = undefined;
    }
  }
}

/** Whether a failure is that of an earlier operation alone: its deadline cut it, or the service did not answer then. */
function isOfOther(error: unknown, begun: Begun, own: Omit<Begun, "lookUps">): boolean {
  if (error instanceof RequestError && error.isCut) return begun.deadlineMs < own.deadlineMs;
  return !isRefusal(error) && begun.startMs < own.startMs;
}
