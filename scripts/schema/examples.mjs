// @ts-check
import { facts } from "../release/facts.mjs";

/** One program in each language, for the description of the resource. The SDK of a language keeps only its own. */
const PROGRAMS = {
  typescript: `import * as gpucluster from "pulumi-gpucluster/native";

const web = new gpucluster.Cluster("web", {
    gpuType: "h100",
    replicas: 2,
    container: "vllm/vllm-openai:v0.6.3",
});
export const endpoint = web.endpoint;`,
  python: `import pulumi
import pulumi_gpucluster as gpucluster

web = gpucluster.Cluster("web",
    gpu_type="h100",
    replicas=2,
    container="vllm/vllm-openai:v0.6.3")
pulumi.export("endpoint", web.endpoint)`,
  go: `package main

import (
	"${facts.goImport}"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"
)

func main() {
	pulumi.Run(func(ctx *pulumi.Context) error {
		web, err := gpucluster.NewCluster(ctx, "web", &gpucluster.ClusterArgs{
			GpuType:   pulumi.String("h100"),
			Replicas:  pulumi.Int(2),
			Container: pulumi.String("vllm/vllm-openai:v0.6.3"),
		})
		if err != nil {
			return err
		}
		ctx.Export("endpoint", web.Endpoint)
		return nil
	})
}`,
  csharp: `using System.Collections.Generic;
using System.Linq;
using Pulumi;
using GpuCluster = Pulumi.GpuCluster;

return await Deployment.RunAsync(() =>
{
    var web = new GpuCluster.Cluster("web", new()
    {
        GpuType = "h100",
        Replicas = 2,
        Container = "vllm/vllm-openai:v0.6.3",
    });

    return new Dictionary<string, object?>
    {
        ["endpoint"] = web.Endpoint,
    };
});`,
  yaml: `resources:
  web:
    type: gpucluster:Cluster
    properties:
      gpuType: h100
      replicas: 2
      container: vllm/vllm-openai:v0.6.3
outputs:
  endpoint: \${web.endpoint}`,
};

/** The examples in the form that Pulumi's tools read. */
export const examples = [
  "{{% examples %}}",
  "## Example Usage",
  "{{% example %}}",
  ...Object.entries(PROGRAMS).map(([language, text]) => `\`\`\`${language}\n${text}\n\`\`\``),
  "{{% /example %}}",
  "{{% /examples %}}",
].join("\n");
