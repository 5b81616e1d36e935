import { isLeaving, stateOf } from "../../../provider/api/states";

test.each([
  ["running", "running ready active healthy available started ok passing RUNNING Ready"],
  [
    "pending",
    "provisioning pending creating queued scaling restarting stopping terminating deleting pending_deletion degraded",
  ],
  ["failed", "failed error errored crashed dead"],
  ["stopped", "stopped suspended paused"],
  ["terminated", "terminated deleted"],
  ["unknown", "quantum constructor gone online live off __proto__ toString run-ning"],
])("these words mean %s", (state, words) => {
  for (const word of words.split(" ")) expect([word, stateOf(word)]).toEqual([word, state]);
});

test("no word, and an empty one, mean nothing", () => {
  expect([stateOf(undefined), stateOf("")]).toEqual(["unknown", "unknown"]);
});

test.each([
  ["terminated", true],
  ["Terminating", true],
  ["deleting", true],
  ["stopped", false],
  ["failed", false],
  ["pending_deletion", false],
  ["running", false],
  [undefined, false],
])("%p means leaving: %p", (word, leaving) => {
  expect(isLeaving(word)).toBe(leaving);
});
