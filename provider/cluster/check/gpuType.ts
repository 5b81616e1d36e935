import { isSameGpu, matchGpu } from "../../api/gpuMatch";
import type { ClusterRecord } from "../../api/records";
import { isOpaque } from "../../api/requests";
import { ambiguousText } from "../../api/serviceForm";
import { stateOf } from "../../api/states";
import { cleanText, listOf, mostNamed } from "../../base/text";
import { hasUnknown, UNKNOWN } from "../../contract";
import { gpuTypeOf, identifiersIn } from "../compare/drift";
import { runs, type Transition } from "../compare/transition";
import { gpusOf } from "../model/extraFields";
import type { CheckedInputs } from "../model/stateFields";
import { waitsForCapacity } from "../operations/capacity";
import type { Check } from "../shared/facts";

/**
 * GPU types: which one a cluster gets, whether the service lists it, and whether enough of it is free.
 *
 * A cluster keeps its type as long as the program allows it: as `gpuType`, or among `fallbackGpuTypes`. So a check puts the
 * type that the cluster has into `gpuType`; that of a new cluster is the first with enough stock. `fallbackGpuTypes` stays as
 * the program writes it, and the run remembers the first type of the program (`Checks.typesOf`). If the service refuses the
 * type of the check, only the state has the one that the creation got: each difference, also that of a refresh, and each
 * update takes it from there if the inputs allow it, and the next check finds it in the list of clusters.
 */

/** The types that inputs allow, the best first and each once. Those that are not known yet are left out. */
export function allowedTypes({ gpuType, fallbackGpuTypes = [] }: Pick<CheckedInputs, "gpuType" | "fallbackGpuTypes">) {
  const types = [gpuType, fallbackGpuTypes].flat().filter((type) => hasKnownType({ gpuType: type }));
  return types.filter((type, index) => !isSameGpu(type, types.slice(0, index)));
}

/** Whether `gpuType` is known: a preview may not know it yet, and an edited state may not have it. */
export function hasKnownType({ gpuType }: { readonly gpuType?: unknown }): boolean {
  return typeof gpuType === "string" && gpuType !== UNKNOWN;
}

/** The inputs with the type of the cluster, in its old spelling, if they allow it: then nothing differs. */
export function withKeptType(inputs: CheckedInputs, before: CheckedInputs | undefined): CheckedInputs {
  const isKept = before && hasKnownType(before) && isSameGpu(before.gpuType, allowedTypes(inputs));
  return isKept ? { ...inputs, gpuType: before.gpuType } : inputs;
}

/** Whether two identifiers name one GPU type; `undefined` if the list of the service does not show it. */
async function isSameType({ facts }: Check, one: string, other: string): Promise<boolean | undefined> {
  const { gpus = [] } = (await facts.gpuTypes()).value ?? {};
  const [a, b] = [matchGpu(one, gpus), matchGpu(other, gpus)];
  return a.kind === "one" && b.kind === "one" ? isSameGpu(a.gpu.type, [b.gpu.type]) : undefined;
}

/** The type that a cluster really has: its creation may have got another one than its check expected. */
export async function takenType(check: Check, before: CheckedInputs, record: ClusterRecord): Promise<string> {
  const { gpuType: expected } = before;
  const taken = gpuTypeOf(record) ?? expected;
  if (!hasKnownType(before)) return taken;
  if (isSameGpu(expected, identifiersIn(record))) return expected;
  return (await isSameType(check, expected, taken)) === false ? taken : expected;
}

/** The GPUs that the clusters of a run need beyond those that they have, by URN. */
export type Wanted = Map<string, { readonly type: string; readonly count: number }>;

/** The number of GPUs of a type that the other resources need. */
function wantedByOthers(wanted: Wanted, urn: string, type: string): number {
  return [...wanted]
    .filter(([other, want]) => other !== urn && isSameGpu(want.type, [type]))
    .reduce((sum, [, { count }]) => sum + count, 0);
}

