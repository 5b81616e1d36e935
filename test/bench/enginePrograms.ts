/** Programs for the engine, in the words of `Workspace`: `pulumi` and `gpu` are defined. */

/** So many clusters, each with two variables. */
export function clusterProgram(count: number): string {
  return `for (let i = 0; i < ${count}; i++) new gpu.Cluster("c" + i, {
  gpuType: "h100", container: "vllm/vllm-openai:v0.6.3", env: { MODEL: "meta/llama-3-8b", TOKEN: "secret-" + i },
});`;
}

/** The same through the plugin. */
export function nativeProgram(count: number): string {
  const load = 'const native = require("pulumi-gpucluster/native");';
  return `${load}\n${clusterProgram(count).replace("new gpu.", "new native.")}`;
}

/** So many resources whose provider does nothing; declared as ours are, without making text of a provider at each start. */
export function emptyProgram(count: number): string {
  const provider = 'exports.handler=()=>({create:async inputs=>({id:"1",outs:inputs})})';
  return `const __provider = ${JSON.stringify(provider)};
const type = "pulumi-nodejs:dynamic/bench:Empty";
for (let i = 0; i < ${count}; i++) new pulumi.CustomResource(type, "c" + i, { gpuType: "h100", __provider });`;
}
