import { AsyncLocalStorage } from "node:async_hooks";
import { debuglog } from "node:util";
import type * as Api from "@opentelemetry/api";
import type * as Exporter from "@opentelemetry/exporter-trace-otlp-grpc";
import type * as Resources from "@opentelemetry/resources";
import type * as Sdk from "@opentelemetry/sdk-trace-base";
import { type Attributes, noTracer, type Span, type SpanFailure, type SpanOptions, type Tracer } from "../trace";
import { version } from "../version";

/** Sends spans to the receiver of traces that the engine names, below the engine's own spans. */

const debug = debuglog("gpucluster");

/** The packages of OpenTelemetry, of the versions that `@pulumi/pulumi` has: 1.30 to 2. */
export interface Libraries {
  readonly api: typeof Api;
  readonly sdk: typeof Sdk;
  readonly exporter: typeof Exporter;
  readonly resources: typeof Resources;
}

export interface Tracing {
  readonly tracer: Tracer;
  /** Runs a call of the engine below the engine's span, which W3C's `traceparent` names. */
  under<T>(traceparent: string | undefined, work: () => T): T;
  /** Sends what has ended. Resolves after a second at the latest, if no receiver answers. */
  flush(): Promise<void>;
}

/**
 * Loads OpenTelemetry only if there is a receiver.
 * @param warn Gets the reason why nothing is traced, if that fails: traces must not fail an operation.
 */
export function tracingTo(
  endpoint: string | undefined,
  load: () => Libraries,
  warn: (message: string) => void,
): Tracing {
  if (endpoint === undefined) return noTracing;
  const missing = (why: string, error: unknown) => {
    debug("no OpenTelemetry: %s", error);
    warn(`the clusters of this program are missing in the trace: ${why}`);
    return noTracing;
  };
  let libraries: Libraries;
  try {
    libraries = load();
  } catch (error) {
    return missing("it needs @pulumi/pulumi 3.230 or later", error);
  }
  try {
    return startTracing(libraries, new libraries.exporter.OTLPTraceExporter({ url: urlOf(endpoint) }));
  } catch (error) {
    return missing("PULUMI_OTEL_EXPORTER_OTLP_ENDPOINT or a variable OTEL_... is not valid", error);
  }
}

/** Loads a package of OpenTelemetry of Pulumi's SDK: the one in which the SDK has registered itself. */
export function openTelemetryOfSdk(name: string) {
  return require(
    require.resolve(`@opentelemetry/${name}`, { paths: [require.resolve("@pulumi/pulumi/package.json")] }),
  );
}

/**
 * The tracer of a program. If the CLI names its trace to the program, the SDK of Pulumi traces the process: it has registered
 * itself with OpenTelemetry, and sends all spans. Loads OpenTelemetry only if there is a receiver.
 */
export function tracerOfProgram(endpoint: string | undefined, load: () => typeof Api): Tracer {
  if (endpoint === undefined) return noTracer;
  try {
    const api = load();
    return new Spans(api, api.trace.getTracer("pulumi-gpucluster", version), api.context);
  } catch (error) {
    debug("no OpenTelemetry: %s", error);
    return noTracer;
  }
}

/**
 * Ends the process after the last spans are sent, also when the engine asks for it with a signal.
 * @param stop Ends all work first: it must not go on while spans are sent.
 */
export function endOf(tracing: Tracing, stop: () => void): (code: number) => void {
  const end = (code: number) => {
    stop();
    void tracing.flush().then(() => process.exit(code));
  };
  if (tracing !== noTracing) for (const signal of ["SIGINT", "SIGTERM", "SIGBREAK"]) process.once(signal, () => end(0));
  return end;
}

/** Without a receiver: records nothing, and loads nothing. */
export const noTracing: Tracing = {
  tracer: noTracer,
  under: (_traceparent, work) => work(),
  flush: () => Promise.resolve(),
};

/** The longest wait for a receiver at the end of the process. The engine kills a provider after 5 seconds. */
const longestFlushMs = 1_000;
/** The pause between two batches: a process that is killed loses at most so much. */
const batchMs = 500;

/**
 * @param send Sends the spans that have ended.
 * @param now Milliseconds since the Unix epoch; by default, the finer time of OpenTelemetry.
 */
export function startTracing(
  libraries: Omit<Libraries, "exporter">,
  send: Sdk.SpanExporter,
  now: () => number | undefined = () => undefined,
): Tracing {
  const { api, sdk } = libraries;
  const trace: EngineTrace = { id: undefined, early: new Set() };
  const exporter = joining(send, trace);
  const batches = new sdk.BatchSpanProcessor(exporter, { scheduledDelayMillis: batchMs });
  const resource = resourceOf(libraries, { "service.name": "pulumi-resource-gpucluster", "service.version": version });
  const provider = new sdk.BasicTracerProvider({ resource, spanProcessors: [batches] });
  const storage = new AsyncLocalStorage<Api.Context>();
  // Our own storage: nothing is registered for the process.
  const contexts: Contexts = { active: () => storage.getStore(), with: (context, work) => storage.run(context, work) };
  const alone = (traceId: string) => void trace.early.add(traceId);
  return {
    tracer: new Spans(api, provider.getTracer("pulumi-gpucluster", version), contexts, now, alone),
    under: (traceparent, work) => {
      const context = remoteContext(api, traceparent);
      trace.id ??= api.trace.getSpanContext(context)?.traceId ?? "none";
      return storage.run(context, work);
    },
    flush: () => {
      trace.id ??= "none";
      return bounded(provider.forceFlush().then(exporter.forceFlush));
    },
  };
}

