import type { Workspace } from "./workspace";

/** The desired inputs of a program's cluster. */
export interface Wanted {
  readonly name?: string;
  readonly gpuType: string;
  readonly replicas: number;
  readonly container: string;
  readonly env: Readonly<Record<string, string>>;
}

/** Writes a program with a cluster `web`, which must be ready within `createLimit`, and a cluster that uses its endpoint. */
export type WriteProgram = (workspace: Workspace, wanted: Wanted) => void;

/** Far shorter than any default, so that a creation that has to fail in a test fails soon. */
const createLimit = "3s";
/** Imitates a DNS record or a gateway: it must not change while the endpoint stays the same. */
const dependent = { gpuType: "l4", container: "acme/gateway:1" };

/** The same program in each language. */
export const writers = {
  YAML: (workspace, wanted) =>
    workspace.yaml({
      resources: {
        web: { type: "gpucluster:Cluster", properties: wanted, options: { customTimeouts: { create: createLimit } } },
        // biome-ignore lint/suspicious/noTemplateCurlyInString: how YAML programs refer to others
        dependent: { type: "gpucluster:Cluster", properties: { ...dependent, env: { UPSTREAM: "${web.endpoint}" } } },
      },
    }),

  Python: (workspace, wanted) =>
    workspace.python(`import pulumi
import pulumi_gpucluster as gpucluster

limits = pulumi.ResourceOptions(custom_timeouts=pulumi.CustomTimeouts(create="${createLimit}"))
web = gpucluster.Cluster("web", ${pythonArgs(wanted)}, opts=limits)
gpucluster.Cluster("dependent", ${pythonArgs(dependent)}, env={"UPSTREAM": web.endpoint})
`),
} satisfies Record<string, WriteProgram>;

/** Texts, numbers and objects of texts are written in Python as in JSON. */
function pythonArgs(args: object): string {
  const snakeCase = (name: string) => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
  return Object.entries(args)
    .map(([name, value]) => `${snakeCase(name)}=${JSON.stringify(value)}`)
    .join(", ");
}
