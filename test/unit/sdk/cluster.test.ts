import * as pulumi from "@pulumi/pulumi";
import { inputNames, outputNames } from "../../../provider/cluster/schema/fields";
import { Cluster, type ClusterArgs } from "../../../sdk";
import * as native from "../../../sdk/native";
import { inside, isKnown, isSecret, type ProgramOptions, registerOne, resolved, runProgram, secret } from "./program";

const args: ClusterArgs = { gpuType: "h100", replicas: 2, container: "acme/model:1" };
const type = "pulumi-nodejs:dynamic/gpucluster:Cluster";
const text = 'exports.handler=()=>require("pulumi-gpucluster/provider")';

/** The properties of `web` with these arguments. */
const propsOf = async (more: Partial<ClusterArgs> = {}, opts?: pulumi.CustomResourceOptions) =>
  (await registerOne(() => new Cluster("web", { ...args, ...more }, opts), /Cluster$/)).props;

/** The one of `T` that a program makes. */
async function madeBy<T>(make: () => T, options?: ProgramOptions): Promise<T> {
  const made: T[] = [];
  await runProgram(() => made.push(make()), options);
  return made[0] as T;
}

describe("a cluster in a program", () => {
  it("has the type in all states, and a short code text in plain text, which never change", async () => {
    const { type: registered, name, props } = await registerOne(() => new Cluster("web", args), /Cluster$/);
    expect([registered, name, props["__provider"]]).toEqual([type, "web", text]);
  });

  it("registers its inputs unchanged, and no missing input", async () => {
    const { __provider, __urn, ...inputs } = await propsOf();
    expect(inputs).toEqual(args);
    expect([__provider, __urn]).not.toContain(undefined);
  });

  const gpuType = pulumi.output(Promise.resolve("l4"));
  const create = "2h";
  const additionalSecretOutputs = ["endpoint", "hourlyCost", "env"];
  const transform: pulumi.ResourceTransformation = ({ props, opts }) => ({ props: { ...props, replicas: 7 }, opts });
  it.each<[string, Partial<ClusterArgs>, pulumi.CustomResourceOptions, object]>([
    ["the value of another resource's output", { gpuType }, {}, { gpuType: "l4" }],
    ["its timeouts", {}, { customTimeouts: { create } }, { __timeouts: { create } }],
    ["the names of its secret outputs", {}, { additionalSecretOutputs }, { __secrets: ["endpoint", "hourlyCost"] }],
    ["what a transformation makes of it", {}, { transformations: [transform] }, { replicas: 7, __provider: text }],
  ])("registers %s", async (_what, more, opts, expected) => {
    expect(await propsOf(more, opts)).toMatchObject(expected);
  });

  it("has every output, as an output, whatever the program sets, and nothing that only the provider reads", async () => {
    await runProgram(() => {
      const cluster = new Cluster("web", args);
      for (const name of [...outputNames, ...inputNames]) {
        expect([name, pulumi.Output.isInstance(cluster[name])]).toEqual([name, true]);
      }
      for (const name of ["settled", "unverifiedInputs"]) expect(cluster).not.toHaveProperty(name);
    });
  });

  it("does not know in a preview whether something else sets an input that the program leaves out", async () => {
    const { maxHourlyCost } = await madeBy(() => new Cluster("web", args), { isPreview: true });
    expect(await isKnown(maxHourlyCost)).toBe(false);
  });

  it.each<[string, (name: string) => Cluster]>([
    ["only a transform of its parent or of the stack sets", (name) => new Cluster(name, args)],
    ["the engine keeps", (name) => new Cluster(name, args, { ignoreChanges: ["env.MODEL", "maxHourlyCost"] })],
    ["the service has, of a cluster that is only read", (name) => Cluster.get(name, "cl_1a2b3c")],
  ])("has the plain value of an input that %s", async (_title, make) => {
    // The engine makes a secret of a map whose variable is one already.
    const outputs = { maxHourlyCost: 7, env: secret({ MODEL: secret("llama") }) };
    const { maxHourlyCost, env } = await madeBy(() => make("web"), { outputs });
    expect(await resolved(pulumi.all([maxHourlyCost, env]))).toEqual([7, { MODEL: "llama" }]);
  });
});

test("Cluster.get gives the provider the values that the program knows", async () => {
  const { container } = await madeBy(() => Cluster.get("web", "cl_1a2b3c", { container: "acme/model:1" }));
  expect(await resolved(container)).toBe("acme/model:1");
});

