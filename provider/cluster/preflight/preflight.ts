import { isDeepStrictEqual } from "node:util";
import { configInputs } from "../../api/capabilities";
import type { ClusterRecord } from "../../api/decode/records";
import { isSameGpu } from "../../api/gpuMatch";
import { age } from "../../base/clock";
import type { ResolvedSettings } from "../../config/settings";
import { type CallContext, type Checked, hasUnknown, type Properties, UNKNOWN } from "../../contract";
import { diffCluster, isWithinPaths, withName } from "../diff/diff";
import { identifiersIn, withTypeOfRecord } from "../diff/drift";
import { isResumableName } from "../operations/adopt";
import { allowedTypes, hasType, identifiersOfType, keepType } from "../schema/gpus";
import { asInputs, type CheckedInputs, endAdvice, sinceEndMs } from "../schema/state";
import { completeInputs, findFailures } from "../schema/validate";
import type { Dependencies } from "../wait/wait";
import { judgeCost, judgeUnchangedCost, limitOf } from "./cost";
import {
  type Finding,
  failure,
  gapOf,
  info,
  judgeGaps,
  lastingOutputs,
  type Message,
  replacementText,
  runs,
  type Situation,
  typesToTry,
  unattended,
  warning,
  withReplicasOf,
} from "./findings";
import { judgeStock, judgeTypes, listedIdentifiers, withListedType } from "./gpus";
import { claim, findAdopted, judgeAdoption, judgeName } from "./names";
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
  const inputs = withStatusAt(nowMs, typed, current);
  // An interrupted run may have created the cluster before its end: then it is adopted, and stopped.
  const resumes = isResumableName(inputs, urn, names);
  // Date.parse takes days that no calendar has.
  const isTime = !invalid.some(({ property }) => property === "runUntil");
  if (!current && !resumes && isTime) invalid.push(...endFailures(inputs, nowMs));

  const reads = run.reads(deps, { signal: ctx.signal, isPatient: limitOf(inputs, settings) !== undefined });
  let kind: Situation["kind"] = replaced ? "replacement" : "creation";
  if (current) kind = "change";
  const requested = { ctx, deps, settings, run, reads, inputs, previous, kind };
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
  const { situation } = prepared;
  const loss = replaced ? await judgeLoss(requested, replaced) : [];
  const knownOutputs = knownOutputsOf(situation, prepared.keepsCluster);
  let outputs = ctx.showsOutputs ? {} : knownOutputs;
  const types = await judgeTypes(situation);
  const findings = [...prepared.findings, ...loss, ...announceEnd(situation), ...types];
  if (!isRefused(types)) {
    findings.push(...(await judgeStock(situation)));
    const cost = await judgeCost(situation);
    findings.push(...cost.findings);
    const identifiers = current ? {} : await listedIdentifiers(situation);
    outputs = { ...outputs, ...cost.hourlyCost, ...identifiers };
  }
  return conclude(situation, findings, knownOutputs, outputs);
}

/** `keepsCluster`: whether the resource certainly keeps its cluster. */
async function prepareChange(requested: Situation, current: CheckedInputs) {
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
  const { changes: possible } = diffCluster({ ...previous }, { ...inputs });
  const isConfigured = Object.keys(possible).some((path) => isWithinPaths(path, configInputs));
  const fixed = isConfigured ? await reads.fixed() : {};
  const { changes } = diffCluster({ ...previous }, { ...inputs }, run.addFixed(ctx.urn, fixed.value ?? []));
  const keepsCluster = Object.values(changes).every(({ replace }) => !replace);
  if (keepsCluster && inputs.__generatedName && !current.__generatedName)
    findings.push(warning(`\`name\` is no longer set; the cluster keeps its name "${inputs.name}"`));
  findings.push(...gapOf("updates in place", fixed));
  return { situation, findings, keepsCluster };
}

