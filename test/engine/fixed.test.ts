import type { SimulatorOptions } from "../../simulator";
import { closeBenches, living, openBench } from "./harness";
import { type Adapter, dynamicAdapter, nativeAdapter, type Wanted } from "./publishedPrograms";

/** What the service cannot change in place is a replacement, with a generated and with an explicit name. */

afterAll(closeBenches);

const base: Wanted = { gpuType: "h100", replicas: 1, container: "team/server:1.0", env: { MODEL: "a" } };

/** A stack with one healthy cluster, and the program that gives it another environment. */
async function openChanged(adapter: Adapter, name: string | undefined, options: SimulatorOptions) {
  const bench = await openBench("", options);
  const wanted = name === undefined ? base : { ...base, name };
  adapter.writeCluster(bench.workspace, wanted);
  expect((await bench.workspace.up()).code).toBe(0);
  const [old] = living(bench.simulator);
  adapter.writeCluster(bench.workspace, { ...wanted, env: { MODEL: "b" } });
  bench.writes();

  /** The next preview shows the replacement, and `up` leaves one healthy cluster with the new environment. */
  const expectReplacement = async () => {
    const preview = await bench.workspace.preview();
    expect(preview.output).toContain("1 to replace");
    expect(preview.output).toContain("which the service cannot do in place, so it is replaced");
    expect(bench.writes()).toEqual([]);
    const { code, output } = await bench.workspace.up();
    expect(output).toContain("1/1 replicas healthy");
    expect(code).toBe(0);
    const order = [expect.stringMatching(/^POST \/v1\/clusters$/), expect.stringMatching(/^DELETE /)];
    expect(bench.writes()).toEqual(name === undefined ? order : order.reverse());
    expect(living(bench.simulator)).toMatchObject([{ env: { MODEL: "b" }, ...(name === undefined ? {} : { name }) }]);
    expect(living(bench.simulator)[0]?.id).not.toBe(old?.id);
    expect((await bench.workspace.preview("--expect-no-changes")).code).toBe(0);
  };
  return { bench, expectReplacement };
}

describe("an environment that the service cannot change in place", () => {
  it("is a replacement in the first preview where the form says it: in YAML, of an explicit name", async () => {
    const { expectReplacement } = await openChanged(nativeAdapter, "mine", { dialect: "client" });
    await expectReplacement();
  });

  const faults = ["PATCH", "PUT", "POST"].map((method) => ({
    kind: "status" as const,
    status: 405,
    method,
    path: "/v1/clusters/*",
    times: 99,
  }));
  it.each([
    ["TypeScript", dynamicAdapter, "mine"],
    ["YAML", nativeAdapter, undefined],
  ])("is one after an update has failed where only a refusal says it (%s)", async (_language, adapter, name) => {
    const { bench, expectReplacement } = await openChanged(adapter, name, { faults });
    expect((await bench.workspace.up()).code).not.toBe(0);
    bench.writes();
    await expectReplacement();
  });
});
