import * as gpu from "pulumi-gpucluster";

// Creates nothing: `pulumi up` shows the existing clusters, and `pulumi stack output --json` passes them to other programs.
export = async () => {
  const { gpuTypes } = await gpu.getGpuTypes();
  const { clusters, complete } = await gpu.getClusters();
  return {
    pricesPerHour: Object.fromEntries(gpuTypes.map((type) => [type.type, priceText(type)])),
    cheapestAvailable: cheapestAvailable(gpuTypes)?.type ?? "none is available now",
    clusters: clusters.map(clusterText),
    isWholeList: complete,
  };
};

/** The cheapest GPU type that is available now. A type without a price is never the cheapest. */
function cheapestAvailable(gpuTypes: gpu.GpuType[]): gpu.GpuType | undefined {
  const price = ({ pricePerHour = Number.POSITIVE_INFINITY }: gpu.GpuType) => pricePerHour;
  const [cheapest] = gpuTypes.filter(({ available }) => available).sort((a, b) => price(a) - price(b));
  return cheapest;
}

function priceText({ pricePerHour, currency = "" }: gpu.GpuType): string {
  return pricePerHour === undefined ? "unknown" : `${pricePerHour.toFixed(2)} ${currency}`.trim();
}

function clusterText({ id, name = id, status = "in no known state", replicas, gpuType }: gpu.ClusterInfo): string {
  return `${name}: ${replicas ?? "?"} x ${gpuType ?? "?"}, ${status}`;
}
