import type { Settings } from "../config";
import type { Resource } from "../core";
import { diffAdopted } from "./adoption";
import { CheckRun } from "./check/checkRun";
import { previewCluster } from "./check/preview";
import { createCluster, deleteCluster, readCluster, updateCluster } from "./cluster";
import type { Service } from "./service";

/**
 * The cluster resource: the pure parts and the operations, bound to a service that is found at each use, by the `connection`
 * that the inputs or the state name.
 */
export function createClusterResource(service: (connection?: string) => Service, settings: () => Settings): Resource {
  const run = new CheckRun(service, settings);
  const serviceOf = ({ connection }: { readonly connection?: unknown }) =>
    service(typeof connection === "string" ? connection : undefined);
  return {
    check: (ctx, news, olds) => run.check(ctx, news, olds),
    diff: diffAdopted,
    preview: previewCluster,
    create: async (ctx, inputs) => createCluster(serviceOf(inputs), ctx, inputs),
    read: async (ctx, id, state = {}) => readCluster(serviceOf(state), ctx, id, state),
    update: async (ctx, id, state, news) => updateCluster(serviceOf(news), ctx, id, state, news),
    delete: async (ctx, id, state) => deleteCluster(serviceOf(state), ctx, id, state),
  };
}
