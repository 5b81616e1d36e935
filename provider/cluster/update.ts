import type { ClusterRecord } from "../api/records";
import type { Ctx, Properties } from "../core";
import { NotInPlaceError } from "../errors";
import { foundState, mismatches, withName } from "./adoption";
import { applyChange, type Change, changeOf, nothingSent } from "./change";
import { diffCluster, effectsOf } from "./diff";
import { identifiersIn, unverified, withTakenType } from "./drift";
import type { Effect } from "./fields";
import { find, findExisting } from "./lookup";
import { Operation } from "./operation";
import { keep, partialState, reached } from "./partialState";
import { probeOf } from "./probe";
import { findRest } from "./rest";
import { leftOut } from "./rollout";
import type { Service } from "./service";
import { asInputs, judgedState, toPlainJson, toState } from "./state";
import type { CheckedInputs, ClusterState } from "./stateFields";
import { waitUntilReady } from "./wait";

/** Adopts a cluster. Fields that the service shows are compared and corrected; the others are assumed to match the inputs. */
export async function adoptCluster(service: Service, ctx: Ctx, requested: CheckedInputs, id: string) {
  const operation = new Operation(ctx, service, "create", { id, inputs: requested });
  const record = await find(service, operation);
  const desired = record ? withTakenType(requested, identifiersIn(record)) : requested;
  const adopter = service.owned.adopt(id, ctx.urn);
  const refusals = [
    ...(record ? mismatches(desired, record).map(({ property, reason }) => `\`${property}\` ${reason}`) : []),
    ...(record ? [] : ["it is not a cluster that this API key can see; getClusters() lists them"]),
    ...(adopter === ctx.urn ? [] : [`${adopter} already adopts it`]),
  ];
  if (!record || refusals.length > 0) throw operation.error(`was not adopted: ${refusals.join("; ")}`);
  service.owned.adopted(id);
  const inputs = withName(desired, record);
  const state = foundState(inputs, record);
  const effects = effectsOf(diffCluster(state, inputs));
  operation.status("adopted");
  return { id, state: await bringAbout(service, operation, { record, inputs, state, effects }, "was adopted, but") };
}

/** Changes an existing cluster to what the inputs request. */
export async function updateCluster(service: Service, ctx: Ctx, id: string, olds: Properties, news: Properties) {
  const state = judgedState(olds, id);
  // If the name was generated, the state has the right one: only the adoption shows the name of an adopted cluster.
  const named = { ...asInputs(news), ...(news["__generatedName"] ? { name: state.name } : {}) };
  const inputs = withTakenType(named, [state.gpuType]);
  const { changes } = diffCluster(olds, news);
  const effects = new Set(effectsOf({ changes }));
  if (!probeOf(inputs)) effects.delete("probe");
  // Only settings of this package differ: there is nothing to send.
  if (effects.size === 0 && !("settled" in changes)) {
    const { __seenBy: seenBy = service.seenBy, __unfinished: unfinished, __sent: sent } = state;
    // A setting may say what a ready cluster is, so a wait that was left out begins anew.
    const unawaited = state.skipAwait ? leftOut(service, undefined, state.__unawaited) : undefined;
    return toState(inputs, { unawaited }, { settled: true, unfinished, sent, seenBy, before: state });
  }
  const operation = new Operation(ctx, service, "update", { id, inputs, olds: state });
  const record = await findExisting(service, operation, state);
  if (effects.has("probe") && effects.size === 1 && !("settled" in changes))
    return probeAlone(service, operation, { record, inputs, state, effects });
  return bringAbout(service, operation, { record, inputs, state, effects }, "");
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
  return keep(service, operation, "is not ready", soFar, async () => {
    await waitUntilReady(service, operation, asItIs);
    return toState(inputs, operation.observed, { settled: true, unfinished, sent, seenBy, before });
  });
}

async function bringAbout(
  service: Service,
  operation: Operation,
  { record: before, inputs, state, effects }: DesiredChange,
  what: string,
): Promise<ClusterState> {
  const rest = inputs.desiredStatus === "stopped" ? undefined : await findRest(service, operation, before);
  const { record = before } = operation.observed;
  const change = changeOf(record, inputs, state, effects, rest === "failed" || undefined);
  const sent = nothingSent();
  return keep(
    service,
    operation,
    `${what} was not changed completely`.trim(),
    (error) => {
      if (operation.isUpdate && error instanceof NotInPlaceError && !sent.isMoved) return undefined;
      const soFar = partialState(change, sent);
      return { ...soFar, running: asApplied(soFar.running, change, inputs) };
    },
    async () => {
      await applyChange(service, operation, change, sent);
      const { seenBy } = service;
      if (sent.isPostponed) {
        const names = [...(state.__sent ?? []), ...(sent.isStored ? [] : Object.keys(state.env ?? {}))];
        const left = { unfinished: "rollout" as const, sent: [...new Set(names)] };
        const facts = { settled: true, ...left, seenBy, before: state };
        const shown = await find(service, operation);
        const unverifiedInputs = shown && unverified(inputs, shown, state.__echo);
        return toState(inputs, operation.observed, { ...facts, unverifiedInputs });
      }
      // Without a roll-out, the env that the service shows may contain earlier drift: it is not learned as the observed form.
      const isLearned = change.needsRollout || state.__unfinished !== undefined || state.__echo === undefined;
      if (isLearned)
        return toPlainJson({ ...(await reached(service, operation, change.inputs, state)), ...ownOf(inputs) });
      return toState(inputs, operation.observed, { settled: true, seenBy, before: state });
    },
  );
}

/** The inputs that a change may send with other values than the program has: it keeps what others have changed. */
const kept = ["replicas", "container", "env"] as const;

/** Puts the program's values in place of those that a change has kept from others: that drift is for a refresh to show. */
function asApplied(running: CheckedInputs, { inputs: sent }: Change, inputs: CheckedInputs): CheckedInputs {
  const names = kept.filter((name) => running[name] === sent[name]);
  return { ...running, ...Object.fromEntries(names.map((name) => [name, inputs[name]])) };
}

/** The same inputs with the values of the program, for the state. */
function ownOf(inputs: CheckedInputs): Partial<ClusterState> {
  return Object.fromEntries(kept.filter((name) => inputs[name] !== undefined).map((name) => [name, inputs[name]]));
}
