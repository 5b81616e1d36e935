import { isEverything } from "../support/shares";
import { canaryKey, closeFixtures, type Fixture, living, openFixture } from "./harness";
import type { Run, Workspace } from "./workspace";

/** The whole life of a cluster through the real CLI: one adapter with each of the two public variants of the service. */

afterAll(closeFixtures);

/** The inputs of the cluster `web`. */
interface Inputs {
  readonly gpuType: string;
  readonly container: string;
  readonly replicas: number;
  readonly name?: string;
  readonly env: Readonly<Record<string, string>>;
  readonly desiredStatus?: string;
}

const first: Inputs = {
  gpuType: "rtx-4090",
  replicas: 2,
  container: "acme/server:1.0",
  env: { MODEL: "llama-3-8b", TOKEN: "canary-value-one" },
};
// From here on with the spelling of the service's own pages.
const scaled: Inputs = { ...first, gpuType: "RTX 4090", replicas: 3 };
const newImage: Inputs = { ...scaled, container: "acme/server:2.0" };
const newEnv: Inputs = { ...newImage, env: { MODEL: "mistral-7b", TOKEN: "canary-value-two" } };
const stopped: Inputs = { ...newEnv, desiredStatus: "stopped" };
const renamed: Inputs = { ...newEnv, name: "renamed" };

const create = "POST /v1/clusters";
const update = "PATCH /v1/clusters/:id";
const remove = "DELETE /v1/clusters/:id";
const replacement =
  /`env.MODEL` and `env.TOKEN` change, which the service cannot do in place, so it is replaced: the old/;

/** Imitates a DNS record or a gateway: it must not change while the endpoint of `web` stays the same. */
const gateway = { gpuType: "l4", container: "acme/gateway:1" };
/** A creation that fails has to fail soon. */
const options = { customTimeouts: { create: "4s" } };

const lives = [
  {
    adapter: "YAML",
    write(workspace: Workspace, inputs: Inputs) {
      // biome-ignore lint/suspicious/noTemplateCurlyInString: a reference of a YAML program
      const properties = { ...gateway, env: { UPSTREAM: "${web.endpoint}" } };
      workspace.yaml({
        resources: {
          web: { type: "gpucluster:Cluster", properties: inputs, options },
          gateway: { type: "gpucluster:Cluster", properties },
        },
      });
    },
    dialect: "documented",
    imageWrites: [update],
    envWrites: [update],
    envPreview: /web: `env` changes: in place, a rollout replaces all 3 replicas/,
  },
  {
    adapter: "TypeScript",
    write: (workspace: Workspace, inputs: Inputs) =>
      workspace.program(`
const web = new gpu.Cluster("web", ${JSON.stringify(inputs)}, ${JSON.stringify(options)});
new gpu.Cluster("gateway", { ...${JSON.stringify(gateway)}, env: { UPSTREAM: web.endpoint } });
`),
    // This variant has no update, which the provider detects by trying its methods; a redeploy names the image.
    dialect: "client",
    imageWrites: [update, "PUT /v1/clusters/:id", "POST /v1/clusters/:id", "POST /v1/clusters/:id/redeploy"],
    envWrites: [create, remove],
    envPreview: replacement,
  },
] as const;
// The other files of a share show changes with the adapter of TypeScript.
const share = isEverything ? lives : lives.slice(0, 1);

