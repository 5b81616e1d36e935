import type { Fault } from "../../simulator";
import { type Bench, closeBenches, living, openBench, openNativeBench, until } from "./harness";

/** An update to an image that never gets healthy, through the real engine: the plugin, and the dynamic adapter when it is killed. */
const properties = { gpuType: "h100", replicas: 2, onFailedUpdate: "rollBack" };
const env = { API_TOKEN: "canary-model-51d2", DEBUG: "1" };
const dynamicProgram = `
new gpu.Cluster("web", {
  ...${JSON.stringify({ ...properties, env })}, container: config.get("image") ?? "acme/model:1",
});
`;
/* biome-ignore-start lint/suspicious/noTemplateCurlyInString: YAML of Pulumi */
const yamlProgram = {
  config: { image: { type: "string", default: "acme/model:1" } },
  resources: {
    web: {
      type: "gpucluster:Cluster",
      properties: { ...properties, env, container: "${image}" },
    },
  },
};
/* biome-ignore-end lint/suspicious/noTemplateCurlyInString: YAML of Pulumi */
const faults: Fault[] = [{ kind: "fail", message: "CUDA out of memory", container: "acme/model:2", times: 99 }];
const patch = "PATCH /v1/clusters/:id";

afterAll(closeBenches);

describe("a failed update with `rollBack`, in order", () => {
  let bench: Bench;
  let shown = "";
  beforeAll(async () => {
    bench = await openNativeBench(yamlProgram, { faults });
    await bench.workspace.succeed("up", "--yes", "--skip-preview");
    bench.writes();
  });
  const set = (name: string, value: string) => bench.workspace.succeed("config", "set", name, value);
  const up = async () => {
    const { code, output } = await bench.workspace.up();
    shown += output;
    return { code, output, calls: bench.writes() };
  };
  const deployed = () => living(bench.simulator).map((one) => [one.status, one.deployed.container]);

  it("fails after two rollouts; the state says what runs", async () => {
    await set("image", "acme/model:2");
    const { code, output, calls } = await up();
    expect(code).not.toBe(0);
    expect(output).toMatch(/cluster "web-\w+" \(cl_\w+\) did not get healthy with acme\/model:2: it is failed/);
    expect(output).toContain("Rolled back: 2/2 replicas healthy with acme/model:1. The next");
    expect(output).toMatch(/replica \S+: failed, CUDA out of memory/);
    expect(calls).toEqual([patch, patch]);
    expect(deployed()).toEqual([["running", "acme/model:1"]]);
    expect(bench.workspace.storedClusters()).toMatchObject([{ outputs: { container: "acme/model:1", settled: true } }]);
  });

  it("shows the change again in the next preview, and the values of env nowhere", async () => {
    const preview = await bench.workspace.preview();
    expect(preview.output).toMatch(/container\s*: "acme\/model:1" => "acme\/model:2"/);
    expect(bench.workspace.stateText() + shown).not.toContain("canary");
  });

  it("tries the same again", async () => {
    const { code, calls } = await up();
    expect(code).not.toBe(0);
    expect(calls).toEqual([patch, patch]);
    expect(deployed()).toEqual([["running", "acme/model:1"]]);
  });

  it("does nothing if the program returns to what runs, and rolls out what is well", async () => {
    await set("image", "acme/model:1");
    expect(await up()).toMatchObject({ code: 0, calls: [] });
    expect((await bench.workspace.preview("--expect-no-changes")).code).toBe(0);
    await set("image", "acme/model:3");
    expect(await up()).toMatchObject({ code: 0, calls: [patch] });
    expect(deployed()).toEqual([["running", "acme/model:3"]]);
  });
});

it("converges after kill -9 in the middle of the rollback", async () => {
  const bench = await openBench(dynamicProgram, { faults });
  const { simulator, workspace } = bench;
  await workspace.succeed("up", "--yes", "--skip-preview");
  await workspace.succeed("config", "set", "image", "acme/model:2");
  simulator.fault({ kind: "delay", ms: 1_000, method: "PATCH", after: 1 });
  const run = workspace.start("up", "--yes", "--skip-preview");
  const isSent = () => simulator.openRequests().some(({ method }) => method === "PATCH");
  await until("the rollback is sent", () => isSent() && simulator.clusters()[0]?.status === "failed");
  run.kill();
  await run.ended;
  await until("the service has answered", () => simulator.openRequests().length === 0);
  if (workspace.isLocked()) await workspace.succeed("cancel", "--yes");
  const next = await workspace.up();
  expect(next.code).not.toBe(0);
  expect(next.output).toContain("Rolled back: 2/2 replicas healthy with acme/model:1");
  await workspace.succeed("config", "set", "image", "acme/model:1");
  expect((await workspace.up()).code).toBe(0);
  const [made, ...others] = living(simulator);
  expect(others).toEqual([]);
  expect(made).toMatchObject({ status: "running", deployed: { container: "acme/model:1", env } });
  expect(workspace.storedClusters().map(({ id }) => id)).toEqual([made?.id]);
});
