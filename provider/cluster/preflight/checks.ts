import { isDeepStrictEqual } from "node:util";
import { age } from "../../base/clock";
import { ConfigError, GpuClusterError, isRejectedKey, messageOf } from "../../base/errors";
import { Redactor } from "../../base/redact";
import { listOf, resourceNameOf } from "../../base/text";
import type { ResolvedSettings } from "../../config/settings";
import {
  type CallContext,
  type Checked,
  type CheckFailure,
  type Diff,
  hasUnknown,
  type Properties,
} from "../../contract";
import { diffResource, effectsOf, isWithinPaths, knownChanges } from "../diff/diff";
import { type InputName, inputFlags, inputNames, replacingNames } from "../schema/fields";
import { formatAmount, tierOf } from "../schema/gpus";
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
import { becauseStrict, costAt, info, limitOf, type Message, runs, type Situation, warning } from "./judges";
import { isResumableName, preflight, replacementText } from "./preflight";
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
    const settings = resultOf(this.settings);
    const deps = resultOf(this.dependencies);
    const olds: Properties = { ...state };
    if (state?.name !== undefined) run.clusters.set(ctx.urn, inputsOf(state));
    const hide = this.#hiding(ctx.urn, deps.value, news, olds);
    // The option `ignoreChanges: ["*"]` returns the outputs that an earlier check has added as inputs.
    const isOutput = (name: string) =>
      stateOutputNames.some((output) => output === name) && isDeepStrictEqual(news[name], olds[name]);
    const requested = Object.fromEntries(Object.entries(news).filter(([name]) => !isOutput(name)));
    const result = await preflight({ ctx, news: requested, olds, deps: deps.value, settings: settings.value, run });
    this.#log(ctx, result.messages, hide);
    // Problems of the settings are reported together with those of the inputs, not one run later.
    const all = [...result.failures, ...settings.failures, ...deps.failures];
    const failures = all.map(({ property, reason }) => ({ property, reason: hide(reason) }));
    const checked = { inputs: result.inputs, failures };
    return ctx.showsOutputs ? { ...checked, knownOutputs: result.knownOutputs } : checked;
  }

  /**
   * The difference, and after a check what it does to the cluster. A refresh, which only displays drift, makes no check.
   * @throws GpuClusterError if the service of the inputs does not know the cluster, or if `adopt` names another one.
   */
  async diff(ctx: CallContext, id: string, state: ClusterState, news: CheckedInputs): Promise<Diff> {
    const run = this.#run;
    const { urn } = ctx;
    if (state.name !== undefined) run.clusters.set(urn, inputsOf(state));
    // An empty list: the service has updated this cluster, whatever its descriptor says.
    const fixed = state.__fixed?.length === 0 ? [] : run.addFixed(urn, state.__fixed ?? []);
    const { value: settings } = resultOf(this.settings);
    const { value: deps } = resultOf(this.dependencies);
    const hide = this.#hiding(urn, deps, news, state);
    deps?.registry.set("resumedAt", id, state.__resumedAt ?? "");
    const messages = deps && settings ? await refuseForeignKey({ ctx, deps, settings, run }, hide, id, state) : [];
    const diff = diffResource({ ...state }, { ...news }, id, fixed);
    // Every check that passes sets a cost. A refresh makes no check, and the program may not contain what it reads.
    if (deps?.registry.get("cost", urn)) {
      deps.registry.setClusterOf(urn, id);
      const reads = run.reads(deps, { signal: ctx.signal, isPatient: false });
      const isReplaced = Object.values(diff.changes).some(({ replace }) => replace);
      // The second check of a replacement will read the clusters for a new generated name.
      const { value: list } = await (news.__generatedName && isReplaced ? reads.clusters() : reads.clustersIfRead());
      // An autoscaler or another user may have changed the number of replicas since the last refresh.
      const current = { ...state, replicas: (list && memberOf(list, id))?.replicas ?? state.replicas };
      const described = describeChange(current, news, diff.changes, deps.clock.now());
      messages.push(...described);
      if (isReplaced && described.some(({ kind }) => kind === "warning")) run.announcedLosses.add(urn);
    }
    this.#log(ctx, messages, hide);
    const hasEnded = deps !== undefined && sinceEndMs(news, deps.clock.now()) !== undefined;
    const isEnd = hasEnded && diff.changes["desiredStatus"] !== undefined;
    return isEnd ? { ...diff, isEnd } : diff;
  }

  /** What a creation asks of the checks. */
  forCreation(deps: Dependencies, { urn, signal }: CallContext, inputs: CheckedInputs) {
    const settings = this.settings();
    const reads = this.#run.reads(deps, { signal, isPatient: limitOf(inputs, settings) !== undefined });
    const hourlyCostOf = async (typed: CheckedInputs) => {
      const { value: price } = await reads.price(typed.gpuType, tierOf(typed.extraFields));
      return runs(typed) ? costAt(price, typed).amount : 0;
    };
    const names = { salt: settings.resume, predecessor: this.#run.clusters.get(urn)?.name };
    return { hourlyCostOf, isResumable: isResumableName(inputs, urn, names) };
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

/** A configuration that cannot be used is a failure of the check. */
function resultOf<T>(read: () => T): { readonly value?: T; readonly failures: readonly CheckFailure[] } {
  try {
    return { value: read(), failures: [] };
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    return { failures: [{ property: "", reason: messageOf(error) }] };
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
  if (settings.previewChecks === "strict")
    throw new GpuClusterError(hide(`${operation.title} ${text}${becauseStrict}`));
  const wayOut =
    "Run `pulumi refresh` with a key that can see it. Further warnings of this kind are hidden in this run";
  return [warning(`${id} ${text}. ${wayOut}`, "unseen")];
}

/**
 * What a change does to its cluster: a reason that no input of the program shows, a rollout and, as a warning, the running
 * capacity that it removes. Values that are not known yet decide nothing.
 */
export function describeChange(
  state: CheckedInputs,
  inputs: CheckedInputs,
  changes: Diff["changes"],
  nowMs: number,
): Message[] {
  if (!Object.keys(changes).some((path) => isWithinPaths(path, inputNames))) {
    if ("settled" in changes)
      return [
        info("no input changes; the update continues the last operation, because the cluster is not as requested yet"),
      ];
    if ("__secrets" in changes)
      return [info("the program marks more as secret; the state is encrypted anew, and the cluster does not change")];
    return "__timeouts" in changes ? [info("only `customTimeouts` changes; the cluster does not change")] : [];
  }
  if (!runs(state)) return [];
  const known = knownChanges(changes, inputs);
  const paths = Object.keys(known);
  const changeText = (changed: readonly string[]) =>
    `${listOf(changed.map((path) => `\`${path}\``))} ${changed.length === 1 ? "changes" : "change"}`;
  const replicasText = (count: number, verb: "stop" | "restart") =>
    count === 1 ? `its only replica ${verb}s` : `all ${count} replicas ${verb}`;
  const replacing = paths.filter((path) => known[path]?.replace);
  if (replacing.length > 0) {
    const isAlways = replacing.some((path) => isWithinPaths(path, replacingNames));
    const why = isAlways ? "" : ", which the service cannot do in place";
    return [warning(`${changeText(replacing)}${why}, so ${replacementText(state, inputs)}`)];
  }
  const effects = effectsOf(known);
  const old = state.replicas;
  if (effects.has("power") && !runs(inputs)) {
    const stopped = replicasText(old, "stop");
    const sinceMs = sinceEndMs(inputs, nowMs);
    if (sinceMs === undefined) return [warning(`it is stopped: ${stopped}`)];
    const cost = state.hourlyCost === undefined ? "" : `; ${formatAmount(state.hourlyCost)} => 0 per hour`;
    return [warning(`\`runUntil\` passed ${age(sinceMs)} ago, so \`pulumi up\` stops it: ${stopped}${cost}`)];
  }

  const messages: Message[] = [];
  // A value that is not known yet can replace the cluster too.
  const canBeReplaced = Object.values(changes).some(({ replace }) => replace);
  if (effects.has("rollout") && !canBeReplaced && old !== 0) {
    const isChanged = (name: InputName) => paths.some((path) => isWithinPaths(path, [name]));
    const changed = inputNames.filter((name) => inputFlags[name].effect === "rollout" && isChanged(name));
    let replaced = `all ${old} replicas`;
    if (old === 1) replaced = "the replica";
    if (old === 2) replaced = "both replicas";
    messages.push(info(`${changeText(changed)}: in place, a rollout replaces ${replaced}`));
  }
  const next = "replicas" in known ? inputs.replicas : old;
  const losses: string[] = [];
  if (next < old) losses.push(`${old} -> ${next} replicas: ${old - next} ${old - next === 1 ? "is" : "are"} removed`);
  const restarted = replicasText(Math.min(old, next), "restart");
  if (effects.has("redeploy")) losses.push(`it is redeployed: ${restarted}`);
  else if (effects.has("restart")) losses.push(`it is restarted: ${restarted}`);
  if (losses.length > 0) messages.push(warning(losses.join("; ")));
  return messages;
}
