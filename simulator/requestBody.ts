import type { IncomingMessage } from "node:http";
import { ApiError } from "./answer";
import { invalid } from "./fields";

const maximumBytes = 1024 * 1024;

/** The raw body of a request. */
export interface RequestBody {
  bytes: Buffer;
  contentType: string | undefined;
  /** Whether the body is longer than the limit; then `bytes` is empty. */
  tooLarge: boolean;
}

// A body over the limit is read to its end but not stored: a client that is still writing would miss the answer.
/** Reads a body. */
export async function readBody(request: IncomingMessage): Promise<RequestBody> {
  const contentType = request.headers["content-type"];
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of request) {
    length += chunk.length;
    if (length <= maximumBytes) chunks.push(chunk);
  }
  const tooLarge = length > maximumBytes;
  return { bytes: tooLarge ? Buffer.alloc(0) : Buffer.concat(chunks), contentType, tooLarge };
}

/** The JSON value of a required body. */
export function parseJsonBody({ bytes, contentType }: RequestBody): unknown {
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
