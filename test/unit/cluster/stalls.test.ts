import { closeAll, openBench, settle } from "./harness";
import { asked, change, failingChange, renaming, warnings } from "./powerHarness";

afterEach(closeAll);

const hour = 3_600_000;

describe("a wait in which nothing changes", () => {
  it.each<[string, string, number]>([
    ["five minutes, where no word says that it is on its way", "warming-up", 5],
    ["half of its time, where a word says so", "provisioning", 30],
  ])("says once, after %s, what it sees and what can be done", async (_title, word, minutes) => {
    const bench = await openBench({ client: renaming("provisioning", word), provisioningMs: 4 * hour });
    await bench.run(bench.cluster.create(bench.ctx({ timeoutMs: hour }), asked).catch(() => undefined));
    expect(warnings(bench)).toHaveLength(1);
    const [text = ""] = warnings(bench);
    expect(text).toMatch(/^warning: cluster "web" \(cl_\w+\): nothing has changed for (\d+)m/);
    expect(Number(/for (\d+)m/.exec(text)?.[1])).toBe(minutes);
    expect(text).toContain(`0/2 replicas healthy, ${word}`);
    expect(text).toMatch(/The wait continues for \d+m\d*s?\. Check the cluster .*Ctrl-C/);
  });

  it("says nothing while replicas come up one after the other", async () => {
    const bench = await openBench({ client: renaming("provisioning", "warming-up"), provisioningMs: 16 * 60_000 });
    bench.simulator.setGpuType("h100", { stock: 64 });
    await bench.run(bench.cluster.create(bench.ctx({ timeoutMs: hour }), { ...asked, replicas: 8 }));
    expect(warnings(bench)).toEqual([]);
  });

  it("says so also where no look succeeds", async () => {
    const bench = await openBench();
    const made = await settle(bench, asked);
    bench.simulator.fault({ kind: "status", status: 500, method: "GET", after: 3, times: 100_000 });
    await failingChange(bench, made, { ...asked, replicas: 3 }).catch(() => undefined);
    expect(warnings(bench)).toEqual([expect.stringMatching(/nothing has changed for 5m\d*s?: cannot poll: .*500/)]);
  });

  it("is no word of a short one", async () => {
    const bench = await openBench();
    await change(bench, await settle(bench, asked), { ...asked, replicas: 3 });
    expect(warnings(bench)).toEqual([]);
  });
});
