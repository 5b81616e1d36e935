import { rollsOut } from "../../../provider/cluster/rollout";
import { closeAll, failureOf, forget, initErrorOf, living, openBench, settle, writes } from "./harness";
import { checked } from "./inputs";

afterEach(closeAll);

const env = { MODEL: "another-value" };
const statusPath = "/v1/clusters/*/status";

describe("an update that did not get through and is taken back by the program", () => {
  it("is undone at the service, which would start its replicas with it one day", async () => {
    const bench = await openBench({ dialect: { updateRollsOut: false } });
    const { id, state } = await settle(bench, checked);
    bench.simulator.fault({ kind: "status", status: 403, method: "POST", path: "/v1/clusters/*/redeploy" });
    const left = await bench.run(initErrorOf(bench.cluster.update(bench.ctx(), id, state, { ...checked, env })));
    expect(left.state["__unfinished"]).toBe("rollout");
    forget(bench);
    const undone = await bench.run(bench.cluster.update(bench.ctx(), id, left.state, checked));
    expect(writes(bench.simulator)[0]).toBe("PATCH /v1/clusters/:id");
    expect(undone).toMatchObject({ env: checked["env"], settled: true, __echo: {} });
    const [cluster] = living(bench.simulator);
    expect(cluster).toMatchObject({ env: checked["env"], deployed: { env: checked["env"] } });
  });
});

describe("a status that is empty for a moment", () => {
  it("proves no roll-out", () => {
    const before = { status: "running", replicas: [{ id: "a", status: "healthy", healthy: true }] };
    expect(rollsOut({ before, keepsSize: true }, { replicas: [] })).toBe(false);
    expect(rollsOut({ before: { replicas: [] }, keepsSize: true }, before)).toBe(false);
  });

  it("does not keep the redeploy from being sent", async () => {
    const bench = await openBench({ dialect: { updateRollsOut: false } });
    const { id, state } = await settle(bench, checked);
    bench.simulator.fault({ kind: "body", body: "[]", path: statusPath, after: 1 });
    await bench.run(bench.cluster.update(bench.ctx(), id, state, { ...checked, env }));
    expect(writes(bench.simulator)).toEqual(["PATCH /v1/clusters/:id", "POST /v1/clusters/:id/redeploy"]);
    expect(bench.simulator.cluster(id)).toMatchObject({ deployed: { env } });
  });
});

describe("what only the service adds to the env", () => {
  it("does not show in the error of an update that is refused", async () => {
    const bench = await openBench({ dialect: { injectedEnv: { TOKEN: "added-by-service-1" } } });
    const { id, state } = await settle(bench, checked);
    const message = "bad: added-by-service-1";
    bench.simulator.fault({ kind: "status", status: 422, method: "PATCH", path: "/v1/clusters/*", message });
    const error = await bench.run(failureOf(bench.cluster.update(bench.ctx(), id, state, { ...checked, env })));
    expect(error.message).toContain("bad: [secret]");
    expect(error.message).not.toContain("added-by-service");
  });
});

describe("a deletion that the service has begun for somebody else", () => {
  it("is waited for to its end", async () => {
    const bench = await openBench({ deletionMs: 60_000 });
    const { id, state } = await settle(bench, checked);
    await bench.run(bench.client.deleteCluster(id));
    bench.simulator.fault({
      kind: "status",
      status: 404,
      code: "cluster_not_found",
      message: "No such cluster.",
      method: "DELETE",
      path: "/v1/clusters/*",
    });
    await bench.run(bench.cluster.delete(bench.ctx(), id, state));
    expect(bench.simulator.cluster(id)?.status).toBe("gone");
  });
});
