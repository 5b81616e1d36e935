import { isDeepStrictEqual } from "node:util";
import { type ClusterRecord, sameId } from "../../api/decode/records";
import { configInputs } from "../../api/endpoints";
import { isSameGpu } from "../../api/gpuMatch";
import { age } from "../../base/clock";
import { isRejectedKey, messageOf } from "../../base/errors";
import { cleanText, listOf } from "../../base/text";
import type { ResolvedSettings } from "../../config/settings";
import {
  type CallContext,
  type Checked,
  hasUnknown,
  type Properties,
  type PropertyChange,
  UNKNOWN,
} from "../../contract";
import { adoptionChanges, diffCluster, findMismatches, isWithinPaths, withName } from "../diff/diff";
import { identifiersIn, withTypeOfRecord } from "../diff/drift";
import { describeClusters, findResumable, notResumed, reasonNotToResume, takenReason } from "../operations/adopt";
import { textNames } from "../schema/fields";
import { allowedTypes, hasType, identifiersOfType, keepType } from "../schema/gpus";
import { asInputs, type CheckedInputs, endAdvice, sinceEndMs } from "../schema/state";
import { completeInputs, findFailures, generatedName } from "../schema/validate";
import type { Dependencies } from "../wait/wait";
import {
  becauseStrict,
  type Finding,
  failure,
  gapOf,
  info,
  judgeCost,
  judgeStock,
  judgeTypes,
  judgeUnchangedCost,
  limitOf,
  listedIdentifiers,
  type Message,
  runs,
  type Situation,
  typesToTry,
  warning,
  withListedType,
} from "./judges";
import type { RunMemory } from "./reads";

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

const unattended = "Nothing stops a cluster while nobody runs `up`";

/**
 * Judges the inputs of one resource by reads alone.
 *
 * The engine checks a new resource without old inputs, and an existing one with them. If it replaces the cluster, it checks a
 * second time, as for a new resource, whatever the reason: a difference, an option such as `replaceOnChanges`, or a resource
 * that this one depends on. So a check without old inputs is about a replacement if this run has seen a cluster of the resource
 * before, in a check or a diff. `--replace` and `state taint` cause no such call: their only check looks like a creation.
 */
