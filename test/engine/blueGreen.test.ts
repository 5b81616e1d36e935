import { type Bench, closeBenches, living, openBench } from "./harness";

const program = `
const container = "acme/chat:" + config.require("version");
const chat = new gpu.Cluster("chat", { gpuType: "h100", replicas: 2, container }, { replaceOnChanges: ["container"] });
exports.endpoint = chat.endpoint;
`;

let bench: Bench;
const setVersion = (version: string) => bench.workspace.succeed("config", "set", "version", version);
const endpointOf = (index: number) => living(bench.simulator)[index]?.endpoint;
const shownEndpoint = async () => (await bench.workspace.succeed("stack", "output", "endpoint")).trim();

beforeAll(async () => {
  bench = await openBench(program);
  await setVersion("v1");
  expect((await bench.workspace.up()).code).toBe(0);
  bench.writes();
});
afterAll(closeBenches);

describe("a new image on a new cluster, by `replaceOnChanges`, in order", () => {
  it("previews the replacement, and no output as removed or without a value", async () => {
    await setVersion("v2");
    const { code, output } = await bench.workspace.preview();
    expect(code).toBe(0);
    // What the option does, only the engine knows: the difference alone would be a change in place.
    expect(output).toContain("chat: `container` changes: in place, a rollout replaces both replicas");
    expect(output).toContain("warning: chat: it is replaced: the old cluster with its 2 replicas is deleted");
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
    expect(living(bench.simulator).map(({ container }) => container)).toEqual(["acme/chat:v3"]);
    expect(await shownEndpoint()).toBe(endpointOf(0));
    expect((await bench.workspace.up("--expect-no-changes")).code).toBe(0);
  });
});
