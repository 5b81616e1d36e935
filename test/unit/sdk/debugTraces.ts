import { runProgram } from "./program";

export const clusterArgs = { gpuType: "h100", container: "vllm/vllm-openai:v0.6.3", env: { MODEL: "llama" } };

/** The first functions of the call stacks that are formatted while a program declares something, as source maps do it. */
export async function stacksFormattedBy(declare: () => unknown): Promise<string[]> {
  const names: string[] = [];
  const original = Error.prepareStackTrace;
  await runProgram(() => {
    Error.prepareStackTrace = (_error, frames) => {
      names.push(frames[0]?.getFunctionName() ?? "");
      return "Error\n    at somewhere (/program/index.ts:1:1)";
    };
    try {
      declare();
    } finally {
      Error.prepareStackTrace = original;
    }
  });
  return names;
}
