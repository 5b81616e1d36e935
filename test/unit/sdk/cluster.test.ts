import * as pulumi from "@pulumi/pulumi";
import { inputNames, outputNames } from "../../../provider/cluster/fields";
import { Cluster, type ClusterArgs } from "../../../sdk";
import { inside, isSecret, type Registered, resolved, runProgram } from "./program";

const args: ClusterArgs = { gpuType: "h100", replicas: 2, container: "vllm/vllm-openai:v0.6.3" };
const type = "pulumi-nodejs:dynamic/gpucluster:Cluster";
const text = 'exports.handler=()=>require("pulumi-gpucluster/provider")';

/** The one cluster that a program registers. */
async function registerOne(program: () => unknown): Promise<Registered> {
  const clusters = (await runProgram(program)).filter((resource) => resource.type === type);
  expect(clusters).toHaveLength(1);
  return clusters[0] as Registered;
}

function providerOf({ props }: Registered): unknown {
  const provider = props["__provider"];
  return isSecret(provider) ? inside(provider) : provider;
}

describe("a readiness probe in a program", () => {
  it("registers headers and body as secrets, also if they come from other resources", async () => {
    const headers = { Plain: "a", Late: pulumi.output(Promise.resolve("b")) };
    const readinessProbe = { path: "/health", method: "POST" as const, headers, body: pulumi.output("c") };
    const { props } = await registerOne(() => new Cluster("web", { ...args, readinessProbe }));
    const { headers: sent, body, ...others } = Object(props["readinessProbe"]);
    expect(others).toEqual({ path: "/health", method: "POST" });
    for (const [value, plain] of [
      [sent.Plain, "a"],
      [sent.Late, "b"],
      [body, "c"],
    ] as const) {
      expect(isSecret(value)).toBe(true);
      expect(inside(value)).toBe(plain);
    }
  });

  it("registers a path alone in plain text, and a probe that is an output as one secret", async () => {
    const readinessProbe = { path: "/health" };
    const plain = await registerOne(() => new Cluster("web", { ...args, readinessProbe }));
    expect(plain.props["readinessProbe"]).toEqual(readinessProbe);
    const late = await registerOne(
      () => new Cluster("web", { ...args, readinessProbe: pulumi.output(readinessProbe) }),
    );
    expect(isSecret(late.props["readinessProbe"])).toBe(true);
  });
});

describe("a cluster in a program", () => {
  it("has the type in all states, which never changes", async () => {
    const { type: registered, name } = await registerOne(() => new Cluster("web", args));
    expect([registered, name]).toEqual([type, "web"]);
  });

  it("registers a short code text, which never changes", async () => {
    expect(providerOf(await registerOne(() => new Cluster("web", args)))).toBe(text);
  });

  it("registers the text in plain text, so that it is equal in every state", async () => {
    const { props } = await registerOne(() => new Cluster("web", args));
    expect(props["__provider"]).toBe(text);
  });

  it("registers its inputs unchanged, and no missing input", async () => {
    const { props } = await registerOne(() => new Cluster("web", args));
    const { __provider, __urn, ...inputs } = props;
    expect(inputs).toEqual(args);
    expect([__provider, __urn]).not.toContain(undefined);
  });

  it("registers the value of another resource's output", async () => {
    const later = pulumi.output(Promise.resolve("l4"));
    const { props } = await registerOne(() => new Cluster("web", { ...args, gpuType: later }));
    expect(props).toMatchObject({ gpuType: "l4" });
  });

  it("passes its timeouts on", async () => {
    const customTimeouts = { create: "2h", delete: "5m" };
    const { props } = await registerOne(() => new Cluster("web", args, { customTimeouts }));
    expect(props["__timeouts"]).toEqual(customTimeouts);
  });

  it("passes on the names of its secret outputs", async () => {
    const additionalSecretOutputs = ["endpoint", "hourlyCost", "env"];
    const { props } = await registerOne(() => new Cluster("web", args, { additionalSecretOutputs }));
    expect(props["__secretOutputs"]).toEqual(["endpoint", "hourlyCost"]);
  });

  it("has every output, as an output, whatever the program sets", async () => {
    await runProgram(() => {
      const cluster = new Cluster("web", args);
      for (const name of [...outputNames, ...inputNames]) {
        expect([name, pulumi.Output.isInstance(cluster[name])]).toEqual([name, true]);
      }
    });
  });

  it("knows its id and its inputs after its registration", async () => {
    let cluster: Cluster | undefined;
    await runProgram(() => {
      cluster = new Cluster("web", args);
    });
    if (!cluster) throw new Error("the program did not run");
    expect(await resolved(pulumi.all([cluster.id, cluster.replicas]))).toEqual(["cl_web", 2]);
  });
});

