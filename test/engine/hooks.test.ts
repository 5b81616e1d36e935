import { ErrorHook, ResourceHook, runtime } from "@pulumi/pulumi";
import { LocalWorkspace, PulumiCommand, type PulumiFn, type Stack } from "@pulumi/pulumi/automation";
// The built package, as programs import it.
import * as gpu from "pulumi-gpucluster";
import * as native from "pulumi-gpucluster/native";
import { closeFixtures, type Fixture, idsOf, living, openFixture } from "./harness";
import { cliRoot } from "./workspace";

/*
 * The programs are functions of this process, and the engine calls them through the SDK. A language host that was built from
 * the Go module proxy is older than hooks: it supports neither hooks nor transforms of a whole stack.
 */
let fixture: Fixture;
let stack: Stack;

beforeAll(async () => {
  // The text makes the harness write the project's line with the plugin.
  fixture = await openFixture("// pulumi-gpucluster/native");
  const pulumiCommand = await PulumiCommand.get({ root: cliRoot });
  const { folder: workDir, env: envVars } = fixture.workspace;
  const names = { stackName: "test", projectName: "engine-test", program: async () => {} };
  stack = await LocalWorkspace.selectStack(names, { workDir, pulumiCommand, envVars });
});
afterAll(closeFixtures);

const cluster = { gpuType: "h100", container: "acme/model:1" };

test("an error hook can retry a creation, which never makes a second cluster", async () => {
  const { simulator, workspace, writes } = fixture;
  const failures: string[] = [];
  for (const name of ["web", "api"])
    simulator.fault({ kind: "sick-replica", replica: 0, message: "no driver", name: `${name}-*` });
  const program: PulumiFn = async () => {
    const retry = new ErrorHook("retry", async ({ name, failedOperation, errors }) => {
      failures.push(`${name} ${failedOperation}`);
      return errors.length < 3;
    });
    const options = { hooks: { onError: [retry] }, customTimeouts: { create: "5s" } };
    new gpu.Cluster("web", cluster, options);
    new native.Cluster("api", cluster, options);
  };
  await stack.up({ program }).catch(() => {});
  expect(failures.sort()).toEqual([...Array(3).fill("api create"), ...Array(3).fill("web create")]);
  expect(writes().filter((line) => line === "POST /v1/clusters")).toHaveLength(2);
  expect(idsOf(workspace.storedClusters())).toEqual(idsOf(living(simulator)));
});

test("a hook before a deletion can prevent it: the clusters stay, even in the state", async () => {
  const { simulator, workspace } = fixture;
  for (const { id } of living(simulator)) simulator.change(id, { status: "running" });
  const refusing = () =>
    new ResourceHook("drain", () => {
      throw new Error("not now");
    });
  const program: PulumiFn = async () => {
    const options = { hooks: { beforeDelete: [refusing()] } };
    new gpu.Cluster("web", cluster, options);
    new native.Cluster("api", cluster, options);
  };
  await stack.up({ program });
  await expect(stack.up({ program: async () => void refusing() })).rejects.toThrow(/not now/);
  expect(living(simulator)).toHaveLength(2);
  expect(idsOf(workspace.storedClusters())).toEqual(idsOf(living(simulator)));
});

test("transforms of a whole stack change clusters of both adapters, and the program reads what they add", async () => {
  const program: PulumiFn = async () => {
    runtime.registerResourceTransform(({ props, opts, custom, type }) =>
      custom && /gpucluster:(index:)?Cluster$/.test(type)
        ? { props: { ...props, replicas: 3, maxHourlyCost: 99 }, opts }
        : undefined,
    );
    const made = [new gpu.Cluster("web", cluster), new native.Cluster("api", cluster)];
    return { limits: made.map(({ maxHourlyCost }) => maxHourlyCost) };
  };
  const { outputs } = await stack.up({ program });
  expect(outputs["limits"]?.value).toEqual([99, 99]);
  expect(living(fixture.simulator).map(({ replicas }) => replicas)).toEqual([3, 3]);
  await stack.destroy();
  expect(living(fixture.simulator)).toEqual([]);
});
