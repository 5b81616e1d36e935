import type { Fault, Simulator, SimulatorOptions } from "../../simulator";
import { until } from "./harness";
import { findProvider } from "./processes";
import type { Running } from "./workspace";

/** The desired inputs of the program. */
export interface Wanted {
  readonly replicas: number;
  readonly container: string;
  readonly env: Readonly<Record<string, string>>;
}

const small: Wanted = { replicas: 2, container: "acme/model:1", env: { MODEL: "first", OLD: "goes-away" } };
const larger: Wanted = { ...small, replicas: 3 };
const other: Wanted = { replicas: 2, container: "acme/model:2", env: { MODEL: "second", NEW: "comes-in" } };

/** The operation that is killed; without `before`, the cluster is created. */
const works = {
  creation: { wanted: small },
  scaling: { before: small, wanted: larger },
  update: { before: small, wanted: other },
} satisfies Record<string, { before?: Wanted; wanted: Wanted }>;

/** The time of the kill. */
export interface Moment {
  readonly options?: SimulatorOptions;
  /** This package is not loaded yet: the process is the SDK's, which does not end when its engine is killed. */
  readonly isUnloaded?: boolean;
  /** A request to hold until the kill; without it, `reached` decides the time. */
  readonly hold?: Omit<Extract<Fault, { kind: "delay" }>, "kind" | "ms">;
  reached?(run: Running, simulator: Simulator): boolean;
}

const clusters = "/v1/clusters";
const cluster = "/v1/clusters/*";
const status = "/v1/clusters/*/status";
const redeploy = "/v1/clusters/*/redeploy";
const scale = "/v1/clusters/*/scale";

/** Longer than any test: the cluster becomes ready when the test changes it. */
const slow: SimulatorOptions = { provisioningMs: 600_000 };
/** A rollout that is still in progress when the next command starts. */
const unhurried: SimulatorOptions = { provisioningMs: 6_000 };
const withoutRollout: SimulatorOptions = { dialect: { updateRollsOut: false } };
const withoutEcho: SimulatorOptions = { dialect: { envEcho: "none" } };

/** Decided by the requests that the service has received, never by the time that has passed. */
const moments = {
  "the provider has just started": { isUnloaded: true, reached: ({ pid }) => findProvider(pid) !== undefined },
  "the first list request has arrived": { hold: { method: "GET", path: clusters, when: "before" } },
  "the create request has arrived": { hold: { method: "POST", path: clusters, when: "before" } },
  "the cluster is made, and not yet answered": { hold: { method: "POST", path: clusters, when: "after" } },
  "replicas are polled": { options: slow, hold: { method: "GET", path: status, when: "after" } },
  "the next poll is due later": { options: slow, reached: isPolledSince("POST") },
  "all is healthy, and read back": { options: withoutEcho, hold: { method: "GET", path: cluster, after: 1 } },
  "the scale request has arrived": { hold: { method: "POST", path: scale, when: "before" } },
  "the new replica is polled": { hold: { method: "GET", path: status, when: "after" } },
  "the update has arrived": { hold: { method: "PATCH", path: cluster, when: "before" } },
  "it is updated, and not yet answered": { hold: { method: "PATCH", path: cluster, when: "after" } },
  "the rollout continues": { options: unhurried, reached: isPolledSince("PATCH") },
  "it is redeployed, and not yet answered": {
    options: withoutRollout,
    hold: { method: "POST", path: redeploy, when: "after" },
  },
} satisfies Record<string, Moment>;

/** Between two polls, the first of which came after a request of this method. */
function isPolledSince(method: string): NonNullable<Moment["reached"]> {
  return (_run, { requests, openRequests }) => {
    const sent = requests.findLastIndex((request) => request.method === method);
    const isSeen = sent >= 0 && requests.slice(sent).some(({ path }) => path.endsWith("/status"));
    return isSeen && openRequests().length === 0;
  };
}

/** The killed process, and the signal. Only the CLI receives a terminal's signals: it starts others in separate groups. */
const blows = {
  "Ctrl-C": { strike: (run) => run.signal("SIGINT"), isGentle: true },
  "SIGTERM to the CLI": { strike: (run) => run.signal("SIGTERM"), isGentle: true },
  "a second Ctrl-C": { strike: interruptTwice },
  "kill -9 of the CLI": { strike: (run) => run.kill() },
  "kill -9 of the provider": { strike: (_run, provider) => void process.kill(provider, "SIGKILL") },
  "SIGTERM to the provider": { strike: (_run, provider) => void process.kill(provider, "SIGTERM") },
} satisfies Record<string, Blow>;

/** One way to end a run early. */
export interface Blow {
  strike(run: Running, provider: number): void | Promise<void>;
  /** True if the operation has time to report its partial state. */
  readonly isGentle?: boolean;
}

async function interruptTwice(run: Running): Promise<void> {
  run.signal("SIGINT");
  await until("the CLI asks for a second Ctrl-C", () => run.output().includes("press ^C again"));
  run.signal("SIGINT");
}

/** The cluster after a kill, which decides what the next command does. */
export type Rest = "nothing was made" | "its id is in the state" | "its id is lost";

/** One row of the table, with its names resolved. */
export interface KillPoint {
  readonly name: string;
  readonly work: { readonly before?: Wanted; readonly wanted: Wanted };
  readonly moment: Moment;
  readonly blow: Blow;
  readonly rest: Rest;
  /** Also part of `npm test`, not only of CI. */
  readonly isAlways: boolean;
}

type Row = [blow: keyof typeof blows, moment: keyof typeof moments, rest: Rest, isAlways?: "always"];

const none = "nothing was made";
const kept = "its id is in the state";
const lost = "its id is lost";

/** The moments of an operation, with the ways to end a run in turn; around the create request, where a cluster can be lost, all of them. */
const rows: Record<keyof typeof works, Row[]> = {
  creation: [
    ["kill -9 of the CLI", "the provider has just started", none],
    ["Ctrl-C", "the first list request has arrived", none],
    ["Ctrl-C", "the create request has arrived", kept],
    ["a second Ctrl-C", "the create request has arrived", lost, "always"],
    ["kill -9 of the provider", "the create request has arrived", lost],
    ["Ctrl-C", "the cluster is made, and not yet answered", kept],
    ["kill -9 of the CLI", "the cluster is made, and not yet answered", lost, "always"],
    ["SIGTERM to the provider", "the cluster is made, and not yet answered", lost],
    ["SIGTERM to the CLI", "replicas are polled", kept],
    ["Ctrl-C", "the next poll is due later", kept, "always"],
    ["kill -9 of the CLI", "all is healthy, and read back", lost],
  ],
  scaling: [
    ["kill -9 of the provider", "the scale request has arrived", kept],
    ["SIGTERM to the CLI", "the new replica is polled", kept],
  ],
  update: [
    ["kill -9 of the provider", "the update has arrived", kept, "always"],
    ["kill -9 of the CLI", "it is updated, and not yet answered", kept],
    ["Ctrl-C", "the rollout continues", kept],
    ["a second Ctrl-C", "it is redeployed, and not yet answered", kept],
  ],
};

export const killPoints: readonly KillPoint[] = Object.entries(works).flatMap(([work, asked]) =>
  rows[work as keyof typeof works].map(([blow, moment, rest, always]) => ({
    name: `${work}: ${blow} when ${moment}: ${rest}`,
    work: asked,
    moment: moments[moment],
    blow: blows[blow],
    rest,
    isAlways: always === "always",
  })),
);
