import type { Properties } from "../../core";
import { createProvider, type Provider } from "../../index";
import { Running } from "../running";
import { EngineLog } from "./engineLog";

/** What one plugin process knows: the engine that it serves, what runs, and the provider as it was configured. */
export class Session {
  readonly engine = new EngineLog();
  readonly running = new Running(this.engine.write);
  /** What is certain of the outputs, by URN, as of the last check: the preview that follows shows it. */
  readonly certain = new Map<string, Properties | undefined>();
  provider: Provider = createProvider(() => undefined);
}
