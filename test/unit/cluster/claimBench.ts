import type { CreateBody } from "../../../provider/api/endpoints";
import type { ClaimOptions } from "../../../provider/cluster/claim";
import type { Bench } from "./bench";

export const wanted: CreateBody = { name: "web", gpuType: "h100", replicas: 1, container: "a/b:1", env: {} };
export const createLine = "POST /v1/clusters";

/** One creation through the claims of the bench. */
export function claim(
  { service, clock, said }: Bench,
  body: Partial<CreateBody> = {},
  options: Partial<ClaimOptions> = {},
) {
  const defaults = {
    signal: new AbortController().signal,
    deadlineMs: clock.now() + 600_000,
    lookUntilMs: clock.now() + 601_500,
    secrets: [],
    warn: (text: string) => said.push(text),
  };
  return service.claims.create({ ...wanted, ...body }, { ...defaults, ...options });
}
