/** The replicas of a cluster in the service of the laws: what each one runs, and when it is healthy. */

import type { Clock } from "../../provider/base/clock";

export interface Config {
  readonly container: string;
  readonly registryCredentialId?: string | undefined;
  readonly env: Readonly<Record<string, string>>;
}

/** What is wrong with the service for a while. */
export interface Trouble {
  /** How much longer new replicas take. */
  delayMs: number;
  /** Whether the next configuration that is rolled out never gets healthy. */
  sickens: boolean;
  sick?: Config | undefined;
}

interface Replica {
  readonly id: string;
  readonly config: Config;
  /** Until `startsMs`, the one before it runs. */
  readonly before?: Replica | undefined;
  startsMs: number;
  readyMs: number;
  /** Until when it is sick, apart from a bad configuration. */
  sickUntilMs: number;
}

const startMs = 3_000;
const recoveryMs = 90_000;
let serial = 0;

export class Replicas {
  #all: Replica[] = [];
  /** Whether its word during a rollout is that of a sick replica, as long as one is left. */
  #showsSick = false;

  constructor(
    private readonly clock: Clock,
    private readonly trouble: Trouble,
  ) {}

  /** @param isInPlace Whether the containers of the same replicas are restarted, one after the other, the last one first. */
  rollOut(config: Config, count: number, isInPlace = false): void {
    const { trouble } = this;
    if (trouble.sickens) trouble.sick = config;
    trouble.sickens = false;
    const old = isInPlace ? this.#running : [];
    this.#showsSick = old.some((one) => !this.#isSick(one));
    this.#all = Array.from({ length: count }, (_, index) => {
      const before = old[index];
      return this.#make(config, before, before ? (count - 1 - index) * startMs : 0);
    });
  }

  scale(count: number, config: Config): void {
    const sickLast = [...this.#all].sort((a, b) => Number(this.#isSick(a)) - Number(this.#isSick(b)));
    if (sickLast.length > count) this.#all = sickLast.slice(0, count);
    while (this.#all.length < count) this.#all.push(this.#make(config));
  }

  /** One sick replica recovers; a cluster of sick ones has failed, and needs a restart. */
  sicken(count: number): void {
    const untilMs = count === 1 ? this.clock.now() + recoveryMs : Number.POSITIVE_INFINITY;
    for (const replica of this.#all.slice(0, count)) replica.sickUntilMs = untilMs;
  }

  /** Ends the trouble. Replicas that are sick with a bad configuration stay so. */
  cure(): void {
    for (const replica of this.#all) {
      if (replica.config === this.trouble.sick) replica.sickUntilMs = Number.POSITIVE_INFINITY;
      replica.startsMs = Math.min(replica.startsMs, this.clock.now());
      replica.readyMs = Math.min(replica.readyMs, this.clock.now() + startMs);
    }
  }

  get #running(): Replica[] {
    const now = this.clock.now();
    return this.#all.map((one) => (one.before && now < one.startsMs ? one.before : one));
  }

  get configs(): Config[] {
    return this.#running.map(({ config }) => config);
  }

  get count(): number {
    return this.#all.length;
  }

  get areHealthy(): boolean {
    return this.#all.every((one) => this.#isReady(one));
  }

  get word(): "updating" | "running" | "failed" | "degraded" {
    const running = this.#running;
    const sick = running.filter((one) => this.#isSick(one)).length;
    const isUpdating = this.#all.some(({ readyMs }) => this.clock.now() < readyMs);
    if (isUpdating && (sick === 0 || !this.#showsSick)) return "updating";
    if (sick === 0) return "running";
    return sick === running.length ? "failed" : "degraded";
  }

  get status(): object[] {
    return this.#running.map((one) => {
      const isStarting = this.clock.now() < one.readyMs;
      const status = isStarting ? "starting" : this.#isSick(one) ? "failed" : "running";
      return { id: one.id, status, healthy: this.#isReady(one) };
    });
  }

  #make(config: Config, before?: Replica, waitsMs = 0): Replica {
    serial += 1;
    const startsMs = this.clock.now() + waitsMs;
    const readyMs = startsMs + startMs + this.trouble.delayMs;
    const kept = before && { ...before, before: undefined };
    return { id: before?.id ?? `rep_${serial}`, config, before: kept, startsMs, readyMs, sickUntilMs: 0 };
  }

  #isSick(replica: Replica): boolean {
    return this.clock.now() < replica.sickUntilMs || replica.config === this.trouble.sick;
  }

  #isReady(replica: Replica): boolean {
    return this.clock.now() >= replica.readyMs && !this.#isSick(replica);
  }
}
