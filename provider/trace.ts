/**
 * The spans of a trace. The core starts them, and an adapter passes in the tracer that sends them. By default nothing is
 * recorded. No value of `env`, no key, no header and no body goes into a span.
 */

/** By the semantic conventions of OpenTelemetry, if they have a name; own names begin with `gpucluster.`. */
export type Attributes = Readonly<Record<string, string | number | boolean | undefined>>;

/** A part of a trace, with a beginning and an end. */
export interface Span {
  set(attributes: Attributes): void;
  /** Ends the span once; later calls do nothing. */
  end(failure?: SpanFailure): void;
}

/** `type` is one of few words, such as the class of the error; `message` is free of secrets. */
export interface SpanFailure {
  readonly type: string;
  readonly message?: string;
}

export interface SpanOptions {
  /** The span is a request to another process. */
  readonly isRequest?: boolean;
  /** When it began; default: now. */
  readonly startMs?: number;
}

export interface Tracer {
  /** Starts a span below the active one. It is not active itself. */
  start(name: string, attributes: Attributes, options?: SpanOptions): Span;
  /** Runs work with this span as the active one, also in everything that the work awaits. */
  within<T>(span: Span, work: () => T): T;
  /** Adds to the active span. */
  note(attributes: Attributes): void;
}

const noSpan: Span = { set: () => undefined, end: () => undefined };

/** Records nothing. */
export const noTracer: Tracer = {
  start: () => noSpan,
  within: (_span, work) => work(),
  note: () => undefined,
};

/** Runs work in a span, which ends with the work. */
export async function traced<T>(
  tracer: Tracer,
  name: string,
  attributes: Attributes,
  work: (span: Span) => Promise<T>,
): Promise<T> {
  const span = tracer.start(name, attributes);
  try {
    return await tracer.within(span, () => work(span));
  } catch (error) {
    // Without its message: texts lose their secrets when they leave the operation, whose own span has them.
    span.end({ type: errorType(error) });
    throw error;
  } finally {
    span.end();
  }
}

/** The class of an error. */
export function errorType(error: unknown): string {
  return error instanceof Error ? error.name : typeof error;
}
