import type { Settings } from "../config";
import { InitError, type Resource } from "../core";
import { diffAdopted } from "./adoption";
import { CheckRun } from "./check/checkRun";
import { previewCluster } from "./check/preview";
import { createCluster, deleteCluster, readCluster, updateCluster } from "./cluster";
import { Turns } from "./parallelism";
import type { Service } from "./service";
import { asState, inputsOf } from "./state";

/**
 * The cluster resource: the pure parts and the operations, bound to a service that is found at each use, by the `connection`
 * that the inputs or the state name.
 */
export function createClusterResource(service: (connection?: string) => Service, settings: () => Settings): Resource {
  const run = new CheckRun(service, settings);
  const turns = new Turns();
  /** Creations that were not finished, by URN: an error hook of the program makes the engine create again what exists. */
  const begun = new Map<string, InitError>();
  const serviceOf = ({ connection }: { readonly connection?: unknown }) =>
    service(typeof connection === "string" ? connection : undefined);
  return {
    check: async (ctx, news, olds) => turns.checked(ctx, olds, await run.check(ctx, news, olds)),
    diff: (state, news, { id, urn } = {}) => {
      if (urn !== undefined) run.remember(urn, inputsOf(asState(state)));
      return diffAdopted(state, news, id);
    },
    preview: previewCluster,
    create: (ctx, inputs) =>
      turns.take(ctx, async (own) => {
        const last = begun.get(ctx.urn);
        const earlier = last?.state["name"] === inputs["name"] ? last : undefined;
        begun.delete(ctx.urn);
        try {
          if (!earlier) return await createCluster(serviceOf(inputs), own, inputs);
          const { id } = earlier;
          return { id, state: await updateCluster(serviceOf(inputs), own, id, earlier.state, inputs) };
        } catch (error) {
          if (error instanceof InitError) begun.set(ctx.urn, error);
          else if (earlier) begun.set(ctx.urn, earlier);
          throw error;
        }
      }),
    read: async (ctx, id, state = {}) => readCluster(serviceOf(state), ctx, id, state),
    update: (ctx, id, state, news) =>
      turns.take(ctx, async (own) => updateCluster(serviceOf(news), own, id, state, news)),
    delete: (ctx, id, state) => turns.take(ctx, async (own) => deleteCluster(serviceOf(state), own, id, state)),
  };
}
