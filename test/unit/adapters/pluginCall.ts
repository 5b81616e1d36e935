import type { Metadata } from "@grpc/grpc-js";

export interface CallError {
  readonly details?: string;
  readonly metadata?: Metadata;
}

type Unary = (call: { request: unknown }, callback: (error: CallError | null, response?: unknown) => void) => void;

/** A call of the engine. Rejects with the error that the engine receives. */
export function call<Response>(handler: unknown, request: unknown): Promise<Response> {
  // The library's type of a call has many members that a handler never uses.
  const unary = handler as Unary;
  return new Promise((done, fail) => {
    unary({ request }, (error, response) => (response ? done(response as Response) : fail(error)));
  });
}
