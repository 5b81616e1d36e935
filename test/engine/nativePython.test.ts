import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join, resolve } from "node:path";
import { run } from "../install/run";
import { type Bench, canaryKey, closeBenches, living, openBench } from "./harness";

const repository = resolve(__dirname, "../..");

// A fresh machine compiles the generators of SDKs first, and fetches Pulumi's own SDK for Python.
jest.setTimeout(20 * 60_000);

const program = `
import pulumi
import pulumi_gpucluster as gpucluster

config = pulumi.Config()
web = gpucluster.Cluster(
    "web",
    gpu_type=["h100", "a100"],
    replicas=config.get_int("replicas") or 2,
    container="vllm/vllm-openai:v0.6.3",
    env={"MODEL": "llama", "TOKEN": config.get("token") or "canary-value-first"},
    desired_status=gpucluster.DesiredStatus.RUNNING,
    restart_triggers={"generation": 1},
)
# Stands for a DNS record or a gateway: it must be left alone as long as the endpoint stays.
gpucluster.Cluster("dependent", gpu_type="l4", container="acme/gateway:1", env={"UPSTREAM": web.endpoint})
pulumi.export("endpoint", web.endpoint)
pulumi.export("memory", gpucluster.get_gpu_models_output().apply(lambda answer: sum(gpu.memory_gb for gpu in answer.models)))
`;

let folder: string;
let bench: Bench;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "gpucluster-python-"));
  const bin = join(folder, "venv/bin");
  await run([process.execPath, join(repository, "scripts/sdks.mjs"), join(folder, "sdks")], folder);
  await run(["python3", "-m", "venv", "venv"], folder);
  await run([join(bin, "pip"), "install", "--quiet", "pulumi==3.250.0", join(folder, "sdks/python")], folder);
  bench = await openBench("");
  bench.workspace.python(program);
  // As in a shell in which the environment was activated.
  bench.workspace.env["PATH"] = [bin, process.env["PATH"]].join(delimiter);
  bench.workspace.env["VIRTUAL_ENV"] = join(folder, "venv");
});
afterAll(async () => {
  await closeBenches();
  rmSync(folder, { recursive: true, force: true });
});

describe("the life of a cluster of a Python program, with the SDK that is made from the schema, in order", () => {
  it("is created once, and up returns when every replica is healthy", async () => {
    const { code, output } = await bench.workspace.up();
    expect(output).toContain("2/2 replicas healthy");
    expect(code).toBe(0);
    expect(bench.writes()).toEqual(["POST /v1/clusters", "POST /v1/clusters"]);
    const [web] = bench.workspace.storedClusters();
    expect(web).toMatchObject({ type: "gpucluster:index:Cluster", outputs: { gpuType: "h100", settled: true } });
  });

  it("knows what the functions answer", async () => {
    expect(Number(await bench.workspace.succeed("stack", "output", "memory"))).toBeGreaterThan(80);
  });

  it("shows no change in a second preview and a second up, and sends nothing", async () => {
    expect((await bench.workspace.preview("--expect-no-changes")).code).toBe(0);
    expect((await bench.workspace.up("--expect-no-changes")).code).toBe(0);
    expect(bench.writes()).toEqual([]);
  });

  it("previews more replicas as one line, leaves what depends on the endpoint alone, and scales by one call", async () => {
    await bench.workspace.succeed("config", "set", "replicas", "3");
    const { output } = await bench.workspace.preview();
    expect(output).toMatch(/~ replicas\s*: 2 => 3/);
    expect(output).toContain("~ 1 to update");
    expect((await bench.workspace.up()).code).toBe(0);
    expect(bench.writes()).toEqual(["POST /v1/clusters/:id/scale"]);
  });

  it("previews a change of one variable without its value, and applies it in one update", async () => {
    await bench.workspace.succeed("config", "set", "--secret", "token", "canary-value-second");
    const { output } = await bench.workspace.preview();
    expect(output).toContain("~ 1 to update");
    expect(output).toContain("[secret]");
    expect(output).not.toContain("canary");
    expect((await bench.workspace.up()).code).toBe(0);
    expect(bench.writes()).toEqual(["PATCH /v1/clusters/:id"]);
    expect(living(bench.simulator)[0]?.env).toMatchObject({ TOKEN: "canary-value-second" });
    expect((await bench.workspace.preview("--expect-no-changes")).code).toBe(0);
  });

  it("has every secret in clear in no state", async () => {
    const state = await bench.workspace.stateText();
    expect(state).not.toContain(canaryKey);
    expect(state).not.toContain("canary-value");
  });

  it("is deleted, and destroy returns when it is gone", async () => {
    expect((await bench.workspace.destroy()).code).toBe(0);
    expect(bench.simulator.clusters().every(({ status }) => status === "gone")).toBe(true);
    expect(bench.workspace.storedClusters()).toEqual([]);
  });
});
