import { isSameGpu, matchGpu } from "../../api/gpuMatch";
import type { ClusterRecord } from "../../api/records";
import { isOpaque } from "../../api/requestNames";
import { ambiguousText } from "../../api/serviceForm";
import { stateOf } from "../../api/states";
import { hasUnknown, UNKNOWN } from "../../core";
import { messageOf } from "../../errors";
import { cleanText, listOf } from "../../text";
import { type Supply, stockText, type TypeChoice, waitsForCapacity } from "../capacity";
import { isTypeRefusal } from "../createOnce";
import { gpuTypeOf, identifiersIn, withTakenType } from "../drift";
import { gpusOf } from "../extraFields";
import type { Service } from "../service";
import type { CheckedInputs } from "../stateFields";
import { UnpricedError } from "./cost";
import type { Inquiry } from "./facts";
import type { OneCheck } from "./oneCheck";
import type { Adoption } from "./ownership";
import { runs, type Transition } from "./plan";

/** The last entry of a list for `gpuType` that counts at creation only: a cluster that exists keeps any type. */
export const anyTypeKept = "*";

/** Checks GPU types: chooses one of a list, and checks that the service lists it and that enough GPUs are available. */
export class GpuCheck {
  readonly #wants = new Wants();
  /** Resources whose type was chosen without the stock, because its lookup failed or was too late. */
  readonly #open = new Set<string>();

  /**
   * The old inputs with the type of the cluster, if they contain only the expected type: without an endpoint, no check
   * has observed the cluster. If previews show inputs only, the list stays, because each change of it would show.
   */
  async withTakenType({ inquiry, showsOutputs }: OneCheck, before: CheckedInputs | undefined) {
    if (before?.__gpuTypes === undefined || before.endpoint !== undefined || hasUnknown(before.name)) return before;
    const holders = (await inquiry.holders(before.name, { quietly: true })) ?? [];
    // If several clusters have the name, none is certain.
    if (holders.length !== 1) return before;
    const taken = withTakenType(before, holders.flatMap(identifiersIn));
    return showsOutputs ? taken : { ...taken, __gpuTypes: before.__gpuTypes };
  }

  /** The inputs with the old type, if the requested one is another identifier of the same type. */
  async withKnownType(check: OneCheck, { before, inputs }: Transition): Promise<CheckedInputs> {
    const isOther =
      before !== undefined && hasOneType(before) && hasOneType(inputs) && before.gpuType !== inputs.gpuType;
    if (!isOther) return inputs;
    const { gpus = [] } = (await check.inquiry.gpuTypes({ quietly: true })) ?? {};
    const [old, asked] = [before.gpuType, inputs.gpuType].map((type) => matchGpu(type, gpus));
    const isSame = old?.kind === "one" && asked?.kind === "one" && isSameGpu(old.gpu.type, [asked.gpu.type]);
    return isSame ? { ...inputs, gpuType: before.gpuType } : inputs;
  }

  /** The inputs with one type instead of a list; with the list if the values that decide are not known yet. */
  async withOneType(check: OneCheck, { inputs }: Transition, { id, record }: Adoption): Promise<CheckedInputs> {
    const types = preferences(inputs);
    if (!types) return inputs;
    const kept = record && keepsAny(inputs) ? gpuTypeOf(record) : undefined;
    const adopted = types.find((type) => record !== undefined && isSameGpu(type, identifiersIn(record))) ?? kept;
    if (adopted !== undefined) return { ...inputs, gpuType: adopted };
    if (!check.service || hasUnknown([inputs.gpuType, inputs.replicas])) return inputs;
    const isGiven = id !== undefined || types.length === 1;
    const gpuType = isGiven ? types[0] : await this.#choose(check, check.service, types, gpusOf(inputs));
    this.#noteOpen(check, gpuType);
    return gpuType === undefined ? inputs : { ...inputs, gpuType };
  }

