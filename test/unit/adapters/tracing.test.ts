import { EventEmitter, once } from "node:events";
import * as api from "@opentelemetry/api";
import * as exporter from "@opentelemetry/exporter-trace-otlp-grpc";
import * as resources from "@opentelemetry/resources";
import * as sdk from "@opentelemetry/sdk-trace-base";
import { InMemorySpanExporter, type SpanExporter } from "@opentelemetry/sdk-trace-base";
import { NodeTracerProvider } from "@opentelemetry/sdk-trace-node";
import { RunningOperations } from "../../../provider/adapters/engine";
import {
  endOf,
  type Libraries,
  noTracing,
  startTracing,
  tracerOfProgram,
  tracingTo,
} from "../../../provider/adapters/tracing";
import { ClusterFailedError } from "../../../provider/errors";
import { noTracer, traced } from "../../../provider/trace";
import { engineSpan, recordSpans, traceparent } from "../../support/spans";

const urn = "urn:pulumi:dev::shop::gpucluster:index:Cluster::web";
const quietly = () => Promise.resolve();

describe("spans", () => {
  it("are below the engine's span of their own call, however the calls overlap", async () => {
    const { tracer, under, spans } = recordSpans();
    const running = new RunningOperations(quietly, tracer);
    const gate = new EventEmitter();
    const opened = once(gate, "open");
    const call = (operation: string, parent: string | undefined) =>
      under(parent, () =>
        running.run({ operation, urn }, () =>
          traced(tracer, `wait of ${operation}`, {}, async () => {
            await opened;
            tracer.start(`request of ${operation}`, {}).end();
          }),
        ),
      );
    const calls = [call("create", traceparent), call("read", undefined)];
    gate.emit("open");
    await Promise.all(calls);
    const below = Object.fromEntries((await spans()).map((span) => [span.name, span.below]));
    expect(below).toEqual({
      create: "engine",
      "wait of create": "create < engine",
      "request of create": "wait of create < create < engine",
      read: "",
      "wait of read": "read",
      "request of read": "wait of read < read",
    });
  });

  it("of a failed operation say what the engine shows; those inside only the class of the error", async () => {
    const { tracer, spans } = recordSpans();
    const running = new RunningOperations(quietly, tracer);
    const failing = running.run({ operation: "create", urn }, async () => {
      tracer.note({ "gpucluster.cluster.id": "cl_1" });
      await traced(tracer, "wait", {}, () => Promise.reject(new ClusterFailedError("bad")));
    });
    await expect(failing).rejects.toThrow("bad");
    const failures = Object.fromEntries((await spans()).map(({ name, failure }) => [name, failure]));
    expect(failures).toEqual({ create: "ClusterFailedError: bad", wait: "ClusterFailedError" });
    const [create] = (await spans()).filter(({ name }) => name === "create");
    expect(create?.attributes).toMatchObject({ "gpucluster.urn": urn, "gpucluster.cluster.id": "cl_1" });
  });

  it("without a call of their own wait for the trace of the engine, and join it", async () => {
    const { tracer, under, spans } = recordSpans();
    await traced(tracer, "delete", {}, async () => tracer.start("DELETE", {}).end());
    under(traceparent, () => undefined);
    const joined = (await spans()).map(({ name, below, trace }) => [name, below, trace === engineSpan.traceId]);
    expect(joined.sort()).toEqual([
      ["DELETE", "delete", true],
      ["delete", "", true],
    ]);
  });

  it.each([undefined, "", "00-zz-1-01", traceparent.replace(/^00/, "ff"), `00-${"0".repeat(32)}-${"0".repeat(16)}-01`])(
    "begin a trace of their own if the call names the parent %s",
    async (parent) => {
      const { tracer, under, spans } = recordSpans();
      await under(parent, () => traced(tracer, "check", {}, quietly));
      expect(await spans()).toMatchObject([{ name: "check", below: "" }]);
    },
  );
});

describe("the spans of a program", () => {
  afterEach(() => {
    api.trace.disable();
    api.context.disable();
  });

  it("go to the tracing of Pulumi's SDK, below the span that is active in the program", async () => {
    const exporter = new InMemorySpanExporter();
    const sdkTracing = new NodeTracerProvider({ spanProcessors: [new sdk.SimpleSpanProcessor(exporter)] });
    const tracer = tracerOfProgram("localhost:4317", () => api);
    sdkTracing.register();
    await sdkTracing.getTracer("sdk").startActiveSpan("program", async (program) => {
      await traced(tracer, "getGpuTypes", {}, async () => {
        await new Promise(setImmediate);
        tracer.start("GET /v1/gpus", {}, { isRequest: true }).end();
      });
      program.end();
    });
    const spans = exporter.getFinishedSpans();
    const nameOf = (id: string | undefined) => spans.find((span) => span.spanContext().spanId === id)?.name;
    expect(spans.map((span) => [span.name, nameOf(span.parentSpanId)])).toEqual([
      ["GET /v1/gpus", "getGpuTypes"],
      ["getGpuTypes", "program"],
      ["program", undefined],
    ]);
  });

  it("are dropped if the SDK traces nothing, or has no OpenTelemetry", async () => {
    const tracer = tracerOfProgram("localhost:4317", () => api);
    expect(await traced(tracer, "getGpuTypes", {}, async () => 1)).toBe(1);
    expect(tracerOfProgram("localhost:4317", () => fail("no package"))).toBe(noTracer);
  });
});

