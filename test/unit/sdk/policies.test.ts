import { type ResourceValidationArgs, validateResourceOfType } from "@pulumi/policy";
import * as pulumi from "@pulumi/pulumi";
import { Cluster, ClusterFleet } from "../../../sdk";
import * as native from "../../../sdk/native";
import { runProgram } from "./program";

const args = { gpuType: "h100", container: "acme/model:1" };

/** Each class, and the type of its resources in a policy pack. */
const classes = [
  ["Cluster", Cluster, "pulumi-nodejs:dynamic/gpucluster:Cluster", () => new Cluster("web", args)],
  ["native.Cluster", native.Cluster, "gpucluster:index:Cluster", () => new native.Cluster("web", args)],
  ["native.Provider", native.Provider, "pulumi:providers:gpucluster", () => new native.Provider("eu")],
  [
    "ClusterFleet",
    ClusterFleet,
    "gpucluster:index:ClusterFleet",
    () => new ClusterFleet("web", { count: 1, cluster: args }),
  ],
] as const;

describe.each(classes)("%s", (_name, resourceClass, type, make) => {
  it("knows its own resources and no others", async () => {
    await runProgram(() => {
      const own = make();
      expect(resourceClass.isInstance(own)).toBe(true);
      expect(resourceClass.isInstance(new pulumi.ComponentResource("shop:index:Fleet", "other"))).toBe(false);
      for (const nothing of [undefined, null, type, {}]) expect(resourceClass.isInstance(nothing)).toBe(false);
    });
  });

  it("is distinguished from the other classes", () => {
    const found = classes.filter(([, other]) => other.isInstance({ __pulumiType: type })).map(([name]) => name);
    expect(found).toEqual([_name]);
  });
});

describe("a policy on clusters", () => {
  it.each([9, { min: 2, max: 9 }])("sees the properties with their types, with the replicas %j", async (replicas) => {
    const most = 5;
    const validate = validateResourceOfType(Cluster, ({ replicas: asked = 1 }, _args, report) => {
      const count = typeof asked === "number" ? asked : asked.max;
      if (count > most) report(`at most ${most} replicas, got ${count}`);
    });
    const broken: string[] = [];
    const resource = { props: { replicas }, isType: (some: unknown) => some === Cluster };
    await validate(resource as unknown as ResourceValidationArgs, (message) => broken.push(message));
    expect(broken).toEqual(["at most 5 replicas, got 9"]);
  });
});
