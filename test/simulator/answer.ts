/** What a handler answers. `body` is written as JSON, `text` as it is; with neither the answer has no body. */
export interface Answer {
  status: number;
  body?: unknown;
  text?: string;
  headers?: Record<string, string>;
  /** Breaks the connection instead of the answer, or in the middle of it. */
  wire?: "drop" | "truncate";
}

/** A refusal: it becomes the service's error envelope. */
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

/** The error envelope of the service. */
export function errorAnswer(error: unknown): Answer {
  if (error instanceof ApiError) return envelope(error.status, error.code, error.message, error.headers);
  const message = error instanceof Error ? error.message : String(error);
  return envelope(500, "internal_error", `The simulator failed: ${message}`);
}

/** An error answer made by hand. */
export function envelope(status: number, code: string, message: string, headers?: Record<string, string>): Answer {
  return { status, body: { error: { code, message, status } }, headers };
}
