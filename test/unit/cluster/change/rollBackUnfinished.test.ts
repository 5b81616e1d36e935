import { InterruptedError } from "../../../../provider/base/errors";
import type { Properties } from "../../../../provider/contract";
import { type Bench, type BenchOptions, closeAll, initErrorOf, writes } from "../harness";
import { change, expectAtGoal, failingChange, type Held, patch } from "../powerHarness";

import { bad, better, good, openGood, plainText, preview, refusedChange } from "./rollBackHarness";

afterEach(closeAll);

describe("a roll-back that does not end well", () => {
  const news: [string, Properties][] = [
    ["the failed configuration", bad],
    ["the old one", good],
    ["another one", better],
  ];

  /** The next update ends with what it asks for or, if that has failed before, with the old configuration and an error. */
  async function expectConvergence(bench: Bench, left: Held, wanted: Properties): Promise<void> {
    if (wanted !== bad) return expectAtGoal(bench, await change(bench, left, wanted), wanted);
    expect((await preview(bench, left, bad)).join()).toContain("`pulumi up` brings acme/model:1 back and fails");
    const next = await failingChange(bench, left, bad);
    expect(next.text).toContain("did not get healthy with acme/model:2 at 2030");
    expect(next.state).toMatchObject({ container: "acme/model:1", settled: true });
    expect(bench.simulator.cluster(left.id)).toMatchObject({
      status: "running",
      deployed: { container: "acme/model:1" },
    });
    await refusedChange(bench, next, bad);
    expect(bench.simulator.requests).toEqual([]);
  }

  it.each(news)("fails with both stories; the next update to %s goes on", async (_what, wanted) => {
    const { bench, made } = await openGood();
    bench.simulator.fault({ kind: "fail", message: "image is gone", container: "acme/model:1" });
    const failed = await failingChange(bench, made, bad);
    expect(plainText(failed.text).split("\n")).toEqual([
      'cluster "web" (cl_1) did not get healthy with acme/model:2: it is failed',
      "      The roll-back to acme/model:1 failed too",
      "      replica rep_1-2-3: failed, CUDA out of memory",
      "      replica rep_1-2-4: failed, CUDA out of memory",
      'cluster "web" (cl_1) was not rolled back to acme/model:1 completely: it is failed',
      "      It is kept in the state: run `pulumi up` again to continue from here",
      "      replica rep_1-3-5: failed, image is gone",
      "      replica rep_1-3-6: failed, image is gone",
    ]);
    expect(failed.state).toMatchObject({ container: "acme/model:1", settled: false });
    expect(failed.state).toHaveProperty("__unfinished");
    bench.simulator.change(made.id, { status: "running" });
    await expectConvergence(bench, failed, wanted);
  });

  it("and is refused shows the replicas of the failed update, not those from before", async () => {
    const { bench, made } = await openGood();
    bench.simulator.fault({ kind: "status", status: 403, method: "PATCH", after: 1 });
    const failed = await failingChange(bench, made, bad);
    expect(failed.text).toContain("was not rolled back to acme/model:1 completely: PATCH");
    expect(failed.state).toMatchObject({ status: "failed", readyReplicas: 0, settled: false });
    await expectConvergence(bench, failed, bad);
  });

  const moments = [0, 500, 1_500, 20_000];
  it.each(news.flatMap(([what, wanted]) => moments.map((ms) => [ms, what, wanted] as const)))(
    "an interrupt %i ms after its request leaves a true state; the next update to %s converges",
    async (ms, _what, wanted) => {
      const { bench, made } = await openGood({ provisioningMs: 30_000 });
      const interrupt = new AbortController();
      const work = initErrorOf(bench.cluster.update(bench.ctx({ signal: interrupt.signal }), made.id, made.state, bad));
      const isBack = () => writes(bench.simulator).length === 2;
      for (let steps = 0; steps < 600 && !isBack(); steps += 1) await bench.clock.advance(100);
      await bench.clock.advance(ms);
      interrupt.abort(new InterruptedError("interrupted"));
      const left = await bench.run(work);
      expect(left.reasons[1]).toContain("was not rolled back to acme/model:1 completely: interrupted");
      expect(left.state).toMatchObject({ container: "acme/model:1", settled: false });
      expect(left.state).toHaveProperty("__unfinished");
      await expectConvergence(bench, left, wanted);
    },
  );

  it("leaves the state before the update if it is killed; the next update tries, and rolls back to the old one", async () => {
    const { bench, made } = await openGood();
    bench.simulator.change(made.id, { container: "acme/model:2" });
    const failed = await failingChange(bench, made, bad);
    expect(failed.text).toContain("Rolled back: 2/2 replicas healthy with acme/model:1");
    expect(failed.state).toMatchObject({ container: "acme/model:1", settled: true });
    expect(bench.simulator.cluster(made.id)?.deployed.container).toBe("acme/model:1");
  });

  it("sends nothing if the service cannot be reached after the failure", async () => {
    let isLost = false;
    const wire: BenchOptions["wire"] = (real) => async (request) => {
      if (isLost) return { status: 503, headers: {}, body: "" };
      const answer = await real(request);
      isLost = JSON.stringify(answer).includes("CUDA");
      return answer;
    };
    const { bench, made } = await openGood({ wire });
    const failed = await failingChange(bench, made, bad);
    expect(failed.text).toContain("was not changed completely: it is failed");
    expect(failed.state).toMatchObject({ container: "acme/model:2", settled: false });
    expect(writes(bench.simulator)).toEqual([patch]);
  });
});
