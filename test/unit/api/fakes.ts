import type { HttpRequest, HttpResponse, RequestKind, Send } from "../../../provider/api/http";
import type { VirtualClock } from "../../support/virtualClock";

/** A request of a kind, with the method that it would have. */
export function requestOf(kind: RequestKind = "read", more: Partial<HttpRequest> = {}): HttpRequest {
  const method = { read: "GET", delete: "DELETE", create: "POST", write: "PATCH", action: "POST" }[kind];
  return { kind, method, path: "/v1/clusters", ...more };
}

/** An answer with rate headers. */
export function rateAnswer(headers: Record<string, string> = {}, status = 200): HttpResponse {
  return { status, headers, body: "{}" };
}

/** Records what arrives and when, and answers after `latencyMs`. */
export function fakeService(clock: VirtualClock, answer: (request: HttpRequest) => HttpResponse, latencyMs = 50) {
  const arrivals: { atMs: number; request: HttpRequest }[] = [];
  const counts = { inFlight: 0, most: 0 };
  const send: Send = async (request) => {
    arrivals.push({ atMs: clock.now(), request });
    counts.inFlight += 1;
    counts.most = Math.max(counts.most, counts.inFlight);
    await clock.sleep(latencyMs);
    counts.inFlight -= 1;
    return answer(request);
  };
  return { send, arrivals, counts };
}

/** A service with fixed windows, as the specification describes it; `excess` counts what came over the limit. */
export function windowedService(clock: VirtualClock, options: { limit?: number; latencyMs?: () => number } = {}) {
  const { limit = 100, latencyMs = () => 50 } = options;
  const startMs = clock.now();
  const used = new Map<number, number>();
  const counts = { excess: 0 };
  const headersAt = (window: number) => ({
    "x-ratelimit-limit": String(limit),
    "x-ratelimit-remaining": String(Math.max(0, limit - (used.get(window) ?? 0))),
    "x-ratelimit-reset": String(Math.ceil((startMs + (window + 1) * 60_000) / 1000)),
    date: new Date(clock.now()).toUTCString(),
  });
  const send: Send = async () => {
    const takesMs = latencyMs();
    await clock.sleep(takesMs / 2);
    const window = Math.floor((clock.now() - startMs) / 60_000);
    const isOver = (used.get(window) ?? 0) >= limit;
    if (isOver) counts.excess += 1;
    else used.set(window, (used.get(window) ?? 0) + 1);
    const response = rateAnswer(headersAt(window), isOver ? 429 : 200);
    await clock.sleep(takesMs / 2);
    return response;
  };
  return { send, used, counts };
}