describe("the URN that a cluster registers", () => {
  it("is its own", async () => {
    const { props, urn } = await registerOne(() => new Cluster("web", args));
    expect(props["__urn"]).toBe(urn);
    expect(urn).toBe(`urn:pulumi:dev::shop::${type}::web`);
  });

  it("is its own under a component, too", async () => {
    class Fleet extends pulumi.ComponentResource {
      constructor(name: string) {
        super("shop:index:Fleet", name);
        new Cluster(`${name}-web`, args, { parent: this });
      }
    }
    const { props } = await registerOne(() => new Fleet("eu"));
    expect(props["__urn"]).toBe(`urn:pulumi:dev::shop::shop:index:Fleet$${type}::eu-web`);
  });

  it("is its own under two components, too", async () => {
    const { props } = await registerOne(() => {
      const outer = new pulumi.ComponentResource("shop:index:Region", "eu");
      const inner = new pulumi.ComponentResource("shop:index:Fleet", "a", {}, { parent: outer });
      return new Cluster("web", args, { parent: inner });
    });
    expect(props["__urn"]).toBe(`urn:pulumi:dev::shop::shop:index:Region$shop:index:Fleet$${type}::web`);
  });
});

describe("the env of a cluster", () => {
  it("is a secret value by value, while its names stay readable", async () => {
    const env = { MODEL: "llama", TOKEN: pulumi.output("abc"), KEY: pulumi.secret("def") };
    const { props } = await registerOne(() => new Cluster("web", { ...args, env }));
    expect(isSecret(props["env"])).toBe(false);
    const values = Object.entries(Object(props["env"]));
    expect(values.every(([, value]) => isSecret(value))).toBe(true);
    const plain = Object.fromEntries(values.map(([name, value]) => [name, inside(value)]));
    expect(plain).toEqual({ MODEL: "llama", TOKEN: "abc", KEY: "def" });
  });

  it.each<[string, () => ClusterArgs["env"]]>([
    ["an output", () => pulumi.output({ MODEL: "llama" })],
    ["a promise", () => Promise.resolve({ MODEL: "llama" })],
    ["a secret", () => pulumi.secret({ MODEL: "llama" })],
  ])("is a secret as a whole when it is %s", async (_title, env) => {
    const { props } = await registerOne(() => new Cluster("web", { ...args, env: env() }));
    expect(isSecret(props["env"])).toBe(true);
    expect(inside(props["env"])).toEqual({ MODEL: "llama" });
  });

  it("is not registered if it is missing", async () => {
    expect((await registerOne(() => new Cluster("web", args))).props).not.toHaveProperty("env");
  });
});

describe("an env of ordinary texts", () => {
  it("is registered in plain text if the program sets plainEnv", async () => {
    const env = { MODEL: "llama", TOKEN: pulumi.secret("def") };
    const { props } = await registerOne(() => new Cluster("web", { ...args, env, plainEnv: true }));
    expect(props).toMatchObject({ plainEnv: true, env: { MODEL: "llama" } });
    expect(isSecret(Object(props["env"])["TOKEN"])).toBe(true);
  });

  it("is a secret if the program sets plainEnv to false", async () => {
    const { props } = await registerOne(() => new Cluster("web", { ...args, env: { A: "b" }, plainEnv: false }));
    expect(isSecret(Object(props["env"])["A"])).toBe(true);
  });
});

describe("a cluster that exists already", () => {
  it("is not imported by an option: the error names the input `adopt`", async () => {
    const program = () => new Cluster("web", args, { import: "cl_1a2b3c" });
    await expect(runProgram(program)).rejects.toThrow(/`import` does not work .*`adopt: "cl_1a2b3c"`/);
  });

  it("is registered with the id that it adopts", async () => {
    const { props } = await registerOne(() => new Cluster("web", { ...args, adopt: "cl_1a2b3c" }));
    expect(props).toMatchObject({ adopt: "cl_1a2b3c" });
  });

  it("is read by its id, without inputs", async () => {
    let found: Cluster | undefined;
    await runProgram(() => {
      found = Cluster.get("web", "cl_1a2b3c", { connection: "eu" });
    });
    expect(await resolved(pulumi.output(found?.id))).toBe("cl_1a2b3c");
    expect(await resolved(pulumi.output(found?.connection))).toBe("eu");
  });
});

describe("the options of a cluster", () => {
  it("keep the program's transformations", async () => {
    const more: pulumi.ResourceTransformation = ({ props, opts }) => ({ props: { ...props, replicas: 7 }, opts });
    const { props } = await registerOne(() => new Cluster("web", args, { transformations: [more] }));
    expect(props).toMatchObject({ replicas: 7, __provider: text });
  });

  it("add nothing to its children", async () => {
    const provider: pulumi.dynamic.ResourceProvider = { create: async () => ({ id: "1", outs: {} }) };
    class Child extends pulumi.dynamic.Resource {
      constructor(name: string, parent: pulumi.Resource) {
        super(provider, name, {}, { parent });
      }
    }
    const all = await runProgram(() => new Child("child", new Cluster("web", args)));
    const child = all.find(({ name }) => name === "child");
    expect(child).toBeDefined();
    expect(JSON.stringify(child?.props["__provider"])).not.toContain("pulumi-gpucluster/provider");
  });

  it("keep the provider's text of a cluster below a cluster", async () => {
    const all = await runProgram(() => new Cluster("inner", args, { parent: new Cluster("outer", args) }));
    expect(all.map(providerOf)).toEqual([text, text]);
  });
});