/**
 * The types that the cluster may get, in the order in which a creation asks for them: its own if the program allows it, else
 * the first with enough stock, and then the others. Empty if a value that decides is not known yet.
 */
export async function typesFor(
  check: Check,
  wanted: Wanted,
  asked: CheckedInputs,
  before: CheckedInputs | undefined,
  { id, record }: { readonly id?: string; readonly record?: ClusterRecord },
): Promise<readonly string[]> {
  const allowed = allowedTypes(asked);
  const adopted = record && allowed.find((type) => isSameGpu(type, identifiersIn(record)));
  const kept = adopted === undefined && before ? await typeAmong(check, before, allowed) : undefined;
  const first = adopted ?? kept ?? (await newType(check, wanted, asked, id !== undefined));
  if (first === undefined) return [];
  const others = allowed.filter((type) => type !== first);
  return [before && kept !== undefined ? before.gpuType : first, ...others];
}

/** The one of some types that a cluster has, by any identifier of its type. */
async function typeAmong(check: Check, before: CheckedInputs, types: readonly string[]): Promise<string | undefined> {
  if (!hasKnownType(before)) return undefined;
  const { gpuType } = before;
  const same = types.find((type) => isSameGpu(type, [gpuType]));
  if (same !== undefined) return same;
  for (const type of types) if (await isSameType(check, gpuType, type)) return type;
  return undefined;
}

/** The type of a new cluster: the first with enough stock. One that is adopted has its type, whatever the stock is. */
async function newType(
  check: Check,
  wanted: Wanted,
  asked: CheckedInputs,
  isAdopted: boolean,
): Promise<string | undefined> {
  const allowed = allowedTypes(asked);
  if (hasUnknown([asked.gpuType, asked.fallbackGpuTypes])) return undefined;
  if (isAdopted || allowed.length === 1) return allowed[0];
  return hasUnknown(asked.replicas) ? undefined : bestOf(check, wanted, allowed, gpusOf(asked));
}

/** Says which types the creation asks for: a preview does not show the outputs of a new cluster. */
export function informOfTypes(check: Check, { kind }: Transition, [first, ...others]: readonly string[]): void {
  const quoted = others.map((type) => `"${type}"`);
  if (kind !== "update" && others.length > 0)
    check.inform(`the creation asks for "${first}" first, and then for ${listOf(quoted)}`);
}

/** The type that a new cluster should get. The other clusters of the run reduce the stock. */
async function bestOf(check: Check, wanted: Wanted, types: readonly string[], count: number) {
  const listed = check.need("GPU types", await check.facts.gpuTypes());
  return chooseType(types, count, async (type) => {
    if (listed?.certain && matchGpu(type, listed.gpus).kind !== "one") return 0;
    const free = check.need("stock figures", await check.facts.stock(type));
    return free === undefined ? undefined : free - wantedByOthers(wanted, check.urn, type);
  });
}

/**
 * The first type with enough stock; else the first with unknown stock; else the first.
 * @param free The number of available GPUs of a type; `undefined` if not known. Asked only as far as needed.
 */
export async function chooseType(
  types: readonly string[],
  count: number,
  free: (type: string) => Promise<number | undefined>,
): Promise<string | undefined> {
  let unknown: string | undefined;
  for (const type of types) {
    const stock = await free(type);
    if (stock === undefined) unknown ??= type;
    else if (stock >= count) return type;
  }
  return unknown ?? types[0];
}

