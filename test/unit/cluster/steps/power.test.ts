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

/** A settled cluster in a situation. */
async function openIn(bench: Fixture, situation: string): Promise<Held> {
  const made = await settle(bench, asked);
  if (situation === "stopping") await bench.client.stopCluster(made.id);
  if (situation === "provisioning") return failingChange(bench, made, { ...asked, replicas: 4 }, { timeoutMs: 1_000 });
  bench.simulator.change(made.id, situations[situation] ?? {});
  return made;
}

describe("a cluster that is to be stopped", () => {
  it.each([
    ["running", [stop]],
    ["provisioning", [stop]],
    ["stopping", []],
    ["stopped", []],
  ])("is stopped by the right calls: %s, %j", async (situation, calls) => {
    const options = { dialect: { busyWhen: "changing" }, provisioningMs: 60_000, deletionMs: 30_000 } as const;
    const bench = await openFixture(options);
    const at = await change(bench, await openIn(bench, situation), atRest);
    expect(running(bench, at).status).toBe("stopped");
    expect([...new Set(writes(bench.simulator))]).toEqual(calls);
    expect(at.state).toMatchObject({ desiredStatus: "stopped", readyReplicas: 0 });
    await expectAtGoal(bench, at, atRest);
    expect(warnings(bench)).toEqual([]);
  });

  it("is created, stopped at once, and then as requested", async () => {
    const { bench, made: held } = await openSettled(atRest, { provisioningMs: 600_000 });
    expect(running(bench, held).status).toBe("stopped");
    await expectAtGoal(bench, held, atRest);
  });

  it("is stopped even if another user stops it at that moment and the service refuses a second stop", async () => {
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

describe("a cluster that is to run", () => {
  it.each<[string, string[]]>([
    ["failed", [redeploy]],
    ["provisioning", [scale]],
    ["stopping", [restart]],
    ["stopped", [restart]],
  ])("comes up by the right calls: %s, %j", async (situation, calls) => {
    const bench = await openFixture({ deletionMs: 30_000 });
    const held = await openIn(bench, situation);
    const found = await refresh(bench, held);
    const at = await reach(bench, { ...found, state: { ...found.state, settled: false } }, asked, calls);
    expect(running(bench, at).status).toBe("running");
  });
});

/** Ways in which a service may treat a stopped cluster. */
const treatments = [
  { startedBy: "restart-or-redeploy", stoppedUpdate: "refused", updateRollsOut: false },
  { startedBy: "redeploy", stoppedUpdate: "starts", updateRollsOut: false },
  { startedBy: "scale", stoppedUpdate: "refused", updateRollsOut: true },
] as const;

describe.each(treatments)(
  "a stopped cluster: started by $startedBy, update $stoppedUpdate, rollout $updateRollsOut",
  (way) => {
    it("starts with a new env, fewer replicas and a trigger without a needless restart", async () => {
      const bench = await openFixture({ dialect: { ...way, actionAnswer: "empty" } });
      const wanted = { ...asked, env, replicas: 1, restartTriggers: ["b"] };
      const at = await change(bench, await settleStopped(bench), wanted);
      expect(running(bench, at)).toMatchObject({ status: "running", env, restarts: 0 });
      expect(bench.simulator.cluster(at.id)?.replicas).toBe(1);
      expect(writes(bench.simulator).filter((line) => line === redeploy).length).toBeLessThanOrEqual(2);
      await expectAtGoal(bench, at, wanted);
      expect(warnings(bench)).toEqual([]);
    });

    it("accepts a new env while stopped, keeps it meanwhile, and runs it after its start", async () => {
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

describe.each(losses)("a lost answer: %s", (_title, isDone, fault) => {
  it("to a stop leaves a stopped cluster, and no second stop of it", async () => {
    const { bench, made } = await openSettled(asked, { deletionMs: 20_000 });
    bench.simulator.fault({ ...fault, path: "**/stop" });
    await reach(bench, made, atRest, isDone ? [stop] : [stop, stop]);
  });

  it.each([
    ["restart", "restart-or-redeploy"],
    ["scale", "scale"],
  ] as const)("to an action that starts the cluster leaves a running one: %s", async (action, startedBy) => {
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
    "to an action of a trigger restarts the replicas once, by this update or the next: %s",
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

it.each<[string, number, Error | undefined]>([
  ["is lost", 3_000, new ConnectionError("no answer", { outcome: "ambiguous", method: "POST", path: "/restart" })],
  ["accepts it", 25_000, undefined],
])("a start that takes effect late is sent once if the answer %s", async (_title, delayMs, error) => {
  let sent = 0;
  const bench: Fixture = await openFixture({
    client: (real) => ({
      restartCluster: (id) => {
        sent += 1;
        void bench.clock.sleep(delayMs).then(() => real.restartCluster(id));
        return error ? Promise.reject(error) : Promise.resolve(undefined);
      },
    }),
  });
  const at = await reach(bench, await settleStopped(bench), asked, [restart]);
  expect(running(bench, at)).toMatchObject({ status: "running", restarts: 0, generation: 2 });
  expect(sent).toBe(1);
});

it("a start that is accepted without effect is followed by the next action after half a minute", async () => {
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

it("a start that is never answered and has no effect is followed by the next action", async () => {
  const bench = await openFixture();
  const stopped = await settleStopped(bench);
  bench.simulator.fault({ kind: "drop", path: "**/restart", times: 99 });
  const at = await reach(bench, stopped, asked);
  expect(running(bench, at)).toMatchObject({ status: "running", restarts: 0 });
  expect(writes(bench.simulator).at(-1)).toBe(redeploy);
});

/** The number of the request that is the update: a read and `/status` precede it. */
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
    // Before the first poll after the update is read, it is not known that it rolls out by itself: it is rolled out once more.
    (point) => ({ restarts: 0, generation: [answered, answered + 1].includes(point) ? 3 : 2, env }),
  ],
  ["a restart", { ...asked, ...a }, { ...asked, ...b }, {}, { restarts: 1, generation: 1 }],
  ["a start with a trigger", { ...atRest, ...a }, { ...asked, ...b }, {}, { restarts: 0, generation: 2 }],
];

/** With which request of the update the user interrupts; a share is every other one. */
const points = [1, 2, 3, 4, 5, 6, 8, 11].filter((_, index) => isEverything || index % 2 === 1);

describe.each(ways)("an interrupted update: %s", (_title, before, wanted, dialect, goal) => {
  it("is completed by the next update without restarting anything twice", async () => {
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

it("a variable that is removed while a stopped cluster refuses updates is removed at its start, even after an interrupt", async () => {
  const dialect: Partial<Dialect> = { envEcho: "none", updateSemantics: "merge-keys", stoppedUpdate: "refused" };
  const bench = await openFixture({ dialect });
  const wanted = { ...atRest, env: { OTHER: "another" } };
  const waiting = await change(bench, await settle(bench, asked), wanted);
  // Another update that is interrupted in between forgets nothing of it.
  const between = await interruptedAt(bench, waiting, { ...wanted, restartTriggers: ["b"] }, 1);
  const end = await change(bench, between, { ...wanted, restartTriggers: ["b"], desiredStatus: "running" });
  expect(running(bench, end).env).toEqual(wanted.env);
});

/** Interrupts as soon as the service has answered so many requests, which can be too late to have an effect. */
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
    // Before the first change, the engine keeps the old state.
    return error instanceof InitError ? error : held;
  } finally {
    requests.push = push;
  }
}
