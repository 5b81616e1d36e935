import { setTimeout as sleep } from "node:timers/promises";
import { type Answer, ApiError, errorAnswer } from "./answers";
import { answerFault, delayOf, type FaultFacts } from "./faultBook";
import { applyAnswerFault } from "./faultEffects";
import { isRecord } from "./fields";
import type { Service } from "./fleet";
import { type RateWindows, rateHeaders, rateLimited } from "./rates";
import { dispatch, matchPath, type RequestBody, type Route, recordedBody } from "./router";

/** The simulator without its sockets. */
export interface Backend extends Service {
  routes: readonly Route[];
  rates: RateWindows;
  apiKeys: Map<string, string>;
  latencyMs: number;
  /** Ends the delays when the simulator closes. */
  signal: AbortSignal;
}

/** A request without its socket. */
interface Incoming {
  method: string;
  url: URL;
  authorization: string | undefined;
  body: RequestBody;
}

/** The organization of a request's key. */
export function organizationOf(backend: Backend, { authorization }: Incoming): string | undefined {
  return backend.apiKeys.get(keyOf(authorization));
}

/** Answers one request: delay, key, rate limit, faults, endpoint, in this order. */
export async function answer(backend: Backend, incoming: Incoming): Promise<Answer> {
  const { signal, fleet, rates, dialect, faults } = backend;
  const pause = async (ms: number) => ms > 0 && sleep(ms, undefined, { signal });
  await pause(backend.latencyMs);
  const now = fleet.clock.now();
  const organization = organizationOf(backend, incoming);
  const rate = rates.take(organization === undefined ? undefined : keyOf(incoming.authorization), now);
  const headers = rateHeaders(rate);
  if (organization === undefined) return withHeaders(headers, errorAnswer(unauthorized(), dialect));
  if (rate.exceeded) return withHeaders(headers, errorAnswer(rateLimited(rate, now), dialect));
  const met = faults.take("request", factsOf(backend, incoming));
  await pause(delayOf(met, "before"));
  const effect = () => run(backend, incoming, organization);
  const fault = answerFault(met);
  const result = fault ? applyAnswerFault(fault, effect, dialect) : effect();
  await pause(delayOf(met, "after"));
  return withHeaders(headers, result);
}

function run({ routes, dialect, fleet }: Backend, { method, url, body }: Incoming, organization: string): Answer {
  try {
    return dispatch(routes, { organization, method, url, body });
  } catch (error) {
    return errorAnswer(error, dialect);
  } finally {
    fleet.remember();
  }
}

function factsOf({ fleet }: Backend, { method, url, body }: Incoming): FaultFacts {
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

/** The key of a header, or an empty text, which is no key. */
function keyOf(authorization = ""): string {
  return /^Bearer +(\S+) *$/i.exec(authorization)?.[1] ?? "";
}
