import { Client } from "../../../../provider/api/client";
import { RateLimiter } from "../../../../provider/api/http/rateLimiter";
import type { HttpRequest, HttpResponse, Send } from "../../../../provider/api/http/send";
import { Transport } from "../../../../provider/api/http/transport";
import { createClusterResource, createDependencies } from "../../../../provider/cluster/resource";
import { Secret } from "../../../../provider/config/settings";
import { sources } from "../../../support/sources";
import { VirtualClock } from "../../../support/virtualClock";
import { rateService } from "../../api/http/rateHarness";
import { urnOf } from "../inputs";

/** A process that creates clusters: when it begins, and how long each of its clusters takes until it is ready. */
interface Worker {
  readonly name: string;
  readonly clusters: number;
  readonly startMs: number;
  readonly provisioningMs: number;
}

/** Several processes: the same one with other names, one after the other. */
function workers(count: number, { everyMs = 0, ...each }: Omit<Worker, "name" | "startMs"> & { everyMs?: number }) {
  return Array.from({ length: count }, (_, index) => ({ ...each, name: `w${index}`, startMs: index * everyMs }));
}

/** The same numbers each time, between 0 and 1, for latencies and jitter. */
function numbers(): () => number {
  let state = 1;
  return () => {
    state = (state * 1_103_515_245 + 12_345) % 2 ** 31;
    return state / 2 ** 31;
  };
}

interface Made {
  readonly id: string;
  readonly name: string;
  readonly atMs: number;
  readonly readyMs: number;
  readonly body: object;
}

/** The clusters of a service, which answers at once. */
class Clusters {
  readonly #made: Made[] = [];

  constructor(private readonly clock: VirtualClock) {}

