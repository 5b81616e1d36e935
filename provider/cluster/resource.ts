import type { Settings } from "../config";
import { type Ctx, type Diff, hasUnknown, type Properties, type Resource } from "../core";
import { diffAdopted } from "./adoption";
import { type CreationContext, createCluster, UnfinishedCreations } from "./create";
import { deleteCluster } from "./delete";
import { withCost } from "./diff";
import { withCount } from "./drift";
import { defaultTimeoutsMs } from "./operation";
import { Turns } from "./parallelism";
import { previewOutputs } from "./preview/plan";
import { CheckRun } from "./preview/run";
import { readCluster } from "./read";
import { nearestIn, withNumber, withRange } from "./replicas";
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
  const serviceOf = ({ connection }: { readonly connection?: unknown }, id?: string) =>
    noted(service(typeof connection === "string" ? connection : undefined), id);
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
      return differenceOf(state, withNumberOf(state, news), id);
    },
    preview: (news, known) => previewOutputs(withNumberOf(known, news), known),
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
    read: async (ctx, id, state = {}) => readCluster(serviceOf(state, id), ctx, id, state),
    update: (ctx, id, state, requested) => {
      const news = withNumberOf(state, requested);
      unfinished.ended(id);
      return turns.take(ctx, async (turn) => {
        const service = serviceOf(news, id);
        const { own, deadlineMs } = begin(turn, "update", service);
        await run.holdLimits(own, deadlineMs, service, asInputs(news));
        return updateCluster(service, own, id, state, news);
      });
    },
    delete: (ctx, id, state) => {
      unfinished.ended(id);
      return turns.take(ctx, async (own) => deleteCluster(serviceOf(state, id), own, id, state));
    },
  };
}

/** The service, after the span of the operation has got the id of its cluster. */
function noted(service: Service, id: string | undefined): Service {
  service.tracer.note({ "gpucluster.cluster.id": id });
  return service;
}

function differenceOf(state: Properties, news: Properties, id: string | undefined): Diff {
  return withCost(diffAdopted(state, news, id), state, news);
}

/**
 * Inputs of the engine as the core has them, beside a state. Of a range, the number is that of the state: the last operation may
 * have observed another one than the check before it has put into the inputs.
 */
function withNumberOf({ replicas: known }: Properties = {}, news: Properties): Properties {
  const inputs = withNumber(news);
  const { __replicaRange: range, hourlyCost, desiredStatus } = asInputs(inputs);
  if (!range || hasUnknown(range) || typeof known !== "number") return inputs;
  const count = nearestIn(range, known);
  const isPriced = typeof hourlyCost === "number" && desiredStatus !== "stopped";
  return isPriced ? withCount(asInputs(inputs), count) : { ...inputs, replicas: count };
}
