import type { HttpRequest, HttpResponse, RequestKind, Send } from "../../../provider/api/http/send";
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
export function fakeService(
  clock: VirtualClock,
  answer: (request: HttpRequest) => HttpResponse,
  latencyMs: (request: HttpRequest) => number = () => 50,
) {
  const arrivals: { atMs: number; request: HttpRequest }[] = [];
  const counts = { inFlight: 0, max: 0 };
  const send: Send = async (request) => {
    arrivals.push({ atMs: clock.now(), request });
    counts.inFlight += 1;
    counts.max = Math.max(counts.max, counts.inFlight);
    await clock.sleep(latencyMs(request));
    counts.inFlight -= 1;
    return answer(request);
  };
  return { send, arrivals, counts };
}