  /** Records that the type is not certain, because the stock is not known: the operation looks it up again. */
  #noteOpen(check: OneCheck, gpuType: string | undefined): void {
    this.#open.delete(check.urn);
    if (gpuType === undefined || !check.inquiry.lacks("stock figures")) return;
    this.#open.add(check.urn);
    check.warn(
      `\`gpuType\` may become another type of the list than "${gpuType}", because the stock could not be looked up. ` +
        "`pulumi up` looks it up again before it creates the cluster",
    );
  }

  /** The types for a creation, in order. If the check could not look up the stock in time, it is looked up now. */
  async inTurn(
    urn: string,
    service: Service,
    inquiry: Inquiry,
    inputs: CheckedInputs,
  ): Promise<readonly [string, ...string[]]> {
    const { gpuType, __gpuTypes: types = [gpuType] } = inputs;
    const chosen = this.#open.has(urn)
      ? await this.#choose({ inquiry, urn }, service, types, gpusOf(inputs))
      : undefined;
    const first = chosen ?? gpuType;
    return [first, ...types.filter((type) => !isSameGpu(type, [first]))];
  }

  /** Records the type with which a cluster is created, whatever type was expected. */
  take(urn: string, type: string): void {
    this.#wants.take(urn, type);
  }

  /** Chooses a type. The other clusters of the run reduce the stock. */
  async #choose(
    { inquiry, urn }: Pick<OneCheck, "inquiry" | "urn">,
    service: Service,
    types: readonly string[],
    count: number,
  ) {
    const listed = await inquiry.gpuTypes();
    return chooseType(types, count, async (type) => {
      if (listed?.certain && matchGpu(type, listed.gpus).kind !== "one") return 0;
      const free = await inquiry.free(type);
      return free === undefined ? undefined : free - this.#wants.ofOthers(urn, service, type);
    });
  }

  /** Judges the type and the stock. Returns false if the service does not list the type. */
  async judge(check: OneCheck, transition: Transition, adoption: Adoption): Promise<boolean> {
    const { kind, before, inputs } = transition;
    const isNew = kind !== "update" && adoption.id === undefined && before?.gpuType !== inputs.gpuType;
    if (!hasOneType(inputs)) return true;
    if (isNew && !(await this.#isListed(check, inputs.gpuType))) return false;
    await this.#judgeStock(check, transition, adoption);
    return true;
  }

  /** Whether the service lists the type. If its list is not certain, the service decides at the creation. */
  async #isListed(check: OneCheck, type: string): Promise<boolean> {
    const { gpuTypeCheck } = check.settings;
    const listed = gpuTypeCheck === "off" ? undefined : await check.inquiry.gpuTypes();
    const match = listed && matchGpu(type, listed.gpus);
    if (!match || match.kind === "one") return true;
    if (match.kind === "ambiguous") {
      check.fail("gpuType", ambiguousText(type, match.candidates));
      return false;
    }
    const address = check.service?.address ? ` of ${check.service.address}` : "";
    const source = `GET /v1/gpus${address}, which may omit types that are sold out`;
    const names = listed.gpus.map((gpu) => (isOpaque(gpu.type) ? (gpu.name ?? gpu.type) : gpu.type));
    const text = unlistedText(type, names, source);
    const isError = gpuTypeCheck === "error" && listed.certain;
    if (isError) check.fail("gpuType", text);
    else check.warn(`${text}. The service decides whether it accepts the type`);
    return !isError;
  }

  async #judgeStock(check: OneCheck, transition: Transition, { id, record }: Adoption): Promise<void> {
    const { service, urn, inquiry } = check;
    if (!service) return;
    const { gpuType: type } = transition.inputs;
    // An adopted cluster whose lookup failed may already have all that it needs.
    const count = id !== undefined && !record ? 0 : wantedMore(transition, record);
    this.#wants.set(urn, { service, type, count });
    if (count === 0) return;
    const short = shortage(type, count, this.#wants.ofOthers(urn, service, type), await inquiry.free(type));
    if (short === undefined) return;
    if (transition.kind !== "update" && waitsForCapacity(transition.inputs))
      check.inform(
        `not enough GPUs now, so the creation waits for capacity: ${await this.#stockOf(check, transition, count)}`,
      );
    else if (check.settings.capacityCheck === "error") check.fail("replicas", `${short} (gpucluster:capacityCheck)`);
    else check.warn(short);
  }

  /** The stock of each type of a list, as far as the other clusters of the run leave it. */
  async #stockOf({ urn, inquiry, service }: OneCheck, { inputs }: Transition, count: number): Promise<string> {
    const { gpuType, __gpuTypes: types = [gpuType] } = inputs;
    const supplies = new Map<string, Supply>();
    for (const type of types) {
      const free = await inquiry.free(type);
      const others = service ? this.#wants.ofOthers(urn, service, type) : 0;
      supplies.set(type, free === undefined ? {} : { free: Math.max(0, free - others) });
    }
    return stockText(types, count, (type) => supplies.get(type) ?? {});
  }
}

