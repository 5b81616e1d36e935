import { type Bench, canaryKey, closeBenches, living, openBench } from "./harness";
import type { Workspace } from "./workspace";

/** The desired inputs of the program's cluster `web`. */
interface Wanted {
  readonly name?: string;
  readonly gpuType: string;
  readonly replicas: number;
  readonly container: string;
  readonly env: Readonly<Record<string, string>>;
}

/** Writes a program with `web`, whose creation has to fail soon if it fails, and with a cluster that uses its endpoint. */
function write(workspace: Workspace, wanted: Wanted): void {
  workspace.yaml({
    resources: {
      web: { type: "gpucluster:Cluster", properties: wanted, options: { customTimeouts: { create: "3s" } } },
      // Imitates a DNS record or a gateway: it must not change while the endpoint stays the same.
      dependent: {
        type: "gpucluster:Cluster",
        // biome-ignore lint/suspicious/noTemplateCurlyInString: how YAML programs refer to others
        properties: { gpuType: "l4", container: "acme/gateway:1", env: { UPSTREAM: "${web.endpoint}" } },
      },
    },
  });
}

const first: Wanted = {
  gpuType: "h100",
  replicas: 2,
  container: "acme/model:1",
  env: { MODEL: "llama-3-8b", "TOKEN.A": "canary-value-first" },
};
const scaled: Wanted = { ...first, replicas: 3 };
const changed: Wanted = {
  ...scaled,
  container: "acme/model:2",
  env: { "TOKEN.A": "canary-value-second", ADDED: "added-value" },
};
const renamed: Wanted = { ...changed, name: "renamed" };

/** The text about the update of one cluster. */
const updateText = (lines: string, info = "") => `Previewing update (test):
  pulumi:pulumi:Stack: (same)
${info}    ~ gpucluster:index:Cluster: (update)
        [id=cl_ID]
${lines}
Resources:
    ~ 1 to update
    2 unchanged`;

afterAll(closeBenches);

