import { outputNames } from "../../cluster/fields";
import { type Properties, type Resource, UNKNOWN } from "../../core";
import { GpuClusterError } from "../../errors";
import type { Provider } from "../../index";

/** Inputs that only the dynamic door has: a resource that comes from there leaves them behind. */
const foreign = new Set(["__provider", "__urn", "__timeouts"]);

/** What a resource holds that is this door's business. */
export function ownProperties(properties: Properties): Properties {
  return Object.fromEntries(Object.entries(properties).filter(([name]) => !foreign.has(name)));
}

/** The resource that a URN is about. */
export function resourceOf({ cluster }: Provider, urn: string): Resource {
  const type = urn.split("::")[2]?.split("$").at(-1);
  if (type === "gpucluster:index:Cluster") return cluster;
  throw new GpuClusterError(`there is no resource type ${type}; there is gpucluster:index:Cluster`);
}

/** Outputs are no inputs here, but for the cost: the engine shows inputs only, and a preview has to show that. */
export function withoutOutputs(inputs: Properties): Properties {
  const computed = new Set<string>(outputNames.filter((name) => name !== "hourlyCost"));
  return Object.fromEntries(Object.entries(inputs).filter(([name]) => !computed.has(name)));
}

/** What a preview shows of the outputs: what is certain, and of the rest that it will be known. */
export function previewOf(resource: Resource, news: Properties, known?: Properties): Properties {
  const unknown = Object.fromEntries(outputNames.map((name) => [name, UNKNOWN]));
  return { ...unknown, ...news, ...resource.preview(news, known) };
}
