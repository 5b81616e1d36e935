import type { Fault } from "../../../simulator";
import { type Bench, closeAll, countOf, failureOf, openBench, settle, writes } from "./harness";
import { checked } from "./inputs";
import type { Held } from "./powerHarness";

afterEach(closeAll);

const notYet = /was created a moment ago, and the service does not show it yet\. Run the command again/;
const lists = "GET /v1/clusters";
const details = "GET /v1/clusters/:id";
const deletion404: Fault = { kind: "status", status: 404, method: "DELETE", times: 1_000 };

const read = (bench: Bench, { id, state }: Held) => bench.cluster.read(bench.ctx(), id, state);
const remove = (bench: Bench, { id, state }: Held) => bench.cluster.delete(bench.ctx(), id, state);

/** A cluster that is seconds old and was ready, and that reads leave out for so long. */
async function openLagging(hiddenMs: number, state: object = {}, faults: Fault[] = []) {
  const bench = await openBench({ faults });
  const made = await settle(bench, { ...checked, ...state });
  bench.simulator.change(made.id, { hiddenMs });
  return { bench, made: { ...made, state: { ...made.state, ...state } } };
}

describe("a cluster that is seconds old, was ready, and that reads leave out for some seconds,", () => {
  it.each([1_000, 5_000, 9_000])("stays in the state (%d ms)", async (hiddenMs) => {
    const { bench, made } = await openLagging(hiddenMs);
    expect((await bench.run(read(bench, made)))?.state).toStrictEqual(made.state);
  });

  it("is not called deleted where the deletion answers 404", async () => {
    const { bench, made } = await openLagging(5_000);
    bench.simulator.fault(deletion404);
    const { message } = await bench.run(failureOf(remove(bench, made)));
    expect(message).toMatch(/was not deleted: the service answers that it does not exist, but still shows it/);
    expect(bench.said).not.toContain("status: deleted");
  });

  it("is not called deleted where the deletion is answered by a busy service", async () => {
    const { bench, made } = await openLagging(5_000);
    bench.simulator.fault({ kind: "status", status: 409, method: "DELETE", times: 1 });
    expect((await bench.run(failureOf(remove(bench, made)))).message).toMatch(/was not deleted: .*409/);
    expect(bench.said).not.toContain("status: deleted");
    await bench.run(remove(bench, made));
    expect(bench.simulator.cluster(made.id)?.status).toBe("gone");
  });

  it("is changed as ever", async () => {
    const { bench, made } = await openLagging(5_000);
    const state = await bench.run(bench.cluster.update(bench.ctx(), made.id, made.state, { ...checked, replicas: 3 }));
    expect(state).toMatchObject({ replicas: 3, settled: true });
  });

  it("is stopped where that is its policy", async () => {
    const { bench, made } = await openLagging(5_000, { deletionPolicy: "stop" });
    await bench.run(remove(bench, made));
    expect(bench.simulator.cluster(made.id)?.status).toBe("stopped");
  });

  it("stays also where its age is not known", async () => {
    const { bench, made } = await openLagging(5_000, { createdAt: undefined });
    expect(await bench.run(read(bench, made))).toBeDefined();
  });
});

describe("a young cluster of a service that is seen to show clusters late", () => {
  const late: Fault = { kind: "hidden", ms: 5_000 };
  const open = () => openLagging(60_000, {}, [late]);

  it("is never called gone while it is young, and says so", async () => {
    const { bench, made } = await open();
    expect((await bench.run(failureOf(read(bench, made)))).message).toMatch(notYet);
    bench.simulator.fault(deletion404);
    expect((await bench.run(failureOf(remove(bench, made)))).message).toMatch(notYet);
    expect(writes(bench.simulator)).toHaveLength(1);
  });

  it("is so in another process, too", async () => {
    const { bench, made } = await open();
    bench.client.form.showsLate = false;
    expect((await bench.run(failureOf(read(bench, made)))).message).toMatch(notYet);
  });

  it("is gone two minutes after its creation where nothing shows it", async () => {
    const { bench, made } = await open();
    bench.simulator.change(made.id, { status: "gone" });
    await bench.clock.advance(120_000);
    expect(await bench.run(read(bench, made))).toBeUndefined();
  });
});

describe("the looks at young clusters that are gone", () => {
  it("are over in seconds, share their lists, and do not last longer the more there are", async () => {
    const bench = await openBench();
    bench.simulator.setGpuType("h100", { stock: 1_000 });
    const names = Array.from({ length: 100 }, (_, index) => `web-${index}`);
    const make = (name: string) => bench.cluster.create(bench.ctx(), { ...checked, name });
    const fleet = await bench.run(Promise.all(names.map(make)));
    for (const { id } of fleet) bench.simulator.change(id, { status: "gone" });
    bench.simulator.requests.length = 0;
    const startMs = bench.clock.now();
    const found = await bench.run(Promise.all(fleet.map((made) => read(bench, made))));
    expect(found.every((one) => one === undefined)).toBe(true);
    expect(bench.clock.now() - startMs).toBeLessThanOrEqual(12_000);
    expect(countOf(bench.simulator, details)).toBeLessThanOrEqual(300);
    // One for each 404 at first, as for an old cluster, and then one for each moment.
    expect(countOf(bench.simulator, lists)).toBeLessThanOrEqual(100 + 10);
  });
});