describe("the end of the process", () => {
  afterEach(() => jest.useRealTimers());

  it("waits a second at most for a receiver that does not answer", async () => {
    jest.useFakeTimers();
    const silent: SpanExporter = { export: () => undefined, shutdown: quietly };
    const { tracer, flush } = startTracing({ api, sdk, resources }, silent);
    tracer.start("create", {}).end();
    let isOver = false;
    const over = flush().then(() => {
      isOver = true;
    });
    await jest.advanceTimersByTimeAsync(900);
    expect(isOver).toBe(false);
    await jest.advanceTimersByTimeAsync(200);
    await over;
  });

  it("waits for spans that are on their way already", async () => {
    const answers: (() => void)[] = [];
    const slow: SpanExporter = { export: (_spans, done) => answers.push(() => done({ code: 0 })), shutdown: quietly };
    const { tracer, flush } = startTracing({ api, sdk, resources }, slow);
    tracer.start("delete", {}).end();
    const order: string[] = [];
    const flushes = ["at Cancel", "at the end"].map((when) => flush().then(() => order.push(when)));
    await new Promise(setImmediate);
    expect(answers).toHaveLength(1);
    order.push("sent");
    answers[0]?.();
    await Promise.all(flushes);
    expect(order[0]).toBe("sent");
  });

  it("comes after the last spans", async () => {
    const ended: string[] = [];
    const exit = jest.spyOn(process, "exit").mockImplementation((code) => ended.push(`exit ${code}`) as never);
    const flush = async () => void ended.push("flush");
    const stop = () => void ended.push("stop");
    const code = Promise.resolve(endOf({ ...noTracing, flush }, stop)(1));
    await code;
    await new Promise(setImmediate);
    expect(ended).toEqual(["stop", "flush", "exit 1"]);
    exit.mockRestore();
    for (const signal of ["SIGINT", "SIGTERM", "SIGBREAK"]) process.removeAllListeners(signal);
  });

  it("interrupts the operations in flight, and those that the engine still requests", async () => {
    const running = new RunningOperations(quietly);
    const interrupted = () =>
      running.run({ operation: "create", urn }, async ({ signal }) => {
        if (!signal.aborted) await once(signal, "abort");
        signal.throwIfAborted();
      });
    const first = interrupted();
    running.end();
    await expect(first).rejects.toThrow("interrupted");
    await expect(interrupted()).rejects.toThrow("interrupted");
  });
});

const fail = (message: string) => {
  throw new Error(message);
};

test("without a receiver, OpenTelemetry is not loaded", () => {
  const load = jest.fn();
  expect(tracingTo(undefined, load, fail)).toBe(noTracing);
  expect(tracerOfProgram(undefined, load)).toBe(noTracer);
  expect(load).not.toHaveBeenCalled();
});

test.each(["localhost:4317", "http://127.0.0.1:4317", "https://otel.example.com"])(
  "a receiver may be named with or without a scheme: %s",
  (endpoint) => {
    const OTLPTraceExporter = jest.fn(() => new InMemorySpanExporter());
    const libraries = { api, sdk, resources, exporter: { OTLPTraceExporter } as never };
    tracingTo(endpoint, () => libraries, fail);
    const url = endpoint.includes("://") ? endpoint : `http://${endpoint}`;
    expect(OTLPTraceExporter).toHaveBeenCalledWith({ url });
  },
);

describe("without a trace, the reason is a warning, and no error", () => {
  const variable = "OTEL_EXPORTER_OTLP_HEADERS";
  afterEach(() => delete process.env[variable]);
  const warningsFor = (endpoint: string, load: () => Libraries) => {
    const warn = jest.fn();
    expect(tracingTo(endpoint, load, warn)).toBe(noTracing);
    return warn.mock.calls.flat();
  };

  it.each(["localhost:99999999", "http://", "http://user:hunter2@[::1"])("for the address %s", (endpoint) => {
    const warnings = warningsFor(endpoint, () => ({ api, sdk, resources, exporter }));
    expect(warnings).toEqual([expect.stringContaining("PULUMI_OTEL_EXPORTER_OTLP_ENDPOINT or a variable OTEL_")]);
    expect(warnings.join()).not.toContain("hunter2");
  });

  it("for headers that are not encoded", () => {
    process.env[variable] = "key=50%zz";
    expect(warningsFor("localhost:4317", () => ({ api, sdk, resources, exporter }))).toHaveLength(1);
  });

  it("for an SDK without the packages", () => {
    expect(warningsFor("localhost:4317", () => fail("no package"))).toEqual([expect.stringContaining("3.230")]);
  });
});
