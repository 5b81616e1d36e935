import type { Settings } from "../config";
import type { Resource } from "../core";
import { diffAdopted } from "./adoption";
import { Begun } from "./begun";
import { CheckRun } from "./check/checkRun";
import { previewOutputs } from "./check/preview";
import { createCluster, deleteCluster, readCluster, updateCluster } from "./cluster";
import { defaultTimeoutsMs } from "./operation";
import { Turns } from "./parallelism";
import type { Service } from "./service";
import { asInputs, asState, inputsOf } from "./state";
import { readableState } from "./stateKinds";

/**
 * The cluster resource: the pure parts and the operations, bound to a service that is found at each use, by the `connection`
 * that the inputs or the state name.
 */
export function createClusterResource(service: (connection?: string) => Service, settings: () => Settings): Resource {
  const run = new CheckRun(service, settings);
  const turns = new Turns();
  const begun = new Begun();
  const serviceOf = ({ connection }: { readonly connection?: unknown }) =>
    service(typeof connection === "string" ? connection : undefined);
  return {
    check: async (ctx, news, stored) => {
      const olds = stored && readableState(stored);
      return turns.checked(ctx, olds, await run.check(ctx, news, olds));
    },
    recognize: async (ctx, id, state, news) => run.recognize(ctx, id, asState(readableState(state)), news),
    diff: (state, news, { id, urn } = {}) => {
      if (urn !== undefined) run.compare(urn, inputsOf(asState(readableState(state))));
      return diffAdopted(state, news, id);
    },
    preview: previewOutputs,
    create: (ctx, inputs) =>
      turns.take(ctx, (own) =>
        begun.run(ctx.urn, inputs, {
          create: () => {
            const service = serviceOf(inputs);
            return run.create(own, service, asInputs(inputs), (wanted) => createCluster(service, own, wanted));
          },
          goOn: async (id, state) => {
            const { timeoutMs = defaultTimeoutsMs.create } = own;
            return updateCluster(serviceOf(inputs), { ...own, timeoutMs }, id, state, inputs);
          },
        }),
      ),
    read: async (ctx, id, state = {}) => readCluster(serviceOf(state), ctx, id, state),
    update: (ctx, id, state, news) => {
      begun.ended(id);
      return turns.take(ctx, async (own) => {
        await run.holdLimits(own, serviceOf(news), asInputs(news));
        return updateCluster(serviceOf(news), own, id, state, news);
      });
    },
    delete: (ctx, id, state) => {
      begun.ended(id);
      return turns.take(ctx, async (own) => deleteCluster(serviceOf(state), own, id, state));
    },
  };
}
