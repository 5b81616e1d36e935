import { isDeepStrictEqual } from "node:util";
import { ConfigError, GpuClusterError, isRejectedKey, messageOf } from "../../base/errors";
import { Redactor } from "../../base/redact";
import { resourceNameOf } from "../../base/text";
import type { ResolvedSettings } from "../../config/settings";
import {
  type CallContext,
  type Checked,
  type CheckFailure,
  type Diff,
  hasUnknown,
  type Properties,
} from "../../contract";
import { diffAdopted, withCost } from "../diff/diff";
import { isResumableName } from "../operations/adopt";
import { tierOf } from "../schema/gpus";
import {
  type CheckedInputs,
  type ClusterState,
  inputsOf,
  readableInputs,
  secretsOf,
  sinceEndMs,
  stateOutputNames,
} from "../schema/state";
import { checkConnection, creationGraceLeftMs, memberOf } from "../service/lookup";
import { Operation } from "../service/operation";
import type { Dependencies } from "../wait/wait";
import { costAt, limitOf } from "./cost";
import {
  becauseStrict,
  hiddenReasonOf,
  info,
  isStrict,
  lossOf,
  type Message,
  rolloutOf,
  runs,
  type Situation,
  warning,
  withReplicasOf,
} from "./findings";
import { preflight } from "./preflight";
import { RunMemory } from "./reads";

type Hide = (text: string) => string;

/** Answers the engine before an operation, for one run: checks and differences, whose messages show no secrets. */
export class Checks {
  readonly #run = new RunMemory();

  constructor(
    private readonly dependencies: () => Dependencies,
    private readonly settings: () => ResolvedSettings,
  ) {}

  async check(ctx: CallContext, news: Properties, state?: ClusterState): Promise<Checked> {
    const run = this.#run;
    const { deps, settings, failures } = this.#connect();
    const olds: Properties = { ...state };
    if (state?.name !== undefined) run.clusters.set(ctx.urn, inputsOf(state));
    const hide = this.#hiding(ctx.urn, deps, news, olds);
    // The option `ignoreChanges: ["*"]` returns the outputs that an earlier check has added as inputs.
    const isOutput = (name: string) =>
      stateOutputNames.some((output) => output === name) && isDeepStrictEqual(news[name], olds[name]);
    const requested = Object.fromEntries(Object.entries(news).filter(([name]) => !isOutput(name)));
    const result = await preflight({ ctx, news: requested, olds, deps, settings, run });
    this.#log(ctx, result.messages, hide);
    const all = [...result.failures, ...failures].map(({ property, reason }) => ({ property, reason: hide(reason) }));
    const checked = { inputs: result.inputs, failures: all };
    return ctx.showsOutputs ? { ...checked, knownOutputs: result.knownOutputs } : checked;
  }

  /**
   * The difference, and after a check what it does to the cluster. A refresh, which only displays drift, makes no check.
   * @throws GpuClusterError if the service of the inputs does not know the cluster, or if `adopt` names another one.
   */
  async diff(ctx: CallContext, id: string, state: ClusterState, news: CheckedInputs): Promise<Diff> {
    const run = this.#run;
    const { urn } = ctx;
    const { name, __fixed } = state;
    if (name !== undefined) run.clusters.set(urn, inputsOf(state));
    // The service has updated this cluster, whatever its descriptor says.
    const fixed = __fixed?.length === 0 ? __fixed : run.addFixed(urn, __fixed ?? []);
    const { deps, settings } = this.#connect();
    const hide = this.#hiding(urn, deps, news, state);
    deps?.registry.storedInState(id, state.__resumedAt);
    const messages = deps && settings ? await refuseForeignKey({ ctx, deps, settings, run }, hide, id, state) : [];
    const diff = diffAdopted({ ...state }, { ...news }, id, fixed);
    // Every check that passes sets a cost. A refresh makes no check, and the program may not contain what it reads.
    if (deps?.registry.costOf(urn)) {
      deps.registry.setClusterOf(urn, id);
      const reads = run.reads(deps, { signal: ctx.signal, isPatient: false });
      const isReplaced = Object.values(diff.changes).some(({ replace }) => replace);
      // The second check of a replacement will read the clusters for a new generated name.
      const { value: list } = await (news.__generatedName && isReplaced ? reads.clusters() : reads.clustersIfRead());
      const current = withReplicasOf(state, list && memberOf(list, id));
      for (const text of [hiddenReasonOf(diff.changes), rolloutOf(current, news, diff.changes)])
        if (text !== undefined) messages.push(info(text));
      const loss = lossOf(current, news, diff.changes, deps.clock.now());
      if (loss !== undefined) messages.push(warning(loss));
      if (loss !== undefined && isReplaced) run.announcedLosses.add(urn);
    }
    this.#log(ctx, messages, hide);
    const hasEnded = deps !== undefined && sinceEndMs(news, deps.clock.now()) !== undefined;
    const isEnd = hasEnded && diff.changes["desiredStatus"] !== undefined;
    return withCost(isEnd ? { ...diff, isEnd } : diff, { ...state }, { ...news });
  }

