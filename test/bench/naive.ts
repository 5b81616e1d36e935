import { Agent, type Dispatcher, request } from "undici";
import type { Clock } from "../../provider/base/clock";
import { type Address, type Open, spec } from "./contender";

/** Typical first values: five retries, as in HTTP libraries; a poll every five seconds. */
const retries = 5;
const firstBackoffMs = 1_000;
const pollMs = 5_000;

interface Habits {
  /** Whether a retry waits for the refusal's `Retry-After`. */
  readonly heedsRetryAfter: boolean;
}

/**
 * A dynamic provider as a careful user writes it: each resource works alone. It retries with exponential backoff, and polls
 * its own cluster until every replica is healthy.
 */
export const openNaive =
  (habits: Habits): Open =>
  (address, clock) => {
    const send = sender(address, clock, habits);
    return {
      async create({ name }) {
        const { gpuType, ...others } = spec;
        const { id } = await send("POST", "/v1/clusters", { name, gpu_type: gpuType, ...others });
        for (;;) {
          await clock.sleep(pollMs);
          const { replicas } = await send("GET", `/v1/clusters/${id}/status`);
          if (isHealthy(replicas)) return { id: String(id), state: {} };
        }
      },
      read: async ({ id }) => [await send("GET", `/v1/clusters/${id}`), await send("GET", `/v1/clusters/${id}/status`)],
      async remove({ id }) {
        await send("DELETE", `/v1/clusters/${id}`);
        while (!(await send("GET", `/v1/clusters/${id}`)).isGone) await clock.sleep(pollMs);
      },
    };
  };

type Answer = Record<string, unknown>;

function sender({ url, apiKey }: Address, clock: Clock, { heedsRetryAfter }: Habits) {
  // Few connections: hundreds of new ones would take so long on a fast clock that they would distort the result.
  const dispatcher = new Agent({ connections: 10 });
  const headers = { authorization: `Bearer ${apiKey}`, "content-type": "application/json" };
  return async (method: Dispatcher.HttpMethod, path: string, body?: object): Promise<Answer> => {
    for (let attempt = 0; ; attempt += 1) {
      const answer = await request(url + path, { dispatcher, method, headers, body: body && JSON.stringify(body) });
      const { statusCode: status } = answer;
      const text = await answer.body.text();
      if (status === 404) return { isGone: true };
      if (status < 400) return text ? JSON.parse(text) : {};
      const isRetried = (status === 429 || status >= 500) && attempt < retries;
      if (!isRetried) throw new Error(`${method} ${path}: HTTP ${status}`);
      const askedMs = heedsRetryAfter ? Number(answer.headers["retry-after"] ?? 0) * 1_000 : 0;
      await clock.sleep(Math.max(askedMs, firstBackoffMs * 2 ** attempt * (0.5 + Math.random())));
    }
  };
}

function isHealthy(replicas: unknown): boolean {
  return Array.isArray(replicas) && replicas.length === spec.replicas && replicas.every(({ healthy }) => healthy);
}
