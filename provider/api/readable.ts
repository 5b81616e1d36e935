import { ResponseShapeError } from "../errors";
import { cleanText } from "../text";
import { type HttpRequest, titleOf } from "./http";
import { UnreadableError } from "./read/json";

/** Reads an answer; the error for an unreadable answer names the request. */
export function readable<Result>(request: HttpRequest, read: () => Result): Result {
  try {
    return read();
  } catch (error) {
    // An exception in a reader must not be mistaken for a request that was not sent.
    const isBroken = error instanceof RangeError || error instanceof TypeError;
    if (!(error instanceof UnreadableError) && !isBroken) throw error;
    const { method, path } = request;
    const why = cleanText(isBroken ? "its form is unknown" : error.message);
    const text = `${titleOf(request)}: the service answered with JSON that this version cannot read`;
    throw new ResponseShapeError(cleanText(text), { outcome: "ambiguous", method, path, why });
  }
}