/** Attempts a creation with one GPU type after the other, until one succeeds, or fails for another reason than its type. */
export async function createInTurn<T>(
  choice: TypeChoice,
  attempt: (type: string) => Promise<T>,
  warn: (text: string) => void,
): Promise<T> {
  const said = new Set<string>();
  try {
    for (;;) {
      const type = await choice.next();
      try {
        return await attempt(type);
      } catch (error) {
        const why = reasonForNext(error);
        const what = why && choice.failed(error);
        if (!what) throw error;
        const text = `the GPU type "${type}" ${why}, so ${what}`;
        if (!said.has(text)) warn(`${text}: ${messageOf(error)}`);
        said.add(text);
      }
    }
  } finally {
    choice.leave();
  }
}

/** Why the next GPU type of a list is tried after an error; `undefined` if it is not. */
function reasonForNext(error: unknown): string | undefined {
  if (error instanceof UnpricedError) return "has no known price";
  return isTypeRefusal(error) ? "is refused" : undefined;
}

/**
 * The entries of `gpuType` if it is a list. Before a type is chosen, it may be a list in spite of its declared type.
 */
export function preferences({ gpuType }: { readonly gpuType: unknown }): readonly string[] | undefined {
  const isType = (type: unknown) => typeof type === "string" && type !== UNKNOWN && type !== anyTypeKept;
  return Array.isArray(gpuType) ? gpuType.filter(isType) : undefined;
}

/** Whether the list of types counts at creation only. */
function keepsAny({ gpuType }: { readonly gpuType: unknown }): boolean {
  return Array.isArray(gpuType) && gpuType.includes(anyTypeKept);
}

/**
 * The inputs with the list from which their type was chosen, as long as the service may give another type of it: until
 * the cluster is created, and its type has been observed.
 */
export function withList(inputs: CheckedInputs, asked: CheckedInputs, { kind, before }: Transition): CheckedInputs {
  const types = preferences(asked) ?? [];
  const isOpen = kind !== "update" || before?.__gpuTypes !== undefined;
  return isOpen && types.length > 1 && hasOneType(inputs) ? { ...inputs, __gpuTypes: types } : inputs;
}

/** Whether `gpuType` is one type, and known. */
export function hasOneType({ gpuType }: { readonly gpuType: unknown }): boolean {
  return typeof gpuType === "string" && gpuType !== UNKNOWN;
}

/**
 * The inputs with the cluster's type, in its old spelling, if that is the requested type or one of the list, or if the
 * list keeps any type: a preview then shows no difference.
 */
