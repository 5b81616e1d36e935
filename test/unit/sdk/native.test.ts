import * as pulumi from "@pulumi/pulumi";
import * as sdk from "../../../sdk";
import * as native from "../../../sdk/native";
import { inside, isSecret, registerOne, runProgram } from "./program";

const args: native.ClusterArgs = { gpuType: "h100", container: "acme/model:1" };

test("the native package exports the cluster, the provider, and every function of the other package", () => {
  const functions = Object.keys(sdk).filter((name) => name.startsWith("get"));
  expect(Object.keys(native).sort()).toEqual(["Cluster", "Provider", ...functions].sort());
});

test("isInstance of each class finds its resources and no others, as a policy pack expects", async () => {
  await runProgram(() => {
    const all = [new sdk.Cluster("web", args), new native.Cluster("web", args), new native.Provider("eu")];
    const known = [sdk.Cluster, native.Cluster, native.Provider].map((each) => all.map((one) => each.isInstance(one)));
    expect(known).toEqual([
      [true, false, false],
      [false, true, false],
      [false, false, true],
    ]);
    expect(native.Cluster.isInstance(undefined)).toBe(false);
  });
});

describe("a native cluster in a program", () => {
  it("registers its inputs as the other adapter does, without hidden properties", async () => {
    const clusterArgs = { ...args, env: { MODEL: "llama", LATE: pulumi.output("abc"), TOKEN: pulumi.secret("t") } };
    const { type, props } = await registerOne(() => new native.Cluster("web", clusterArgs), /Cluster$/);
    expect(type).toBe("gpucluster:index:Cluster");
    const other = await registerOne(() => new sdk.Cluster("web", clusterArgs), /Cluster$/);
    const visible = Object.entries(other.props).filter(([name]) => !name.startsWith("__"));
    expect(props).toEqual(Object.fromEntries(visible));
  });
});

test("a function without arguments is called with the provider that the program gives", async () => {
  const invoke = jest.spyOn(pulumi.runtime, "invoke").mockResolvedValue({});
  await runProgram(async () => {
    const provider = new native.Provider("eu");
    await native.getHealth({ provider });
    await native.getHealth();
    const [first, second] = invoke.mock.calls.map(([name, args, opts]) => ({ name, args, provider: opts?.provider }));
    expect(first).toEqual({ name: "gpucluster:index:getHealth", args: {}, provider });
    expect(second).toEqual({ ...first, provider: undefined });
  });
  invoke.mockRestore();
});

describe.each([
  ["pulumi-gpucluster", sdk.Cluster],
  ["pulumi-gpucluster/native", native.Cluster],
])("the option `deletedWith` of a cluster of %s", (_entry, Cluster) => {
  const deletedWith = () => new Cluster("other", args);

  it("is refused, because the service would go on billing the cluster, with the way out", async () => {
    const program = () => new Cluster("web", args, { deletedWith: deletedWith() });
    await expect(runProgram(program)).rejects.toThrow(
      /^Cluster "web": with the option `deletedWith`, Pulumi never sends its deletion.*billed.*`retainOnDelete`/s,
    );
  });

  it("is accepted where Pulumi deletes nothing", async () => {
    await runProgram(() => Cluster.get("web", "cl_1a2b3c", {}, { deletedWith: deletedWith() }));
  });
});

describe("a provider in a program", () => {
  it("has its settings unchanged, and its key as a secret", async () => {
    const settings = { baseUrl: "https://eu.example.com", maxHourlyCost: 9 };
    const program = () => new native.Provider("eu", { ...settings, apiKey: "k" });
    const { type, props } = await registerOne(program, /providers/);
    expect(type).toBe("pulumi:providers:gpucluster");
    const { apiKey, ...others } = props;
    expect([isSecret(apiKey), inside(apiKey)]).toEqual([true, "k"]);
    expect(others).toMatchObject(settings);
  });
});
