import type { Settings } from "../config";
import type { Ctx, Properties, Resource } from "../core";
import { diffAdopted } from "./adoption";
import { type CreationContext, createCluster, UnfinishedCreations } from "./create";
import { deleteCluster } from "./delete";
import { withCost } from "./diff";
import { defaultTimeoutsMs } from "./operation";
import { Turns } from "./parallelism";
import { previewOutputs } from "./preview/plan";
import { CheckRun } from "./preview/run";
import { readCluster } from "./read";
import { withNumber, withRange } from "./replicas";
import type { Service } from "./service";
import { asInputs, asState, inputsOf, readableState } from "./state";
import type { CheckedInputs } from "./stateFields";
import { updateCluster } from "./update";

/**
 * The cluster resource: its pure parts and its operations. Each use selects the service by the `connection` that the inputs
 * or the state name.
 */
export function createClusterResource(service: (connection?: string) => Service, settings: () => Settings): Resource {
  const run = new CheckRun(service, settings);
  const turns = new Turns();
  const unfinished = new UnfinishedCreations();
  const serviceOf = ({ connection }: { readonly connection?: unknown }) =>
    service(typeof connection === "string" ? connection : undefined);
  /** One deadline for the whole operation, including everything that it does first. */
  const begin = (ctx: Ctx, kind: keyof typeof defaultTimeoutsMs, { clock }: Service) => {
    const { startMs = clock.now(), timeoutMs = defaultTimeoutsMs[kind] } = ctx;
    return { own: { ...ctx, startMs, timeoutMs }, deadlineMs: startMs + timeoutMs };
  };
  return {
    check: async (ctx, news, stored) => {
      const olds = stored && readableState(withNumber(stored));
      const checked = await run.check(ctx, news, olds);
      return turns.checked(ctx, olds, { ...checked, inputs: withRange(checked.inputs) });
    },
    recognize: async (ctx, id, state, news) => run.recognize(ctx, id, asState(readableState(state)), withNumber(news)),
    diff: (state, news, { id, urn } = {}) => {
      if (urn !== undefined) run.compare(urn, inputsOf(asState(readableState(state))));
      return withCost(diffAdopted(state, withNumber(news), id), state, news);
    },
    preview: (news, known) => previewOutputs(withNumber(news), known),
    create: (ctx, requested) =>
      turns.take(ctx, async (turn) => {
        const inputs = withNumber(requested);
        const service = serviceOf(inputs);
        const { own, deadlineMs } = begin(turn, "create", service);
        const send = (checked: CheckedInputs, context: CreationContext) =>
          createCluster(service, own, checked, context);
        const create = () => run.create(own, deadlineMs, service, asInputs(inputs), send);
        const goOn = (id: string, state: Properties) => updateCluster(service, own, id, state, inputs);
        return unfinished.run(ctx.urn, inputs, create, goOn);
      }),
    read: async (ctx, id, state = {}) => readCluster(serviceOf(state), ctx, id, state),
    update: (ctx, id, state, requested) => {
      const news = withNumber(requested);
      unfinished.ended(id);
      return turns.take(ctx, async (turn) => {
        const service = serviceOf(news);
        const { own, deadlineMs } = begin(turn, "update", service);
        await run.holdLimits(own, deadlineMs, service, asInputs(news));
        return updateCluster(service, own, id, state, news);
      });
    },
    delete: (ctx, id, state) => {
      unfinished.ended(id);
      return turns.take(ctx, async (own) => deleteCluster(serviceOf(state), own, id, state));
    },
  };
}