  async hourlyCostOf({ signal }: CallContext, inputs: CheckedInputs): Promise<number | undefined> {
    const isPatient = limitOf(inputs, this.settings()) !== undefined;
    const reads = this.#run.reads(this.dependencies(), { signal, isPatient });
    const { value: price } = await reads.price(inputs.gpuType, tierOf(inputs.extraFields));
    return runs(inputs) ? costAt(price, inputs).amount : 0;
  }

  isResumable(urn: string, inputs: CheckedInputs): boolean {
    const { resume: salt } = this.settings();
    return isResumableName(inputs, urn, { salt, predecessor: this.#run.clusters.get(urn)?.name });
  }

  /** Problems of the settings are reported together with those of the inputs, not one run later. */
  #connect() {
    const failures: CheckFailure[] = [];
    const orFailure = <T>(find: () => T): T | undefined => {
      try {
        return find();
      } catch (error) {
        if (!(error instanceof ConfigError)) throw error;
        failures.push({ property: "", reason: messageOf(error) });
        return undefined;
      }
    };
    const settings = orFailure(this.settings);
    const deps = orFailure(this.dependencies);
    return { deps, settings, failures };
  }

  /** Makes the old and new secrets of a resource known before a request is sent. Returns what hides them in our messages. */
  #hiding(urn: string, deps: Dependencies | undefined, ...versions: readonly (Properties | CheckedInputs)[]): Hide {
    const clusters: Properties[] = [...versions, this.#run.clusters.get(urn) ?? {}].map((cluster) => ({ ...cluster }));
    const readable = [resourceNameOf(urn), ...clusters.flatMap(readableInputs)];
    const redactor = new Redactor(deps?.client.redactor, readable).learn(clusters.flatMap(secretsOf));
    // The reads of a run are shared, so that what they quote arrives here.
    return (text) => redactor.incoming(text);
  }

  /** Logs each message once in a run. Some views do not show the resource of a message, so the message names it. */
  #log({ urn, log }: CallContext, messages: readonly Message[], hide: Hide): void {
    const name = resourceNameOf(urn);
    for (const { kind, text, once } of messages) {
      const key = once ?? `${urn}\n${text}`;
      if (this.#run.messages.has(key)) continue;
      this.#run.messages.add(key);
      log(hide(once !== undefined || name === "" ? text : `${name}: ${text}`), kind);
    }
  }
}

/**
 * Refuses a service or key that does not know a cluster which another one saw last: without a change in the program, nothing
 * else would report that. A list that shows the cluster is enough; its absence has to be confirmed by the cluster's own 404.
 * @throws GpuClusterError in this case, if the key is rejected and, if the preview is strict, if the answer is not known.
 */
async function refuseForeignKey(
  { ctx, deps, settings, run }: Pick<Situation, "ctx" | "deps" | "settings" | "run">,
  hide: Hide,
  id: string,
  state: ClusterState,
): Promise<Message[]> {
  if (state.__seenBy === undefined || state.__seenBy === deps.seenBy || hasUnknown(id)) return [];
  const reads = run.reads(deps, { signal: ctx.signal, isPatient: false });
  const list = await reads.clusters();
  if (list.value && memberOf(list.value, id)) return [];
  const { value: found, error } = list.value ? await reads.cluster(id) : { error: list.error };
  const operation = new Operation(ctx, deps, "read", { id, inputs: state });
  const isMissing = found === "none" && creationGraceLeftMs(state, deps.clock.now()) === 0;
  if (isMissing) checkConnection(deps, operation, state);
  if (found !== undefined && found !== "none") return [];
  const why = error === undefined ? "it was created a moment ago" : messageOf(error);
  const text = `was last seen with another service or API key, and could not be checked with this one: ${why}`;
  if (isRejectedKey(error)) throw new GpuClusterError(hide(`${operation.title} ${text}`));
  if (isStrict(settings)) throw new GpuClusterError(hide(`${operation.title} ${text}${becauseStrict}`));
  const wayOut =
    "Run `pulumi refresh` with a key that can see it. Further warnings of this kind are hidden in this run";
  return [warning(`${id} ${text}. ${wayOut}`, "unseen")];
}
