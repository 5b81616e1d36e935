import { join } from "node:path";
import { type Bench, closeBenches, openBench } from "./harness";

const program = `
const native = require("pulumi-gpucluster/native");
const args = { gpuType: "h100", replicas: 2, container: "acme/model:1" };
for (const [name, { Cluster }] of Object.entries({ web: gpu, api: native })) {
  new Cluster(name, { ...args, desiredStatus: config.get("status") });
}
`;

let bench: Bench;
beforeAll(async () => {
  bench = await openBench(program);
});
afterAll(closeBenches);

/** The engine's normal output, without its log. */
function shown(output: string): string {
  return output.replace(/^(\{"time":|[IWE]\d{4} ).*$/gm, "");
}

describe("flags of the engine that go before its address on the command line of a provider, in both adapters", () => {
  it("do not change progress: --tracing and --logflow", async () => {
    const { workspace } = bench;
    const trace = ["--tracing", `file:${join(workspace.folder, "trace.out")}`];
    const { code, output } = await workspace.up(...trace, "--logflow", "--logtostderr", "-v=3");
    expect(code).toBe(0);
    expect(shown(output)).toMatch(/ web .*2\/2 replicas healthy/);
    expect(shown(output)).toMatch(/ api .*2\/2 replicas healthy/);
  });

  it("do not change warnings: --otel-traces", async () => {
    const { workspace } = bench;
    const traces = ["--otel-traces", `file://${join(workspace.folder, "traces.json")}`];
    const { code, output } = await workspace.preview("--config", "engine-test:status=stopped", ...traces);
    expect(code).toBe(0);
    expect(shown(output)).toMatch(/warning: web: it is stopped/);
    expect(shown(output)).toMatch(/warning: api: it is stopped/);
  });
});
