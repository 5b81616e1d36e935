import type { Client } from "../api/client";
import { argRules, textArg } from "../args";
import { withNotFoundAdvice } from "../errors";
import type { GetGpuAvailabilityArgs, GetGpuAvailabilityResult, GpuAvailability, GpuType } from "../types";

export const getGpuAvailabilityRules = argRules({
  // Blanks and dots alone would name another path.
  type: textArg('the identifier of a GPU type, such as "h100"; getGpuTypes() lists them', (type) =>
    /[^\s.]/.test(type),
  ).optional(),
});

/** Which GPU types can be had (specification, section 4, `/v1/gpus/availability` and `/v1/gpus/:type/availability`). */
export async function getGpuAvailability(
  client: Client,
  { type }: GetGpuAvailabilityArgs = {},
): Promise<GetGpuAvailabilityResult> {
  const records = type === undefined ? (await client.listGpuAvailability()).gpus : [await availabilityOf(client, type)];
  return { availability: records.map(toAvailability) };
}

async function availabilityOf(client: Client, type: string): Promise<GpuType> {
  try {
    return await client.getGpuTypeAvailability(type);
  } catch (error) {
    throw withNotFoundAdvice(error, "getGpuTypes() lists the GPU types that there are");
  }
}

/** The facts that were asked for; a service that says more here has it in `raw`. */
function toAvailability({ name, memoryGb, pricePerHour, currency, ...availability }: GpuType): GpuAvailability {
  return availability;
}
