import { AsyncResource } from "node:async_hooks";
import type { EventEmitter } from "node:events";
import { debuglog } from "node:util";
import type * as Pulumi from "@pulumi/pulumi";
import { traceEndpoint } from "../config";
import type { CheckFailure } from "../core";
import { engineAddressIn, type Log } from "./engine";
import { endOf, type Libraries, noTracing, openTelemetryOfSdk, type Tracing, tracingTo } from "./tracing";

/**
 * Two facts that no documented API tells a dynamic provider process: the engine's address, and when the user interrupts. The
 * provider works without them: then it shows no progress, and a wait continues to its end.
 */

const debug = debuglog("gpucluster");

/** The engine starts the process as `… @pulumi/pulumi/cmd/dynamic-provider <flags> <address of the engine>`. */
const engineAddress = /[\\/]dynamic-provider/.test(process.argv[1] ?? "")
  ? engineAddressIn(process.argv.slice(2))
  : undefined;

let pulumi: Promise<typeof Pulumi> | undefined;

/** The SDK with the engine's address set. The first message loads it. */
function connect(address: string): Promise<typeof Pulumi> {
  pulumi ??= import("@pulumi/pulumi").then((sdk) => {
    sdk.runtime.resetOptions("", "", -1, address, "", false, "");
    return sdk;
  });
  return pulumi;
}

/** Sends a message to the engine. A message that cannot be sent is dropped: progress must never fail an operation. */
export const log: Log = (message, { urn, severity = "info", ephemeral = false }) => {
  if (!engineAddress) {
    debug("%s: %s", urn, message);
    return Promise.resolve();
  }
  return connect(engineAddress)
    .then((sdk) => {
      const write = severity === "warning" ? sdk.log.warn : sdk.log.info;
      return write(message, urn ? new sdk.DependencyResource(urn) : undefined, undefined, ephemeral);
    })
    .catch((error) => debug("a message could not be sent: %s", error));
};

/**
 * Calls the listener when the user interrupts. The engine sends a Cancel call, and the SDK's server ignores it, so this
 * function listens to the requests of that server.
 */
export function onCancel(listener: () => void): void {
  for (const server of serversOfEngine()) {
    server.on("stream", (_stream: unknown, headers: Record<string, unknown>) => {
      if (String(headers[":path"]).endsWith("/Cancel")) listener();
    });
  }
}

/**
 * The traces of this process, with the packages of the SDK. Each call of the engine runs below the engine's span, but for the
 * first one, which loads this module.
 */
export function traceCalls(): Tracing {
  if (!engineAddress) return noTracing;
  const tracing = tracingTo(traceEndpoint(), openTelemetry, warn);
  if (tracing === noTracing) return tracing;
  for (const server of serversOfEngine()) {
    server.prependListener("stream", (stream: EventEmitter, { traceparent }: Record<string, unknown>) => {
      // The SDK starts its work on a call in a listener of this stream.
      stream.emit = tracing.under(String(traceparent), () => AsyncResource.bind(stream.emit.bind(stream)));
    });
  }
  return tracing;
}

const warn = (message: string) => void log(message, { urn: "", severity: "warning" });

/** The packages of the SDK, of whichever version it is. */
function openTelemetry(): Libraries {
  return {
    api: openTelemetryOfSdk("api"),
    sdk: openTelemetryOfSdk("sdk-trace-base"),
    exporter: openTelemetryOfSdk("exporter-trace-otlp-grpc"),
    resources: openTelemetryOfSdk("resources"),
  };
}

/** The server of the SDK, which the engine calls. */
function serversOfEngine(): EventEmitter[] {
  return engineAddress ? activeHandles().filter(isHttp2Server) : [];
}

/** Ends this process when the engine was killed, which closes standard input. Nothing else would end the process. */
export function exitWithEngine(tracing: Tracing, stop: () => void): void {
  if (!engineAddress) return;
  const end = endOf(tracing, stop);
  process.stdin.on("end", () => end(1));
  process.stdin.resume();
}

/** The list of handles is an undocumented function of Node: empty if Node does not have it. */
function activeHandles(): unknown[] {
  const get: unknown = Reflect.get(process, "_getActiveHandles");
  return typeof get === "function" ? get.call(process) : [];
}

function isHttp2Server(handle: unknown): handle is EventEmitter {
  return (
    typeof handle === "object" &&
    handle !== null &&
    Reflect.get(handle, "listening") === true &&
    "listenerCount" in handle &&
    typeof handle.listenerCount === "function" &&
    handle.listenerCount("stream") > 0
  );
}

const unitMs: Record<string, number> = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000 };

/** Milliseconds of a duration of Pulumi's `customTimeouts`, such as `45m` or `1h30m`; `undefined` if the text is none. */
export function parseDuration(text: unknown): number | undefined {
  if (typeof text !== "string" || !/^(\d+(\.\d+)?(ms|s|m|h))+$/.test(text)) return undefined;
  const parts = [...text.matchAll(/(\d+(?:\.\d+)?)(ms|s|m|h)/g)];
  const ms = parts.reduce((sum, [, amount, unit]) => sum + Number(amount) * (unitMs[unit ?? ""] ?? 0), 0);
  return ms > 0 ? ms : undefined;
}

/** The operations in Pulumi's `customTimeouts`; newer versions have `read`. */
const operations: ReadonlySet<string> = new Set(["create", "update", "delete", "read"]);

/** A failure for every timeout that cannot be parsed. */
export function findTimeoutFailures(timeouts: unknown): CheckFailure[] {
  return Object.entries(typeof timeouts === "object" && timeouts !== null ? timeouts : {}).flatMap(([name, text]) => {
    const reason = operations.has(name)
      ? parseDuration(text) === undefined && "must be a duration, such as 45m or 1h30m"
      : "is not an operation; valid names are create, update and delete";
    return reason ? [{ property: `customTimeouts.${name}`, reason }] : [];
  });
}
