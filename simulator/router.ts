import type { IncomingMessage } from "node:http";
import { type Answer, ApiError, invalid } from "./answers";

/** One request in the form that a route receives. */
export interface Call {
  organization: string;
  /** The value of the path's parameter, or an empty string. */
  param: string;
  /** The parsed body; undefined if the route takes none, or if an optional body is missing. */
  body: unknown;
  /** The query parameters of the request. */
  query: Readonly<Record<string, string>>;
}

/** One endpoint. */
export interface Route {
  method: string;
  /** May contain one `:parameter`. */
  path: string;
  takesBody?: boolean | "optional";
  /** The known query parameters. */
  query?: readonly string[];
  run(call: Call): Answer;
}

/** One raw request. */
interface Arrival {
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
  if (!route) {
    const allowed = onPath.map((candidate) => candidate.method).join(", ");
    throw new ApiError(405, "method_not_allowed", `${method} is not allowed here. Allowed: ${allowed}.`, {
      Allow: allowed,
    });
  }
  const query = queryOf(route, url);
  if (!route.takesBody && body.bytes.length > 0) throw invalid(`${method} ${url.pathname} takes no body.`);
  return route.run({
    organization,
    param: matchPath(route.path, url.pathname) ?? "",
    body: takesBody(route, body) ? parseJsonBody(body) : undefined,
    query,
  });
}

/** The value of a path's parameter ("" without one), or undefined if the path does not match. */
export function matchPath(pattern: string, path: string): string | undefined {
  const found = new RegExp(`^${pattern.replace(/:\w+/, "([^/]+)")}$`).exec(path);
  return found ? decodeURIComponent(found[1] ?? "") : undefined;
}

// The specification has no query parameters. A client that sends one which the dialect does not have relies on a guess.
function queryOf({ query = [] }: Route, url: URL): Record<string, string> {
  const given = [...url.searchParams.keys()];
  const isKnown = given.every((name) => query.includes(name)) && new Set(given).size === given.length;
  if (isKnown && (given.length > 0 || !url.search)) return Object.fromEntries(url.searchParams);
  throw invalid(`Unknown query "${url.search}".`);
}

function takesBody({ takesBody: rule }: Route, { bytes }: RequestBody): boolean {
  return rule === true || (rule === "optional" && bytes.length > 0);
}

/** The raw body of a request. */
export interface RequestBody {
  bytes: Buffer;
  contentType: string | undefined;
}

/** Reads a body. */
export async function readBody(request: IncomingMessage): Promise<RequestBody> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk);
  return { bytes: Buffer.concat(chunks), contentType: request.headers["content-type"] };
}

/** The JSON value of a required body. */
function parseJsonBody({ bytes, contentType }: RequestBody): unknown {
  if (bytes.length === 0) throw invalid("A JSON body is required.");
  if (!/^application\/json\s*(;\s*charset="?utf-8"?\s*)?$/i.test(contentType ?? "")) {
    const given = contentType === undefined ? "none" : `"${contentType}"`;
    throw new ApiError(415, "unsupported_media_type", `Content-Type must be application/json; got ${given}.`);
  }
  try {
    return JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
  } catch {
    throw invalid("The body is not valid JSON.");
  }
}

/** A body for the list of recorded requests: the JSON value, else the text. */
export function recordedBody({ bytes }: RequestBody): unknown {
  if (bytes.length === 0) return undefined;
  const text = bytes.toString("utf8");
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
