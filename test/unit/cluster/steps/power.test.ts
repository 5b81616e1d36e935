import { ConnectionError, InterruptedError } from "../../../../provider/base/errors";
import { InitError, type Properties } from "../../../../provider/contract";
import type { ClusterChanges, Dialect, Fault } from "../../../../simulator";
import { isEverything } from "../../../support/shares";
import { type Fixture, openFixture, openSettled, settle, writes } from "../harness";
import {
  asked,
  atRest,
  change,
  expectAtGoal,
  failingChange,
  type Held,
  noStatus,
  reach,
  redeploy,
  refresh,
  restart,
  running,
  scale,
  settleStopped,
  stop,
  toDo,
  warnings,
} from "../powerHarness";

const env = { MODEL: "another" };

const situations: Readonly<Record<string, ClusterChanges>> = {
  failed: { status: "failed", message: "node lost" },
  stopped: { status: "stopped" },
};

/** A settled cluster that has come into a situation. */
async function come(bench: Fixture, situation: string): Promise<Held> {
  const made = await settle(bench, asked);
  if (situation === "stopping") await bench.client.stopCluster(made.id);
  if (situation === "provisioning") return failingChange(bench, made, { ...asked, replicas: 4 }, { timeoutMs: 1_000 });
  bench.simulator.change(made.id, situations[situation] ?? {});
  return made;
}

describe("a cluster that shall be stopped", () => {
  it.each([
    ["running", [stop]],
    ["provisioning", [stop]],
    ["stopping", []],
    ["stopped", []],
  ])("and is %s is stopped by the calls %j, and waited for", async (situation, calls) => {
    const options = { dialect: { busyWhen: "changing" }, provisioningMs: 60_000, deletionMs: 30_000 } as const;
    const bench = await openFixture(options);
    const at = await change(bench, await come(bench, situation), atRest);
    expect(running(bench, at).status).toBe("stopped");
    expect([...new Set(writes(bench.simulator))]).toEqual(calls);
    expect(at.state).toMatchObject({ desiredStatus: "stopped", readyReplicas: 0 });
    await expectAtGoal(bench, at, atRest);
    expect(warnings(bench)).toEqual([]);
  });

  it("is created and stopped at once, and has nothing to do afterwards", async () => {
    const { bench, made: held } = await openSettled(atRest, { provisioningMs: 600_000 });
    expect(running(bench, held).status).toBe("stopped");
    await expectAtGoal(bench, held, atRest);
  });

  it("is no error where the service refuses to stop what somebody stops at that very moment", async () => {
    const bench = await openFixture({
      client: (real) => ({
        stopCluster: async (id, ...rest) => {
          bench.simulator.change(id, { status: "stopped" });
          bench.simulator.fault({ kind: "status", status: 400, message: "already stopped", path: "**/stop" });
          return real.stopCluster(id, ...rest);
        },
      }),
    });
    await reach(bench, await settle(bench, asked), atRest);
  });
});

describe("a cluster that shall run", () => {
  it.each<[string, string[]]>([
    ["failed", [redeploy]],
    ["provisioning", [scale]],
    ["stopping", [restart]],
    ["stopped", [restart]],
  ])("and is %s comes up by the calls %j", async (situation, calls) => {
    const bench = await openFixture({ deletionMs: 30_000 });
    const held = await come(bench, situation);
    const found = await refresh(bench, held);
    const at = await reach(bench, { ...found, state: { ...found.state, settled: false } }, asked, calls);
    expect(running(bench, at).status).toBe("running");
  });

  it("and was stopped by somebody is drift of desiredStatus after a refresh, and is started again", async () => {
    const bench = await openFixture();
    const found = await refresh(bench, await come(bench, "stopped"));
    expect(toDo(bench, found, asked)).toEqual(["desiredStatus"]);
    expect(found.state).toMatchObject({ desiredStatus: "stopped", readyReplicas: 0 });
    await reach(bench, found, asked);
  });
});

/** Ways in which a service may treat a stopped cluster. */
const treatments = [
  { startedBy: "restart-or-redeploy", stoppedUpdate: "refused", updateRollsOut: false },
  { startedBy: "redeploy", stoppedUpdate: "starts", updateRollsOut: false },
  { startedBy: "scale", stoppedUpdate: "refused", updateRollsOut: true },
] as const;

