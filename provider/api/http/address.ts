import { flatten, knownReason, newAgent } from "./send";

/** A request to an address that the service shows, such as the endpoint of a cluster. */
export interface AddressRequest {
  readonly url: URL;
  readonly method: "GET" | "HEAD" | "POST";
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | undefined;
  readonly signal: AbortSignal;
}

/** The answer, or the reason why there is none. */
export type AddressAnswer =
  | { readonly status: number; readonly location?: string }
  | { readonly problem: string; readonly status?: undefined };

const mostBytesRead = 64 * 1024;

/**
 * One request over a connection of its own. It is no request to the service: no key, no rate budget, no retry, no redirect.
 * At most 64 KiB of the body are read; they are not kept.
 * @throws The signal's reason if it aborts.
 */
export async function askAddress({ url, body, ...request }: AddressRequest): Promise<AddressAnswer> {
  const undici: typeof import("undici") = require("undici");
  const dispatcher = newAgent(undici, url);
  try {
    const response = await undici.request(url, { ...request, dispatcher, body: body ?? null });
    let left = mostBytesRead;
    response.body.on("error", () => undefined);
    for await (const chunk of response.body) {
      left -= chunk.length;
      if (left <= 0) break;
    }
    const { location } = flatten(response.headers);
    return { status: response.statusCode, ...(location === undefined ? {} : { location }) };
  } catch (error) {
    if (request.signal.aborted) throw request.signal.reason;
    const { code, known } = knownReason(error);
    const text = known?.text ?? "the request failed";
    return { problem: text.includes(code) && code !== "" ? text : `${text} (${code || "no code"})` };
  } finally {
    dispatcher.destroy().catch(() => undefined);
  }
}
