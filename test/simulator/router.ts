import { type Answer, ApiError } from "./answer";
import { invalid } from "./fields";
import { parseJsonBody, type RequestBody } from "./requestBody";

/** One request, as a route sees it. */
export interface Call {
  organization: string;
  /** The value of the path's one parameter, or an empty string. */
  param: string;
  /** The parsed body; undefined where the route takes none. */
  body: unknown;
}

/** One endpoint. */
export interface Route {
  method: string;
  /** May hold one `:parameter`. */
  path: string;
  takesBody?: boolean;
  run(call: Call): Answer;
}

/** One request, as it arrived. */
export interface Arrival {
  organization: string;
  method: string;
  url: URL;
  body: RequestBody;
}

/** Finds the endpoint of a request and runs it. */
export function dispatch(routes: readonly Route[], { organization, method, url, body }: Arrival): Answer {
  const onPath = routes.filter((route) => matchPath(route.path, url.pathname) !== undefined);
  if (onPath.length === 0) throw new ApiError(404, "not_found", `There is nothing at ${url.pathname}.`);
  const route = onPath.find((candidate) => candidate.method === method);
  if (!route) throw methodNotAllowed(method, onPath);
  // The specification knows no query parameter, so a client that sends one relies on a guess.
  if (url.search) throw invalid(`Unknown query "${url.search}".`);
  if (!route.takesBody && body.bytes.length > 0) throw invalid(`${method} ${url.pathname} takes no body.`);
  return route.run({
    organization,
    param: matchPath(route.path, url.pathname) ?? "",
    body: route.takesBody ? parseJsonBody(body) : undefined,
  });
}

/** The value of a path's parameter ("" without one), or undefined if the path does not match. */
export function matchPath(pattern: string, path: string): string | undefined {
  const wanted = pattern.split("/");
  const given = path.split("/");
  if (wanted.length !== given.length) return undefined;
  let param = "";
  for (const [index, part] of wanted.entries()) {
    const piece = given[index] ?? "";
    if (part.startsWith(":") && piece) param = decode(piece);
    else if (part !== piece) return undefined;
  }
  return param;
}

function methodNotAllowed(method: string, routes: readonly Route[]): ApiError {
  const allow = routes.map((route) => route.method).join(", ");
  return new ApiError(405, "method_not_allowed", `${method} is not allowed here. Allowed: ${allow}.`, { Allow: allow });
}

function decode(piece: string): string {
  try {
    return decodeURIComponent(piece);
  } catch {
    return piece;
  }
}