describe.each(treatments)(
  "a stopped cluster ($startedBy, an update is $stoppedUpdate, rolls out: $updateRollsOut)",
  (way) => {
    it("that is started with an env, fewer replicas and a trigger runs those, without a restart in vain", async () => {
      const bench = await openFixture({ dialect: { ...way, actionAnswer: "empty" } });
      const wanted = { ...asked, env, replicas: 1, restartTriggers: ["b"] };
      const at = await change(bench, await settleStopped(bench), wanted);
      expect(running(bench, at)).toMatchObject({ status: "running", env, restarts: 0 });
      expect(bench.simulator.cluster(at.id)?.replicas).toBe(1);
      expect(writes(bench.simulator).filter((line) => line === redeploy).length).toBeLessThanOrEqual(2);
      await expectAtGoal(bench, at, wanted);
      expect(warnings(bench)).toEqual([]);
    });

    it("takes a new env while it stays stopped, runs it after its start, and forgets none of it in between", async () => {
      const bench = await openFixture({ dialect: way });
      const wanted = { ...atRest, env };
      const changed = await reach(bench, await settleStopped(bench), wanted);
      expect(running(bench, changed).status).toBe("stopped");
      const settings = { ...wanted, maxHourlyCost: 100, skipAwait: false };
      const set = await change(bench, await refresh(bench, changed), settings);
      expect(writes(bench.simulator)).toEqual([]);
      const at = await reach(bench, await refresh(bench, set), { ...settings, desiredStatus: "running" });
      expect(running(bench, at)).toMatchObject({ status: "running", env });
    });
  },
);

/** Ways to lose an answer, by whether the service acted before. */
const losses: [string, boolean, Omit<Fault, "path" | "method"> & Fault][] = [
  ["broken before", false, { kind: "drop" }],
  ["broken after", true, { kind: "drop", when: "after" }],
];

