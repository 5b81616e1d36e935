import type { Fixture } from "./harness";

/** The inputs of a program's cluster `web`. */
export interface Inputs {
  readonly gpuType: string;
  readonly container: string;
  readonly replicas?: number;
  readonly name?: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly desiredStatus?: string;
}

/** Writes a program with the cluster `web`, and with the cluster `gateway` that uses the endpoint of `web`. */
type WriteProgram = (fixture: Fixture, inputs: Inputs) => void;

/** Imitates a DNS record or a gateway: it must not change while the endpoint of `web` stays the same. */
const gateway = { gpuType: "l4", container: "acme/gateway:1" };
/** A creation that fails has to fail soon. */
const options = { customTimeouts: { create: "4s" } };

/** A JavaScript program with the dynamic adapter. */
export const writeTypeScript: WriteProgram = ({ workspace }, inputs) =>
  workspace.program(`
const web = new gpu.Cluster("web", ${JSON.stringify(inputs)}, ${JSON.stringify(options)});
new gpu.Cluster("gateway", { ...${JSON.stringify(gateway)}, env: { UPSTREAM: web.endpoint } });
`);

/** A YAML program with the plugin. */
export const writeYaml: WriteProgram = ({ workspace }, inputs) =>
  workspace.yaml({
    resources: {
      web: { type: "gpucluster:Cluster", properties: inputs, options },
      gateway: {
        type: "gpucluster:Cluster",
        // biome-ignore lint/suspicious/noTemplateCurlyInString: a reference of a YAML program
        properties: { ...gateway, env: { UPSTREAM: "${web.endpoint}" } },
      },
    },
  });
