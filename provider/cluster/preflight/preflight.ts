import { isDeepStrictEqual } from "node:util";
import type { ClusterRecord } from "../../api/decode/records";
import { configInputs } from "../../api/endpoints";
import { isSameGpu } from "../../api/gpuMatch";
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
  type PropertyChange,
  UNKNOWN,
} from "../../contract";
import { diffCluster, diffResource, isWithinPaths, withName } from "../diff/diff";
import { identifiersIn, withTypeOfRecord } from "../diff/drift";
import { isResumableName } from "../operations/adopt";
import { allowedTypes, hasType, identifiersOfType, keepType, tierOf } from "../schema/gpus";
import {
  asInputs,
  type CheckedInputs,
  type ClusterState,
  endAdvice,
  inputsOf,
  readableInputs,
  secretsOf,
  sinceEndMs,
  stateOutputNames,
} from "../schema/state";
import { completeInputs, findFailures } from "../schema/validate";
import { checkConnection, creationGraceLeftMs, memberOf } from "../service/lookup";
import { Operation } from "../service/operation";
import type { Dependencies } from "../wait/wait";
import { costAt, judgeCost, judgeUnchangedCost, limitOf } from "./cost";
import {
  becauseStrict,
  claim,
  describeChange,
  type Finding,
  failure,
  findAdopted,
  gapOf,
  info,
  judgeAdoption,
  judgeName,
  judgeStock,
  judgeTypes,
  listedIdentifiers,
  type Message,
  outputsIn,
  replacementText,
  runs,
  type Situation,
  typesToTry,
  unattended,
  warning,
  withListedType,
} from "./judges";
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
    const settings = resolve(this.settings);
    const deps = resolve(this.dependencies);
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
    const { __fixed: refused = [] } = state;
    // An empty list: the service has updated this cluster, whatever its descriptor says.
    const fixed = state.__fixed?.length === 0 ? [] : [...refused, ...(run.fixed.get(urn) ?? [])];
    const { value: settings } = resolve(this.settings);
    const { value: deps } = resolve(this.dependencies);
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
function resolve<T>(read: () => T): { readonly value?: T; readonly failures: readonly CheckFailure[] } {
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

/** A check that the engine requests. Without dependencies or settings, only the inputs themselves are judged. */
interface Request {
  readonly ctx: CallContext;
  readonly news: Properties;
  /** The old inputs; empty for a creation, and for the second check of a replacement. */
  readonly olds: Properties;
  readonly deps: Dependencies | undefined;
  readonly settings: ResolvedSettings | undefined;
  readonly run: RunMemory;
}

interface Preflight extends Required<Checked> {
  readonly messages: readonly Message[];
}

/**
 * Judges the inputs of one resource by reads alone.
 *
 * The engine checks a new resource without old inputs, and an existing one with them. If it replaces the cluster, it checks a
 * second time, as for a new resource, whatever the reason: a difference, an option such as `replaceOnChanges`, or a resource
 * that this one depends on. So a check without old inputs is about a replacement if this run has seen a cluster of the resource
 * before, in a check or a diff. `--replace` and `state taint` cause no such call: their only check looks like a creation.
 */
async function preflight({ ctx, news, olds, deps, settings, run }: Request): Promise<Preflight> {
  const { urn } = ctx;
  const current = typeof olds["name"] === "string" ? asInputs(olds) : undefined;
  const replaced = current ? undefined : run.clusters.get(urn);
  const previous = current ?? replaced;
  const names = {
    urn,
    current: current?.name,
    predecessor: previous?.name,
    naming: ctx.naming,
    salt: settings?.resume,
  };
  const completed = completeInputs(news, names);
  const typed = current ? keepType(completed, current) : completed;
  const invalid = findFailures(news, olds, { ...names, canAwait: ctx.canAwait === true });
  if (!deps || !settings) return { inputs: { ...typed }, failures: invalid, messages: [], knownOutputs: {} };

  const nowMs = deps.clock.now();
  // Diff, update and state know no other status than that of now.
  let inputs = typed;
  if (sinceEndMs(typed, nowMs) !== undefined) inputs = { ...typed, desiredStatus: "stopped" };
  // An end that is not known yet may have passed, but not that of a new cluster.
  else if (hasUnknown(typed.runUntil) && current && typed.desiredStatus !== "stopped")
    inputs = asInputs({ ...typed, desiredStatus: UNKNOWN });
  // An interrupted run may have created the cluster before its end: then it is adopted, and stopped.
  const isResumable = !current && isResumableName(inputs, urn, names);
  // Date.parse takes days that no calendar has.
  const isTime = !invalid.some(({ property }) => property === "runUntil");
  if (!current && !isResumable && isTime) invalid.push(...endFailures(inputs, nowMs));

  const reads = run.reads(deps, { signal: ctx.signal, isPatient: limitOf(inputs, settings) !== undefined });
  let kind: Situation["kind"] = replaced ? "replacement" : "creation";
  if (current) kind = "change";
  const requested = { ctx, deps, settings, run, reads, inputs, previous, kind, isResumable };
  if (current && isUnchanged(requested, current)) {
    const listed = ctx.showsOutputs ? current : await withListedOutputs(requested, current);
    if (listed.gpuType === current.gpuType) {
      const unchanged = { ...requested, inputs: { ...listed, __secrets: inputs.__secrets } };
      // Nothing is read for it, but it counts for the other clusters of the run.
      deps.registry.setGpus(urn, listed.gpuType, 0);
      return conclude(unchanged, [...claim(unchanged), ...judgeUnchangedCost(unchanged)], {}, {});
    }
  }
  if (invalid.length > 0) return { inputs: { ...inputs }, failures: invalid, messages: [], knownOutputs: {} };

  const prepared = current ? await prepareChange(requested, current) : await prepareCreation(requested);
  const { situation, findings, knownOutputs } = prepared;
  const leftMs = Date.parse(inputs.runUntil ?? "") - deps.clock.now();
  if (leftMs > 0 && (!current || inputs.runUntil !== situation.previous?.runUntil))
    findings.push(
      info(`\`runUntil\` is in ${age(leftMs)}: the first \`pulumi up\` after it stops the cluster. ${unattended}`),
    );
  let outputs = ctx.showsOutputs ? {} : knownOutputs;
  const types = await judgeTypes(situation);
  findings.push(...types);
  if (!isRefused(types)) {
    findings.push(...(await judgeStock(situation)));
    const cost = await judgeCost(situation);
    findings.push(...cost.findings);
    const identifiers = current ? {} : await listedIdentifiers(situation);
    outputs = { ...outputs, ...cost.hourlyCost, ...identifiers };
  }
  return conclude(situation, findings, knownOutputs, outputs);
}

/** What the judges have to know, what has been found on the way, and the outputs that are already certain. */
interface Prepared {
  readonly situation: Situation;
  readonly findings: Finding[];
  readonly knownOutputs: Properties;
}

async function prepareChange(requested: Situation, current: CheckedInputs): Promise<Prepared> {
  const { ctx, run, reads } = requested;
  const previous = await withListedOutputs(requested, current);
  const kept = keepType(requested.inputs, previous);
  const { __gpu = previous.__gpu, ...typed } = await withListedType(reads, kept, previous);
  // Previews show a hidden input that goes. The check of a replacement finds the identifiers of the new type.
  const inputs = __gpu ? { ...typed, __gpu } : typed;
  const situation = { ...requested, inputs, previous };
  const findings = claim(situation);
  if (!isRefused(findings)) findings.push(...(await judgeName(situation)).findings);
  // A value that is not known yet may be a change too: then the cluster does not certainly stay.
  const { changes } = diffCluster({ ...previous }, { ...inputs });
  const isConfigured = Object.keys(changes).some((path) => isWithinPaths(path, configInputs));
  const answer = isConfigured ? await reads.fixed() : {};
  const { value: fixed = [] } = answer;
  run.fixed.set(ctx.urn, fixed);
  const isKept = ([path, { replace }]: [string, PropertyChange]) => !replace && !isWithinPaths(path, fixed);
  const keepsCluster = Object.entries(changes).every(isKept);
  if (keepsCluster && inputs.__generatedName && !current.__generatedName)
    findings.push(warning(`\`name\` is no longer set; the cluster keeps its name "${inputs.name}"`));
  findings.push(...gapOf("updates in place", answer));
  // Previews that show outputs take those of a kept cluster from its state.
  const knownOutputs = keepsCluster && !ctx.showsOutputs ? outputsIn({ ...previous }) : {};
  return { situation, findings, knownOutputs };
}

async function prepareCreation(requested: Situation): Promise<Prepared> {
  const { ctx, deps, run, reads, inputs, kind, previous } = requested;
  const found = await findAdopted(requested);
  const claimed = found.record ? withAdopted(requested, found.record) : requested;
  const findings = [...claim(claimed), ...found.findings];
  // A name of another resource of the program is no cluster to adopt.
  const name = isRefused(findings) ? undefined : await judgeName(claimed);
  const situation = name?.record ? withAdopted(claimed, name.record) : claimed;
  findings.push(...(name?.findings ?? []), ...judgeAdoption(situation));
  const ended = situation.adopted ? [] : endFailures(inputs, deps.clock.now());
  findings.push(...ended.map(({ property, reason }) => failure(property, reason)));
  // The diff has not said what a replacement removes if only an option requires it, which no input shows.
  if (kind === "replacement" && previous && runs(previous) && !run.announcedLosses.has(ctx.urn)) {
    run.announcedLosses.add(ctx.urn);
    const { value: list } = await reads.clustersIfRead();
    const [record, ...others] = list ? deps.registry.holders(previous.name, list) : [];
    const { replicas = previous.replicas } = (others.length === 0 && record) || {};
    findings.push(warning(replacementText({ replicas }, inputs)));
  }
  let knownOutputs: Properties = {};
  // A creation makes another cluster if the one to resume is gone by then.
  if (situation.adopted && inputs.adopt !== undefined) knownOutputs = outputsIn({ ...situation.adopted });
  // A creation can get another of its types.
  else if (ctx.showsOutputs && typesToTry(situation).length > 1) knownOutputs = { gpuType: UNKNOWN };
  return { situation, findings, knownOutputs };
}

function isRefused(findings: readonly Finding[]): boolean {
  return findings.some(({ kind }) => kind === "failure");
}

/** The inputs get the GPU type of the adopted cluster, and its name if the program sets none. */
function withAdopted(requested: Situation, adopted: ClusterRecord): Situation {
  const typed = withTypeOfRecord(requested.inputs, adopted);
  return { ...requested, inputs: typed.adopt === undefined ? typed : withName(typed, adopted), adopted };
}

/** One finding stands for all gaps, with the first reason. Messages for information are left out if there is a failure. */
function conclude(
  { settings, inputs }: Situation,
  findings: readonly Finding[],
  knownOutputs: Properties,
  outputs: Properties,
): Preflight {
  const all = [...findings];
  const gaps = findings.filter((finding) => finding.kind === "gap");
  // A rejected key would also be rejected for every request of the update.
  const rejected = gaps.find(({ error }) => isRejectedKey(error));
  const text = `${listOf([...new Set(gaps.map(({ what }) => what))])} could not be checked: ${messageOf(gaps[0]?.error)}`;
  if (rejected) all.push(failure("", messageOf(rejected.error)));
  else if (gaps.length > 0 && settings.previewChecks === "strict") all.push(failure("", `${text}${becauseStrict}`));
  else if (gaps.length > 0) all.push(warning(`${text}. Further warnings of this kind are hidden in this run`, "gaps"));
  const failures = all.flatMap((finding) =>
    finding.kind === "failure" ? { property: finding.property, reason: finding.text } : [],
  );
  const kinds = failures.length === 0 ? ["warning", "info"] : ["warning"];
  const messages = all.filter((finding): finding is Message => kinds.includes(finding.kind));
  const { __deleteBeforeReplace, ...others } = inputs;
  return { inputs: { ...others, ...outputs }, failures, messages, knownOutputs };
}

/** Whether the program requests what its last check returned. A limit that needs an unknown cost has to be judged even then. */
function isUnchanged({ settings, inputs }: Situation, current: CheckedInputs): boolean {
  if (current.hourlyCost === undefined && limitOf(inputs, settings) !== undefined) return false;
  const { endpoint, createdAt, hourlyCost, ...old } = current;
  const comparable = ({ __deleteBeforeReplace, __secrets, ...others }: Partial<CheckedInputs>) =>
    Object.fromEntries(Object.entries(others).filter(([, value]) => value !== undefined));
  return isDeepStrictEqual(comparable(old), comparable(inputs));
}

/**
 * The old inputs with what only the list of clusters shows until the second check after a creation: endpoint, time of
 * creation, and which of its GPU types the cluster got.
 */
async function withListedOutputs(
  { ctx, deps, reads, inputs }: Situation,
  current: CheckedInputs,
): Promise<CheckedInputs> {
  const isInState = ctx.showsOutputs && inputs.fallbackGpuTypes === undefined;
  // Another name or type can replace the cluster: then its outputs are not known.
  const isUndecided = [current.name, inputs.name, inputs.gpuType].includes(UNKNOWN);
  if (current.endpoint !== undefined || isInState || isUndecided) return current;
  const { value: list } = await reads.clusters();
  const holders = list ? deps.registry.holders(current.name, list) : [];
  const record = holders[0];
  // If several clusters have the name, any of them can be that of the resource.
  if (!record || holders.length > 1) return current;
  const listed = { ...current, ...outputsIn({ ...record }) };
  const actualType = allowedTypes(inputs).find((type) => isSameGpu(type, identifiersIn(record)));
  if (actualType === undefined || hasType(current, actualType)) return listed;
  // A creation with one type got that one: this is another name of it.
  if (current.fallbackGpuTypes === undefined)
    return { ...listed, __gpu: [...identifiersOfType(current), ...identifiersIn(record)] };
  return { ...listed, gpuType: actualType, hourlyCost: undefined };
}

/** A cluster that is created or adopted after its end would only be stopped. */
function endFailures(inputs: CheckedInputs, nowMs: number) {
  const sinceMs = sinceEndMs(inputs, nowMs);
  if (sinceMs === undefined) return [];
  return [
    {
      property: "runUntil",
      reason: `passed ${age(sinceMs)} ago, so no cluster is created, adopted or replaced: ${endAdvice}`,
    },
  ];
}
