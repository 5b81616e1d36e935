import { GpuClusterError } from "../../../../provider/base/errors";
import type { Properties } from "../../../../provider/contract";
import { forget, openSettled } from "../harness";
import { canary, checked } from "../inputs";

/** Properties that an operation computes with. */
const broken: [string, unknown, string][] = [
  ["env", { A: { B: canary } }, "a map of names to strings"],
  ["extraFields", canary, "a map"],
  ["replicas", canary, "a number"],
  ["replicaStatuses", [canary], "a list of maps"],
  ["unverifiedInputs", canary, "a list of strings"],
  ["restartTriggers", canary, "a map or a list of strings, numbers and booleans"],
  ["__fixed", { container: canary }, "a list of strings"],
  ["__observed", { env: canary, name: [1] }, "a map of strings and of lists of strings"],
];
/** Properties that are only compared and shown: a wrong kind of one does no harm. */
const shown: [string, unknown][] = [
  ["readyReplicas", canary],
  ["__timeouts", canary],
];

const news = { ...checked, replicas: 1 };

/** Gives this state of a healthy cluster to an operation. */
async function give(operation: "read" | "update" | "delete", changes: Properties) {
  const { bench, id, state } = await openSettled(checked);
  const bad = { ...state, ...changes };
  const works = {
    read: () => bench.cluster.read(bench.ctx(), id, bad),
    update: () => bench.cluster.update(bench.ctx(), id, bad, news),
    delete: () => bench.cluster.delete(bench.ctx(), id, bad),
  };
  const end = works[operation]().then(
    () => undefined,
    (error: Error) => error,
  );
  return { bench, id, end: await bench.run(end) };
}

describe.each(["read", "update", "delete"] as const)("a state that is given to %s", (operation) => {
  it.each(broken)("whose %s is %j is one line that names the cluster and what is right", async (name, value, right) => {
    const { bench, id, end } = await give(operation, { [name]: value });
    expect(end).toBeInstanceOf(GpuClusterError);
    const text = `(${id}): its state cannot be read: \`${name}\` must be ${right}. Nothing was sent.`;
    expect(end?.message).toContain(text);
    expect(end?.message).not.toMatch(new RegExp(`\\n|${canary}|5551234`));
    expect(bench.simulator.requests).toEqual([]);
  });

  it.each(shown)("whose %s is %j is no reason for an error of another kind", async (name, value) => {
    const { end } = await give(operation, { [name]: value });
    if (end) expect(end).toBeInstanceOf(GpuClusterError);
  });

  it("may hold null for what is not there", async () => {
    const {
      name: _name,
      gpuType: _type,
      replicas: _count,
      container: _image,
      ...others
    } = Object.fromEntries([...broken, ...shown].map(([name]) => [name, null]));
    expect((await give(operation, others)).end).toBeUndefined();
  });
});

test.each<[string, unknown, string?]>([...broken, ...shown])(
  "a preview does not break on a state whose %s is %j",
  async (name, value) => {
    const { bench, id, state } = await openSettled(checked);
    forget(bench);
    const bad = { ...state, [name]: value };
    await bench.run(bench.cluster.check(bench.ctx(), news, bad));
    await bench.run(bench.cluster.diff(bench.ctx(), id, bad, news));
    bench.cluster.preview(news, bad);
    await bench.run(bench.cluster.check(bench.ctx(), { ...checked, name: "other" }));
  },
);
