import { type Answer, ApiError, invalid } from "./answers";

/** A request as it was received. */
export interface RawRequest {
  method: string;
  url: URL;
  authorization: string | undefined;
  contentType: string | undefined;
  body: Buffer;
}

/** A request as an endpoint gets it. */
export interface ParsedRequest {
  organization: string;
  /** The value of the path's parameter, or an empty string. */
  param: string;
  /** The parsed JSON; undefined if the endpoint takes no body, or if an optional one is missing. */
  body: unknown;
  query: Readonly<Record<string, string>>;
}

/** One endpoint. */
export interface Route {
  method: string;
  /** Can contain one `:parameter`. */
  path: string;
  takesBody?: boolean | "optional";
  /** The names of its query parameters. */
  query?: readonly string[];
  run(request: ParsedRequest): Answer;
}

/** Finds the endpoint of a request and runs it. */
export function dispatch(routes: readonly Route[], request: RawRequest, organization: string): Answer {
  const { method, url } = request;
  const onPath = routes.filter((route) => matchPath(route.path, url.pathname) !== undefined);
  if (onPath.length === 0) throw new ApiError(404, "not_found", `There is nothing at ${url.pathname}.`);
  const route = onPath.find((candidate) => candidate.method === method);
  if (!route) {
    const allowed = onPath.map((candidate) => candidate.method).join(", ");
    throw new ApiError(405, "method_not_allowed", `${method} is not allowed here. Allowed: ${allowed}.`, {
      Allow: allowed,
    });
  }
  const query = parseQuery(route, url);
  const body = parseBody(route, request);
  return route.run({ organization, param: matchPath(route.path, url.pathname) ?? "", body, query });
}

/** The value of a path's parameter ("" without one), or undefined if the path does not match. */
export function matchPath(pattern: string, path: string): string | undefined {
  const found = new RegExp(`^${pattern.replace(/:\w+/, "([^/]+)")}$`).exec(path);
  return found ? decodeURIComponent(found[1] ?? "") : undefined;
}

// The specification has no query parameters. A client that sends one which the dialect does not have relies on a guess.
function parseQuery({ query = [] }: Route, url: URL): Record<string, string> {
  const names = [...url.searchParams.keys()];
  const isKnown = names.every((name) => query.includes(name)) && new Set(names).size === names.length;
  if (isKnown && (names.length > 0 || !url.search)) return Object.fromEntries(url.searchParams);
  throw invalid(`Unknown query "${url.search}".`);
}

function parseBody({ takesBody }: Route, { method, url, contentType, body }: RawRequest): unknown {
  if (!takesBody && body.length > 0) throw invalid(`${method} ${url.pathname} takes no body.`);
  if (!takesBody || (takesBody === "optional" && body.length === 0)) return undefined;
  if (body.length === 0) throw invalid("A JSON body is required.");
  if (!/^application\/json\s*(;\s*charset="?utf-8"?\s*)?$/i.test(contentType ?? "")) {
    const received = contentType === undefined ? "none" : `"${contentType}"`;
    throw new ApiError(415, "unsupported_media_type", `Content-Type must be application/json; got ${received}.`);
  }
  try {
    return JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(body));
  } catch {
    throw invalid("The body is not valid JSON.");
  }
}

/** A body as it is recorded: the JSON value, or the string if it is no JSON; undefined without a body. */
export function recordedBody(body: Buffer): unknown {
  if (body.length === 0) return undefined;
  const text = body.toString("utf8");
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
