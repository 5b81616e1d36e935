import type { Settings } from "../config";
import type { Resource } from "../core";
import { diffAdopted } from "./adoption";
import { CheckRun } from "./check/checkRun";
import { previewCluster } from "./check/preview";
import { createCluster, deleteCluster, readCluster, updateCluster } from "./cluster";
import { Turns } from "./parallelism";
import type { Service } from "./service";

/**
 * The cluster resource: the pure parts and the operations, bound to a service that is found at each use, by the `connection`
 * that the inputs or the state name.
 */
export function createClusterResource(service: (connection?: string) => Service, settings: () => Settings): Resource {
  const run = new CheckRun(service, settings);
  const turns = new Turns();
  const serviceOf = ({ connection }: { readonly connection?: unknown }) =>
    service(typeof connection === "string" ? connection : undefined);
  return {
    check: async (ctx, news, olds) => turns.checked(ctx, olds, await run.check(ctx, news, olds)),
    diff: diffAdopted,
    preview: previewCluster,
    create: (ctx, inputs) => turns.take(ctx, async (own) => createCluster(serviceOf(inputs), own, inputs)),
    read: async (ctx, id, state = {}) => readCluster(serviceOf(state), ctx, id, state),
    update: (ctx, id, state, news) =>
      turns.take(ctx, async (own) => updateCluster(serviceOf(news), own, id, state, news)),
    delete: (ctx, id, state) => turns.take(ctx, async (own) => deleteCluster(serviceOf(state), own, id, state)),
  };
}
