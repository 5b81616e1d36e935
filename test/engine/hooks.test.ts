import { ErrorHook, ResourceHook, runtime } from "@pulumi/pulumi";
import { LocalWorkspace, PulumiCommand, type PulumiFn, type Stack } from "@pulumi/pulumi/automation";
// The built package, as programs import it.
import * as gpu from "pulumi-gpucluster";
import * as native from "pulumi-gpucluster/native";
import { ofThisEngine } from "./engines";
import { closeFixtures, type Fixture, idsOf, living, openFixture } from "./harness";
import { cliRoot } from "./workspace";

/*
 * The programs are functions of this process, and the engine calls them through the SDK. A language host that was built from
 * the Go module proxy is older than hooks: it supports neither hooks nor transforms of a whole stack.
 */
let fixture: Fixture;
let stack: Stack;

beforeAll(async () => {
  ({ fixture, stack } = await openStack());
});
afterAll(closeFixtures);

async function openStack() {
  // The text makes the harness write the project's line with the plugin.
  const opened = await openFixture("// pulumi-gpucluster/native");
  const pulumiCommand = await PulumiCommand.get({ root: cliRoot });
  const { folder: workDir, env: envVars } = opened.workspace;
  const names = { stackName: "test", projectName: "engine-test", program: async () => {} };
  return {
    fixture: opened,
    stack: await LocalWorkspace.selectStack(names, { workDir, pulumiCommand, envVars }),
  };
}

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

/** What a read of the cluster meets when the creation is repeated; nothing lets it wait until its time limit. */
const obstacles = {
  "server-error": { kind: "status", status: 500 },
  "refused-key": { kind: "status", status: 401 },
  "missing-permission": { kind: "status", status: 403 },
  "closed-connection": { kind: "drop" },
  "time-limit": undefined,
} as const;

describe("a creation that has an id stays a creation if an error hook repeats it", () => {
  let opened: Awaited<ReturnType<typeof openStack>>;
  const cases = Object.entries({ dynamic: gpu.Cluster, native: native.Cluster }).flatMap(([adapter, Cluster]) =>
    Object.entries(obstacles).map(([obstacle, fault]) => ({ name: `${adapter}-${obstacle}`, Cluster, fault })),
  );

  beforeAll(async () => {
    opened = await openStack();
    const { simulator } = opened.fixture;
    simulator.setGpuType(cluster.gpuType, { stock: cases.length });
    simulator.fault({ kind: "sick-replica", replica: 0, message: "no driver", times: cases.length });
    const program: PulumiFn = async () => {
      for (const { name, Cluster, fault } of cases) {
        const repeat = new ErrorHook(name, async ({ errors }) => {
          if (fault) simulator.fault({ ...fault, method: "GET", name, times: 1_000 });
          return errors.length < 2;
        });
        const options = { hooks: { onError: [repeat] }, customTimeouts: { create: "4s", update: "20s" } };
        new Cluster(name, { ...cluster, name }, options);
      }
    };
    // Otherwise the failure of a fast cluster would end the run before slow ones begin.
    await expect(opened.stack.up({ program, parallel: cases.length, continueOnError: true })).rejects.toThrow(
      /was created, but is not ready/,
    );
  });

  it("so that no second cluster exists, whatever the engine calls", () => {
    const { simulator, writes } = opened.fixture;
    const reads = simulator.requests.filter(({ status }) => status === 403);
    expect(reads.length > 0 ? "update" : "create").toBe(ofThisEngine("repeatedCreation"));
    expect(writes()).toEqual(cases.map(() => "POST /v1/clusters"));
  });

  it.each(cases)("with its id, its state, its time limit and its message: $name", ({ name, fault }) => {
    const { simulator, workspace } = opened.fixture;
    const [made] = living(simulator).filter((one) => one.name === name);
    const stored = workspace.storedClusters().filter(({ outputs }) => outputs["name"] === name);
    expect(stored).toMatchObject([{ id: made?.id, outputs: { settled: false } }]);
    const reason = fault ? "" : "timed out after [4-9]s";
    const message = new RegExp(`was created, but is not ready: ${reason}`);
    expect(stored[0]?.initErrors).toEqual([expect.stringMatching(message)]);
  });
});

test("an update that an error hook repeats is reverted by the next `up`, even if the repetition cannot read the cluster", async () => {
  const { fixture, stack } = await openStack();
  const { simulator, workspace } = fixture;
  const programOf = (container: string): PulumiFn => {
    return async () => {
      const repeat = new ErrorHook("repeat", async ({ name, errors }) => {
        const isFirst = errors.length < 2;
        if (isFirst) simulator.fault({ kind: "status", status: 403, method: "GET", name: `${name}-*` });
        return isFirst;
      });
      const options = { hooks: { onError: [repeat] }, customTimeouts: { update: "4s" } };
      new gpu.Cluster("web", { ...cluster, container }, options);
      new native.Cluster("api", { ...cluster, container }, options);
    };
  };
  await stack.up({ program: programOf("acme/model:1") });
  simulator.fault({ kind: "sick-replica", replica: 0, message: "no driver", container: "acme/model:2", times: 2 });
  await expect(stack.up({ program: programOf("acme/model:2") })).rejects.toThrow(/HTTP 403/);
  expect(workspace.storedClusters()).toMatchObject([{ outputs: { settled: false } }, { outputs: { settled: false } }]);
  await stack.up({ program: programOf("acme/model:1") });
  expect(living(simulator).map(({ container }) => container)).toEqual(["acme/model:1", "acme/model:1"]);
});