export async function preflight({ ctx, news, olds, deps, settings, run }: Request): Promise<Preflight> {
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
  const fixed = run.addFixed(ctx.urn, answer.value ?? []);
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

/** Only the engine knows the order, and whether the old cluster is deleted. */
export function replacementText({ replicas }: Pick<CheckedInputs, "replicas">, inputs: CheckedInputs): string {
  const capacity = replicas === 1 ? "only replica" : `${replicas} replicas`;
  const text = `it is replaced: the old cluster with its ${capacity} is deleted, or kept and billed with \`retainOnDelete\``;
  if (hasUnknown(inputs.replicas) || inputs.replicas === replicas) return text;
  return `${text}; the new one gets ${inputs.replicas}`;
}

/** The outputs that a kept cluster keeps, or others of these names, as far as they are known. */
export function outputsIn(known: Properties, names: readonly string[] = ["endpoint", "createdAt"]): Properties {
  return Object.fromEntries(names.filter((name) => known[name] !== undefined).map((name) => [name, known[name]]));
}

/** Claims the name and the adopted cluster for the resource. It is a failure if another resource of the program has them. */
function claim({ ctx: { urn }, deps, inputs, kind }: Situation): Finding[] {
  const { name, adopt } = inputs;
  if (kind !== "change") deps.registry.setClusterOf(urn);
  const owner = hasUnknown(name) ? urn : deps.registry.claim("owner", name, urn);
  const adopter = adopt === undefined || hasUnknown(adopt) ? urn : deps.registry.claim("adopter", adopt, urn);
  // The resource has had the cluster since an earlier run.
  if (adopt !== undefined && adopter === urn && kind === "change") deps.registry.set("isAdopted", adopt, true);
  const findings: Finding[] = [];
  const { problem } = deps.registry.journal;
  if (adopt !== undefined && problem !== undefined) findings.push(warning(`${unshared}: ${problem}`, unshared));
  const taken = `the resource ${owner} has the name "${name}" too; two clusters cannot have the same name: set another`;
  if (owner !== urn) findings.push(failure("name", taken));
  const adopted = `the resource ${adopter} adopts ${adopt} too; two resources cannot manage the same cluster`;
  if (adopter !== urn) findings.push(failure("adopt", adopted));
  return findings;
}

const unshared =
  "the providers of this run cannot share what they know. If a resource of another provider has the cluster to adopt, keep it " +
  "in the program in this run, or remove it with `pulumi state delete`";

interface Existing {
  readonly findings: readonly Finding[];
  readonly record?: ClusterRecord | undefined;
}

async function findAdopted({ reads, inputs, previous }: Situation): Promise<Existing> {
  const { adopt: id } = inputs;
  if (id === undefined || hasUnknown(id)) return { findings: [] };
  const replaced = `names the cluster that is replaced (${id}): remove it, because the replacement is a new cluster`;
  if (previous?.adopt !== undefined && sameId(previous.adopt, id)) return { findings: [failure("adopt", replaced)] };
  const answer = await reads.cluster(id);
  const missing = `${id} is not a cluster that this API key can see; getClusters() lists them`;
  if (answer.value === "none") return { findings: [failure("adopt", missing)] };
  return { findings: gapOf(`the cluster ${id}`, answer), record: answer.value };
}

/** A taken name is a failure before anything is bought. With `resume`, the resource may adopt its holder. */
async function judgeName(situation: Situation): Promise<Existing> {
  const { ctx, kind, deps, reads, inputs, previous } = situation;
  const { name, adopt, __generatedName: isGenerated, __deleteBeforeReplace: deletesFirst } = inputs;
  // A change keeps the name, and a replacement can take it over unless the program has it create the new cluster first. A pattern
  // of `pulumi:autonaming` without a random part makes the same name again, and the engine then deletes first in any case.
  const keepsName = previous?.name === name && (kind === "change" || deletesFirst !== false || isGenerated === true);
  if (hasUnknown(name) || adopt !== undefined || keepsName) return { findings: [] };
  const answer = await reads.clusters();
  const { value: list } = answer;
  if (!list) return { findings: gapOf("taken names", answer) };
  const holders = deps.registry.holders(name, list);
  const [holder] = holders;
  if (!holder) return { findings: [] };
  let why = "";
  if (situation.isResumable) {
    const comparable = comparableWith(inputs, holder);
    const { value: proven = list } = await reads.proven(list);
    const resumable = findResumable(deps, ctx.urn, comparable, { holders, extent: proven.extent });
    let reason = "reason" in resumable ? resumable.reason : undefined;
    if ("record" in resumable) {
      // A list may not show everything, so the cluster's own record decides.
      const detail = await reads.cluster(holder.id);
      const record = detail.value === "none" ? holder : { ...holder, ...detail.value };
      reason = reasonNotToResume(deps, ctx.urn, comparable, record);
      if (reason === undefined) return { findings: gapOf(`the cluster ${holder.id}`, detail), record };
    }
    why = `. ${notResumed} ${reason}`;
  }
  // It can be a replacement that looks like a creation: then the engine deletes the holder first. Otherwise the creation fails.
  const deleted = `"${name}" is the name of ${describeClusters(holders)}, which must be deleted before the new cluster is created`;
  if (kind === "creation" && deletesFirst) return { findings: [warning(deleted)] };
  return { findings: [failure("name", `"${name}" ${takenReason(holders)}${why}`)] };
}

function judgeAdoption({ inputs, adopted: record }: Situation): Finding[] {
  if (!record) return [];
  const failures = findMismatches(comparableWith(inputs, record), record);
  const name = record.name === undefined ? "" : ` ("${cleanText(record.name, 100)}")`;
  const how = inputs.__deleteBeforeReplace ? ", unless a replacement deletes it first" : "";
  const why = inputs.adopt === undefined ? `, which an interrupted run has created${how}` : "";
  const changed = adoptionChanges(inputs, record).map((path) => cleanText(path, 100));
  const hasOthers = Object.keys(record.env ?? {}).some((variable) => !Object.hasOwn(inputs.env ?? {}, variable));
  const untouched = hasOthers ? "; variables that the program does not set are kept" : "";
  const changes = `${listOf(changed)} will be changed to match the program${untouched}`;
  return [
    ...failures.map(({ property, reason }) => failure(property, reason)),
    info(`adopts ${record.id}${name}${why}: ${changed.length === 0 ? "nothing is changed" : changes}`),
  ];
}

/** The inputs with the values of the cluster for those that are not known yet, so that they count as equal. */
function comparableWith(inputs: CheckedInputs, record: ClusterRecord): CheckedInputs {
  const unknown = textNames.filter((field) => hasUnknown(inputs[field]));
  return { ...inputs, ...Object.fromEntries(unknown.map((field) => [field, record[field] ?? ""])) };
}

/** Whether only this resource of this stack makes the name: then a cluster of the name may be resumed. */
export function isResumableName(
  { name, adopt, __generatedName }: CheckedInputs,
  urn: string,
  { salt, predecessor }: { readonly salt: string | undefined; readonly predecessor: string | undefined },
): boolean {
  if (salt === undefined || adopt !== undefined || !__generatedName) return false;
  return name === generatedName(urn, predecessor, salt);
}
