import type { Secret } from "../secret";
import type { Handler } from "./http";

/** Adds the bearer key and the user agent to each request. Above this handler, no request contains the key. */
export function auth(apiKey: Secret, userAgent: string): Handler {
  return (next) => (request) => {
    const headers: Record<string, string> = {
      accept: "application/json",
      "user-agent": userAgent,
      authorization: `Bearer ${apiKey.reveal()}`,
    };
    if (request.body !== undefined) headers["content-type"] = "application/json";
    return next({ ...request, headers });
  };
}
