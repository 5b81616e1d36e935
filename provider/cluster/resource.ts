import type { Settings } from "../config/settings";
import type { Properties, Resource } from "../contract";
import { Checks } from "./check/check";
import { diffAdopted } from "./compare/adoption";
import { withCost } from "./compare/diff";
import { previewOutputs } from "./compare/transition";
import { asInputs, asState, readableState } from "./model/state";
import { type CreatingService, createCluster, UnfinishedCreations } from "./operations/create";
import { deleteCluster } from "./operations/delete";
import { readCluster } from "./operations/read";
import { updateCluster } from "./operations/update";
import { defaultTimeoutsMs } from "./shared/operation";

/** The cluster resource: its pure parts and its operations. Each use reads the settings anew. */
export function createClusterResource(serviceOf: () => CreatingService, settings: () => Settings): Resource {
  const checks = new Checks(serviceOf, settings);
  const unfinished = new UnfinishedCreations();
  return {
    check: async (ctx, news, olds) => checks.check(ctx, news, olds && readableState(olds)),
    recognize: async (ctx, id, state, news) =>
      checks.recognize(ctx, id, asState(readableState(state)), checks.withTypeOf(ctx.urn, state, news)),
    diff: (state, news, { id, urn } = {}) => {
      if (urn !== undefined) checks.remember(urn, asState(readableState(state)));
      const inputs = checks.withTypeOf(urn, state, news);
      return withCost(diffAdopted(state, inputs, id, checks.fixedOf(urn, state)), state, inputs);
    },
    preview: previewOutputs,
    create: async (given, requested) => {
      const inputs = asInputs(requested);
      const service = serviceOf();
      // One deadline for the whole operation, whatever it tries.
      const { startMs = service.clock.now(), timeoutMs = defaultTimeoutsMs.create } = given;
      const ctx = { ...given, startMs, timeoutMs };
      const context = {
        types: checks.typesOf(ctx.urn, inputs),
        take: (type: string) => checks.take(ctx, inputs, type),
        isResumable: checks.mayResume(ctx.urn, inputs),
      };
      const create = () => createCluster(service, ctx, inputs, context);
      const goOn = (id: string, state: Properties) =>
        updateCluster(service, ctx, id, state, checks.withTypeOf(ctx.urn, state, { ...inputs }));
      return unfinished.run(ctx.urn, { ...inputs }, create, goOn);
    },
    read: async (ctx, id, state = {}) => readCluster(serviceOf(), ctx, id, state),
    update: async (ctx, id, state, requested) => {
      const news = checks.withTypeOf(ctx.urn, state, requested);
      unfinished.ended(id);
      return updateCluster(serviceOf(), ctx, id, state, news);
    },
    delete: async (ctx, id, state) => {
      unfinished.ended(id);
      return deleteCluster(serviceOf(), ctx, id, state);
    },
  };
}
