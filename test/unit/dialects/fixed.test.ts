import { createClusterResource, createService } from "../../../provider/cluster/resource";
import type { Properties } from "../../../provider/contract";
import type { Fault } from "../../../simulator";
import { closeAll, type Fixture, initErrorOf, openFixture, writes } from "../cluster/harness";
import { urnOf } from "../cluster/inputs";
import type { Held } from "../cluster/powerHarness";
import { type Wanted, web } from "./harness";

/** Inputs that the service cannot change in place: a change of one replaces the cluster, and the preview says so. */

afterEach(closeAll);

const refusedUpdates = (["PATCH", "PUT", "POST"] as const).map((method): Fault => {
  return { kind: "status", status: 405, method, path: "/v1/clusters/*", times: 99 };
});
const noRedeploy: Fault = { kind: "status", status: 404, method: "POST", path: "/v1/clusters/*/redeploy", times: 99 };

/** The engine's calls before an update, in a process of its own: the inputs, and the paths that replace the cluster. */
async function plan(bench: Fixture, { id, state }: Held, olds: Properties, news: Properties) {
  const urn = urnOf("web");
  const ctx = bench.ctx({ urn });
  const service = createService(bench.client, "seen", bench.clock, 15_000, bench.simulator.url);
  const cluster = createClusterResource(
    () => service,
    () => ({ strictPreview: false, capacityCheck: "warn", gpuTypeCheck: "error" }),
  );
  const { inputs } = await bench.run(cluster.check(ctx, news, olds));
  const { changes } = await bench.run(cluster.diff(ctx, id, state, inputs));
  return { inputs, changes, replaces: Object.keys(changes).filter((path) => changes[path]?.replace) };
}

it.each<[string, Partial<Wanted>, Fault[], string]>([
  ["env, without an update", { env: { ...web.env, MODEL: "another" } }, refusedUpdates, "env.MODEL"],
  ["the image, without an update and a redeploy", { container: "a/b:2" }, [...refusedUpdates, noRedeploy], "container"],
])(
  "a refused change is replaced by the next `up`, and sends nothing if it is undone: %s",
  async (_title, change, faults, path) => {
    const bench = await openFixture({ faults });
    const made = await bench.run(bench.cluster.create(bench.ctx(), web));
    const news = { ...web, ...change };
    const first = await plan(bench, made, web, news);
    expect(first.replaces).toEqual([]);
    const error = await initErrorOf(bench.run(bench.cluster.update(bench.ctx(), made.id, made.state, first.inputs)));
    // The engine has stored the new inputs and this state.
    const left = { id: made.id, state: error.state };
    expect((await plan(bench, left, first.inputs, news)).replaces).toEqual([path]);
    const back = await plan(bench, left, first.inputs, web);
    expect(Object.keys(back.changes)).toEqual(["settled"]);
    const sent = writes(bench.simulator).length;
    const state = await bench.run(bench.cluster.update(bench.ctx(), left.id, left.state, back.inputs));
    expect(state).toMatchObject({ settled: true });
    expect(writes(bench.simulator)).toHaveLength(sent);
  },
);

it("an error page of a gateway replaces nothing, and the next update is sent again", async () => {
  const bench = await openFixture({ faults: [] });
  const made = await bench.run(bench.cluster.create(bench.ctx(), web));
  for (const method of ["PATCH", "PUT", "POST"])
    bench.simulator.fault({ kind: "html", status: 501, method, path: "/v1/clusters/*" });
  const news = { ...web, env: { ...web.env, MODEL: "another" } };
  const error = await initErrorOf(bench.run(bench.cluster.update(bench.ctx(), made.id, made.state, news)));
  const left = { id: made.id, state: error.state };
  const next = await plan(bench, left, news, news);
  expect(next.replaces).toEqual([]);
  const state = await bench.run(bench.cluster.update(bench.ctx(), left.id, left.state, next.inputs));
  expect(state).toMatchObject({ settled: true, env: news.env });
  // A real refusal later is remembered, because no update was accepted under this state before.
  expect(error.state).not.toHaveProperty("__fixed");
});