describe.each(losses)("a lost answer, %s,", (_title, isDone, fault) => {
  it("to a stop ends with a stopped cluster, and no stop of one that is stopped", async () => {
    const { bench, made } = await openSettled(asked, { deletionMs: 20_000 });
    bench.simulator.fault({ ...fault, path: "**/stop" });
    await reach(bench, made, atRest, isDone ? [stop] : [stop, stop]);
  });

  it.each([
    ["restart", "restart-or-redeploy"],
    ["scale", "scale"],
  ] as const)("to the %s that starts a cluster ends with a running one", async (action, startedBy) => {
    const bench = await openFixture({ dialect: { startedBy } });
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
        const bench = await openFixture({ dialect: { actionAnswer: "cluster" }, faults, provisioningMs: 20_000 });
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
});

it("a start whose answer is lost, and that shows only after some seconds, is not sent again", async () => {
  let sent = 0;
  const bench: Fixture = await openFixture({
    client: (real) => ({
      restartCluster: (id) => {
        sent += 1;
        void bench.clock.sleep(3_000).then(() => real.restartCluster(id));
        const lost = { outcome: "ambiguous", method: "POST", path: `/v1/clusters/${id}/restart` } as const;
        return Promise.reject(new ConnectionError("no answer", lost));
      },
    }),
  });
  const at = await reach(bench, await settleStopped(bench), asked);
  expect(running(bench, at)).toMatchObject({ status: "running", restarts: 0 });
  expect(sent).toBe(1);
});

it.each([8_000, 25_000])("a start that shows only after %d ms is not followed by another action", async (delayMs) => {
  const bench: Fixture = await openFixture({
    client: (real) => ({
      restartCluster: (id) => {
        void bench.clock.sleep(delayMs).then(() => real.restartCluster(id));
        return Promise.resolve(undefined);
      },
    }),
  });
  const at = await reach(bench, await settleStopped(bench), asked, [restart]);
  expect(running(bench, at)).toMatchObject({ status: "running", restarts: 0, generation: 2 });
});

it("a start that is accepted and never shows is followed by the next action after half a minute", async () => {
  const sentMs: number[] = [];
  const bench: Fixture = await openFixture({
    client: (real) => ({
      restartCluster: () => {
        sentMs.push(bench.clock.now());
        return Promise.resolve(undefined);
      },
      redeployCluster: (...args) => {
        sentMs.push(bench.clock.now());
        return real.redeployCluster(...args);
      },
    }),
  });
  const at = await reach(bench, await settleStopped(bench), asked, [redeploy]);
  expect(running(bench, at)).toMatchObject({ status: "running", restarts: 0 });
  const [first = 0, second = 0] = sentMs;
  expect(second - first).toBeGreaterThanOrEqual(30_000);
  expect(second - first).toBeLessThan(32_000);
});

it("a start that is never answered, and never shows, goes on with the next action", async () => {
  const bench = await openFixture();
  const stopped = await settleStopped(bench);
  bench.simulator.fault({ kind: "drop", path: "**/restart", times: 99 });
  const at = await reach(bench, stopped, asked);
  expect(running(bench, at)).toMatchObject({ status: "running", restarts: 0 });
  expect(writes(bench.simulator).at(-1)).toBe(redeploy);
});

/** The number of the request that is the update: a read and `/status` go before it. */
const answered = 3;

/** Changes, by what they start from and what they lead to. */
const manual: Partial<Dialect> = { updateRollsOut: false };
const [a, b] = [{ restartTriggers: ["a"] }, { restartTriggers: ["b"] }];
const ways: [string, Properties, Properties, Partial<Dialect>, object | ((point: number) => object)][] = [
  ["a stop", asked, atRest, {}, { status: "stopped" }],
  ["a start with an env", atRest, { ...asked, env }, manual, { restarts: 0, env }],
  [
    "an env that rolls out by itself",
    asked,
    { ...asked, env },
    {},
    // Before the first poll after the update is read, nobody knows that it rolls out by itself: it is rolled out once more.
    (point) => ({ restarts: 0, generation: [answered, answered + 1].includes(point) ? 3 : 2, env }),
  ],
  ["a restart", { ...asked, ...a }, { ...asked, ...b }, {}, { restarts: 1, generation: 1 }],
  ["a start with a trigger", { ...atRest, ...a }, { ...asked, ...b }, {}, { restarts: 0, generation: 2 }],
];

/** With which request of the update the user interrupts; a share is every other one. */
const points = [1, 2, 3, 4, 5, 6, 8, 11].filter((_, index) => isEverything || index % 2 === 1);

describe.each(ways)("%s", (_title, before, wanted, dialect, goal) => {
  it("that is interrupted at any request is gone on with by the next update, and restarts nothing twice", async () => {
    for (const point of points) {
      const bench = await openFixture({ dialect, provisioningMs: 20_000, deletionMs: 5_000 });
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

it("a variable that is removed while a stopped cluster refuses updates is removed at its start", async () => {
  const bench = await openFixture({ dialect: { updateSemantics: "merge-keys", stoppedUpdate: "refused" } });
  const made = await settle(bench, { ...asked, env: { MODEL: "llama", MODE: "fast" } });
  bench.simulator.change(made.id, { status: "stopped" });
  const stopped = await change(bench, made, { ...atRest, env: { MODEL: "llama" } });
  const end = await change(bench, stopped, { ...asked, env: { MODEL: "llama" } });
  expect(running(bench, end).env).toEqual({ MODEL: "llama" });
});

describe("an update of env and replicas that was interrupted", () => {
  it("leaves no variable behind that a stopped cluster could not be told to forget", async () => {
    const dialect: Partial<Dialect> = { envEcho: "none", updateSemantics: "merge-keys", stoppedUpdate: "refused" };
    const bench = await openFixture({ dialect });
    const wanted = { ...atRest, env: { OTHER: "another" } };
    const waiting = await change(bench, await settle(bench, asked), wanted);
    // Another update that is interrupted in between forgets nothing of it.
    const between = await interruptedAt(bench, waiting, { ...wanted, restartTriggers: ["b"] }, 1);
    const end = await change(bench, between, { ...wanted, restartTriggers: ["b"], desiredStatus: "running" });
    expect(running(bench, end).env).toEqual(wanted.env);
  });
});

/** Interrupts as soon as the service has answered so many requests; ends as an update does that it comes too late for. */
async function interruptedAt(bench: Fixture, held: Held, news: Properties, point: number): Promise<Held> {
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
