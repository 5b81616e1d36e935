import type { Secret } from "../secret";
import type { Handler } from "./http";
import { redactor } from "./text";

/** Adds the bearer key and the user agent on the way out, and takes the key out of whatever the service echoes. */
export function auth(apiKey: Secret, userAgent: string): Handler {
  const redact = redactor([apiKey.reveal()]);
  return (next) => async (request) => {
    const headers: Record<string, string> = {
      accept: "application/json",
      "user-agent": userAgent,
      authorization: `Bearer ${apiKey.reveal()}`,
    };
    if (request.body !== undefined) headers["content-type"] = "application/json";
    const response = await next({ ...request, headers });
    return { ...response, body: redact(response.body) };
  };
}
