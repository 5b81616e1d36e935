import { readFileSync } from "node:fs";
import { join } from "node:path";
import * as pulumi from "@pulumi/pulumi";
import ts from "typescript";
import { Cluster } from "../../../sdk";
import * as native from "../../../sdk/native";
import { runProgram } from "./program";

const args = { gpuType: "h100", container: "acme/model:1" };

/** Each class, and the type of its resources in a policy pack. */
const classes = [
  ["Cluster", Cluster, "pulumi-nodejs:dynamic/gpucluster:Cluster", () => new Cluster("web", args)],
  ["native.Cluster", native.Cluster, "gpucluster:index:Cluster", () => new native.Cluster("web", args)],
  ["native.Provider", native.Provider, "pulumi:providers:gpucluster", () => new native.Provider("eu")],
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
});

test("the policy of the guide allows 8 replicas of a cluster of either adapter, and refuses 9", () => {
  const guide = readFileSync(join(__dirname, "../../../docs/guides/previews-and-costs.md"), "utf8");
  const [, code = ""] = /```ts\n(const clusterTypes[\s\S]*?)```/.exec(guide) ?? [];
  const { validateResource } = new Function(`${ts.transpile(code)}\nreturn atMostEight;`)();
  const broken: string[] = [];
  const judge = (type: string, props: object) =>
    validateResource({ type, props }, (text: string) => broken.push(`${type}: ${text}`));
  for (const [, , type] of classes) {
    for (const replicas of [undefined, 8, 9]) judge(type, { replicas });
  }
  const text = "use at most 8 replicas, not 9";
  expect(broken).toEqual(classes.slice(0, 2).map(([, , type]) => `${type}: ${text}`));
});
