/** What both programs know of the queues. */

/** The name of a job is the name of its stack. */
export interface Data {
  /** Number of lost workers after which `pulumi cancel` has run. */
  readonly cancelled?: number;
}

export const connection = { url: process.env["REDIS_URL"] ?? "redis://127.0.0.1:6379" };

/** One queue for each API key, because the rate limit belongs to the key. */
export function queueOf(key: string): string {
  return `gpucluster-${key}`;
}