/** The trace of the engine, as far as its calls have shown it. */
interface EngineTrace {
  /** Undefined until the first call; "none" if the engine has no trace. */
  id: string | undefined;
  /** The ids of traces that were begun for spans without a call. */
  readonly early: Set<string>;
}

/**
 * In the dynamic adapter, the first call loads the provider, and nobody can read its headers any more. Its spans are kept until
 * the next call shows the trace of the engine, and join that trace. The last call of a run is "Cancel".
 */
function joining(send: Sdk.SpanExporter, trace: EngineTrace) {
  const kept: Sdk.ReadableSpan[] = [];
  const joined = (span: Sdk.ReadableSpan): Sdk.ReadableSpan => {
    const context = span.spanContext();
    if (trace.id === "none" || !trace.early.has(context.traceId)) return span;
    return Object.create(span, { spanContext: { value: () => ({ ...context, traceId: trace.id }) } });
  };
  const inFlight = new Set<Promise<void>>();
  const release = (done: Parameters<Sdk.SpanExporter["export"]>[1] = () => undefined) => {
    if (trace.id === undefined || kept.length === 0) return done({ code: 0 });
    const sending = new Promise<void>((ended) => {
      send.export(kept.splice(0).map(joined), (result) => {
        ended();
        done(result);
      });
    });
    inFlight.add(sending);
    void sending.then(() => inFlight.delete(sending));
  };
  return {
    export(spans, done) {
      kept.push(...spans);
      release(done);
    },
    /** Batches in flight too: the processor of spans does not wait for those of its timer. */
    forceFlush: async () => {
      release();
      await Promise.all(inFlight);
    },
    shutdown: () => send.shutdown(),
  } satisfies Sdk.SpanExporter;
}

/** The engine names a host and a port of this machine, without a scheme: its receiver has no certificate. */
function urlOf(endpoint: string): string {
  return /^https?:/i.test(endpoint) ? endpoint : `http://${endpoint}`;
}

/** Version 2 has a function in place of the class. */
function resourceOf(
  { resources }: Pick<Libraries, "resources">,
  attributes: Record<string, string>,
): Resources.Resource {
  const make: unknown = Reflect.get(resources, "resourceFromAttributes");
  return typeof make === "function" ? make(attributes) : new resources.Resource(attributes);
}

function bounded(work: Promise<void>): Promise<void> {
  const limit = new Promise<void>((done) => setTimeout(done, longestFlushMs).unref());
  return Promise.race([work.catch(() => undefined), limit]);
}

/** The context of the call that a `traceparent` names. */
function remoteContext({ trace, isSpanContextValid, ROOT_CONTEXT }: typeof Api, traceparent = ""): Api.Context {
  const [, traceId = "", spanId = "", flags = ""] =
    /^00-([\da-f]{32})-([\da-f]{16})-([\da-f]{2})$/.exec(traceparent) ?? [];
  const parent = { traceId, spanId, traceFlags: Number.parseInt(flags, 16), isRemote: true };
  return isSpanContextValid(parent) ? trace.setSpanContext(ROOT_CONTEXT, parent) : ROOT_CONTEXT;
}

/** The context of a chain of promises, in which a span may be active. */
interface Contexts {
  active(): Api.Context | undefined;
  with<T>(context: Api.Context, work: () => T): T;
}

/**
 * The parent of a span is the span that is active in its chain of promises. Work that several operations share, such as the list
 * of all clusters, is below the operation that started it.
 */
class Spans implements Tracer {
  readonly #handles = new WeakMap<Span, Api.Span>();

  /** @param alone Gets the id of each trace that a span without a context begins. */
  constructor(
    private readonly api: typeof Api,
    private readonly tracer: Api.Tracer,
    private readonly contexts: Contexts,
    private readonly now: () => number | undefined = () => undefined,
    private readonly alone: (traceId: string) => void = () => undefined,
  ) {}

  start(name: string, attributes: Attributes, { isRequest, startMs }: SpanOptions = {}): Span {
    const kind = isRequest ? this.api.SpanKind.CLIENT : this.api.SpanKind.INTERNAL;
    const parent = this.contexts.active();
    const options = { kind, startTime: startMs ?? this.now(), attributes: { ...attributes } };
    const handle = this.tracer.startSpan(name, options, parent ?? this.api.ROOT_CONTEXT);
    if (parent === undefined) this.alone(handle.spanContext().traceId);
    const span = new OneSpan(this.api, handle, this.now);
    this.#handles.set(span, handle);
    return span;
  }

  within<T>(span: Span, work: () => T): T {
    const handle = this.#handles.get(span);
    return handle ? this.contexts.with(this.api.trace.setSpan(this.#context(), handle), work) : work();
  }

  note(attributes: Attributes): void {
    this.api.trace.getSpan(this.#context())?.setAttributes({ ...attributes });
  }

  #context(): Api.Context {
    return this.contexts.active() ?? this.api.ROOT_CONTEXT;
  }
}

class OneSpan implements Span {
  constructor(
    private readonly api: typeof Api,
    private readonly span: Api.Span,
    private readonly now: () => number | undefined,
  ) {}

  set(attributes: Attributes): void {
    this.span.setAttributes({ ...attributes });
  }

  end(failure?: SpanFailure): void {
    if (!this.span.isRecording()) return;
    if (failure) {
      const { type, message } = failure;
      this.span.setAttribute("error.type", type);
      this.span.setStatus({ code: this.api.SpanStatusCode.ERROR, ...(message === undefined ? {} : { message }) });
    }
    this.span.end(this.now());
  }
}
