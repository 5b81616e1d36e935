import { closeAll } from "../cluster/harness";
import { create, endpointOf, names, open, read, update, type Wanted, web } from "./harness";

afterEach(closeAll);

const { MODEL = "", MODE = "" } = web.env ?? {};

const ways: [string, Partial<Wanted>][] = [
  ["scaled up", { replicas: 5 }],
  ["scaled down", { replicas: 1 }],
  ["given another value and another variable", { replicas: 1, env: { ...web.env, MODE: "value-after", MORE: "more" } }],
  ["given two variables less", { replicas: 1, env: { MODEL, MORE: "more" } }],
  ["given an empty env", { replicas: 1, env: {} }],
  ["given a container of another registry", { replicas: 1, env: {}, container: "ghcr.io/team/server:2.0" }],
  ["changed in everything, upwards", { replicas: 4, container: "team/server:3.0", env: { MODE } }],
  ["changed in everything, downwards", { replicas: 2, container: "team/server:2.0", env: { NEW: "new-value" } }],
  ["changed back", {}],
];

describe.each(names)("in the dialect %s", (dialect) => {
  it("a cluster is created, and a refresh finds no drift", async () => {
    const bench = await open(dialect);
    const held = await create(bench);
    expect((await read(bench, held)).state).toStrictEqual(held.state);
    expect(held.state).toMatchObject({ endpoint: endpointOf(bench, held.id) });
    expect(held.state["createdAt"]).toBe(bench.simulator.cluster(held.id)?.createdAt);
  });

  it.each<[string, Partial<Wanted>]>([
    ["without env", { env: undefined }],
    ["with an empty env and an image without a repository", { env: {}, container: "nginx:1.27" }],
  ])("a cluster %s is created, and given some", async (_title, changes) => {
    const bench = await open(dialect);
    const wanted: Wanted = JSON.parse(JSON.stringify({ ...web, ...changes }));
    await update(bench, await create(bench, wanted), { ...wanted, env: { ADDED: "added-later" } });
  });

  it("a cluster is changed in every way, one after the other", async () => {
    const bench = await open(dialect);
    let held = await create(bench);
    for (const [title, changes] of ways) {
      held = await titled(title, update(bench, held, { ...web, ...changes }));
    }
  });

  it.each<[string, Partial<Wanted>]>([
    ["env", { env: { ...web.env, ADDED: "added-value" } }],
    ["everything", { replicas: 3, container: "team/server:2.0", env: { ...web.env, ADDED: "added-value" } }],
  ])("an update of %s restarts the replicas once, however long they take", async (_title, changes) => {
    const bench = await open(dialect, { provisioningMs: 120_000 });
    const held = await create(bench);
    await update(bench, held, { ...web, ...changes });
    expect(bench.simulator.cluster(held.id)?.generation).toBe(2);
  });
});

/** Adds the title of the failed step to its error. */
async function titled<T>(title: string, work: Promise<T>): Promise<T> {
  return work.catch((error: Error) => {
    error.message = `${title}: ${error.message}`;
    throw error;
  });
}