async function prepareCreation(requested: Situation) {
  const found = await findAdopted(requested);
  const claimed = found.record ? withAdopted(requested, found.record) : requested;
  const findings = [...claim(claimed), ...found.findings];
  // A name of another resource of the program is no cluster to adopt.
  const name = isRefused(findings) ? undefined : await judgeName(claimed);
  const situation = name?.record ? withAdopted(claimed, name.record) : claimed;
  findings.push(...(name?.findings ?? []), ...judgeAdoption(situation));
  const ended = situation.adopted ? [] : endFailures(requested.inputs, requested.deps.clock.now());
  findings.push(...ended.map(({ property, reason }) => failure(property, reason)));
  return { situation, findings, keepsCluster: false };
}

/** What a replacement removes, unless the diff has said it: no input shows a replacement that only an option requires. */
async function judgeLoss({ ctx, deps, reads, run, inputs }: Situation, replaced: CheckedInputs): Promise<Finding[]> {
  if (!runs(replaced) || run.announcedLosses.has(ctx.urn)) return [];
  run.announcedLosses.add(ctx.urn);
  const { value: list } = await reads.clustersIfRead();
  const [record, ...others] = list ? deps.registry.holders(replaced.name, list) : [];
  const observed = withReplicasOf(replaced, others.length === 0 ? record : undefined);
  return [warning(replacementText(observed, inputs))];
}

function isRefused(findings: readonly Finding[]): boolean {
  return findings.some(({ kind }) => kind === "failure");
}

/** The inputs get the GPU type of the adopted cluster, and its name if the program sets none. */
function withAdopted(requested: Situation, adopted: ClusterRecord): Situation {
  const typed = withTypeOfRecord(requested.inputs, adopted);
  return { ...requested, inputs: typed.adopt === undefined ? typed : withName(typed, adopted), adopted };
}

/** Messages for information are left out if there is a failure. */
function conclude(
  { settings, inputs }: Situation,
  findings: readonly Finding[],
  knownOutputs: Properties,
  outputs: Properties,
): Preflight {
  const all = [...findings, ...judgeGaps(findings, settings)];
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
  const listed = { ...current, ...lastingOutputs({ ...record }) };
  const actualType = allowedTypes(inputs).find((type) => isSameGpu(type, identifiersIn(record)));
  if (actualType === undefined || hasType(current, actualType)) return listed;
  // A creation with one type got that one: this is another name of it.
  if (current.fallbackGpuTypes === undefined)
    return { ...listed, __gpu: [...identifiersOfType(current), ...identifiersIn(record)] };
  return { ...listed, gpuType: actualType, hourlyCost: undefined };
}

function knownOutputsOf(situation: Situation, keepsCluster: boolean): Properties {
  const { ctx, inputs, previous, adopted } = situation;
  // A creation makes another cluster if the one to resume is gone by then.
  if (adopted && inputs.adopt !== undefined) return lastingOutputs({ ...adopted });
  // Previews that show outputs take those of a kept cluster from its state. A creation can get another of its types.
  if (ctx.showsOutputs) return typesToTry(situation).length > 1 ? { gpuType: UNKNOWN } : {};
  return keepsCluster ? lastingOutputs({ ...previous }) : {};
}

/** The inputs with the status that they request now: diff, update and state know no other one. */
function withStatusAt(nowMs: number, inputs: CheckedInputs, current: CheckedInputs | undefined): CheckedInputs {
  if (sinceEndMs(inputs, nowMs) !== undefined) return { ...inputs, desiredStatus: "stopped" };
  // An end that is not known yet may have passed, but not that of a new cluster.
  const isUndecided = hasUnknown(inputs.runUntil) && current && inputs.desiredStatus !== "stopped";
  return isUndecided ? asInputs({ ...inputs, desiredStatus: UNKNOWN }) : inputs;
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

function announceEnd({ deps, inputs, previous, kind }: Situation): Finding[] {
  const { runUntil } = inputs;
  const isNew = kind !== "change" || runUntil !== previous?.runUntil;
  const leftMs = Date.parse(runUntil ?? "") - deps.clock.now();
  if (!isNew || !(leftMs > 0)) return [];
  return [info(`\`runUntil\` is in ${age(leftMs)}: the first \`pulumi up\` after it stops the cluster. ${unattended}`)];
}
