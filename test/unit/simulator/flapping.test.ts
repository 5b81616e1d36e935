import type { SimulatorOptions } from "../../../simulator";
import { type Bench, start, stopAll, web } from "./harness";

afterEach(stopAll);

const flap = { kind: "flap", replica: 1, periodMs: 1000, flaps: 2 } as const;

async function flapping(options: SimulatorOptions = {}) {
  const bench = await start({ faults: [flap], ...options });
  const { id } = (await bench.call("POST /v1/clusters", web)).body;
  return { ...bench, id, path: `/v1/clusters/${id}` };
}

/** The observation of each second: the cluster's status word, and whether each replica is healthy. */
async function observed({ call, clock, path }: Bench & { path: string }, seconds: number): Promise<string[]> {
  const polls: string[] = [];
  for (let second = 0; second < seconds; second += 1) {
    const { status, replicas } = (await call(`GET ${path}/status`)).body;
    polls.push([status, ...replicas.map((replica: { healthy: boolean }) => (replica.healthy ? "+" : "-"))].join(" "));
    clock.advance(1000);
  }
  return polls;
}

test("when all replicas have become healthy, one becomes unhealthy and healthy again, twice", async () => {
  expect(await observed(await flapping(), 9)).toEqual([
    "provisioning - - -",
    "provisioning + - -",
    "provisioning + + -",
    "running + + +",
    "provisioning + - +",
    "running + + +",
    "provisioning + - +",
    "running + + +",
    "running + + +",
  ]);
});

test.each(["placed", "always"] as const)(
  "a status word that does not depend on every replica stays (%s)",
  async (runningWhen) => {
    const bench = await flapping({ dialect: { runningWhen } });
    bench.clock.advance(3000);
    expect(await observed(bench, 3)).toEqual(["running + + +", "running + - +", "running + + +"]);
  },
);

test("the replica that flaps says why", async () => {
  const { call, clock, path } = await flapping();
  clock.advance(4000);
  const { replicas } = (await call(`GET ${path}/status`)).body;
  expect(replicas[1]).toMatchObject({ status: "unhealthy", healthy: false, message: "The health check timed out." });
});

test("a cluster that flaps is not busy", async () => {
  const { call, clock, path } = await flapping({ dialect: { busyWhen: "changing" } });
  clock.advance(4000);
  expect((await call(`POST ${path}/stop`)).status).toBe(200);
});

test("it flaps again after a roll-out, until a change to running ends the fault", async () => {
  const bench = await flapping();
  bench.clock.advance(60_000);
  await bench.call(`PATCH ${bench.path}`, { env: { B: "2" } });
  bench.clock.advance(3000);
  expect(await observed(bench, 2)).toEqual(["running + + +", "updating + - +"]);
  bench.simulator.change(bench.id, { status: "running" });
  expect(await observed(bench, 3)).toEqual(Array(3).fill("running + + +"));
});

test("a replica that does not exist does not flap", async () => {
  const bench = await flapping({ faults: [{ ...flap, replica: 3 }] });
  bench.clock.advance(3000);
  expect(await observed(bench, 4)).toEqual(Array(4).fill("running + + +"));
});
