import type { SimulatorOptions } from "../../simulator";
import { closeBenches, living, openBench } from "./harness";
import { dynamicAdapter, nativeAdapter, nativeTypeScript, type Wanted } from "./publishedPrograms";

/** What the service cannot change in place is a replacement: for each kind of program, with a generated and an explicit name. */

afterAll(closeBenches);

const programs = { TypeScript: dynamicAdapter, "native TypeScript": nativeTypeScript, YAML: nativeAdapter };
const cases = Object.keys(programs).flatMap((program) =>
  [undefined, "mine"].map((name) => [program as keyof typeof programs, name] as const),
);

const base: Wanted = { gpuType: "h100", replicas: 1, container: "team/server:1.0", env: { MODEL: "a" } };

/** A stack with one healthy cluster, and the program that gives it another environment. */
async function openChanged(program: keyof typeof programs, name: string | undefined, options: SimulatorOptions) {
  const bench = await openBench("", options);
  const wanted = name === undefined ? base : { ...base, name };
  programs[program].writeCluster(bench.workspace, wanted);
  expect((await bench.workspace.up()).code).toBe(0);
  const [old] = living(bench.simulator);
  programs[program].writeCluster(bench.workspace, { ...wanted, env: { MODEL: "b" } });
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
  it.each(cases)(
    "is a replacement in the first preview where the form says it (%s, name %s)",
    async (program, name) => {
      const { expectReplacement } = await openChanged(program, name, { dialect: "client" });
      await expectReplacement();
    },
  );

  const faults = ["PATCH", "PUT", "POST"].map((method) => ({
    kind: "status" as const,
    status: 405,
    method,
    path: "/v1/clusters/*",
    times: 99,
  }));
  it.each(cases)(
    "is one after an update has failed where only a refusal says it (%s, name %s)",
    async (program, name) => {
      const { bench, expectReplacement } = await openChanged(program, name, { faults });
      expect((await bench.workspace.up()).code).not.toBe(0);
      bench.writes();
      await expectReplacement();
    },
  );
});
