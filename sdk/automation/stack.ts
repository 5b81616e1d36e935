import { LocalWorkspace, type LocalWorkspaceOptions, type PulumiFn, type Stack } from "@pulumi/pulumi/automation";

/** A stack by its name, with the Automation API's options: `pulumiCommand` for a CLI of one's own, `envVars`, `workDir`. */
export interface StackArgs extends Omit<LocalWorkspaceOptions, "program"> {
  readonly stackName: string;
  /** Project of a program that is passed as a function; without it, `workDir` is the folder of a project. */
  readonly projectName?: string;
}

/** A stack that the Automation API has opened, or where to find it. */
export type StackSource = Stack | StackArgs;

export function nameOf(source: StackSource): string {
  return isStack(source) ? source.name : source.stackName;
}

/** Opens a stack. One that is not there yet is made where a program is about to be run, and an error elsewhere. */
export async function openStack(source: StackSource, program: PulumiFn | undefined, mayMake: boolean): Promise<Stack> {
  if (isStack(source)) return source;
  // An empty program would delete all that the stack has.
  if (mayMake && source.projectName !== undefined && program === undefined) {
    throw new TypeError("`projectName` needs a `program` beside it; without both, the program is the one in `workDir`");
  }
  const { stackName, projectName, workDir = process.cwd(), ...options } = source;
  const open = mayMake ? "createOrSelectStack" : "selectStack";
  if (projectName === undefined) return LocalWorkspace[open]({ stackName, workDir }, options);
  // Refresh and destroy go by the state, and run no program.
  const inline = { stackName, projectName, program: program ?? (async () => {}) };
  return LocalWorkspace[open](inline, source.workDir === undefined ? options : { ...options, workDir });
}

/** By its shape: a program may have a copy of the SDK of its own. */
function isStack(source: StackSource): source is Stack {
  return "workspace" in source;
}