describe("the URN that a cluster registers", () => {
  const { ComponentResource } = pulumi;
  const region = () => new ComponentResource("shop:index:Region", "eu");
  const fleet = () => new ComponentResource("shop:index:Fleet", "a", {}, { parent: region() });
  const colons = () => new ComponentResource("shop:index:Fleet", "team::a");
  const stack = () => new ComponentResource("pulumi:pulumi:Stack", "shop-dev");
  it.each<[string, () => pulumi.Resource | undefined, string]>([
    ["is known at the top", () => undefined, ""],
    ["is known under two components", fleet, "shop:index:Region$shop:index:Fleet$"],
    ["is known under a component with colons in its name", colons, "shop:index:Fleet$"],
    ["has no type of the stack, if the program gives it as the parent", stack, ""],
  ])("%s", async (_title, parentOf, types) => {
    const { props } = await registerOne(() => {
      const parent = parentOf();
      return new Cluster("web", args, parent && { parent });
    }, /Cluster$/);
    expect(props["__urn"]).toBe(`urn:pulumi:dev::shop::${types}${type}::web`);
  });
});

describe("the env of a cluster", () => {
  it("is registered value by value, as other maps are, with the paths of what the program marks, however deep", async () => {
    const env = { MODEL: "llama", LATE: pulumi.output("abc"), MODE: pulumi.secret("def") };
    const extraFields = { tier: "secure", login: { user: pulumi.secret("me") }, hosts: ["a", pulumi.secret("b")] };
    const readinessProbe = { path: "/health", headers: { Plain: "a", Marked: pulumi.secret("c") } };
    const props = await propsOf({ env, extraFields, readinessProbe });
    const ofOthers = ["extraFields.hosts", "extraFields.login.user", "readinessProbe.headers.Marked"];
    expect(props["__secrets"]).toEqual(["env.MODE", ...ofOthers]);
    const { MODEL, LATE, MODE } = Object(props["env"]);
    expect([MODEL, LATE, isSecret(MODE), inside(MODE)]).toEqual(["llama", "abc", true, "def"]);
  });

  it.each<[string, () => ClusterArgs["env"], boolean]>([
    ["is registered without a mark if it is an output", () => pulumi.output({ MODEL: "llama" }), false],
    ["is registered as a secret if it is one", () => pulumi.secret({ MODEL: "llama" }), true],
    [
      "is registered as a secret if it is an output with one",
      () => pulumi.output({ MODEL: pulumi.secret("llama") }),
      true,
    ],
  ])("%s", async (_title, env, isMarked) => {
    const props = await propsOf({ env: env() });
    expect([isSecret(props["env"]), props["__secrets"]]).toEqual([isMarked, isMarked ? ["env"] : undefined]);
    expect(isMarked ? inside(props["env"]) : props["env"]).toEqual({ MODEL: "llama" });
  });
});

describe("the provider of a cluster", () => {
  class Other extends pulumi.ProviderResource {}
  const component = (opts: pulumi.ComponentResourceOptions) =>
    new pulumi.ComponentResource("shop:index:Fleet", "a", {}, opts);
  const eu = () => new native.Provider("eu");
  const withEu = () => ({ provider: eu() });
  const several = () => component({ providers: [new Other("aws", "w"), eu()] });
  type Options = () => pulumi.CustomResourceOptions;

  it.each<[string, Options]>([
    ["is refused if the cluster has it", withEu],
    ["is refused if its component has it", () => ({ parent: component(withEu()) })],
    [
      "is refused if the parent of its component has it among several",
      () => ({ parent: component({ parent: several() }) }),
    ],
    ["is refused if its parent is a cluster that has it", () => ({ parent: new native.Cluster("b", args, withEu()) })],
  ])("%s", async (_title, options) => {
    const refusal =
      /^Cluster "web": .* has a provider, but `Cluster` .* key from the stack's config.*`pulumi-gpucluster\/native`/;
    await runProgram(() => expect(() => new Cluster("web", args, options())).toThrow(refusal));
    await runProgram(() => expect(() => Cluster.get("web", "cl_1a2b3c", {}, options())).toThrow(refusal));
  });

  it("is accepted if it is of another package", async () => {
    const program = () => new Cluster("web", args, { parent: component({ providers: [new Other("aws", "w")] }) });
    await registerOne(program, /Cluster$/);
  });
});

describe("a cluster that exists already", () => {
  it("is not imported by an option: the error names the input `adopt`", async () => {
    const program = () => new Cluster("web", args, { import: "cl_1a2b3c" });
    await expect(runProgram(program)).rejects.toThrow(/`import` does not work .*`adopt: "cl_1a2b3c"`/);
  });
});
