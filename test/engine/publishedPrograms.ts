import type { Workspace } from "./workspace";

/** The desired inputs of a program's cluster `web`. */
export interface Wanted {
  readonly gpuType: string;
  readonly container: string;
  readonly replicas?: number;
  readonly name?: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly registryCredentialId?: string;
  readonly desiredStatus?: string;
  readonly adopt?: string;
}

/** One of the two adapters between Pulumi and the provider, with the programs that use it. */
export interface Adapter {
  /** Writes the program of one cluster, `web`. */
  writeCluster(workspace: Workspace, wanted: Wanted): void;
  /** Writes a program of outputs, each the result of the function of its name. */
  writeCalls(workspace: Workspace, calls: Readonly<Record<string, Call>>): void;
}

/** A data function and its arguments. */
export type Call = readonly [name: string, args: object];

/** A dynamic resource of a JavaScript program. */
export const dynamicAdapter: Adapter = {
  writeCluster(workspace, wanted) {
    workspace.program(`
const web = new gpu.Cluster("web", ${JSON.stringify(wanted)});
exports.endpoint = web.endpoint;
`);
  },
  writeCalls(workspace, calls) {
    const lines = Object.entries(calls).map(([output, [name, args]]) => {
      return `exports.${output} = gpu.${name}(${JSON.stringify(args)});`;
    });
    workspace.program(lines.join("\n"));
  },
};

/** A resource of a YAML program, which the plugin serves. */
export const nativeAdapter: Adapter = {
  writeCluster(workspace, wanted) {
    workspace.yaml({
      resources: { web: { type: "gpucluster:Cluster", properties: wanted } },
      outputs: { endpoint: reference("web.endpoint") },
    });
  },
  writeCalls(workspace, calls) {
    const outputs = Object.entries(calls).map(([output, [name, args]]) => {
      return [output, { "fn::invoke": { function: `gpucluster:${name}`, arguments: args } }];
    });
    workspace.yaml({ outputs: Object.fromEntries(outputs) });
  },
};

/** A YAML program's reference to a property. */
function reference(path: string): string {
  return `\${${path}}`;
}
