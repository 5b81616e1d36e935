import type { CreateBody } from "../../../provider/api/requestNames";
import type { CreationOptions } from "../../../provider/cluster/createOnce";
import type { Bench } from "./harness";

export const wanted: CreateBody = { name: "web", gpuType: "h100", replicas: 1, container: "a/b:1", env: {} };
export const createLine = "POST /v1/clusters";

/** One creation through the claims of the bench. */
export function claim(
  { service, clock, said }: Bench,
  body: Partial<CreateBody> = {},
  options: Partial<CreationOptions> = {},
) {
  const defaults = {
    signal: new AbortController().signal,
    deadlineMs: clock.now() + 600_000,
    lookupDeadlineMs: clock.now() + 601_500,
    secrets: [],
    warn: (text: string) => said.push(text),
  };
  return service.creations.create({ ...wanted, ...body }, { ...defaults, ...options });
}
