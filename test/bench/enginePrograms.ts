/** Programs for the engine, in the words of `Workspace`: `pulumi` and `gpu` are defined. */

/** A program of `count` clusters, each with two variables. */
export function clusterProgram(count: number): string {
  return `for (let i = 0; i < ${count}; i++) new gpu.Cluster("c" + i, {
  gpuType: "h100", container: "vllm/vllm-openai:v0.6.3", env: { MODEL: "meta/llama-3-8b", TOKEN: "secret-" + i },
});`;
}

/** The same program through the plugin. */
export function nativeProgram(count: number): string {
  const load = 'const native = require("pulumi-gpucluster/native");';
  return `${load}\n${clusterProgram(count).replace("new gpu.", "new native.")}`;
}

/** A program of `count` native resources that do nothing, by the plugin in the folder `inert`. */
export function inertProgram(count: number): string {
  return `for (let i = 0; i < ${count}; i++) new pulumi.CustomResource("inert:index:Inert", "c" + i, { gpuType: "h100" });`;
}

/** A program of `count` resources with an empty provider, declared as ours are: no provider is serialized at each start. */
export function emptyProgram(count: number): string {
  const provider = 'exports.handler=()=>({create:async inputs=>({id:"1",outs:inputs})})';
  return `const __provider = ${JSON.stringify(provider)};
const type = "pulumi-nodejs:dynamic/bench:Empty";
for (let i = 0; i < ${count}; i++) new pulumi.CustomResource(type, "c" + i, { gpuType: "h100", __provider });`;
}
