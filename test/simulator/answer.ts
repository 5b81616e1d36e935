/** What a handler answers. `body` is written as JSON, `text` as it is; with neither the answer has no body. */
export interface Answer {
  status: number;
  body?: unknown;
  text?: string;
  headers?: Record<string, string>;
  /** Breaks the connection instead of the answer, or in the middle of it. */
  wire?: "drop" | "truncate";
}

/** A refusal. Its code and status are the ones of `plain`; errorAnswers.ts says them in the dialect. */
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
