import { isUuid } from "../../api/decode/records";
import { ambiguousMessage, identifiersInList, isSameGpu, matchGpu } from "../../api/gpuMatch";
import { messageOf } from "../../base/errors";
import { cleanText, listOf, maxNamed } from "../../base/text";
import { hasUnknown, type Properties } from "../../contract";
import { identifiersIn } from "../diff/drift";
import { endsWithoutCapacity } from "../operations/create";
import { allowedTypes, gpusOf, hasKnownType, hasType, identifiersOfType } from "../schema/gpus";
import type { CheckedInputs } from "../schema/state";
import {
  becauseStrict,
  type Finding,
  failure,
  gapOf,
  info,
  isStrict,
  runs,
  type Situation,
  typesToTry,
  warning,
} from "./findings";
import type { Reads } from "./reads";

/** An error only if the list is certain and shows none of the possible types: otherwise the service decides at the creation. */
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
  const isCertain = listed.certain && unlisted.length === types.length;
  const isFailure = isCertain && !onlyWarns;
  const address = deps.address ? ` of ${deps.address}` : "";
  const source = `GET /v1/gpus${address}, which may omit types that are sold out`;
  const names = listed.gpus.map((gpu) => (isUuid(gpu.type) ? (gpu.name ?? gpu.type) : gpu.type));
  const findings: Finding[] = [];
  for (const { type, match } of matches)
    if (match.kind === "ambiguous") findings.push(failure("gpuType", ambiguousMessage(type, match.candidates)));
  for (const type of unlisted) {
    const text = unlistedText(type, names, source);
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

function unlistedText(type: string, listed: readonly string[], source: string): string {
  const plain = (text: string) => text.toLowerCase().replace(/[^a-z0-9]/g, "");
  const isPart = (a: string, b: string) => Math.min(a.length, b.length) > 1 && (a.includes(b) || b.includes(a));
  const similar = listed.filter((name) => isPart(plain(type), plain(name))).slice(0, 3);
  const named = listOf(
    (similar.length > 0 ? similar : listed).map((name) => `"${cleanText(name, 60)}"`),
    maxNamed,
  );
  const advice = similar.length > 0 ? `similar: ${named}` : `it lists ${named}`;
  return `"${type}" is not a GPU type that the service lists (${source}); ${advice}`;
}

/** Judges whether enough GPUs of one of the types are free, for this cluster and for the others of the run. */
export async function judgeStock(situation: Situation): Promise<Finding[]> {
  const { ctx, settings, deps, reads, inputs, kind, adopted } = situation;
  const count = adopted || inputs.adopt !== undefined ? 0 : missingGpus(situation);
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
  if (isStrict(settings)) return [failure("replicas", `${short}${becauseStrict}`)];
  return [warning(short)];
}

/** The number of GPUs that a cluster needs beyond those that it has; 0 even if that is not known. */
function missingGpus({ previous, inputs }: Pick<Situation, "inputs" | "previous">): number {
  if (hasUnknown([inputs.replicas, inputs.desiredStatus, inputs.gpuType]) || !runs(inputs)) return 0;
  const isHeld = previous !== undefined && runs(previous) && hasType(previous, inputs.gpuType);
  // An edited or imported state may not contain the number of replicas.
  const held = isHeld ? gpusOf(previous) || 0 : 0;
  return Math.max(0, gpusOf(inputs) - held);
}
