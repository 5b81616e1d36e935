import { isDeepStrictEqual } from "node:util";
import type { Properties } from "../../core";
import { GpuClusterError } from "../../errors";
import { createProvider, type Provider } from "../../index";
import { Running } from "../running";
import { EngineLog } from "./engineLog";

/** What one plugin process knows: the engine that it serves, what runs, and the provider as it was configured. */
export class Session {
  readonly engine = new EngineLog();
  readonly running = new Running(this.engine.write);
  /** What is certain of the outputs, by URN, as of the last check: the preview that follows shows it. */
  readonly certain = new Map<string, Properties | undefined>();
  #provider: Provider = createProvider(() => undefined);
  #configured: unknown;

  get provider(): Provider {
    return this.#provider;
  }

  /**
   * Takes the settings of the one provider that the process serves. The engine starts a process for each; one that somebody
   * has started by hand may be given to several. No call about a resource says which provider it is for, so other settings
   * would take a cluster of one provider to the service and the key of another.
   * @throws GpuClusterError for other settings than those that the process has, until the run has ended.
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

  /** Ends what runs now. It comes at the end of every run too: the next one may bring other settings. */
  cancel(): void {
    this.running.interrupt();
    this.#configured = undefined;
  }
}
