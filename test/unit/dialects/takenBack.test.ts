import type { InitError } from "../../../provider/contract";
import { type Bench, closeAll, forget, initErrorOf } from "../cluster/harness";
import { create, type Held, names, open, read, update, type Wanted, web } from "./harness";

afterEach(closeAll);

const { MODEL = "" } = web.env ?? {};

describe.each(names)("in the dialect %s", (dialect) => {
  it("an update that is stored and cannot be rolled out is reverted, down to a new variable", async () => {
    const bench = await open(dialect);
    const held = await create(bench);
    const wanted = { ...web, env: { MODEL, ADDED: "added-value" } };
    // If an update rolls out by itself, no redeploy is requested, and nothing fails.
    bench.simulator.fault({ kind: "status", status: 403, method: "POST", path: "/v1/clusters/*/redeploy" });
    const work = bench.cluster.update(bench.ctx(), held.id, held.state, wanted);
    const state = await bench.run(work.catch((error: InitError) => error.state));
    await update(bench, { id: held.id, state }, web);
  });

  it("a change of everything that fails is reverted", async () => {
    const bench = await open(dialect, { provisioningMs: 60_000 });
    const held = await create(bench);
    const wanted = { ...web, replicas: 3, container: "team/broken:9", env: { ADDED: "added-value" } };
    const left = await failDuring(bench, held, wanted);
    await update(bench, left, web);
  });

  it("a change that fails, and is observed by a refresh, is reverted", async () => {
    const bench = await open(dialect, { provisioningMs: 60_000 });
    const held = await create(bench);
    const left = await failDuring(bench, held, { ...web, env: { MODEL, ADDED: "added-value" } });
    const found = await read(bench, left);
    expect(found.state["settled"]).toBe(false);
    await update(bench, found, web);
  });
});
/** An update whose replicas run the desired configuration, and fail before they are healthy. */
async function failDuring(bench: Bench, { id, state }: Held, wanted: Wanted): Promise<Held> {
  const failed = initErrorOf(bench.cluster.update(bench.ctx(), id, state, wanted));
  const asText = (what?: Pick<Wanted, "container" | "env">) =>
    JSON.stringify([what?.container, Object.entries(what?.env ?? {}).sort()]);
  const isDeployed = () => asText(bench.simulator.cluster(id)?.deployed) === asText(wanted);
  for (let seconds = 0; seconds < 600 && !isDeployed(); seconds += 1) await bench.clock.advance(1_000);
  await bench.clock.advance(10_000);
  bench.simulator.change(id, { status: "failed", message: "no such model" });
  const error = await bench.run(failed);
  expect([error.id, error.state["settled"]]).toEqual([id, false]);
  forget(bench);
  return error;
}
