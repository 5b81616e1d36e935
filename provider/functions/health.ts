import type { Client } from "../api/client";
import { ApiError } from "../errors";
import type { Health } from "../types";

/**
 * The health that the service reports (specification, section 4, `/health`). An error status from the API itself is a
 * result: not healthy. A service without an answer is an error.
 */
export async function getHealth(client: Client): Promise<Health> {
  try {
    return await client.getHealth({ attempts: 2 });
  } catch (error) {
    if (!(error instanceof ApiError && error.isApiAnswer && error.outcome === "server-error")) throw error;
    return { healthy: false, status: `HTTP ${error.status}`, raw: {} };
  }
}
