import { healthOfWord, isUnhealthyStatus, stateOf } from "../../../../provider/api/decode/states";

describe("a status word", () => {
  it.each<[state: string, healthy: boolean | undefined, isSick: boolean, words: string]>([
    ["running", true, false, "running Running InService in-service STATE_ACTIVE OK up"],
    ["pending", false, false, "provisioning ContainerCreating in_progress stopping terminating released"],
    ["pending", false, true, "unhealthy NotReady OUT_OF_SERVICE ImagePullBackOff"],
    // Whether it was stopped or has failed is unknown.
    ["unknown", false, true, "down offline unreachable Evicted"],
    ["failed", false, true, "failed Errored OOMKilled CrashLoopBackOff"],
    ["stopped", false, false, "stopped suspended SHUTOFF Exited"],
    ["terminated", false, false, "terminated DELETED destroyed"],
    // A pod that has succeeded no longer runs, a cluster that has succeeded does.
    ["unknown", undefined, false, "succeeded idle quantum __proto__ run-ning yes"],
  ])("%s, healthy %s, unhealthy status %s: is the meaning of %j", (state, healthy, isSick, words) => {
    const meaning = [state, healthy, isSick];
    for (const word of words.split(" "))
      expect({ word, meaning: [stateOf(word), healthOfWord(word), isUnhealthyStatus(word)] }).toEqual({
        word,
        meaning,
      });
  });

  it("means running with a whole share only", () => {
    const words = [undefined, "running (2/2)", "Running (1/2)", "2 / 2", "0/0"];
    expect(words.map(stateOf)).toEqual(["unknown", "running", "pending", "unknown", "unknown"]);
    expect(words.map(healthOfWord)).toEqual([undefined, true, false, true, false]);
  });
});
