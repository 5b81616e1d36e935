import type { EventEmitter } from "node:events";
import { debuglog } from "node:util";
import type * as Pulumi from "@pulumi/pulumi";
import { engineAddressIn } from "./engineAddress";

/**
 * What a dynamic provider process is not told by documented means: how to talk to the engine, and when the user interrupts.
 * Where something is not there, the provider works without it: no progress is shown, a wait runs on to its end.
 */

const debug = debuglog("gpucluster");

/** The engine starts the process as `… @pulumi/pulumi/cmd/dynamic-provider <flags> <address of the engine>`. */
const engineAddress = /[\\/]dynamic-provider/.test(process.argv[1] ?? "")
  ? engineAddressIn(process.argv.slice(2))
  : undefined;

let pulumi: Promise<typeof Pulumi> | undefined;

/** The SDK, told where the engine is; loaded when the first message is sent. */
function connect(address: string): Promise<typeof Pulumi> {
  pulumi ??= import("@pulumi/pulumi").then((sdk) => {
    sdk.runtime.resetOptions("", "", -1, address, "", false, "");
    return sdk;
  });
  return pulumi;
}

export interface LogOptions {
  readonly urn: string;
  readonly severity?: "info" | "warning";
  /** True for progress: shown on the resource's row, and not kept. */
  readonly ephemeral?: boolean;
}

/**
 * Sends a message to the engine. Resolves when it has arrived, and also when it cannot be sent: it is dropped then, for no
 * operation may fail by its own progress.
 */
export function log(message: string, { urn, severity = "info", ephemeral = false }: LogOptions): Promise<void> {
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
}

/**
 * Calls the listener when the user interrupts. The engine says so by a Cancel call, which the SDK's server answers with
 * nothing; here the server's own calls are listened to.
 */
export function onCancel(listener: () => void): void {
  if (!engineAddress) return;
  for (const handle of activeHandles().filter(isHttp2Server)) {
    handle.on("stream", (_stream: unknown, headers: Record<string, unknown>) => {
      if (String(headers[":path"]).endsWith("/Cancel")) listener();
    });
  }
}

/** An engine that was killed closes this process's standard input: nobody would ever end it otherwise. */
export function exitWithEngine(): void {
  if (!engineAddress) return;
  process.stdin.on("end", () => process.exit(1));
  process.stdin.resume();
}

/** Undocumented, hence looked for and done without where Node should not have it. */
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
