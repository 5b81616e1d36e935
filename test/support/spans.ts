import * as api from "@opentelemetry/api";
import * as resources from "@opentelemetry/resources";
import * as sdk from "@opentelemetry/sdk-trace-base";
import { startTracing } from "../../provider/adapters/tracing";

/** The engine's span, as a call names it. */
export const engineSpan = { traceId: "0af7651916cd43dd8448eb211c80319c", spanId: "b7ad6b7169203331" };
export const traceparent = `00-${engineSpan.traceId}-${engineSpan.spanId}-01`;

/** A span in the test's form. */
export interface Recorded {
  readonly name: string;
  /** The names from its parent up to the engine's span, which is `engine`. */
  readonly below: string;
  readonly trace: string;
  readonly attributes: Record<string, unknown>;
  readonly failure: string | undefined;
  readonly ms: number;
}

/** Real spans of OpenTelemetry, which stay in this process. */
export function recordSpans(clock?: { now(): number }) {
  const exporter = new sdk.InMemorySpanExporter();
  const tracing = startTracing({ api, sdk, resources }, exporter, () => clock?.now());
  const sent = async (): Promise<readonly sdk.ReadableSpan[]> => {
    await tracing.flush();
    return exporter.getFinishedSpans();
  };
  const spans = async (): Promise<Recorded[]> => {
    const all = await sent();
    return all.map((span) => recordedOf(span, all)).sort((a, b) => a.startMs - b.startMs);
  };
  /** Everything that leaves the process. */
  const text = async () =>
    JSON.stringify(
      (await sent()).map(({ name, attributes, status, events, resource }) => ({
        name,
        attributes,
        status,
        events,
        resource: resource.attributes,
      })),
    );
  return { ...tracing, spans, text };
}

function recordedOf(span: sdk.ReadableSpan, all: readonly sdk.ReadableSpan[]) {
  const { name, attributes, status, startTime, endTime } = span;
  const isFailed = status.code === api.SpanStatusCode.ERROR;
  return {
    name,
    below: parentsOf(span, all).join(" < "),
    trace: span.spanContext().traceId,
    attributes,
    failure: isFailed ? [attributes["error.type"], status.message].filter(Boolean).join(": ") : undefined,
    startMs: millis(startTime),
    ms: millis(endTime) - millis(startTime),
  };
}

function parentsOf({ parentSpanId }: sdk.ReadableSpan, all: readonly sdk.ReadableSpan[]): string[] {
  if (parentSpanId === undefined) return [];
  const parent = all.find((span) => span.spanContext().spanId === parentSpanId);
  if (parent) return [parent.name, ...parentsOf(parent, all)];
  return [parentSpanId === engineSpan.spanId ? "engine" : "nowhere"];
}

function millis([seconds, nanos]: api.HrTime): number {
  return seconds * 1_000 + Math.round(nanos / 1_000_000);
}
