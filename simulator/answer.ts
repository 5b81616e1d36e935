/** The answer of a handler. `body` is sent as JSON, `text` unchanged; with neither the answer has no body. */
export interface Answer {
  status: number;
  body?: unknown;
  text?: string;
  headers?: Record<string, string>;
  /** Breaks the connection instead of the answer, or in the middle of it. */
  wire?: "drop" | "truncate";
}

/** A refusal. Its code and status are those of `plain`; errorAnswers.ts translates them into the dialect. */
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
