import { healthOfWord, isUnhealthyStatus, redactWord, stateOf, statusIn } from "../../../../provider/api/decode/states";
import { ApiError } from "../../../../provider/base/errors";
import { Redactor } from "../../../../provider/base/redact";

describe("a status word", () => {
  it.each<[name: string, words: string, state: string, healthy: boolean | undefined, isSick: boolean]>([
    [
      "means running in any spelling",
      "running Running InService in-service STATE_ACTIVE OK up",
      "running",
      true,
      false,
    ],
    [
      "means pending",
      "provisioning ContainerCreating in_progress stopping terminating released",
      "pending",
      false,
      false,
    ],
    ["means pending and unhealthy", "unhealthy NotReady OUT_OF_SERVICE ImagePullBackOff", "pending", false, true],
    // Whether it was stopped or has failed is unknown.
    ["means down for an unknown reason", "down offline unreachable Evicted", "unknown", false, true],
    ["means failed", "failed Errored OOMKilled CrashLoopBackOff", "failed", false, true],
    ["means stopped", "stopped suspended SHUTOFF Exited", "stopped", false, false],
    ["means terminated", "terminated DELETED destroyed", "terminated", false, false],
    // A pod that has succeeded runs no more, a cluster that has succeeded does.
    [
      "means nothing if ambiguous or unknown",
      "succeeded idle quantum __proto__ run-ning yes",
      "unknown",
      undefined,
      false,
    ],
  ])("%s", (_name, words, state, healthy, sick) => {
    for (const word of words.split(" "))
      expect([word, stateOf(word), healthOfWord(word), isUnhealthyStatus(word)]).toEqual([word, state, healthy, sick]);
  });

  it("means running with a whole share only", () => {
    const meanings = [undefined, "running (2/2)", "Running (1/2)", "2 / 2", "0/0"].map((word) => {
      return [stateOf(word), healthOfWord(word)];
    });
    expect(meanings).toEqual([
      ["unknown", undefined],
      ["running", true],
      ["pending", false],
      ["unknown", true],
      ["unknown", false],
    ]);
  });

  it("hides a secret unless it is a known word alone", () => {
    const redactor = new Redactor(["offline", "brewed", "20481234"]);
    const hidden = ["offline", "brewed", "Running (1/2)", "lost 20481234"].map((word) => redactWord(word, redactor));
    expect(hidden).toEqual(["offline", "[secret]", "Running (1/2)", "lost [secret]"]);
  });

  it("is the health of a cluster without replicas, except after a 404", () => {
    const record = { id: "cl_1", status: "up" };
    expect(statusIn(record)).toEqual({ replicas: [], status: "up", overall: true, isMissing: true });
    const request = { method: "GET", path: "/status", status: 404 };
    const missing = new ApiError("not found", { ...request, outcome: "refused", isApiAnswer: true, isEnvelope: true });
    expect(statusIn(record, missing)).toBeUndefined();
  });
});
