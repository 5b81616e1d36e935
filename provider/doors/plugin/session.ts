import { isDeepStrictEqual } from "node:util";
import type { Properties } from "../../core";
import { GpuClusterError } from "../../errors";
import { createProvider, type Provider } from "../../index";
import { Running } from "../running";
import { EngineLog } from "./engineLog";

/** The state of one plugin process: the engine that it serves, the operations in flight, and the configured provider. */
export class Session {
  readonly engine = new EngineLog();
  readonly running = new Running(this.engine.write);
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
        "this process of the plugin is configured for another provider already, and cannot tell their clusters apart. " +
          "Let the engine start the plugin (PULUMI_DEBUG_PROVIDERS not set), or give a program one provider only",
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
