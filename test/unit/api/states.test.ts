import { healthOfWord, isSick, redactUnknownWord, stateOf, statusIn } from "../../../provider/api/states";
import { ApiError } from "../../../provider/base/errors";
import { Redactor } from "../../../provider/base/redact";

/** What a person reads in a word of Kubernetes, Docker, EC2, systemd, Nomad, Consul, Spring, health+json, OpenStack or Fly. */
const everyday = {
  running:
    "running Running RUNNING ready active healthy available started ok OK up UP online live alive serving operational " +
    "deployed pass passing green InService in-service success STATE_ACTIVE cluster_is_running",
  pending:
    "provisioning pending creating Created queued Requested submitted Waiting accepted scheduling scheduled allocating " +
    "ContainerCreating PodInitializing starting launching booting initializing activating installing building pulling " +
    "downloading loading warming-up updating upgrading reloading resizing scaling deploying rolling_update restarting " +
    "rebooting recovering migrating in_progress draining stopping suspending shutting-down PoweringOff hibernating " +
    "deactivating deallocating terminating deleting destroying removing pending_deletion removed gone released purged",
  // It does not serve, and may come back by itself.
  ailing:
    "unhealthy degraded NotReady critical fail impaired red OUT_OF_SERVICE maintenance ImagePullBackOff ErrImagePull",
  // It does not serve. Whether it was stopped or has failed is not said.
  down: "down DOWN offline unreachable disconnected lost Evicted preempted",
  failed:
    "failed Failure error errored faulted crashed dead rejected aborted fatal OOMKilled oom_killed crash_loop CrashLoopBackOff",
  stopped:
    "stopped suspended paused inactive off OFF halted Exited hibernated powered_off SHUTOFF deallocated shutdown",
  terminated: "terminated deleted DELETED destroyed deprovisioned",
  // A person would ask, too: a pod that has succeeded runs no more, a cluster that has succeeded does.
  unknown:
    "succeeded completed complete unknown UNKNOWN none warn warning yellow idle standby quantum constructor __proto__ " +
    "toString run-ning yes",
};

/** The state, and whether something with such a word serves. */
const meanings: Record<keyof typeof everyday, readonly [state: string, healthy: boolean | undefined]> = {
  running: ["running", true],
  pending: ["pending", false],
  ailing: ["pending", false],
  down: ["unknown", false],
  failed: ["failed", false],
  stopped: ["stopped", false],
  terminated: ["terminated", false],
  unknown: ["unknown", undefined],
};

test.each(Object.entries(everyday))("these words mean %s", (kind, words) => {
  const [state, healthy] = meanings[kind as keyof typeof everyday];
  const isBad = ["ailing", "down", "failed"].includes(kind);
  for (const word of words.split(" "))
    expect([word, stateOf(word), healthOfWord(word), isSick(word)]).toEqual([word, state, healthy, isBad]);
});

test.each([
  [undefined, "unknown", undefined],
  ["", "unknown", undefined],
  ["running (2/2)", "running", true],
  ["CLUSTER_STATUS_RUNNING", "running", true],
  ["CLUSTER_STATUS_STOPPED", "stopped", false],
  ["Running (1/2)", "pending", false],
  ["1/2", "unknown", false],
  ["2 / 2", "unknown", true],
  ["0/0", "unknown", false],
])("%p means %s, healthy: %p", (word, state, healthy) => {
  expect([stateOf(word), healthOfWord(word)]).toEqual([state, healthy]);
});

test("only a word that nobody knows is redacted", () => {
  const redactor = new Redactor(["offline", "brewed"]);
  expect(["offline", "running", "brewed"].map((word) => redactUnknownWord(word, redactor))).toEqual([
    "offline",
    "running",
    "[secret]",
  ]);
});

test.each([
  ["up", true],
  ["starting", false],
  ["offline", false],
  ["brewed", undefined],
  [undefined, undefined],
])("a record without replicas speaks by its word: %s", (status, overall) => {
  expect(statusIn({ id: "cl_1", status })).toEqual({ replicas: [], status, overall, isMissing: true });
});

test("a record without replicas says nothing of them after a 404", () => {
  const request = { method: "GET", path: "/status", status: 404 };
  const missing = new ApiError("not found", { ...request, outcome: "refused", isApiAnswer: true, isEnvelope: true });
  expect(statusIn({ id: "cl_1", status: "up" }, missing)).toBeUndefined();
});
