import { ApiError, GpuClusterError, ResponseShapeError } from "../errors";
import type { ServiceInfo } from "../types";
import type { CallOptions, Client } from "./client";
import { descriptorPaths } from "./endpoints";

/** What the service says of itself (specification, section 4, the descriptor document), from the first path that has it. */
export async function getServiceInfo(client: Client, options: CallOptions = {}): Promise<ServiceInfo> {
  const tried: string[] = [];
  for (const path of descriptorPaths) {
    const answer = await infoAt(client, path, options);
    if (typeof answer !== "string") return answer;
    tried.push(`${path} (${answer})`);
  }
  throw new GpuClusterError(
    `the service shows no document that describes it; tried ${tried.join(", ")}. ` +
      "Check the address (GPUCLUSTER_BASE_URL, gpucluster:baseUrl, or `baseUrl` of the connection); nothing but getServiceInfo() needs that document",
  );
}

/** The descriptor at a path, or why it is not there. A service that fails, or refuses the key, would do so at any path. */
async function infoAt(client: Client, path: string, options: CallOptions): Promise<ServiceInfo | string> {
  try {
    const info = await client.getServiceInfo(path, { attempts: 2, ...options });
    return isDescriptor(info) ? info : "something else is there";
  } catch (error) {
    if (error instanceof ResponseShapeError) return "no JSON is there";
    if (error instanceof ApiError && isAboutPath(error.status)) return `HTTP ${error.status}`;
    throw error;
  }
}

function isDescriptor({ name, version, endpoints }: ServiceInfo): boolean {
  return name !== undefined || version !== undefined || Object.keys(endpoints).length > 0;
}

/** Redirects among them: the root of a service often leads to its web site. */
function isAboutPath(status: number): boolean {
  return (status >= 300 && status < 400) || status === 404 || status === 405 || status === 410;
}
