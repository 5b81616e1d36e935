import { type ClusterRecord, isUuid, sameId } from "../../api/decode/records";
import { ambiguousMessage, identifiersInList, isSameGpu, matchGpu } from "../../api/gpuMatch";
import { age } from "../../base/clock";
import { messageOf } from "../../base/errors";
import { cleanText, listOf, maxNamed } from "../../base/text";
import type { ResolvedSettings } from "../../config/settings";
import { type CallContext, type Diff, hasUnknown, type Properties } from "../../contract";
import { adoptionChanges, effectsOf, findMismatches, isWithinPaths, knownChanges } from "../diff/diff";
import { identifiersIn } from "../diff/drift";
import { describeClusters, findResumable, notResumed, reasonNotToResume, takenReason } from "../operations/adopt";
import { endsWithoutCapacity } from "../operations/create";
import { type InputName, inputFlags, inputNames, replacingNames, textNames } from "../schema/fields";
import { allowedTypes, formatAmount, gpusOf, hasKnownType, hasType, identifiersOfType } from "../schema/gpus";
import { type CheckedInputs, sinceEndMs } from "../schema/state";
import type { Dependencies } from "../wait/wait";
import type { Answer, Reads, RunMemory } from "./reads";

export interface Situation {
  readonly ctx: CallContext;
  readonly deps: Dependencies;
  readonly settings: ResolvedSettings;
  readonly run: RunMemory;
  readonly reads: Reads;
  readonly inputs: CheckedInputs;
  /** What the check seems to be about; `preflight` says how it is known. A creation or replacement can adopt a cluster. */
  readonly kind: "creation" | "change" | "replacement";
  readonly previous: CheckedInputs | undefined;
  readonly adopted?: ClusterRecord | undefined;
  /** Whether the resource may adopt the cluster that has its name, because an interrupted run may have created it. */
  readonly isResumable: boolean;
}

export function typesToTry({ inputs, kind, adopted }: Situation): readonly string[] {
  const isNew = kind !== "change" && !adopted && inputs.adopt === undefined;
  return isNew ? allowedTypes(inputs) : [inputs.gpuType];
}

export type Finding =
  | { readonly kind: "failure"; readonly property: string; readonly text: string }
  | Message
  /** A failed read. `what` is in the plural: `stock figures`, `prices`. */
  | { readonly kind: "gap"; readonly what: string; readonly error: unknown };

export interface Message {
  readonly kind: "warning" | "info";
  readonly text: string;
  /** Set for a message about the whole run: it is shown once with this key, and without the name of the resource. */
  readonly once?: string | undefined;
}

export const failure = (property: string, text: string): Finding => ({ kind: "failure", property, text });
export const warning = (text: string, once?: string): Message => ({ kind: "warning", text, once });
export const info = (text: string, once?: string): Message => ({ kind: "info", text, once });

export function gapOf(what: string, { error }: Answer<unknown>): Finding[] {
  return error === undefined ? [] : [{ kind: "gap", what, error }];
}

/** The end of a failure that only `strict` makes of a warning. */
export const becauseStrict = " (an error because gpucluster:previewChecks is `strict`)";

export function runs({ desiredStatus }: Pick<CheckedInputs, "desiredStatus">): boolean {
  return desiredStatus !== "stopped";
}

/** Only the engine knows the order, and whether the old cluster is deleted. */
export function replacementText({ replicas }: Pick<CheckedInputs, "replicas">, inputs: CheckedInputs): string {
  const capacity = replicas === 1 ? "only replica" : `${replicas} replicas`;
  const text = `it is replaced: the old cluster with its ${capacity} is deleted, or kept and billed with \`retainOnDelete\``;
  if (hasUnknown(inputs.replicas) || inputs.replicas === replicas) return text;
  return `${text}; the new one gets ${inputs.replicas}`;
}

export const unattended = "Nothing stops a cluster while nobody runs `up`";

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
  const known = knownChanges({ changes }, inputs).changes;
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
  const effects = effectsOf({ changes: known });
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

