import { healthOfWord, isSick, redactWord, stateOf, statusIn } from "../../../../provider/api/decode/states";
import { ApiError } from "../../../../provider/base/errors";
import { Redactor } from "../../../../provider/base/redact";

test.each<[words: string, state: string, healthy: boolean | undefined, isSick: boolean]>([
  ["running Running InService in-service STATE_ACTIVE cluster_is_running OK up", "running", true, false],
  ["provisioning ContainerCreating rolling_update in_progress stopping terminating released", "pending", false, false],
  // It does not serve, and may come back by itself.
  ["unhealthy degraded NotReady OUT_OF_SERVICE ImagePullBackOff", "pending", false, true],
  // It does not serve. Whether it was stopped or has failed is not said.
  ["down offline unreachable Evicted", "unknown", false, true],
  ["failed Errored OOMKilled CrashLoopBackOff", "failed", false, true],
  ["stopped suspended SHUTOFF Exited", "stopped", false, false],
  ["terminated DELETED destroyed", "terminated", false, false],
  // A person would ask, too: a pod that has succeeded runs no more, a cluster that has succeeded does.
  ["succeeded completed idle warning quantum constructor __proto__ run-ning yes", "unknown", undefined, false],
])("the words %s mean %s", (words, state, healthy, sick) => {
  for (const word of words.split(" "))
    expect([word, stateOf(word), healthOfWord(word), isSick(word)]).toEqual([word, state, healthy, sick]);
});

test.each([
  [undefined, "unknown", undefined],
  ["", "unknown", undefined],
  ["running (2/2)", "running", true],
  ["Running (1/2)", "pending", false],
  ["2 / 2", "unknown", true],
  ["0/0", "unknown", false],
])("%p means %s, healthy: %p", (word, state, healthy) => {
  expect([stateOf(word), healthOfWord(word)]).toEqual([state, healthy]);
});

test("a secret is hidden in a status that is not a known word alone", () => {
  const redactor = new Redactor(["offline", "brewed", "20481234"]);
  const hidden = ["offline", "brewed", "Running (1/2)", "lost 20481234"].map((word) => redactWord(word, redactor));
  expect(hidden).toEqual(["offline", "[secret]", "Running (1/2)", "lost [secret]"]);
});

test("a record without replicas speaks by its word, and says nothing of them after a 404", () => {
  expect(statusIn({ id: "cl_1", status: "up" })).toEqual({
    replicas: [],
    status: "up",
    overall: true,
    isMissing: true,
  });
  const request = { method: "GET", path: "/status", status: 404 };
  const missing = new ApiError("not found", { ...request, outcome: "refused", isApiAnswer: true, isEnvelope: true });
  expect(statusIn({ id: "cl_1", status: "up" }, missing)).toBeUndefined();
});
