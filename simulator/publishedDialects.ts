import type { Dialect } from "./dialectOptions";

/**
 * The service of its public documents. `documented`: the specification, taken literally. `client`: the form that the
 * official Python client (`vectorlay` 0.1.0) sends and reads.
 */
export function publishedDialectsOn(plain: Dialect) {
  const common = { ...plain, uniqueNames: true, catalog: "published", extraFields: "stored" } as const;
  return {
    documented: { ...common, listShape: "bare", gpuListShape: "bare" },
    client: {
      ...common,
      listShape: "data",
      recordShape: "data",
      errorShape: "typed",
      tombstone: "readable",
      records: "client",
      ids: "uuids",
      requestNames: "client",
      unknownFields: "ignored",
      endpoints: "described",
      gpus: "client",
    },
  } satisfies Record<string, Dialect>;
}