  answer({ method, path, body = "{}" }: HttpRequest, provisioningMs: number): object {
    const nowMs = this.clock.now();
    const recordOf = ({ id, name, readyMs, body }: Made) => {
      return { ...body, id, name, status: nowMs >= readyMs ? "running" : "pending" };
    };
    if (method === "POST") {
      const wanted: { name: string } = JSON.parse(body);
      const id = `cl_${this.#made.length + 1}`;
      const made = { id, name: wanted.name, atMs: nowMs, readyMs: nowMs + provisioningMs, body: wanted };
      this.#made.push(made);
      return recordOf(made);
    }
    const [, id, status] = /clusters\/([^/?]+)(\/status)?/.exec(path) ?? [];
    if (id === undefined) return { clusters: this.#made.map(recordOf) };
    const found = this.#made.find((each) => each.id === id);
    if (!found) return {};
    const record = recordOf(found);
    if (!status) return record;
    return { id, status: record.status, replicas: [{ id: "r1", healthy: record.status === "running" }] };
  }

  /** When it was created, and when it became ready. */
  times(name: string): { atMs: number; readyMs: number } {
    return this.#made.find((each) => each.name === name) ?? { atMs: Number.NaN, readyMs: Number.NaN };
  }
}

/** Creates the clusters of all processes, which share nothing but a key of 100 requests for each window. */
async function playWorkers(all: readonly Worker[], windowMs: number) {
  const clock = new VirtualClock();
  const startMs = clock.now();
  const random = numbers();
  const wayMs = () => [36 + random() * 18, 36 + random() * 18] as const;
  const service = rateService(clock, { limit: 100, windowMs, wayMs });
  const clusters = new Clusters(clock);
  const run = async ({ name, clusters: count, startMs: beginMs, provisioningMs }: Worker) => {
    await clock.sleep(beginMs);
    const end: Send = async (request): Promise<HttpResponse> => {
      const answer = await service.send(request);
      if (answer.status !== 200) return answer;
      const json = clusters.answer(request, provisioningMs);
      return { ...answer, status: request.method === "POST" ? 201 : 200, body: JSON.stringify(json), json };
    };
    const rateLimiter = new RateLimiter({ clock, random });
    const chain = {
      baseUrl: "http://x",
      apiKey: new Secret("key"),
      userAgent: "test/1",
      rateLimiter,
      clock,
      random,
      sources,
    };
    const client = new Client(new Transport({ ...chain, wire: end }), { rateLimiter });
    const core = createDependencies(client, "seen", clock, 15_000, "http://x");
    const settings = () => ({ previewChecks: "default" }) as const;
    const resource = createClusterResource(() => core, settings);
    // As the checks of an update: a few reads, and what the engine does between them.
    for (const pauseMs of [1_500, 1_500]) {
      await core.lists.recent(0);
      await clock.sleep(pauseMs);
    }
    const begunMs = clock.now();
    const names = Array.from({ length: count }, (_, index) => `${name}-${index}`);
    const ends = names.map(async (each) => {
      const signal = new AbortController().signal;
      const ctx = { urn: urnOf(each), signal, log: () => undefined, status: () => undefined };
      const inputs = { name: each, gpuType: "h100", container: "a/b:1", replicas: 1, desiredStatus: "running" };
      await resource.create(ctx, inputs);
      const { atMs, readyMs } = clusters.times(each);
      return { endMs: clock.now() - startMs, lagMs: clock.now() - readyMs, waitedMs: atMs - begunMs };
    });
    const each = await Promise.all(ends);
    return {
      tookMs: Math.max(...each.map(({ endMs }) => endMs)) - beginMs,
      lagMs: Math.max(...each.map(({ lagMs }) => lagMs)),
      /** From the end of its checks to its first creation. */
      waitedMs: Math.min(...each.map(({ waitedMs }) => waitedMs)),
    };
  };
  const results = await clock.run(Promise.all(all.map(run)));
  const sent = service.seen.length;
  return { results, sent, refused: service.excess() / sent, tookMs: clock.now() - startMs };
}

describe("processes that share a key", () => {
  test("are never refused and use each window if there is only one", async () => {
    const { refused, tookMs } = await playWorkers(workers(1, { clusters: 160, provisioningMs: 5_000 }), 10_000);
    // 160 creations, 160 confirmations and a few lists take four windows; the last one begins after 30 s.
    expect([refused, tookMs < 42_000]).toEqual([0, true]);
  });

  test.each([
    [100, 30, 210],
    [100, 300, 240],
  ])(
    "send few requests if there is only one: %i clusters of %i s, at most %i requests",
    async (clusters, seconds, maxRequests) => {
      const fleet = workers(1, { clusters, provisioningMs: seconds * 1_000 });
      const { refused, sent } = await playWorkers(fleet, 60_000);
      expect(refused).toBe(0);
      expect(sent).toBeLessThanOrEqual(maxRequests);
    },
  );

  test("are rarely refused and end soon: sixteen with 160 clusters in all", async () => {
    const each = { clusters: 10, provisioningMs: 5_000, everyMs: 700 };
    const { refused, tookMs, sent } = await playWorkers(workers(16, each), 10_000);
    expect(refused).toBeLessThan(0.1);
    expect(tookMs).toBeLessThan(1.4 * (Math.ceil((sent * (1 - refused)) / 100) * 10_000 + 5_000));
  });

  test("leave permits to one that creates, and return soon after their clusters are ready: eight that wait", async () => {
    const waiting = workers(8, { clusters: 1, provisioningMs: 150_000, everyMs: 300 });
    const ninth = { name: "ninth", clusters: 1, provisioningMs: 5_000, startMs: 75_000 };
    const { results, refused } = await playWorkers([...waiting, ninth], 60_000);
    expect(Math.max(...results.map(({ lagMs }) => lagMs))).toBeLessThan(10_000);
    expect(results.at(-1)?.waitedMs).toBeLessThan(5_000);
    expect(refused).toBeLessThan(0.02);
  });

  test("let a small fleet that comes later create within the next window", async () => {
    const large = { name: "large", clusters: 300, provisioningMs: 5_000, startMs: 0 };
    const small = { name: "small", clusters: 1, provisioningMs: 5_000, startMs: 6_000 };
    const { results } = await playWorkers([large, small], 60_000);
    expect(results[1]?.waitedMs).toBeLessThan(62_000);
    expect(results[1]?.tookMs).toBeLessThan(0.5 * (results[0]?.tookMs ?? 0));
  });
});
