import { closeBenches, living, openBench } from "./harness";
import { dynamicAdapter, nativeAdapter, type Wanted } from "./publishedPrograms";

afterAll(closeBenches);
const faults = (["PATCH", "PUT", "POST"] as const).map((method) => ({
  kind: "status" as const,
  status: 405,
  method,
  path: "/v1/clusters/*",
  times: 99,
}));

const base: Wanted = { gpuType: "h100", replicas: 1, container: "team/server:1.0", env: { MODEL: "a" } };

describe.each(["dynamic", "native"] as const)("learned by the refusal (%s)", (kind) => {
  it.each([undefined, "mine"])("name %s", async (name) => {
    const native = {
      ...nativeAdapter,
      writeCluster: (workspace: typeof bench.workspace, { ...args }: Wanted) =>
        workspace.program(
          `const native = require("pulumi-gpucluster/native"); const web = new native.Cluster("web", ${JSON.stringify(args)}); exports.endpoint = web.endpoint;`,
        ),
    };
    const adapter = kind === "dynamic" ? dynamicAdapter : native;
    const bench = await openBench("", { faults });
    const wanted = name ? { ...base, name } : base;
    adapter.writeCluster(bench.workspace, wanted);
    const made = await bench.workspace.up();
    expect(made.code).toBe(0);
    const id = living(bench.simulator)[0]?.id;
    adapter.writeCluster(bench.workspace, { ...wanted, env: { MODEL: "b" } });
    const first = await bench.workspace.up();
    expect(first.code).not.toBe(0);
    const preview = await bench.workspace.preview();
    expect(preview.output).toContain("1 to replace");
    bench.writes();
    const second = await bench.workspace.up();
    expect(second.code).toBe(0);
    expect(living(bench.simulator)).toMatchObject([{ env: { MODEL: "b" } }]);
    expect(living(bench.simulator)[0]?.id).not.toBe(id);
    expect((await bench.workspace.preview("--expect-no-changes")).code).toBe(0);
  });
});
