import type { Clock } from "../clock";

interface Entry<Answer> {
  readonly answer: Promise<Answer>;
  /** Infinite while the request is in flight. */
  untilMs: number;
}

/**
 * A cache with single flight: equal questions to a service share one request, and its answer is cached for `keepMs`.
 * Failures are not cached. Each caller gets a copy of its own, and may change it.
 */
export function singleFlight<Service extends object, Answer>(keepMs: number, clock: Clock) {
  const entries = new WeakMap<Service, Map<string, Entry<Answer>>>();
  return async (service: Service, question: string, ask: () => Promise<Answer>): Promise<Answer> => {
    const known = entries.get(service) ?? new Map<string, Entry<Answer>>();
    entries.set(service, known);
    const kept = known.get(question);
    if (kept && kept.untilMs > clock.now()) return structuredClone(await kept.answer);
    const entry: Entry<Answer> = { answer: ask(), untilMs: Number.POSITIVE_INFINITY };
    known.set(question, entry);
    try {
      return structuredClone(await entry.answer);
    } catch (error) {
      entry.untilMs = 0;
      throw error;
    } finally {
      entry.untilMs = Math.min(entry.untilMs, clock.now() + keepMs);
    }
  };
}
