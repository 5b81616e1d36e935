import type { Fault, Simulator, SimulatorOptions } from "../../simulator";
import { until } from "./harness";
import { findProvider } from "./processes";
import type { Running } from "./workspace";

/** The inputs of the program. */
export interface Inputs {
  readonly replicas: number;
  readonly container: string;
  readonly env: Readonly<Record<string, string>>;
}

const small: Inputs = { replicas: 2, container: "acme/model:1", env: { MODEL: "first", OLD: "removed" } };
const larger: Inputs = { ...small, replicas: 3 };
const other: Inputs = { replicas: 2, container: "acme/model:2", env: { MODEL: "second", NEW: "added" } };

/** The operation that is interrupted; without `before`, the cluster is created. */
const operations = {
  creation: { inputs: small },
  scaling: { before: small, inputs: larger },
  update: { before: small, inputs: other },
} satisfies Record<string, { before?: Inputs; inputs: Inputs }>;

/** The time of the crash. */
export interface Moment {
  readonly options?: SimulatorOptions;
  /** This package is not loaded yet: the process is the SDK's, which does not end when its engine is killed. */
  readonly isUnloaded?: boolean;
  /** A request to hold until the crash; without it, `reached` decides the time. */
  readonly hold?: Omit<Extract<Fault, { kind: "delay" }>, "kind" | "ms">;
  reached?(run: Running, simulator: Simulator): boolean;
}

const clusters = "/v1/clusters";
const cluster = "/v1/clusters/*";

/** Longer than any test: the cluster becomes ready when the test changes it. */
const slow: SimulatorOptions = { provisioningMs: 600_000 };
/** A rollout that is still in progress when the next command starts. */
const unhurried: SimulatorOptions = { provisioningMs: 6_000 };
const withoutRollout: SimulatorOptions = { dialect: { updateRollsOut: false } };
const withoutEcho: SimulatorOptions = { dialect: { envEcho: "none" } };

/** Decided by the requests that the service has received, never by the time that has passed. */
const moments = {
  "the provider has just started": { isUnloaded: true, reached: ({ pid }) => findProvider(pid) !== undefined },
  "the create request has arrived": { hold: { method: "POST", path: clusters, when: "before" } },
  "the cluster is created, and not yet answered": { hold: { method: "POST", path: clusters, when: "after" } },
  "the next poll is due later": { options: slow, reached: isPolledSince("POST") },
  "all is healthy, and read back": { options: withoutEcho, hold: { method: "GET", path: cluster, after: 1 } },
  "the new replica is polled": { hold: { method: "GET", path: `${cluster}/status`, when: "after" } },
  "the update has arrived": { hold: { method: "PATCH", path: cluster, when: "before" } },
  "the rollout continues": { options: unhurried, reached: isPolledSince("PATCH") },
  "it is redeployed, and not yet answered": {
    options: withoutRollout,
    hold: { method: "POST", path: `${cluster}/redeploy`, when: "after" },
  },
} satisfies Record<string, Moment>;

/** Between two polls, the first of which came after a request of this method. */
function isPolledSince(method: string): NonNullable<Moment["reached"]> {
  return (_run, { requests, openRequests }) => {
    const sent = requests.findLastIndex((request) => request.method === method);
    const isPolled = sent >= 0 && requests.slice(sent).some(({ path }) => path.endsWith("/status"));
    return isPolled && openRequests().length === 0;
  };
}

/** One way to end a run early. */
export interface Crash {
  end(run: Running, provider: number): void | Promise<void>;
  /** True if the operation has time to report its partial state. */
  readonly isGentle?: boolean;
}

/** The process that ends, and the signal. Only the CLI receives a terminal's signals: it starts others in separate groups. */
const crashes = {
  "Ctrl-C": { end: (run) => run.signal("SIGINT"), isGentle: true },
  "SIGTERM to the CLI": { end: (run) => run.signal("SIGTERM"), isGentle: true },
  "a second Ctrl-C": { end: interruptTwice },
  "kill -9 of the CLI": { end: (run) => run.kill() },
  "kill -9 of the provider": { end: (_run, provider) => void process.kill(provider, "SIGKILL") },
  "SIGTERM to the provider": { end: (_run, provider) => void process.kill(provider, "SIGTERM") },
} satisfies Record<string, Crash>;

async function interruptTwice(run: Running): Promise<void> {
  run.signal("SIGINT");
  await until("the CLI asks for a second Ctrl-C", () => run.output().includes("press ^C again"));
  run.signal("SIGINT");
}

/** The cluster after a crash, which decides what the next command does. */
export type Outcome = "nothing was created" | "its id is in the state" | "its id is lost";

/** One row of the table, with its names resolved. */
export interface CrashPoint {
  readonly name: string;
  readonly operation: { readonly before?: Inputs; readonly inputs: Inputs };
  readonly moment: Moment;
  readonly crash: Crash;
  readonly outcome: Outcome;
  /** Also part of `npm test`, not only of CI. */
  readonly isAlways: boolean;
}

type Row = [crash: keyof typeof crashes, moment: keyof typeof moments, outcome: Outcome, isAlways?: "always"];

const none = "nothing was created";
const kept = "its id is in the state";
const lost = "its id is lost";

/** Each way to end a run at least once, and each at the moment at which it can do most harm. */
const rows: Record<keyof typeof operations, Row[]> = {
  creation: [
    ["kill -9 of the CLI", "the provider has just started", none],
    ["a second Ctrl-C", "the create request has arrived", lost],
    ["Ctrl-C", "the cluster is created, and not yet answered", kept],
    ["kill -9 of the CLI", "the cluster is created, and not yet answered", lost, "always"],
    ["SIGTERM to the provider", "the cluster is created, and not yet answered", lost],
    ["Ctrl-C", "the next poll is due later", kept, "always"],
    ["kill -9 of the CLI", "all is healthy, and read back", lost],
  ],
  scaling: [["SIGTERM to the CLI", "the new replica is polled", kept]],
  update: [
    ["kill -9 of the provider", "the update has arrived", kept, "always"],
    ["Ctrl-C", "the rollout continues", kept],
    ["a second Ctrl-C", "it is redeployed, and not yet answered", kept],
  ],
};

export const crashPoints: readonly CrashPoint[] = Object.entries(operations).flatMap(([operation, inputs]) =>
  rows[operation as keyof typeof operations].map(([crash, moment, outcome, always]) => ({
    name: `${operation}: ${crash} when ${moment}: ${outcome}`,
    operation: inputs,
    moment: moments[moment],
    crash: crashes[crash],
    outcome,
    isAlways: always === "always",
  })),
);
