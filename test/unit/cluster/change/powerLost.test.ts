import { InterruptedError } from "../../../../provider/base/errors";
import { InitError, type Properties } from "../../../../provider/contract";
import type { Dialect, Fault } from "../../../../simulator";
import { isEverything } from "../../../support/shares";
import { type Bench, type BenchOptions, closeAll, openBench, openSettled, rewriting, settle, writes } from "../harness";
import * as power from "../powerHarness";

const { asked, atRest, change, expectAtGoal, failingChange, noStatus, reach, restart, running, scale } = power;
const { settleStopped, stop, toDo } = power;
type Held = power.Held;

afterEach(closeAll);

/** Ways to lose an answer, by whether the service acted before. */
const losses: [string, boolean, Omit<Fault, "path" | "method"> & Fault][] = [
  ["broken before", false, { kind: "drop" }],
  ["broken after", true, { kind: "drop", when: "after" }],
  ["500 before", false, { kind: "status", status: 500 }],
  ["500 after", true, { kind: "status", status: 500, when: "after" }],
  ["truncated", true, { kind: "truncate" }],
];

describe.each(losses)("a lost answer, %s,", (_title, isDone, fault) => {
  it("to a stop ends with a stopped cluster, and no stop of one that is stopped", async () => {
    const { bench, made } = await openSettled(asked, { deletionMs: 20_000 });
    bench.simulator.fault({ ...fault, path: "**/stop" });
    await reach(bench, made, atRest, isDone ? [stop] : [stop, stop]);
  });

  it.each([
    ["restart", "restart-or-redeploy"],
    ["redeploy", "redeploy"],
    ["scale", "scale"],
  ] as const)("to the %s that starts a cluster ends with a running one", async (action, startedBy) => {
    const bench = await openBench({ dialect: { startedBy } });
    const stopped = await settleStopped(bench);
    bench.simulator.fault({ ...fault, path: `**/${action}` });
    const at = await change(bench, stopped, asked);
    expect(running(bench, at)).toMatchObject({ status: "running", restarts: 0 });
    expect(writes(bench.simulator).filter((line) => line.endsWith(action))).toHaveLength(isDone ? 1 : 2);
    await expectAtGoal(bench, at, asked);
  });

  it.each([
    ["restart", { restartTriggers: ["b"] }, 1, 1],
    ["redeploy", { redeployTriggers: ["b"] }, 2, 0],
  ])(
    "to a %s that a trigger asks for restarts the replicas once, by this update or the next",
    async (action, trigger, generation, restarts) => {
      for (const faults of [[], [noStatus]]) {
        const bench = await openBench({ dialect: { actionAnswer: "cluster" }, faults, provisioningMs: 20_000 });
        const wanted: Properties = { ...asked, ...trigger };
        const made = await settle(bench, asked);
        bench.simulator.fault({ ...fault, path: `**/${action}` });
        const at = await change(bench, isDone ? made : await failingChange(bench, made, wanted), wanted);
        expect(writes(bench.simulator)).toHaveLength(1);
        expect(running(bench, at)).toMatchObject({ status: "running", generation, restarts });
        await expectAtGoal(bench, at, wanted);
      }
    },
  );

  it("to a scale applies it once", async () => {
    const { bench, made } = await openSettled(asked);
    bench.simulator.fault({ ...fault, path: "**/scale" });
    await reach(bench, made, { ...asked, replicas: 4 }, isDone ? [scale] : [scale, scale]);
  });
});

describe("a start that is accepted, before reads that fail,", () => {
  it.each(["restart", "drop"])("is not followed by another action (%s)", async (kind) => {
    const wire: BenchOptions["wire"] = (real) => async (request) => {
      if (!request.path.endsWith("/restart")) return real(request);
      bench.simulator.fault({ kind: "status", status: 500, method: "GET", times: 5 });
      if (kind === "drop") bench.simulator.fault({ kind: "drop", when: "after", path: "**/restart" });
      return real(request);
    };
    const bench = await openBench({ wire });
    const stopped = await settleStopped(bench);
    const at = await failingChange(bench, stopped, asked);
    expect(writes(bench.simulator)).toEqual([restart]);
    await expectAtGoal(bench, await change(bench, at, asked), asked);
  });
});

/** The number of the request that is the update: a read and `/status` go before it. */
const answered = 3;

