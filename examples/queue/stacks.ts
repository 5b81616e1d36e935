import * as gpu from "pulumi-gpucluster";

/** The stacks by API key. A platform would read them from its repository. */
export const stacks: Readonly<Record<string, readonly string[]>> = {
  acme: ["acme-batch", "acme-chat", "acme-code", "acme-search", "acme-speech", "acme-vision"],
  globex: ["globex-batch", "globex-chat", "globex-code", "globex-search", "globex-speech", "globex-vision"],
};

/** The program of a stack. */
export async function program(stack: string) {
  const model = new gpu.Cluster(stack, { gpuType: "l4", container: "vllm/vllm-openai:v0.6.3" });
  return { endpoint: model.endpoint };
}