/** Judges whether the service lists the type. If its list is not certain, the service decides at the creation. */
export async function judgeType(
  check: Check,
  { kind, before, inputs }: Transition,
  isAdopted: boolean,
): Promise<boolean> {
  const { gpuType: type } = inputs;
  const { gpuTypeCheck } = check.settings;
  const isNew = kind !== "update" && !isAdopted && before?.gpuType !== type;
  if (!isNew || !hasKnownType(inputs) || gpuTypeCheck === "off") return true;
  const listed = check.need("GPU types", await check.facts.gpuTypes());
  const match = listed && matchGpu(type, listed.gpus);
  if (!match || match.kind === "one") return true;
  if (match.kind === "ambiguous") {
    check.fail("gpuType", ambiguousText(type, match.candidates));
    return false;
  }
  const address = check.service.address ? ` of ${check.service.address}` : "";
  const source = `GET /v1/gpus${address}, which may omit types that are sold out`;
  const names = listed.gpus.map((gpu) => (isOpaque(gpu.type) ? (gpu.name ?? gpu.type) : gpu.type));
  const text = unlistedText(type, names, source);
  const isError = gpuTypeCheck === "error" && listed.certain;
  if (isError) check.fail("gpuType", text);
  else check.warn(`${text}. The service decides whether it accepts the type`);
  return !isError;
}

/** The text about a type that the service does not list, with the types that may be meant. */
export function unlistedText(type: string, listed: readonly string[], source: string): string {
  const quote = (name: string) => `"${cleanText(name, 60)}"`;
  const close = closeNames(type, listed).map(quote);
  const advice = close.length > 0 ? `similar: ${listOf(close)}` : `it lists ${listOf(listed.map(quote), mostNamed)}`;
  return `"${type}" is not a GPU type that the service lists (${source}); ${advice}`;
}

/** The names that are equal but for capitals, dashes and blanks; else those that contain the name or lie in it; at most three. */
export function closeNames(name: string, names: readonly string[]): string[] {
  const plain = (text: string) => text.toLowerCase().replace(/[^a-z0-9]/g, "");
  const asked = plain(name);
  const equal = names.filter((other) => plain(other) === asked);
  const isPart = (a: string, b: string) => Math.min(a.length, b.length) > 1 && (a.includes(b) || b.includes(a));
  const close = equal.length > 0 ? equal : names.filter((other) => isPart(asked, plain(other)));
  return close.slice(0, 3);
}

/** Judges whether enough GPUs are free, for this cluster and for the others of the run. */
export async function judgeStock(
  check: Check,
  wanted: Wanted,
  transition: Transition,
  { id, record }: { readonly id?: string; readonly record?: ClusterRecord },
): Promise<void> {
  const { urn } = check;
  const { kind, inputs } = transition;
  if (!hasKnownType(inputs)) return;
  // An adopted cluster whose lookup failed may already have all that it needs.
  const count = id !== undefined && !record ? 0 : wantedMore(transition, record);
  const type = inputs.gpuType;
  wanted.set(urn, { type, count });
  if (count === 0) return;
  const free = check.need("stock figures", await check.facts.stock(type));
  const others = wantedByOthers(wanted, urn, type);
  if (free === undefined || count + others <= free) return;
  const all = others > 0 ? `, ${count + others} for all clusters of this run so far` : "";
  const short = `not enough GPUs: ${count} x ${type} needed${all}, ${free} available`;
  if (kind !== "update" && waitsForCapacity(inputs)) check.inform(`${short}: the creation waits for capacity`);
  else if (check.settings.capacityCheck === "error") check.fail("replicas", `${short} (gpucluster:capacityCheck)`);
  else check.warn(short);
}

/** The number of GPUs that a change needs beyond those of the cluster; 0 also if not known. */
function wantedMore({ kind, before, inputs, oldGoesFirst }: Transition, adopted?: ClusterRecord): number {
  if (hasUnknown([inputs.replicas, inputs.desiredStatus, inputs.gpuType]) || !runs(inputs)) return 0;
  const all = gpusOf(inputs);
  if (adopted) {
    const { replicas = inputs.replicas, status } = adopted;
    return Math.max(0, all - (stateOf(status) === "stopped" ? 0 : gpusOf({ ...inputs, replicas })));
  }
  if (kind === "create" || (kind === "replace" && !oldGoesFirst)) return all;
  // An edited or imported state may not contain the cluster's type or number of replicas.
  const types = [before?.gpuType].filter((type) => type !== undefined);
  const held = before && runs(before) && isSameGpu(inputs.gpuType, types) ? gpusOf(before) : 0;
  return Math.max(0, all - held);
}
