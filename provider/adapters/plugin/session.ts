import { debuglog, isDeepStrictEqual } from "node:util";
import { credentials } from "@grpc/grpc-js";
import { EngineClient } from "@pulumi/pulumi/proto/engine_grpc_pb";
import { LogRequest, LogSeverity } from "@pulumi/pulumi/proto/engine_pb";
import type { Properties } from "../../core";
import { GpuClusterError } from "../../errors";
import { createProvider, type Provider } from "../../index";
import { type Log, RunningOperations } from "../operations";

/** The state of one plugin process: the engine that it serves, the operations in flight, and the configured provider. */
export class Session {
  readonly engine = new EngineLog();
  readonly running = new RunningOperations(this.engine.write);
  /** The outputs that are certain, by URN, as of the last check. The preview that follows shows them. */
  readonly certain = new Map<string, Properties | undefined>();
  #provider: Provider = createProvider(() => undefined);
  #configured: unknown;

  get provider(): Provider {
    return this.#provider;
  }

  /**
   * Takes the settings of the one provider that the process serves. The engine starts a process for each provider, but may
   * share a process that a user started by hand. A call about a resource does not name its provider: with two providers, a
   * cluster of one could reach the service and the key of the other.
   * @throws GpuClusterError if the settings differ from those that the process has, until the run has ended.
   */
  configure(settings: unknown, make: () => Provider): void {
    if (this.#configured !== undefined && !isDeepStrictEqual(this.#configured, settings)) {
      throw new GpuClusterError(
        "this plugin process already serves another provider, and cannot tell their clusters apart. " +
          "Unset PULUMI_DEBUG_PROVIDERS, so that the engine starts one process for each provider, or use one provider in the program",
      );
    }
    this.#configured = settings;
    this.#provider = make();
  }

  /** Interrupts the operations in flight. The engine cancels at the end of every run too: the next may have other settings. */
  cancel(): void {
    this.running.interrupt();
    this.#configured = undefined;
  }
}

const debug = debuglog("gpucluster");
const severities = { info: LogSeverity.INFO, warning: LogSeverity.WARNING };

/** The engine's log. Without an engine, for example if a user starts the plugin by hand, messages go to the debug log. */
export class EngineLog {
  #client: EngineClient | undefined;

  connect(address: string): void {
    this.#client?.close();
    this.#client = new EngineClient(address, credentials.createInsecure());
  }

  readonly write: Log = (message, { urn, severity = "info", ephemeral = false }) => {
    const client = this.#client;
    if (!client) {
      debug("%s: %s", urn, message);
      return Promise.resolve();
    }
    const request = new LogRequest()
      .setSeverity(severities[severity])
      .setMessage(message)
      .setUrn(urn)
      .setEphemeral(ephemeral);
    return new Promise((done) => {
      client.log(request, (error) => {
        if (error) debug("a message could not be sent: %s", error.message);
        done();
      });
    });
  };
}
