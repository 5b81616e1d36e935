import { outputNames } from "../../cluster/fields";
import { type Properties, type Resource, UNKNOWN } from "../../core";
import { GpuClusterError } from "../../errors";
import type { Provider } from "../../index";

/** Inputs that only the dynamic adapter uses. A resource that moves from there still has them in its state. */
const foreign = new Set(["__provider", "__urn", "__timeouts"]);

/** The properties of a resource without the inputs of the dynamic adapter. */
export function ownProperties(properties: Properties): Properties {
  return Object.fromEntries(Object.entries(properties).filter(([name]) => !foreign.has(name)));
}

/** The resource implementation for the type in a URN. */
export function resourceOf({ cluster }: Provider, urn: string): Resource {
  const type = urn.split("::")[2]?.split("$").at(-1);
  if (type === "gpucluster:index:Cluster") return cluster;
  throw new GpuClusterError(`there is no resource type ${type}; there is gpucluster:index:Cluster`);
}

/** Inputs without outputs, except the cost: a preview has to show the cost, and the engine shows inputs only. */
export function withoutOutputs(inputs: Properties): Properties {
  const computed = new Set<string>(outputNames.filter((name) => name !== "hourlyCost"));
  return Object.fromEntries(Object.entries(inputs).filter(([name]) => !computed.has(name)));
}

/** The outputs in a preview: the value if it is certain, else "unknown". */
export function previewOf(resource: Resource, news: Properties, known?: Properties): Properties {
  const unknown = Object.fromEntries(outputNames.map((name) => [name, UNKNOWN]));
  return { ...unknown, ...news, ...resource.preview(news, known) };
}
