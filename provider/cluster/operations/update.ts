import type { ClusterRecord } from "../../api/records";
import { messageOf, NotInPlaceError } from "../../base/errors";
import { type Ctx, InitError, type Properties } from "../../contract";
import { carryOut, changeOf, Journal } from "../change/change";
import { withPartialState } from "../change/partialState";
import { failedBefore, refusal, rollBack, withOld } from "../change/rollBack";
import { foundState, mismatches, withName } from "../compare/adoption";
import { diffCluster, effectsOf } from "../compare/diff";
import { identifiersIn, withTypeAmong } from "../compare/drift";
import { toState } from "../compare/observed";
import type { Effect } from "../model/fields";
import { asInputs, judgedState } from "../model/state";
import type { CheckedInputs, ClusterState, FailedUpdate } from "../model/stateFields";
import { find, findExisting } from "../shared/lookup";
import { Operation } from "../shared/operation";
import type { Service } from "../shared/service";
import { probeOf } from "../wait/probe";
import { waitUntilReady } from "../wait/wait";
import type { Unasked } from "./create";

interface Adoption extends Partial<Unasked> {
  /** The GPU types that the program allows. */
  readonly types: readonly string[];
}

/** Adopts a cluster. Fields that the service shows are compared and corrected; the others are assumed to match the inputs. */
export async function adoptCluster(
  service: Service,
  ctx: Ctx,
  requested: CheckedInputs,
  id: string,
  { types, reason, doubt, facts }: Adoption,
) {
  const operation = new Operation(ctx, service, "create", { id, inputs: requested });
  const record = await find(service, operation);
  const desired = record ? withTypeAmong(requested, types, identifiersIn(record)) : requested;
  const adopter = service.owned.adopt(id, ctx.urn);
  const refusals = [
    ...(record ? mismatches(desired, record, service.client.form.fixed) : []).map(
      ({ property, reason }) => `\`${property}\` ${reason}`,
    ),
    ...(record ? [] : ["it is not a cluster that this API key can see; getClusters() lists them"]),
    ...(adopter === ctx.urn ? [] : [`${adopter} already adopts it`]),
    ...[(record && doubt?.(record)) ?? []].flat(),
  ];
  if (!record || refusals.length > 0) throw operation.error(`was not adopted: ${refusals.join("; ")}`);
  service.owned.adopted(id);
  const inputs = withName(desired, record);
  const state = { ...foundState(inputs, record), ...facts };
  const effects = effectsOf(diffCluster(state, inputs));
  operation.status("adopted");
  if (reason) operation.info(`adopted, because ${reason}`);
  try {
    return { id, state: await bringAbout(service, operation, { record, inputs, state, effects }, "was adopted, but") };
  } catch (error) {
    if (!(error instanceof InitError && error.cause instanceof NotInPlaceError)) throw error;
    // In the state, the next `pulumi up` would replace it.
    service.owned.adoptionFailed(id);
    throw operation.error(`was not adopted: ${messageOf(error.cause)}; set it to what ${id} has`, error.cause);
  }
}

/** Changes an existing cluster to what the inputs request. */
export async function updateCluster(service: Service, ctx: Ctx, id: string, olds: Properties, news: Properties) {
  const stored = judgedState(olds, id);
  const { __failed, deletionPolicy, ...state } = stored;
  // If the name was generated, the state has the right one: only the adoption shows the name of an adopted cluster.
  const inputs = { ...asInputs(news), ...(news["__generatedName"] ? { name: state.name } : {}) };
  const { changes } = diffCluster(olds, news);
  const effects = new Set(effectsOf({ changes }));
  if (!probeOf(inputs)) effects.delete("probe");
  if (effects.size === 0 && !("settled" in changes)) return withSettings(service, inputs, state);
  const operation = new Operation(ctx, service, "update", { id, inputs, olds: stored });
  const failed = failedBefore(stored, inputs, effects);
  if (failed) return keepOld(service, operation, { inputs, state: stored, failed });
  const record = await findExisting(service, operation, state);
  if (effects.has("probe") && effects.size === 1 && !("settled" in changes))
    return probeAlone(service, operation, { record, inputs, state, effects });
  return bringAbout(service, operation, { record, inputs, state, effects }, "");
}

/** The state if only settings of this package differ: there is nothing to send. */
function withSettings(service: Service, inputs: CheckedInputs, state: ClusterState): ClusterState {
  const { __seenBy: seenBy = service.seenBy, __unfinished: unfinished, __sent: sent } = state;
  return toState(inputs, {}, { settled: true, unfinished, sent, seenBy, before: state });
}

/**
 * The end of an update that asks again for what was rolled back. All other changes are made, and a roll-back that did not
 * finish is continued. Then it fails.
 */
async function keepOld(
  service: Service,
  operation: Operation,
  { inputs: asked, state, failed }: Pick<DesiredChange, "inputs" | "state"> & { readonly failed: FailedUpdate },
): Promise<never> {
  const error = refusal(operation, failed, asked, state);
  const inputs = withOld(asked, state);
  const { changes } = diffCluster({ ...state }, { ...inputs });
  const effects = effectsOf({ changes });
  if (Object.keys(changes).length === 0) throw error;
  const end = (next: ClusterState) => new InitError(operation.id, next, [messageOf(error)], { cause: error });
  if (effects.size === 0 && !("settled" in changes)) throw end(withSettings(service, inputs, state));
  const record = await findExisting(service, operation, state);
  throw end(await bringAbout(service, operation, { record, inputs, state, effects }, ""));
}

interface DesiredChange {
  readonly record: ClusterRecord;
  readonly inputs: CheckedInputs;
  readonly state: ClusterState;
  readonly effects: ReadonlySet<Effect>;
}

/** Probes a cluster of which nothing else changes: no request changes it, whatever others have changed. */
function probeAlone(service: Service, operation: Operation, { record, inputs, state: before }: DesiredChange) {
  const { seenBy } = service;
  const { __unfinished: unfinished, __sent: sent } = before;
  const asItIs = { ...inputs, replicas: record.replicas || inputs.replicas };
  const soFar = () => ({ running: inputs, before, unfinished: unfinished ?? true, sent });
  return withPartialState(service, operation, "is not ready", soFar, async () => {
    await waitUntilReady(service, operation, asItIs);
    return toState(inputs, operation.observed, { settled: true, unfinished, sent, seenBy, before });
  });
}

async function bringAbout(
  service: Service,
  operation: Operation,
  { record, inputs, state, effects }: DesiredChange,
  what: string,
): Promise<ClusterState> {
  const change = changeOf(record, inputs, state, effects);
  const journal = new Journal(change);
  try {
    return await carryOut(service, operation, change, journal, `${what} was not changed completely`.trim());
  } catch (error) {
    throw await rollBack(service, operation, change, journal, error);
  }
}