describe.each(share)("the life of a cluster with $adapter and the variant $dialect, in order", (life) => {
  let fixture: Fixture;
  beforeAll(async () => {
    // With half of a surrogate pair at its end, as from a service that truncates its messages: gRPC accepts none.
    const message = "image acme/server:1.0 not found for canary-value-one \ud83d";
    const { dialect } = life;
    fixture = await openFixture("", { dialect, faults: [{ kind: "fail", name: "web-*", message }] });
    life.write(fixture.workspace, first);
  });

  const web = () => {
    const cluster = living(fixture.simulator).find(({ container }) => container.startsWith("acme/server"));
    if (!cluster) throw new Error("there is no cluster");
    return cluster;
  };
  const writes = () => fixture.writes().map((line) => line.replace(/[0-9a-f]{8}-[0-9a-f-]{27}/, ":id"));
  const preview = async (inputs: Inputs) => {
    life.write(fixture.workspace, inputs);
    const output = succeeded(await fixture.workspace.preview());
    expect(writes()).toEqual([]);
    return output;
  };
  const up = async () => succeeded(await fixture.workspace.up());

  it("fails with the reason of the service within its time limit, and is kept", async () => {
    const { code, output } = await fixture.workspace.up();
    expect(output).toMatch(/cluster "web-[0-9a-f]{7}" \(\S+\) was created, but is not ready: it is failed/);
    expect(output).toContain("image acme/server:1.0 not found for [secret]");
    expect(output).toContain("correct `container`, or what the reasons name, then run `pulumi up`");
    expect(output).not.toMatch(/canary|at .*\.js:\d+/);
    expect(code).not.toBe(0);
    expect(fixture.workspace.storedClusters()).toMatchObject([
      { id: web().id, outputs: { settled: false }, initErrors: [expect.anything()] },
    ]);
    expect(writes()).toEqual([create]);
  });

  it("continues in the next up, which creates only what is missing, and has every output", async () => {
    fixture.simulator.change(web().id, { status: "running" });
    expect(await up()).toContain("2/2 replicas healthy");
    expect(writes()).toEqual([create]);
    expect(web()).toMatchObject({ gpuType: "rtx-4090", replicas: 2, env: first.env });
    const [stored] = fixture.workspace.storedClusters();
    const replicaStatuses = [expect.anything(), expect.anything()];
    const observed = { status: "running", readyReplicas: 2, settled: true, replicaStatuses };
    const outputs = { ...observed, endpoint: web().endpoint, createdAt: expect.any(String) };
    expect(stored?.outputs).toMatchObject(outputs);
    // A dynamic state names its provider by this constant code.
    const provider = 'exports.handler=()=>require("pulumi-gpucluster/provider")';
    expect(stored?.inputs["__provider"]).toBe(life.adapter === "YAML" ? undefined : provider);
  });

  it("previews more replicas with their cost, and no other spelling of the GPU type; scales by one call", async () => {
    const output = await preview(scaled);
    expect(output).toMatch(/~ hourlyCost: 0\.98 => 1\.47\n\s+~ replicas\s*: 2 => 3\n/);
    expect(output).not.toMatch(/gpuType|gateway/);
    expect(output).toContain("~ 1 to update");
    await up();
    expect(writes()).toEqual(["POST /v1/clusters/:id/scale"]);
  });

  it("gets another image in place", async () => {
    const output = await preview(newImage);
    expect(output).toContain('~ container: "acme/server:1.0" => "acme/server:2.0"');
    expect(output).not.toMatch(/warning|to replace|is replaced|gateway/);
    await up();
    expect(writes()).toEqual(life.imageWrites);
    expect(web()).toMatchObject({ replicas: 3, deployed: { container: "acme/server:2.0", env: first.env } });
  });

  it("gets other variables in the way that the variant supports, and shows no secret value", async () => {
    const output = await preview(newEnv);
    expect(output).toMatch(/~ MODEL: "llama-3-8b" => "mistral-7b"\s+~ TOKEN: \[secret\] => \[secret\]/);
    expect(output).toMatch(life.envPreview);
    await up();
    // A replacement has another endpoint, so what depends on it changes too.
    expect(writes()).toEqual(expect.arrayContaining([...life.envWrites]));
    expect(web()).toMatchObject({ replicas: 3, deployed: { container: newEnv.container, env: newEnv.env } });
    expect((await fixture.workspace.preview("--refresh", "--expect-no-changes")).code).toBe(0);
  });

  it("stops and starts as the program says", async () => {
    expect(await preview(stopped)).toContain("web: it is stopped: all 3 replicas stop");
    await up();
    expect(web().status).toBe("stopped");
    life.write(fixture.workspace, newEnv);
    expect(await up()).toContain("3/3 replicas healthy");
    expect(writes()).toEqual(["POST /v1/clusters/:id/stop", "POST /v1/clusters/:id/restart"]);
  });

  it("is replaced if its name changes, and the new cluster is created first", async () => {
    const { id } = web();
    expect(await preview(renamed)).toMatch(/name\s*: "web-[0-9a-f]{7}" => "renamed"/);
    await up();
    const sent = writes();
    expect(sent.indexOf(create)).toBeLessThan(sent.indexOf(remove));
    expect(web()).toMatchObject({ name: "renamed", replicas: 3, status: "running" });
    expect(web().id).not.toBe(id);
    expect(living(fixture.simulator)).toHaveLength(2);
  });

  it("has no secret in its state", () => {
    const state = fixture.workspace.stateText();
    expect(state).not.toContain("canary-value");
    expect(state).not.toContain(canaryKey);
  });

  it("is gone when destroy returns", async () => {
    expect(succeeded(await fixture.workspace.destroy())).toContain("deleted; it cost 1.47 per hour");
    expect(fixture.simulator.clusters().every(({ status }) => status === "gone")).toBe(true);
    expect(fixture.workspace.storedClusters()).toEqual([]);
  });
});

/** The output of a run, which has to succeed and to show no secret. */
function succeeded({ code, output }: Run): string {
  expect(output).not.toContain("canary");
  expect(output).not.toContain("error:");
  expect(code).toBe(0);
  return output;
}
