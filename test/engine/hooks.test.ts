import { ErrorHook, ResourceHook, type ResourceHookFunction, runtime } from "@pulumi/pulumi";
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
const called: string[] = [];

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
const times = ["beforeCreate", "afterCreate", "beforeUpdate", "afterUpdate", "beforeDelete", "afterDelete"] as const;

/** A hook for each time, which records the time and the resource of its calls. */
function allHooks(act: ResourceHookFunction = () => {}) {
  const hookAt = (time: string) =>
    new ResourceHook(time, async (args) => {
      called.push(`${args.name} ${time}`);
      await act(args);
    });
  return Object.fromEntries(times.map((time) => [time, [hookAt(time)]]));
}

/** A program with one cluster of each adapter. */
function both(args: { replicas?: number }, optionsOf: () => object): PulumiFn {
  return async () => {
    const options = optionsOf();
    new gpu.Cluster("web", { ...cluster, ...args }, options);
    new native.Cluster("api", { ...cluster, ...args }, options);
  };
}

/** The hooks that were called since the last call of this function, sorted. */
function calls(): string[] {
  return called.splice(0).sort((a, b) => a.localeCompare(b, "en", { numeric: true }));
}

test("hooks run before and after each operation in both adapters", async () => {
  const program = (replicas: number) => both({ replicas }, () => ({ hooks: allHooks() }));
  await stack.up({ program: program(1) });
  expect(calls()).toEqual(["api afterCreate", "api beforeCreate", "web afterCreate", "web beforeCreate"]);
  await stack.up({ program: program(2) });
  expect(calls()).toEqual(["api afterUpdate", "api beforeUpdate", "web afterUpdate", "web beforeUpdate"]);
  expect(fixture.writes()).toHaveLength(4);
});

test("a hook before a deletion can prevent it: the cluster stays, even in the state", async () => {
  const refuse = () => {
    throw new Error("not now");
  };
  const removed: PulumiFn = async () => void allHooks(refuse);
  await expect(stack.up({ program: removed })).rejects.toThrow(/not now/);
  expect(new Set(calls())).toEqual(new Set(["api beforeDelete", "web beforeDelete"]));
  expect(fixture.writes()).toEqual([]);
  await stack.up({ program: async () => void allHooks() });
  expect(calls()).toEqual(["api afterDelete", "api beforeDelete", "web afterDelete", "web beforeDelete"]);
  expect(living(fixture.simulator)).toEqual([]);
});

test("an error hook can retry a creation, which never makes a second cluster", async () => {
  const { simulator, workspace, writes } = fixture;
  const failures: string[] = [];
  const retry = () =>
    new ErrorHook("retry", async ({ name, failedOperation, errors }) => {
      failures.push(`${name} ${failedOperation}`);
      return errors.length < 3;
    });
  for (const name of ["web", "api"])
    simulator.fault({ kind: "sick-replica", replica: 0, message: "no driver", name: `${name}-*` });
  writes();
  const program = both({}, () => ({ hooks: { onError: [retry()] }, customTimeouts: { create: "5s" } }));
  await stack.up({ program }).catch(() => {});
  expect(failures.sort()).toEqual([...Array(3).fill("api create"), ...Array(3).fill("web create")]);
  expect(writes().filter((line) => line === "POST /v1/clusters")).toHaveLength(2);
  expect(idsOf(workspace.storedClusters())).toEqual(idsOf(living(simulator)));
});

test("transforms of a whole stack change clusters of both adapters, and the program reads what they add", async () => {
  for (const { id } of living(fixture.simulator)) fixture.simulator.change(id, { status: "running" });
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
