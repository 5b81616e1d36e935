import { setTimeout as sleep } from "node:timers/promises";
import { type Answer, ApiError, errorAnswer } from "./answers";
import { applyAnswerFault } from "./faultEffects";
import { isAnswerFault } from "./faults";
import { isRecord } from "./fields";
import type { Service } from "./fleet";
import { delayOf, type FaultSubject } from "./pendingFaults";
import { type RateWindows, rateHeaders, rateLimited } from "./rates";
import { dispatch, matchPath, type RawRequest, type Route, recordedBody } from "./router";

/** The simulator without its sockets. */
export interface Backend extends Service {
  routes: readonly Route[];
  rates: RateWindows;
  /** Organizations by key. */
  apiKeys: Map<string, string>;
  latencyMs: number;
  /** Ends the delays when the simulator closes. */
  signal: AbortSignal;
}

/** The organization of a request's key, if the key is known. */
export function organizationOf({ apiKeys }: Backend, { authorization }: RawRequest): string | undefined {
  return apiKeys.get(keyOf(authorization));
}

/** Answers one request: delay, key, rate limit, faults, endpoint, in this order. */
export async function answer(backend: Backend, request: RawRequest): Promise<Answer> {
  const { signal, fleet, rates, dialect } = backend;
  const pause = async (ms: number) => ms > 0 && sleep(ms, undefined, { signal });
  await pause(backend.latencyMs);
  const now = fleet.clock.now();
  const organization = organizationOf(backend, request);
  const rate = rates.take(organization === undefined ? undefined : keyOf(request.authorization), now);
  const headers = rateHeaders(rate);
  if (organization === undefined) return withHeaders(headers, errorAnswer(unauthorized(), dialect));
  if (rate.exceeded) return withHeaders(headers, errorAnswer(rateLimited(rate, now), dialect));
  const faults = backend.faults.take("request", subjectOf(backend, request));
  await pause(delayOf(faults, "before"));
  const effect = () => run(backend, request, organization);
  const fault = faults.find(isAnswerFault);
  const result = fault ? applyAnswerFault(fault, effect, dialect) : effect();
  await pause(delayOf(faults, "after"));
  return withHeaders(headers, result);
}

function run({ routes, dialect, fleet }: Backend, request: RawRequest, organization: string): Answer {
  try {
    return dispatch(routes, request, organization);
  } catch (error) {
    return errorAnswer(error, dialect);
  } finally {
    fleet.recordHistory();
  }
}

function subjectOf({ fleet }: Backend, { method, url, body }: RawRequest): FaultSubject {
  const path = url.pathname;
  const [, , , id = ""] = path.split("/");
  const isCreate = method === "POST" && matchPath("/v1/clusters", path) !== undefined;
  const sent = isCreate ? recordedBody(body) : undefined;
  const name = isRecord(sent) && typeof sent.name === "string" ? sent.name : fleet.get(id)?.name;
  return { method, path, name };
}

function unauthorized(): ApiError {
  const message = "A known API key is required: Authorization: Bearer <API_KEY>.";
  return new ApiError(401, "unauthorized", message, { "WWW-Authenticate": "Bearer" });
}

function withHeaders(headers: Record<string, string>, result: Answer): Answer {
  return { ...result, headers: { ...headers, ...result.headers } };
}

/** The key of a header, or an empty string, which is no key. */
function keyOf(authorization = ""): string {
  return /^Bearer +(\S+) *$/i.exec(authorization)?.[1] ?? "";
}
