import type { Fault } from "../../../simulator";
import { closeAll, failureOf, forget, initErrorOf, writes } from "../cluster/harness";
import { create, expectRunning, names, open, toDo, update, type Wanted, web } from "./harness";

afterEach(closeAll);

const old: Wanted = { ...web, onFailedUpdate: "rollBack" };
const tried: typeof old = { ...old, container: "team/broken:9", env: { ...web.env, MODE: "other-mode" } };
const sick = { message: "no such model", container: "team/broken:*", times: 9 };
const rows: [string, Fault, typeof tried][] = [
  ["a failure", { kind: "fail", ...sick }, tried],
  ["a sick replica", { kind: "sick-replica", replica: 1, ...sick }, tried],
  [
    "a failure with a new variable",
    { kind: "fail", ...sick },
    { ...tried, env: { ...tried.env, ADDED: "added-value" } },
  ],
];

describe.each(names)("in the dialect %s", (dialect) => {
  it.each(rows)("an update is rolled back after %s, and is not tried again", async (_what, fault, tried) => {
    const bench = await open(dialect, { provisioningMs: 20_000 });
    const held = await create(bench, old);
    const { generation = 0 } = bench.simulator.cluster(held.id) ?? {};
    bench.simulator.fault(fault);
    forget(bench);
    const error = await bench.run(
      initErrorOf(bench.cluster.update(bench.ctx({ timeoutMs: 120_000 }), held.id, held.state, tried)),
    );
    expect(error.reasons.join("\n")).toMatch(/did not get healthy with team\/broken:9: .*\n +Rolled back: /);
    expectRunning(bench, held.id, old);
    const { generation: last = 0 } = bench.simulator.cluster(held.id) ?? {};
    // A service that merges env by name may need an update of its own to remove a variable.
    const isSplit = tried.env?.["ADDED"] !== undefined && bench.simulator.dialect.updateSemantics === "merge-keys";
    expect(isSplit ? [2, 3] : [2]).toContain(last - generation);
    expect(error.state).toMatchObject({ container: old.container, env: web.env, settled: true });
    expect(toDo(bench, error, tried)).toEqual(expect.arrayContaining(["container", "env.MODE"]));
    forget(bench);
    const again = await bench.run(failureOf(bench.cluster.update(bench.ctx(), held.id, error.state, tried)));
    expect(again.message).toContain("did not get healthy with team/broken:9 at 2030-01-01T");
    expect(bench.simulator.requests).toEqual([]);
    await update(bench, error, old);
    expect(writes(bench.simulator)).toEqual([]);
  });
});
