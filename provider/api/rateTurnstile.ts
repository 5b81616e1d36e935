import { setMaxListeners } from "node:events";
import type { Clock } from "../clock";
import type { Ask, Budget, BudgetView, Leave } from "./rateContract";
import { spareForLooks } from "./rateLanes";
import { RateQueue } from "./rateQueue";
import { RateWindow } from "./rateWindow";

/** Reset times are whole seconds, rounded by the service as it likes: a window may begin so much later than they say. */
const guardMs = 1_000;
/** Several processes on one key must not all come back in the same instant. */
const jitterMs = 1_000;

interface Waiter extends Pick<Ask, "lane" | "patienceMs" | "refuse"> {
  readonly sinceMs: number;
  readonly go: (leave: Leave) => void;
  readonly fail: (error: unknown) => void;
}

/**
 * The budget of one service and key: lets requests through as the window allows, and wakes up when it allows more. It only
 * waits and wakes; who is next and what is left is decided by the queue and by the window.
 */
export class Turnstile implements Budget {
  readonly #window = new RateWindow();
  readonly #queue = new RateQueue<Waiter>();
  #alarm: { readonly atMs: number; readonly stop: AbortController } | undefined;

  constructor(private readonly options: { readonly clock: Clock; readonly random: () => number }) {}

  enter({ signal, ...ask }: Ask): Promise<Leave> {
    return new Promise((resolve, reject) => {
      if (signal?.aborted) return reject(signal.reason);
      const onAbort = () => {
        this.#queue.remove(waiter);
        reject(signal?.reason);
        this.#pump();
      };
      const settled = <T>(settle: (value: T) => void) => {
        return (value: T) => {
          signal?.removeEventListener("abort", onAbort);
          settle(value);
        };
      };
      const waiter = { ...ask, sinceMs: this.options.clock.now(), go: settled(resolve), fail: settled(reject) };
      // One signal may end hundreds of requests; from the eleventh on, Node would call that a leak.
      if (signal) setMaxListeners(0, signal);
      signal?.addEventListener("abort", onAbort, { once: true });
      this.#queue.add(waiter);
      this.#pump();
    });
  }

  view(): BudgetView {
    const standing = this.#window.standing(this.options.clock.now());
    const view = { limit: this.#window.limit, queued: this.#queue.size };
    return standing ? { ...view, ...standing, spare: spareForLooks({ ...view, ...standing }) } : view;
  }

  /** Lets go whoever may go, refuses whoever cannot wait that long, and sets the alarm for the rest. */
  #pump(): void {
    const nowMs = this.options.clock.now();
    this.#window.turnOver(nowMs);
    for (;;) {
      const waiter = this.#queue.take((lane) => this.#isOpen(lane, nowMs), nowMs);
      if (!waiter) break;
      waiter.go(this.#leaveOf(nowMs));
    }
    this.#refuseImpatient(nowMs);
    const opening = this.#queue.lanes().map((lane) => this.#window.opensAtMs(lane));
    this.#wakeAt(Math.min(...opening.filter((atMs) => atMs > nowMs)));
  }

  #isOpen(lane: Ask["lane"], nowMs: number): boolean {
    return this.#window.hasPlace(lane) && this.#window.opensAtMs(lane) <= nowMs;
  }

  #leaveOf(nowMs: number): Leave {
    const permit = this.#window.send(nowMs);
    let isOver = false;
    return (answered) => {
      if (isOver) return;
      isOver = true;
      this.#window.end(permit, answered, this.options.clock.now(), guardMs + this.options.random() * jitterMs);
      this.#pump();
    };
  }

  #refuseImpatient(nowMs: number): void {
    for (const lane of this.#queue.lanes()) {
      const waitMs = this.#window.closedForMs(lane, nowMs);
      if (waitMs === 0) continue;
      const isImpatient = ({ patienceMs, sinceMs }: Waiter) => waitMs > patienceMs - (nowMs - sinceMs);
      for (const waiter of this.#queue.takeAll(lane, isImpatient)) waiter.fail(waiter.refuse(waitMs));
    }
  }

  /** One alarm for all who wait, and none when nobody does: it would keep the process alive. */
  #wakeAt(atMs: number): void {
    if (this.#alarm?.atMs === atMs) return;
    this.#alarm?.stop.abort();
    this.#alarm = undefined;
    if (atMs === Number.POSITIVE_INFINITY) return;
    const stop = new AbortController();
    this.#alarm = { atMs, stop };
    this.options.clock.sleep(Math.max(0, atMs - this.options.clock.now()), stop.signal).then(
      () => {
        if (this.#alarm?.stop !== stop) return;
        this.#alarm = undefined;
        this.#pump();
      },
      () => undefined, // another alarm was set, or nobody waits
    );
  }
}