/** Changes, by what they start from and what they lead to. */
const manual: Partial<Dialect> = { updateRollsOut: false };
const env = { MODEL: "another" };
const [a, b] = [{ restartTriggers: ["a"] }, { restartTriggers: ["b"] }];
const [v1, v2] = [{ redeployTriggers: { v: 1 } }, { redeployTriggers: { v: 2 } }];
const ways: [string, Properties, Properties, Partial<Dialect>, object | ((point: number) => object)][] = [
  ["a stop", asked, atRest, {}, { status: "stopped" }],
  ["a start by restart", atRest, asked, {}, { restarts: 0 }],
  ["a start by scale", atRest, asked, { startedBy: "scale" }, { restarts: 0 }],
  ["a start with a trigger", { ...atRest, ...a }, { ...asked, ...b }, manual, { restarts: 0, generation: 1 }],
  ["a start with an env", atRest, { ...asked, env }, manual, { restarts: 0, env }],
  ["a restart and a scale", { ...asked, ...a }, { ...asked, ...b, replicas: 3 }, {}, { restarts: 1, generation: 1 }],
  ["an env that is redeployed", asked, { ...asked, env }, manual, { restarts: 0, generation: 2, env }],
  [
    "an env that rolls out by itself",
    asked,
    { ...asked, env },
    {},
    // Before the first poll after the update is read, nobody knows that it rolls out by itself: it is rolled out once more.
    (point) => ({ restarts: 0, generation: [answered, answered + 1].includes(point) ? 3 : 2, env }),
  ],
  ["a restart", { ...asked, ...a }, { ...asked, ...b }, {}, { restarts: 1, generation: 1 }],
  ["a redeploy", { ...asked, ...v1 }, { ...asked, ...v2 }, {}, { restarts: 0, generation: 2 }],
];

/** With which request of the update the user interrupts; a share is every other one. */
const points = [1, 2, 3, 4, 5, 6, 8, 11].filter((_, index) => isEverything || index % 2 === 1);

describe.each(ways)("%s", (_title, before, wanted, dialect, goal) => {
  it("that is interrupted at any request is gone on with by the next update, and restarts nothing twice", async () => {
    for (const point of points) {
      const bench = await openBench({ dialect, provisioningMs: 20_000, deletionMs: 5_000 });
      const made =
        before["desiredStatus"] === "stopped" ? await settleStopped(bench, before) : await settle(bench, before);
      const at = await interruptedAt(bench, made, wanted, point);
      const end = toDo(bench, at, wanted).length > 0 ? await change(bench, at, wanted) : at;
      expect({ point, ...running(bench, end) }).toMatchObject({
        point,
        status: "running",
        ...(typeof goal === "function" ? goal(point) : goal),
      });
      await expectAtGoal(bench, end, wanted);
    }
  });
});

describe("an update of env and replicas that was interrupted", () => {
  it("is rolled out by the next one, which does not take a new replica of the first for a roll-out", async () => {
    // A service that shows no word for the cluster, and a replica only after it is placed.
    const wire = rewriting(/\/status$/, ({ replicas }) =>
      [replicas].flat().filter((replica) => Object(replica)["status"] !== "pending"),
    );
    const bench = await openBench({ dialect: { updateRollsOut: false }, wire, provisioningMs: 6_000 });
    const wanted = { ...asked, replicas: 3, env: { MODEL: "another" } };
    const at = await interruptedAt(bench, await settle(bench, asked), wanted, 3);
    const end = await reach(bench, at, wanted);
    expect(running(bench, end)).toMatchObject({ status: "running", env: wanted.env });
  });

  it("leaves no variable behind that a stopped cluster could not be told to forget", async () => {
    const dialect: Partial<Dialect> = { envEcho: "none", updateSemantics: "merge-keys", stoppedUpdate: "refused" };
    const bench = await openBench({ dialect });
    const wanted = { ...atRest, env: { OTHER: "another" } };
    const waiting = await change(bench, await settle(bench, asked), wanted);
    // Another update that is interrupted in between forgets nothing of it.
    const between = await interruptedAt(bench, waiting, { ...wanted, restartTriggers: ["b"] }, 1);
    const end = await change(bench, between, { ...wanted, restartTriggers: ["b"], desiredStatus: "running" });
    expect(running(bench, end).env).toEqual(wanted.env);
  });
});

/** Interrupts as soon as the service has answered so many requests; ends as an update does that it comes too late for. */
async function interruptedAt(bench: Bench, held: Held, news: Properties, point: number): Promise<Held> {
  const controller = new AbortController();
  const { requests } = bench.simulator;
  requests.length = 0;
  const push = requests.push.bind(requests);
  requests.push = (...sent) => {
    const length = push(...sent);
    if (length >= point) controller.abort(new InterruptedError("interrupted"));
    return length;
  };
  try {
    return await change(bench, held, news, { signal: controller.signal });
  } catch (error) {
    // Before the first change, nothing is kept but what was there.
    return error instanceof InitError ? error : held;
  } finally {
    requests.push = push;
  }
}
