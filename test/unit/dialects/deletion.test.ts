import { type Bench, closeAll, countOf, failureOf, living } from "../cluster/harness";
import { create, type Held, names, open, web } from "./harness";

afterEach(closeAll);

const remove = (bench: Bench, { id, state }: Held) => bench.run(bench.cluster.delete(bench.ctx(), id, state));
const refresh = (bench: Bench, { id, state }: Held) => bench.run(bench.cluster.read(bench.ctx(), id, state));

describe.each(names)("in the dialect %s", (dialect) => {
  it("a cluster is deleted until it is gone, and once more", async () => {
    const bench = await open(dialect, { deletionMs: 30_000 });
    const held = await create(bench);
    const startMs = bench.clock.now();
    await remove(bench, held);
    expect(bench.clock.now() - startMs).toBeGreaterThanOrEqual(30_000);
    expect(bench.simulator.cluster(held.id)?.status).toBe("gone");
    expect(countOf(bench.simulator, "DELETE /v1/clusters/:id")).toBe(1);
    await remove(bench, held);
    expect(bench.said.at(-1)).toBe("status: deleted");
  });

  it("a cluster that is gone is gone for a refresh, an update and a deletion, and its name is free", async () => {
    const bench = await open(dialect);
    const held = await create(bench);
    bench.simulator.change(held.id, { status: "gone" });
    expect(await refresh(bench, held)).toBeUndefined();
    const { message } = await bench.run(
      failureOf(bench.cluster.update(bench.ctx(), held.id, held.state, { ...web, replicas: 3 })),
    );
    expect(message).toMatch(/no longer exists in the service/);
    await remove(bench, held);
    const next = await create(bench);
    expect(next.id).not.toBe(held.id);
    await remove(bench, next);
    expect(living(bench.simulator)).toEqual([]);
  });

  it("a cluster that is changing its state is given all at once when the service allows it", async () => {
    const bench = await open(dialect, { provisioningMs: 60_000 });
    const held = await create(bench);
    await bench.run(bench.client.scaleCluster(held.id, 6));
    const wanted = { ...web, replicas: 1, container: "team/server:2.0", env: { MODE: "value-after" } };
    const state = await bench.run(bench.cluster.update(bench.ctx(), held.id, held.state, wanted));
    expect(state).toMatchObject({ ...wanted, settled: true });
    expect(bench.simulator.cluster(held.id)).toMatchObject({
      status: "running",
      replicas: wanted.replicas,
      deployed: { container: wanted.container, env: wanted.env },
    });
  });
});