describe("the life of a cluster of a YAML program, in order", () => {
  let bench: Bench;
  beforeAll(async () => {
    // With half of a surrogate pair at its end, as from a service that truncates its texts: gRPC accepts none.
    const message = "image acme/model:1 not found for canary-value-first \ud83d";
    const faults = [{ kind: "sick-replica", name: "web-*", replica: 1, message }] as const;
    bench = await openBench("", { faults: [...faults] });
    write(bench.workspace, first);
  });
  /** The first cluster of the program. */
  const web = () => {
    const found = living(bench.simulator).find(({ gpuType }) => gpuType === first.gpuType);
    if (!found) throw new Error("there is no cluster");
    return found;
  };
  const expectNothingToDo = async () => {
    const { code, output } = await bench.workspace.preview("--expect-no-changes");
    expect(output).toContain("3 unchanged");
    expect(code).toBe(0);
    expect(bench.writes()).toEqual([]);
  };

  it("fails within its customTimeouts if it does not become healthy, and is kept", async () => {
    const { code, output } = await bench.workspace.up();
    expect(code).not.toBe(0);
    expect(output).toMatch(/cluster "web-[0-9a-f]{7}" \(cl_\w+\) was created, but is not ready: timed out after \ds/);
    expect(output).toMatch(/replica rep_\S+: .*, image acme\/model:1 not found for \[secret\]/);
    expect(output).not.toContain("canary");
    const [kept, ...others] = bench.workspace.storedClusters();
    expect(kept).toMatchObject({ id: web().id, outputs: { settled: false }, initErrors: [expect.anything()] });
    expect(others).toEqual([]);
    expect(bench.writes()).toEqual(["POST /v1/clusters"]);
  });

  it("is waited for by the next up, which creates nothing twice", async () => {
    bench.simulator.change(web().id, { sickReplica: undefined });
    expect((await bench.workspace.up()).code).toBe(0);
    expect(bench.writes()).toEqual(["POST /v1/clusters"]);
    expect(living(bench.simulator)).toHaveLength(2);
    const [stored] = bench.workspace.storedClusters();
    expect(stored?.outputs).toMatchObject({ replicas: 2, readyReplicas: 2, settled: true });
    await expectNothingToDo();
  });

  it("previews more replicas and their cost, and nothing for what depends on the endpoint; scales by one call", async () => {
    write(bench.workspace, scaled);
    expect(textOf((await bench.workspace.preview()).output)).toBe(
      updateText("      ~ hourlyCost: 5.98 => 8.97\n      ~ replicas  : 2 => 3"),
    );
    expect((await bench.workspace.up()).code).toBe(0);
    expect(bench.writes()).toEqual(["POST /v1/clusters/:id/scale"]);
    expect(web()).toMatchObject({ ...scaled, status: "running" });
  });

  it("previews variables with their values, but not those that look like a credential, and applies all of them", async () => {
    write(bench.workspace, changed);
    const { output } = await bench.workspace.preview();
    expect(textOf(output)).toBe(
      updateText(
        `      ~ container: "acme/model:1" => "acme/model:2"
      ~ env      : {
          + ADDED  : "added-value"
          - MODEL  : "llama-3-8b"
          ~ TOKEN.A: [secret] => [secret]
        }`,
        "web: `container` and `env` change: in place, a rollout replaces all 3 replicas\n",
      ),
    );
    expect((await bench.workspace.up()).code).toBe(0);
    const { container, env } = changed;
    expect(web()).toMatchObject({ ...changed, deployed: { container, env } });
    bench.writes();
    await expectNothingToDo();
  });

  it("shows drift at a refresh, and corrects it", async () => {
    bench.simulator.change(web().id, { replicas: 1 });
    expect((await bench.workspace.refresh()).output).toMatch(/~ replicas\s*: 3 => 1/);
    expect(textOf((await bench.workspace.preview()).output)).toBe(
      updateText("      ~ hourlyCost: 2.99 => 8.97\n      ~ replicas  : 1 => 3"),
    );
    expect((await bench.workspace.up()).code).toBe(0);
    expect(bench.writes()).toEqual(["POST /v1/clusters/:id/scale"]);
    expect((await bench.workspace.refresh("--expect-no-changes")).code).toBe(0);
  });

  it("names the input that replaces it; the new cluster is created first", async () => {
    const { id } = web();
    write(bench.workspace, renamed);
    const { output } = await bench.workspace.preview();
    expect(output).toMatch(/\+-gpucluster:index:Cluster: \(replace\)/);
    expect(output).toMatch(/~ name\s*: "web-[0-9a-f]{7}" => "renamed"/);
    expect((await bench.workspace.up()).code).toBe(0);
    const writes = bench.writes();
    expect(writes.indexOf("POST /v1/clusters")).toBeLessThan(writes.indexOf("DELETE /v1/clusters/:id"));
    expect(web()).toMatchObject({ ...renamed, status: "running" });
    expect(web().id).not.toBe(id);
    expect(living(bench.simulator)).toHaveLength(2);
  });

  it("has no secret in plain text in any state", async () => {
    const state = bench.workspace.stateText();
    expect(state).not.toContain(canaryKey);
    expect(state).not.toContain("canary-value");
  });

  it("is deleted, and destroy returns when it is gone", async () => {
    expect((await bench.workspace.destroy()).code).toBe(0);
    expect(bench.simulator.clusters().every(({ status }) => status === "gone")).toBe(true);
    expect(bench.workspace.storedClusters()).toEqual([]);
  });
});

/** The text of a preview, without the parts that differ between runs. */
function textOf(output: string): string {
  return output
    .replace(/cl_[0-9a-f]+/g, "cl_ID")
    .replace(/^ *\[(urn|provider)=.*\n/gm, "")
    .trimEnd();
}
