import { LocalWorkspace, type LocalWorkspaceOptions, type PulumiFn, type Stack } from "@pulumi/pulumi/automation";

/** A stack by its name, with the Automation API's options: `pulumiCommand` for your own CLI, `envVars`, `workDir`. */
export interface StackArgs extends Omit<LocalWorkspaceOptions, "program"> {
  readonly stackName: string;
  /** Name of the project if the program is passed as a function; without it, `workDir` is the folder of a project. */
  readonly projectName?: string;
}

/** A stack that the Automation API has opened, or the arguments to open it. */
export type StackSource = Stack | StackArgs;

export function nameOf(source: StackSource): string {
  return isStack(source) ? source.name : source.stackName;
}

/** Opens a stack. If there is none, it creates the stack for an operation that runs a program, and rejects for any other. */
export async function openStack(source: StackSource, program: PulumiFn | undefined, mayMake: boolean): Promise<Stack> {
  if (isStack(source)) return source;
  // An empty program would delete all resources of the stack.
  if (mayMake && source.projectName !== undefined && program === undefined) {
    throw new TypeError("`projectName` needs a `program` beside it; without both, the program is the one in `workDir`");
  }
  const { stackName, projectName, workDir = process.cwd(), ...options } = source;
  const open = mayMake ? "createOrSelectStack" : "selectStack";
  if (projectName === undefined) return LocalWorkspace[open]({ stackName, workDir }, options);
  // Refresh and destroy use the state, and run no program.
  const inline = { stackName, projectName, program: program ?? (async () => {}) };
  return LocalWorkspace[open](inline, source.workDir === undefined ? options : { ...options, workDir });
}

/** Judges by the shape, not by the class: a program may have its own copy of the SDK. */
function isStack(source: StackSource): source is Stack {
  return "workspace" in source;
}
