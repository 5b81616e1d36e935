import { appendFileSync } from "node:fs";
import { join } from "node:path";
import { type Simulator, startSimulator } from "../../simulator";
import { Workspace } from "../engine/workspace";

const apiKey = "bench-key-0123456789abcdef";

const inertLines = `plugins:
  providers:
    - { name: inert, path: ${JSON.stringify(join(__dirname, "inert"))} }
`;

/** A new project, and its service. */
export interface Project {
  readonly simulator: Simulator;
  readonly workspace: Workspace;
  close(): Promise<void>;
}

/** A project with a program, for the real engine on the real clock. */
export async function openProject(program: string): Promise<Project> {
  const simulator = await startSimulator({
    provisioningMs: 300,
    deletionMs: 100,
    rateLimit: 1_000_000,
    apiKeys: { [apiKey]: "org_bench" },
  });
  const env = { GPUCLUSTER_BASE_URL: simulator.url, GPUCLUSTER_API_KEY: apiKey };
  const workspace = new Workspace({ env, program });
  if (program.includes("inert:")) appendFileSync(join(workspace.folder, "Pulumi.yaml"), inertLines);
  const close = async () => {
    await simulator.close();
    workspace.remove();
  };
  await workspace.init();
  return { simulator, workspace, close };
}

export async function timeOf(work: () => Promise<unknown>): Promise<number> {
  const startMs = performance.now();
  await work();
  return performance.now() - startMs;
}
