import { ResponseShapeError } from "../../../../provider/base/errors";
import { closeAll, failureOf, openBench, settle } from "../harness";
import { canary, checked } from "../inputs";

afterEach(closeAll);

const statusBody = (replicas: unknown) => ({
  kind: "body" as const,
  method: "GET",
  path: /\/status$/,
  times: 100,
  body: JSON.stringify({ replicas }),
});

async function readAfter(replicas: unknown) {
  const bench = await openBench();
  const { id, state } = await settle(bench, checked);
  bench.simulator.fault(statusBody(replicas));
  return bench.run(bench.cluster.read(bench.ctx(), id, state));
}

test("texts of replicas are cut before they come into the state", async () => {
  const long = "x".repeat(100_000);
  const found = await readAfter([{ id: long, status: long, message: long, healthy: false }]);
  const cut = (length: number) => `${"x".repeat(length)}…`;
  expect(found?.state["replicaStatuses"]).toEqual([
    { id: cut(128), status: cut(64), message: cut(1_024), healthy: false },
  ]);
});

test("a value of env is hidden before a text is cut, so that no part of it is left", async () => {
  const found = await readAfter([
    { id: "a", status: "down", message: `${"x".repeat(1_020)}${canary}`, healthy: false },
  ]);
  expect(JSON.stringify(found?.state["replicaStatuses"])).toContain("x[sec…");
});

test("no more replicas come into the state than a cluster may have", async () => {
  const found = await readAfter(Array.from({ length: 40_000 }, (_, index) => ({ id: `r${index}`, healthy: true })));
  expect(found?.state["replicaStatuses"]).toHaveLength(10_000);
  expect(JSON.stringify(found?.state).length).toBeLessThan(1_000_000);
});

test.each([
  ["lists", (depth: number) => `{"id":"cl_1","tier":${"[".repeat(depth)}${"]".repeat(depth)}}`],
  ["objects", (depth: number) => `{"id":"cl_1","tier":${'{"a":'.repeat(depth)}1${"}".repeat(depth)}}`],
  ["variables", (depth: number) => `{"id":"cl_1","env":${'{"a":'.repeat(depth)}1${"}".repeat(depth)}}`],
])("an answer of %s 2,000 deep is one clear line", async (_what, write) => {
  const bench = await openBench();
  const { id, state } = await settle(bench, checked);
  bench.simulator.fault({ kind: "body", method: "GET", times: 100, body: write(2_000).replace("cl_1", id) });
  const error = await failureOf(bench.run(bench.cluster.read(bench.ctx(), id, state)));
  expect(error).toBeInstanceOf(ResponseShapeError);
  expect(error.message).toMatch(/^GET .* cannot read: it is nested more than 100 levels deep/);
  expect(error.message).not.toContain("\n");
});
