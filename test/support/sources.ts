/** Where the address and the key of a test come from, for messages. */
export const sources = {
  baseUrl: "gpucluster:baseUrl or GPUCLUSTER_BASE_URL",
  apiKey: "gpucluster:apiKey or GPUCLUSTER_API_KEY",
};
