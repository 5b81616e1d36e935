import { inspect } from "node:util";
import { LocalWorkspace, PulumiCommand } from "@pulumi/pulumi/automation";
// The build, as programs import it.
import { AutomationError, destroy, type Progress, preview, refresh, up } from "pulumi-gpucluster/automation";
import { closeBenches, living, openBench } from "./harness";
import { cliRoot } from "./workspace";

afterAll(closeBenches);

const program = `
const container = process.env.IMAGE ?? "acme/model:1";
const web = new gpu.Cluster("web", { gpuType: "h100", replicas: Number(process.env.REPLICAS), container, env: { TOKEN: "canary-env" } });
exports.endpoint = web.endpoint;
exports.ready = web.readyReplicas;
exports.token = pulumi.secret("canary-output");
`;

describe("a tour through the Automation API", () => {
  it("creates, previews, scales, refreshes, fails and destroys, with progress, outputs and errors for people", async () => {
    const { workspace, simulator } = await openBench(program);
    const envVars = { ...workspace.env, REPLICAS: "2" };
    const pulumiCommand = await PulumiCommand.get({ root: cliRoot });
    const byName = { stackName: "test", workDir: workspace.folder, pulumiCommand, envVars };
    const told: Progress[] = [];
    const onProgress = (progress: Progress) => void told.push(progress);
    const lines = () => told.splice(0).map(({ kind, resource, status }) => `${kind} ${resource}: ${status}`);

    const created = await up({ stack: byName, onProgress });
    expect(created.outputs["endpoint"]).toMatch(/^https:/);
    expect([created.outputs["ready"], created.outputs["token"], created.secretOutputs]).toEqual([
      2,
      "canary-output",
      ["token"],
    ]);
    expect(created.summary.resourceChanges).toMatchObject({ create: 2 });
    expect(inspect([created, told], { depth: 9 })).not.toContain("canary");
    expect(lines()).toEqual(
      expect.arrayContaining(["begins web: creating", "status web: 2/2 replicas healthy", "ends web: created"]),
    );

    const stack = await LocalWorkspace.selectStack({ stackName: "test", workDir: workspace.folder }, byName);
    stack.workspace.envVars["REPLICAS"] = "3";
    expect((await preview({ stack, onProgress })).changeSummary).toMatchObject({ update: 1, same: 1 });
    expect(lines()).toEqual(["plans web: to be updated"]);
    expect((await up({ stack })).outputs["ready"]).toBe(3);
    expect((await refresh({ stack, expectNoChanges: true })).summary.result).toBe("succeeded");

    stack.workspace.envVars["IMAGE"] = "no image";
    const error: unknown = await up({ stack }).catch((reason: unknown) => reason);
    if (!(error instanceof AutomationError)) throw error;
    expect(error.message).toMatch(/^up of test failed\n {2}web: .*container: must be an image reference with a tag/);
    expect(error.facts).toHaveLength(1);

    await destroy({ stack, onProgress });
    expect(lines()).toEqual(expect.arrayContaining(["begins web: deleting", "ends web: deleted"]));
    expect(living(simulator)).toEqual([]);
  });
});
