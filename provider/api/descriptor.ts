import { ApiError, GpuClusterError, ResponseShapeError } from "../errors";
import type { ServiceInfo } from "../types";
import type { CallOptions, Client } from "./client";
import { descriptorPaths } from "./endpoints";

/** Reads the descriptor document (specification, section 4) from the first path that has it. */
export async function getServiceInfo(client: Client, options: CallOptions = {}): Promise<ServiceInfo> {
  const tried: string[] = [];
  for (const path of descriptorPaths) {
    const answer = await infoAt(client, path, options);
    if (typeof answer !== "string") return answer;
    tried.push(`${path} (${answer})`);
  }
  throw new GpuClusterError(
    `the service has no descriptor document; tried ${tried.join(", ")}. ` +
      "Check the address (GPUCLUSTER_BASE_URL, gpucluster:baseUrl, or `baseUrl` of the connection); only getServiceInfo() needs that document",
  );
}

/**
 * Returns the descriptor at a path, or the reason for its absence. Throws if the service fails or refuses the key:
 * other paths would give the same result.
 */
async function infoAt(client: Client, path: string, options: CallOptions): Promise<ServiceInfo | string> {
  try {
    const info = await client.getServiceInfo(path, { attempts: 2, ...options });
    return isDescriptor(info) ? info : "other content";
  } catch (error) {
    if (error instanceof ResponseShapeError) return "not JSON";
    if (error instanceof ApiError && isAboutPath(error.status)) return `HTTP ${error.status}`;
    throw error;
  }
}

function isDescriptor({ name, version, endpoints }: ServiceInfo): boolean {
  return name !== undefined || version !== undefined || Object.keys(endpoints).length > 0;
}

/** Whether a status is about this path only. Redirects count: the root of a service often redirects to its website. */
function isAboutPath(status: number): boolean {
  return (status >= 300 && status < 400) || status === 404 || status === 405 || status === 410;
}
