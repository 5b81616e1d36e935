import { closeFixtures, type Fixture, living, openFixture } from "./harness";

const program = `
const container = "acme/chat:" + config.require("version");
const chat = new gpu.Cluster("chat", { gpuType: "h100", replicas: 2, container }, { replaceOnChanges: ["container"] });
exports.endpoint = chat.endpoint;
`;

let fixture: Fixture;
const setVersion = (version: string) => fixture.workspace.succeed("config", "set", "version", version);
const endpointOf = (index: number) => living(fixture.simulator)[index]?.endpoint;
const outputEndpoint = async () => (await fixture.workspace.succeed("stack", "output", "endpoint")).trim();

beforeAll(async () => {
  fixture = await openFixture(program);
  await setVersion("v1");
  expect((await fixture.workspace.up()).code).toBe(0);
  fixture.writes();
});
afterAll(closeFixtures);

describe("a new image on a new cluster, by `replaceOnChanges`, in order", () => {
  it("previews the replacement, and no output as removed or without a value", async () => {
    await setVersion("v2");
    const { code, output } = await fixture.workspace.preview();
    expect(code).toBe(0);
    // What the option does, only the engine knows: the difference alone would be a change in place.
    expect(output).toContain("chat: `container` changes: in place, a rollout replaces both replicas");
    expect(output).toContain("warning: chat: it is replaced: the old cluster with its 2 replicas is deleted");
    expect(output).not.toMatch(/<null>/);
  });

  it("keeps the old cluster and its endpoint if the new one is sick", async () => {
    const blue = endpointOf(0);
    fixture.simulator.fault({ kind: "fail", message: "CUDA out of memory" });
    const { code, output } = await fixture.workspace.up();
    expect(code).not.toBe(0);
    expect(output).toContain("CUDA out of memory");
    expect(fixture.writes()).toEqual(["POST /v1/clusters"]);
    expect(living(fixture.simulator)[0]).toMatchObject({ status: "running", endpoint: blue });
    expect(await outputEndpoint()).toBe(blue);
  });

  it("corrects the new cluster in place, and deletes the old one only when that is healthy", async () => {
    await setVersion("v3");
    expect((await fixture.workspace.up()).code).toBe(0);
    expect(fixture.writes()).toEqual(["PATCH /v1/clusters/:id", "DELETE /v1/clusters/:id"]);
    expect(living(fixture.simulator).map(({ container }) => container)).toEqual(["acme/chat:v3"]);
    expect(await outputEndpoint()).toBe(endpointOf(0));
    expect((await fixture.workspace.up("--expect-no-changes")).code).toBe(0);
  });
});
