import { LocalWorkspace, PulumiCommand } from "@pulumi/pulumi/automation";
import { closeBenches, living, openBench } from "./harness";
import { cliRoot } from "./workspace";

afterAll(closeBenches);

const program = `
const web = new gpu.Cluster("web", { gpuType: "h100", replicas: config.requireNumber("replicas"), container: "acme/model:1" });
exports.endpoint = web.endpoint;
exports.ready = web.readyReplicas;
`;

describe("a tour through the Automation API", () => {
  it("creates, previews, scales, refreshes and destroys", async () => {
    const { workspace, simulator } = await openBench(program);
    const pulumiCommand = await PulumiCommand.get({ root: cliRoot });
    const { env: envVars, folder: workDir } = workspace;
    const stack = await LocalWorkspace.selectStack({ stackName: "test", workDir }, { pulumiCommand, envVars });
    await stack.setConfig("replicas", { value: "2" });
    const created = await stack.up();
    expect(created.outputs).toMatchObject({
      ready: { value: 2 },
      endpoint: { value: expect.stringMatching(/^https:/) },
    });
    expect(created.summary.resourceChanges).toMatchObject({ create: 2 });

    await stack.setConfig("replicas", { value: "3" });
    expect((await stack.preview()).changeSummary).toMatchObject({ update: 1, same: 1 });
    expect((await stack.up()).outputs).toMatchObject({ ready: { value: 3 } });
    expect((await stack.refresh({ expectNoChanges: true })).summary.result).toBe("succeeded");
    await stack.destroy();
    expect(living(simulator)).toEqual([]);
  });
});
