import { GpuClusterError } from "../../../../provider/base/errors";
import type { Properties } from "../../../../provider/contract";
import { openSettled } from "../harness";
import { canary, checked } from "../inputs";

/** Properties that an operation computes with, and what they must be. For all others, the law of edited states in adapters/dynamic.test.ts holds. */
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

const news = { ...checked, replicas: 1 };

/** Runs an operation with the state of a healthy cluster, edited in this way. */
async function run(operation: "read" | "update" | "delete", edits: Properties) {
  const { fixture, id, state } = await openSettled(checked);
  const edited = { ...state, ...edits };
  const works = {
    read: () => fixture.cluster.read(fixture.ctx(), id, edited),
    update: () => fixture.cluster.update(fixture.ctx(), id, edited, news),
    delete: () => fixture.cluster.delete(fixture.ctx(), id, edited),
  };
  const error = works[operation]().then(
    () => undefined,
    (thrown: Error) => thrown,
  );
  return { fixture, id, error: await fixture.run(error) };
}

describe.each(["read", "update", "delete"] as const)("the operation %s", (operation) => {
  it.each(broken)("refuses a state by one line about its property: %s", async (name, value, right) => {
    const { fixture, id, error } = await run(operation, { [name]: value });
    expect(error).toBeInstanceOf(GpuClusterError);
    const message = `(${id}): its state cannot be read: \`${name}\` must be ${right}. Nothing was sent.`;
    expect(error?.message).toContain(message);
    expect(error?.message).not.toMatch(new RegExp(`\\n|${canary}`));
    expect(fixture.simulator.requests).toEqual([]);
  });

  it("accepts null for absent properties", async () => {
    const names = broken.map(([name]) => name).filter((name) => name !== "replicas");
    const { error } = await run(operation, Object.fromEntries(names.map((name) => [name, null])));
    expect(error).toBeUndefined();
  });
});

it.each(broken)("a preview works with a state that an operation refuses: %s", async (name, value) => {
  const { fixture, id, state } = await openSettled(checked);
  const edited = { ...state, [name]: value };
  await fixture.run(fixture.cluster.check(fixture.ctx(), news, edited));
  await fixture.run(fixture.cluster.diff(fixture.ctx(), id, edited, news));
  fixture.cluster.preview(news, edited);
  await fixture.run(fixture.cluster.check(fixture.ctx(), { ...checked, name: "other" }));
});
