import type { Dialect, PerValue } from "./dialectOptions";

/** The answer of a handler. `body` is sent as JSON, `text` unchanged; with neither the answer has no body. */
export interface Answer {
  status: number;
  body?: unknown;
  text?: string;
  headers?: Record<string, string>;
  /** Breaks the connection instead of the answer, or in the middle of it. */
  wire?: "drop" | "truncate";
}

/** A refusal. Its code and status are those of `plain`; `errorAnswer` translates them into the dialect. */
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

/** A refusal of a request's content. */
export function invalid(message: string): ApiError {
  return new ApiError(400, "invalid_request", message);
}

/** The facts of an error answer. */
interface ErrorFacts {
  status: number;
  code: string;
  message: string;
}

/** The answer to a request that was refused, or that made the simulator fail. */
export function errorAnswer(error: unknown, dialect: Dialect): Answer {
  if (error instanceof ApiError) {
    const { status, code, message, headers } = error;
    return errorBody({ ...translations[dialect.errorCodes](status, code), message }, dialect, headers);
  }
  const message = error instanceof Error ? error.message : String(error);
  return errorBody({ status: 500, code: "internal_error", message: `The simulator failed: ${message}` }, dialect);
}

/** An error answer with a given code and status, in the dialect's shape. */
export function errorBody(facts: ErrorFacts, { errorShape }: Dialect, headers?: Record<string, string>): Answer {
  return { status: facts.status, body: shapes[errorShape](facts), headers };
}

const shapes: PerValue<"errorShape", (facts: ErrorFacts) => unknown> = {
  envelope: ({ code, message, status }) => ({ error: { code, message, status } }),
  flat: ({ code, message }) => ({ message, code }),
  typed: ({ code, message, status }) => ({ error: { type: typeOf(status), code, message } }),
  "typed-no-code": ({ message, status }) => ({ error: { type: typeOf(status), message } }),
};

const errorTypes: Readonly<Record<number, string>> = {
  401: "authentication_error",
  403: "permission_error",
  404: "not_found_error",
  410: "not_found_error",
  429: "rate_limit_error",
};

function typeOf(status: number): string {
  return errorTypes[status] ?? (status >= 500 ? "server_error" : "invalid_request_error");
}

type Translation = (status: number, code: string) => { status: number; code: string };

const translations: PerValue<"errorCodes", Translation> = {
  documented: (status, code) => ({ status, code }),
  other: (status, code) => ({ status, code: code.toUpperCase(), ...otherwise[code] }),
};

/** Other codes that are more than another spelling. `invalid_gpu_type` is the only code that the specification names. */
const otherwise: Readonly<Record<string, { status?: number; code: string }>> = {
  invalid_gpu_type: { code: "invalid_gpu_type" },
  invalid_request: { status: 422, code: "VALIDATION_ERROR" },
  cluster_not_found: { code: "NOT_FOUND" },
  gpu_type_not_found: { code: "NOT_FOUND" },
  name_taken: { code: "CONFLICT" },
};
