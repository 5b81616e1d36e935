import type { Client } from "../api/client";
import { argRules, textArg } from "../args";
import { withNotFoundAdvice } from "../errors";
import type { GetGpuAvailabilityArgs, GetGpuAvailabilityResult, GpuAvailability, GpuType } from "../types";

export const getGpuAvailabilityRules = argRules({
  // Blanks and dots alone would change the path.
  type: textArg('the identifier of a GPU type, such as "h100"; getGpuTypes() lists them', (type) =>
    /[^\s.]/.test(type),
  ).optional(),
});

/** The availability of GPU types (specification, section 4: `/v1/gpus/availability`, `/v1/gpus/:type/availability`). */
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
    throw withNotFoundAdvice(error, "getGpuTypes() lists the GPU types");
  }
}

/** Only the fields of this function; if the service shows more, `raw` contains the rest. */
function toAvailability({ name, memoryGb, pricePerHour, currency, ...availability }: GpuType): GpuAvailability {
  return availability;
}
