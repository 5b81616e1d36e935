import { getCluster, getClusterStatus, getClusters } from "../../../provider/functions/clusters";
import { resolveDialect } from "../../../simulator/dialects";
import { closeAll, failureOf } from "../cluster/harness";
import { create, endpointOf, names, open, web } from "./harness";

afterEach(closeAll);

describe.each(names)("in the dialect %s", (name) => {
  const dialect = resolveDialect(name);

  it("clusters are listed, and read by name and by id, without the values of env", async () => {
    const bench = await open(name);
    const { client, run, simulator } = bench;
    expect(await run(getClusters(client))).toEqual({ clusters: [], complete: true });
    for (const other of ["a", "b", "c"]) simulator.addCluster({ name: other, gpuType: "l4" });
    const { id } = await create(bench);
    for (const other of ["d", "e"]) simulator.addCluster({ name: other, gpuType: "l4" });
    const list = await run(getClusters(client));
    expect([list.complete, list.clusters.map((cluster) => cluster.name)]).toEqual([
      true,
      ["a", "b", "c", "web", "d", "e"],
    ]);
    const { endpoint } = await run(getCluster(client, { id }));
    expect(endpoint).toEqual(endpointOf(bench, id));
    const { createdAt } = simulator.cluster(id) ?? {};
    const info = { id, name: "web", status: "running", gpuType: "h100", replicas: 2, endpoint, createdAt };
    expect(list.clusters[3]).toEqual(info);
    const container = { same: web.container, none: undefined, registry: `docker.io/${web.container}` };
    const envNames = Object.keys({ ...web.env, ...dialect.injectedEnv });
    const detail = JSON.parse(
      JSON.stringify({
        ...info,
        container: container[dialect.containerEcho],
        envNames: dialect.envEcho === "none" ? undefined : envNames,
      }),
    );
    expect(await run(getCluster(client, { id }))).toEqual(detail);
    expect(await run(getCluster(client, { name: "web" }))).toEqual(detail);
    const { message } = await run(failureOf(getCluster(client, { name: "f" })));
    expect(message).toContain('no cluster "f"');
  });

  it("the status counts the healthy replicas, and names the others", async () => {
    const bench = await open(name);
    const { id } = await create(bench);
    const { client, run, simulator } = bench;
    const status = "running";
    expect(await run(getClusterStatus(client, { id }))).toMatchObject({
      status,
      readyReplicas: 2,
      replicas: [{ healthy: true }, { healthy: true }],
    });
    simulator.change(id, { sickReplica: { replica: 1, message: "Xid 79" } });
    const sick = await run(getClusterStatus(client, { id }));
    expect(sick).toMatchObject({ status, readyReplicas: 1, replicas: [{ healthy: true }, { healthy: false }] });
    if (dialect.replicasForm !== "counts") expect(sick.replicas[1]).toMatchObject({ message: "Xid 79" });
  });

  it("a stopped cluster has its status word and no healthy replica", async () => {
    const bench = await open(name);
    const { id } = await create(bench);
    const { client, run, simulator } = bench;
    simulator.change(id, { status: "stopped" });
    const status = "stopped";
    expect(await run(getCluster(client, { id }))).toMatchObject({ status, replicas: 2 });
    expect(await run(getClusterStatus(client, { id }))).toMatchObject({ status, readyReplicas: 0 });
  });
});
