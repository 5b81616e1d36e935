import { execFile } from "node:child_process";
import { cpSync } from "node:fs";
import { delimiter, join, resolve } from "node:path";
import { promisify } from "node:util";
import { type Bench, closeBenches, living, openBench } from "./harness";
import { cliRoot } from "./workspace";

afterAll(closeBenches);

const run = promisify(execFile);
const repository = resolve(__dirname, "../..");

async function openExample(name: string): Promise<Bench> {
  const bench = await openBench("");
  bench.workspace.programFile(`examples/${name}/index.ts`);
  return bench;
}

describe("examples/blue-green, in order", () => {
  let bench: Bench;
  const setVersion = (version: string) => bench.workspace.succeed("config", "set", "version", version);
  const endpointOf = (index: number) => living(bench.simulator)[index]?.endpoint;
  const shownEndpoint = async () => (await bench.workspace.succeed("stack", "output", "endpoint")).trim();
  const containers = () => living(bench.simulator).map(({ container }) => container.split(":")[1]);

  beforeAll(async () => {
    bench = await openExample("blue-green");
    await setVersion("v1");
    expect((await bench.workspace.up()).code).toBe(0);
    bench.writes();
  });

  it("previews the replacement with its cause, and no output as removed or without a value", async () => {
    await setVersion("v2");
    const { code, output } = await bench.workspace.preview();
    expect(code).toBe(0);
    expect(output).toMatch(
      /warning: chat: `container` changes, and `replaceOnChanges` requires a new cluster .* the new cluster is created first/,
    );
    expect(output).not.toMatch(/<null>/);
  });

  it("keeps the old cluster and its endpoint if the new one is sick", async () => {
    const blue = endpointOf(0);
    bench.simulator.fault({ kind: "fail", message: "CUDA out of memory" });
    const { code, output } = await bench.workspace.up();
    expect(code).not.toBe(0);
    expect(output).toContain("CUDA out of memory");
    expect(bench.writes()).toEqual(["POST /v1/clusters"]);
    expect(living(bench.simulator)[0]).toMatchObject({ status: "running", endpoint: blue });
    expect(await shownEndpoint()).toBe(blue);
  });

  it("corrects the new cluster in place, and deletes the old one only when that is healthy", async () => {
    await setVersion("v3");
    expect((await bench.workspace.up()).code).toBe(0);
    expect(bench.writes()).toEqual(["PATCH /v1/clusters/:id", "DELETE /v1/clusters/:id"]);
    expect(containers()).toEqual(["v3"]);
    expect(await shownEndpoint()).toBe(endpointOf(0));
    expect((await bench.workspace.up("--expect-no-changes")).code).toBe(0);
  });
});

describe("examples/power-by-schedule", () => {
  it("stops in the evening and starts in the morning; nothing else changes", async () => {
    const { workspace, simulator, writes } = await openExample("power-by-schedule");
    cpSync(join(repository, "examples/power-by-schedule/scripts"), join(workspace.folder, "scripts"), {
      recursive: true,
    });
    const path = [join(cliRoot, "bin"), process.env["PATH"]].join(delimiter);
    const options = { cwd: workspace.folder, env: { ...process.env, ...workspace.env, PATH: path } };
    const power = async (word: string) => (await run("sh", ["scripts/power.sh", word], options)).stdout;
    await power("running");
    const [day] = living(simulator);
    writes();
    expect(await power("stopped")).toContain("it is stopped: all 2 replicas stop");
    expect(writes()).toEqual(["POST /v1/clusters/:id/stop"]);
    expect(living(simulator)).toMatchObject([{ id: day?.id, status: "stopped" }]);
    expect(await power("stopped")).toMatch(/2 unchanged/);
    expect(writes()).toEqual([]);
    await power("running");
    expect(writes()).toHaveLength(1);
    // A start makes new replicas.
    expect(living(simulator)).toEqual([
      { ...day, generation: 2, replicaStates: [expect.anything(), expect.anything()] },
    ]);
    expect((await workspace.up("--expect-no-changes")).code).toBe(0);
  });
});