/** The outputs that a kept cluster keeps, or others of these names, as far as they are known. */
export function outputsIn(known: Properties, names: readonly string[] = ["endpoint", "createdAt"]): Properties {
  return Object.fromEntries(names.filter((name) => known[name] !== undefined).map((name) => [name, known[name]]));
}

/** Claims the name and the adopted cluster for the resource. It is a failure if another resource of the program has them. */
export function claim({ ctx: { urn }, deps, inputs, kind }: Situation): Finding[] {
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

export async function findAdopted({ reads, inputs, previous }: Situation): Promise<Existing> {
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
export async function judgeName(situation: Situation): Promise<Existing> {
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
    const inputsToCompare = comparableWith(inputs, holder);
    const expected = { inputs: inputsToCompare, urn: ctx.urn, registry: deps.registry, nowMs: deps.clock.now() };
    const { value: proven = list } = await reads.proven(list);
    const resumable = findResumable({ holders, extent: proven.extent }, expected);
    let reason = "reason" in resumable ? resumable.reason : undefined;
    if ("record" in resumable) {
      // A list may not show everything, so the cluster's own record decides.
      const detail = await reads.cluster(holder.id);
      const record = detail.value === "none" ? holder : { ...holder, ...detail.value };
      reason = reasonNotToResume(record, expected);
      if (reason === undefined) return { findings: gapOf(`the cluster ${holder.id}`, detail), record };
    }
    why = `. ${notResumed} ${reason}`;
  }
  // It can be a replacement that looks like a creation: then the engine deletes the holder first. Otherwise the creation fails.
  const deleted = `"${name}" is the name of ${describeClusters(holders)}, which must be deleted before the new cluster is created`;
  if (kind === "creation" && deletesFirst) return { findings: [warning(deleted)] };
  return { findings: [failure("name", `"${name}" ${takenReason(holders)}${why}`)] };
}

export function judgeAdoption({ inputs, adopted: record }: Situation): Finding[] {
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

/** An error only if the list is whole and shows none of the possible types: otherwise the service decides at the creation. */
export async function judgeTypes(situation: Situation): Promise<Finding[]> {
  const { deps, settings, reads, previous, inputs, adopted } = situation;
  const types = typesToTry(situation).filter((gpuType) => hasKnownType({ gpuType }));
  const newTypes = types.filter((type) => !hasType(previous, type));
  if (newTypes.length === 0 || adopted || inputs.adopt !== undefined) return [];
  const onlyWarns = settings.previewChecks === "warn";
  const list = await reads.gpuTypes();
  const { value: listed } = list;
  if (!listed && previous && hasKnownType(previous)) {
    const text =
      `"${inputs.gpuType}" may be another name of "${previous.gpuType}", the type of the cluster, and the list of GPU types could ` +
      `not be read: ${messageOf(list.error)}`;
    // Nothing is replaced on a guess.
    if (onlyWarns) return [warning(`${text}. It counts as another type`)];
    return [failure("gpuType", `${text}. If it is another type, set gpucluster:previewChecks to \`warn\``)];
  }
  if (!listed) return gapOf("GPU types", list);
  const matches = newTypes.map((type) => ({ type, match: matchGpu(type, listed.gpus) }));
  const unlisted = matches.filter(({ match }) => match.kind === "none").map(({ type }) => type);
  const isCertain = listed.extent === "whole" && unlisted.length === types.length;
  const isFailure = isCertain && !onlyWarns;
  const address = deps.address ? ` of ${deps.address}` : "";
  const source = `GET /v1/gpus${address}, which may omit types that are sold out`;
  const names = listed.gpus.map((gpu) => (isUuid(gpu.type) ? (gpu.name ?? gpu.type) : gpu.type));
  const findings: Finding[] = [];
  for (const { type, match } of matches)
    if (match.kind === "ambiguous") findings.push(failure("gpuType", ambiguousMessage(type, match.candidates)));
  const plain = (text: string) => text.toLowerCase().replace(/[^a-z0-9]/g, "");
  const isPart = (a: string, b: string) => Math.min(a.length, b.length) > 1 && (a.includes(b) || b.includes(a));
  for (const type of unlisted) {
    const similar = names.filter((name) => isPart(plain(type), plain(name))).slice(0, 3);
    const named = listOf(
      (similar.length > 0 ? similar : names).map((name) => `"${cleanText(name, 60)}"`),
      maxNamed,
    );
    const advice = similar.length > 0 ? `similar: ${named}` : `it lists ${named}`;
    const text = `"${type}" is not a GPU type that the service lists (${source}); ${advice}`;
    const message = `${text}. The service decides whether it accepts the type`;
    findings.push(isFailure ? failure("gpuType", text) : warning(message));
  }
  return findings;
}

/** If the list shows that the program calls the type by another identifier, the inputs get all: the next run needs no list. */
export async function withListedType(
  reads: Reads,
  inputs: CheckedInputs,
  previous: CheckedInputs,
): Promise<CheckedInputs> {
  const types = allowedTypes(inputs);
  if (!hasKnownType(inputs) || !hasKnownType(previous) || types.some((type) => hasType(previous, type))) return inputs;
  const { gpus = [] } = (await reads.gpuTypes()).value ?? {};
  const known = identifiersOfType(previous).flatMap((each) => [each, ...identifiersInList(each, gpus)]);
  const isSame = (type: string) => identifiersInList(type, gpus).some((each) => isSameGpu(each, known));
  return types.some(isSame) ? { ...inputs, gpuType: previous.gpuType, __gpu: [...new Set(known)] } : inputs;
}

/** The identifiers of the type of a new cluster, if only one type is possible. */
export async function listedIdentifiers(situation: Situation): Promise<Properties> {
  const { reads, inputs, adopted } = situation;
  const isNew = inputs.adopt === undefined && hasKnownType(inputs);
  if (typesToTry(situation).length > 1 || (!adopted && !isNew)) return {};
  const { gpus = [] } = adopted ? {} : ((await reads.gpuTypes()).value ?? {});
  const identifiers = adopted ? identifiersIn(adopted) : identifiersInList(inputs.gpuType, gpus);
  return identifiers.length > 0 ? { __gpu: identifiers } : {};
}

/** Judges whether enough GPUs of one of the types are free, for this cluster and for the others of the run. */
export async function judgeStock(situation: Situation): Promise<Finding[]> {
  const { ctx, settings, deps, reads, inputs, previous, kind, adopted } = situation;
  const isAdopted = adopted !== undefined || inputs.adopt !== undefined;
  const isKnown = !hasUnknown([inputs.replicas, inputs.desiredStatus, inputs.gpuType]);
  const hasGpus = previous !== undefined && runs(previous) && hasType(previous, inputs.gpuType);
  // An edited or imported state may not contain the number of replicas.
  const held = hasGpus ? gpusOf(previous) || 0 : 0;
  const count = isAdopted || !isKnown || !runs(inputs) ? 0 : Math.max(0, gpusOf(inputs) - held);
  deps.registry.setGpus(ctx.urn, inputs.gpuType, count);
  if (count === 0) return [];
  const types = typesToTry(situation);
  const stocks = await Promise.all(types.map((type) => reads.stock(type)));
  const needs = types.map((type) => count + deps.registry.gpusOfOthers(ctx.urn, type));
  const isShort = stocks.every(({ value: free }, index) => free !== undefined && free < (needs[index] ?? 0));
  if (!isShort) return stocks.flatMap((stock) => gapOf("stock figures", stock));
  const need = needs[0] ?? count;
  const all = need > count ? `, ${need} for all clusters of this run so far` : "";
  const others = types.length > 1 ? `, nor enough of ${listOf(types.slice(1))}` : "";
  const short = `not enough GPUs: ${count} x ${types[0]} needed${all}, ${stocks[0]?.value} available${others}`;
  const end = kind === "change" ? undefined : endsWithoutCapacity[inputs.onNoCapacity ?? "fail"];
  if (end !== undefined) return [info(`${short}: ${end}`)];
  if (settings.previewChecks === "strict") return [failure("replicas", `${short}${becauseStrict}`)];
  return [warning(short)];
}
