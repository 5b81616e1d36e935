import type { Client } from "./api/client";
import { ApiError } from "./errors";
import type { Health } from "./types";

/**
 * How the service says it is (specification, section 4, `/health`). A service that answers "not healthy" with an error
 * status has answered; one that does not answer at all is an error.
 */
export async function getHealth(client: Client): Promise<Health> {
  try {
    return await client.getHealth({ attempts: 2 });
  } catch (error) {
    if (!(error instanceof ApiError && error.isApiAnswer && error.outcome === "server-error")) throw error;
    return { healthy: false, status: `HTTP ${error.status}`, raw: {} };
  }
}
