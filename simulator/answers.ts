import type { Dialect, PerValue } from "./dialectOptions";

/** The answer to a request. `body` is sent as JSON, `text` unchanged; with neither, the answer has no body. */
export interface Answer {
  status: number;
  body?: unknown;
  text?: string;
  headers?: Record<string, string>;
  /** Closes the connection in place of the answer, or in the middle of it. */
  connection?: "drop" | "truncate";
}

/** A refused request; `errorAnswer` renders it in the shape of the dialect. */
export class ApiError extends Error {
  override readonly name = "ApiError";

  constructor(
    readonly status: number,
    readonly code: string,
    message: string,
    readonly headers: Record<string, string> = {},
  ) {
    super(message);
  }
}

/** The error for a request with invalid content. */
export function invalid(message: string): ApiError {
  return new ApiError(400, "invalid_request", message);
}

/** The content of an error answer. */
interface ErrorDetails {
  status: number;
  code: string;
  message: string;
}

/** The answer to a request that was refused, or that made the simulator fail. */
export function errorAnswer(error: unknown, dialect: Dialect): Answer {
  if (error instanceof ApiError) return errorBody(error, dialect, error.headers);
  const message = error instanceof Error ? error.message : String(error);
  return errorBody({ status: 500, code: "internal_error", message: `The simulator failed: ${message}` }, dialect);
}

/** An error answer in the dialect's shape. */
export function errorBody(details: ErrorDetails, { errorShape }: Dialect, headers?: Record<string, string>): Answer {
  return { status: details.status, body: errorShapes[errorShape](details), headers };
}

const errorShapes: PerValue<"errorShape", (details: ErrorDetails) => unknown> = {
  envelope: ({ code, message, status }) => ({ error: { code, message, status } }),
  flat: ({ code, message }) => ({ message, code }),
  typed: ({ code, message, status }) => ({ error: { type: typeOf(status), code, message } }),
};

const errorTypes: Readonly<Record<number, string>> = {
  401: "authentication_error",
  403: "permission_error",
  404: "not_found_error",
  429: "rate_limit_error",
};

function typeOf(status: number): string {
  return errorTypes[status] ?? (status >= 500 ? "server_error" : "invalid_request_error");
}