export function withKeptType(inputs: CheckedInputs, before: CheckedInputs | undefined): CheckedInputs {
  const asked = preferences(inputs) ?? (hasOneType(inputs) ? [inputs.gpuType] : []);
  const isKept = before !== undefined && hasOneType(before) && (keepsAny(inputs) || isSameGpu(before.gpuType, asked));
  return isKept ? { ...inputs, gpuType: before.gpuType } : inputs;
}

/**
 * The first type with enough stock; else the first with unknown stock; else the first.
 * @param free The number of available GPUs of a type; `undefined` if not known. Called only for the types that are
 * needed.
 */
export async function chooseType(
  types: readonly string[],
  wanted: number,
  free: (type: string) => Promise<number | undefined>,
): Promise<string | undefined> {
  let unknown: string | undefined;
  for (const type of types) {
    const count = await free(type);
    if (count === undefined) unknown ??= type;
    else if (count >= wanted) return type;
  }
  return unknown ?? types[0];
}

const longestList = 12;

/** The text about a type that the service does not list, with the types that may be meant. */
export function unlistedText(type: string, listed: readonly string[], source: string): string {
  const close = closeNames(type, listed).map(quote);
  const shown = listed.slice(0, longestList).map(quote);
  const more = listed.length > shown.length ? [`${listed.length - shown.length} more`] : [];
  const advice = close.length > 0 ? `similar: ${listOf(close)}` : `it lists ${listOf([...shown, ...more])}`;
  return `"${type}" is not a GPU type that the service lists (${source}); ${advice}`;
}

function quote(type: string): string {
  return `"${cleanText(type, 60)}"`;
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

/**
 * The number of GPUs that a change needs beyond those of the cluster; 0 also if not known. Pure.
 * @param adopted The adopted cluster, if any, as the service shows it.
 */
export function wantedMore({ kind, before, inputs, oldGoesFirst }: Transition, adopted?: ClusterRecord): number {
  if (hasUnknown([inputs.replicas, inputs.desiredStatus, inputs.gpuType]) || !runs(inputs)) return 0;
  const { replicas = inputs.replicas } = adopted ?? {};
  if (adopted)
    return beyond(gpusOf(inputs), stateOf(adopted.status) === "stopped" ? 0 : gpusOf({ ...inputs, replicas }));
  // An edited or imported state may not contain the cluster's type or number of replicas.
  const types = [before?.gpuType].filter((type) => type !== undefined);
  const held = before && runs(before) && isSameGpu(inputs.gpuType, types) ? gpusOf(before) : 0;
  if (kind === "create" || (kind === "replace" && !oldGoesFirst)) return gpusOf(inputs);
  return beyond(gpusOf(inputs), held);
}

function beyond(wanted: number, held: number): number {
  return Math.max(0, wanted - held);
}

interface Want {
  readonly service: Service;
  readonly type: string;
  readonly count: number;
}

/**
 * The GPUs that all clusters of a run need beyond those that they have: one entry for each resource, which its next
 * check overwrites.
 */
export class Wants {
  readonly #byUrn = new Map<string, Want>();

  set(urn: string, want: Want): void {
    this.#byUrn.set(urn, want);
  }

  /** Changes the type that a resource needs. */
  take(urn: string, type: string): void {
    const want = this.#byUrn.get(urn);
    if (want) this.set(urn, { ...want, type });
  }

  /** The number of GPUs of a type that the other resources need. */
  ofOthers(urn: string, service: Service, type: string): number {
    return [...this.#byUrn]
      .filter(([other, want]) => other !== urn && want.service === service && isSameGpu(want.type, [type]))
      .reduce((sum, [, { count }]) => sum + count, 0);
  }
}

/** The text if too few GPUs are available; `undefined` if there are enough, or if the stock is not known. */
export function shortage(type: string, own: number, others: number, free: number | undefined): string | undefined {
  if (free === undefined || own + others <= free) return undefined;
  const all = others > 0 ? `, ${own + others} for all clusters of this run so far` : "";
  return `not enough GPUs: ${own} x ${type} needed${all}, ${free} available`;
}
