import { isSameGpu, matchGpu } from "../../api/gpuMatch";
import { isOpaque } from "../../api/requestNames";
import { ambiguousText } from "../../api/serviceForm";
import { hasUnknown } from "../../core";
import { identifiersIn, withTakenType } from "../asMade";
import type { CheckedInputs } from "../fields";
import type { Service } from "../service";
import type { Adoption } from "./adoptionCheck";
import { chooseType, hasOneType, preferences, unlistedText } from "./gpuChoice";
import type { Inquiry } from "./inquiry";
import type { OneCheck } from "./oneCheck";
import { shortage, Wants, wantedMore } from "./stock";
import type { Transition } from "./transition";

/** GPU types: the one of a list that is taken, whether there is one of that name, and whether enough can be had. */
export class GpuCheck {
  readonly #wants = new Wants();
  /** Resources whose type was chosen without the stock, which could not be looked up in time. */
  readonly #open = new Set<string>();

  /**
   * The old inputs with the type that the cluster has, where they hold only the one that was expected: until a check has seen the
   * cluster, of which the endpoint tells. Who does not show outputs keeps the list, for each change of it would show.
   */
  async withTakenType({ inquiry, showsOutputs }: OneCheck, before: CheckedInputs | undefined) {
    if (before?.__gpuTypes === undefined || before.endpoint !== undefined || hasUnknown(before.name)) return before;
    const holders = (await inquiry.holders(before.name, { quietly: true })) ?? [];
    // Where several have the name, there is no telling which it is.
    if (holders.length !== 1) return before;
    const taken = withTakenType(before, holders.flatMap(identifiersIn));
    return showsOutputs ? taken : { ...taken, __gpuTypes: before.__gpuTypes };
  }

  /** The inputs with the type of before, if the one asked for is another identifier of the same type. */
  async withKnownType(check: OneCheck, { before, inputs }: Transition): Promise<CheckedInputs> {
    const isOther =
      before !== undefined && hasOneType(before) && hasOneType(inputs) && before.gpuType !== inputs.gpuType;
    if (!isOther) return inputs;
    const { gpus = [] } = (await check.inquiry.gpuTypes({ quietly: true })) ?? {};
    const [old, asked] = [before.gpuType, inputs.gpuType].map((type) => matchGpu(type, gpus));
    const isSame = old?.kind === "one" && asked?.kind === "one" && isSameGpu(old.gpu.type, [asked.gpu.type]);
    return isSame ? { ...inputs, gpuType: before.gpuType } : inputs;
  }

  /** The inputs with one type in place of a list; with the list where what decides is not known yet. */
  async withOneType(check: OneCheck, { inputs }: Transition, { id, record }: Adoption): Promise<CheckedInputs> {
    const types = preferences(inputs);
    if (!types) return inputs;
    const adopted = types.find((type) => record !== undefined && isSameGpu(type, identifiersIn(record)));
    if (adopted !== undefined) return { ...inputs, gpuType: adopted };
    if (!check.service || hasUnknown([inputs.gpuType, inputs.replicas])) return inputs;
    const isGiven = id !== undefined || types.length === 1;
    const gpuType = isGiven ? types[0] : await this.#choose(check, check.service, types, inputs.replicas);
    this.#noteOpen(check, gpuType);
    return gpuType === undefined ? inputs : { ...inputs, gpuType };
  }

  /** Without the stock no type is certain: an operation looks it up again. */
  #noteOpen(check: OneCheck, gpuType: string | undefined): void {
    this.#open.delete(check.urn);
    if (gpuType === undefined || !check.inquiry.lacks("stock figures")) return;
    this.#open.add(check.urn);
    check.warn(
      `\`gpuType\` may become another one of the list than "${gpuType}", for the stock could not be looked up: ` +
        "`pulumi up` looks again before it creates the cluster, and waits for the answer",
    );
  }

  /** The types to create a cluster with, one after the other; where the stock could not be looked up in time, it is now. */
  async inTurn(
    urn: string,
    service: Service,
    inquiry: Inquiry,
    inputs: CheckedInputs,
  ): Promise<readonly [string, ...string[]]> {
    const { gpuType, replicas, __gpuTypes: types = [gpuType] } = inputs;
    const chosen = this.#open.has(urn) ? await this.#choose({ inquiry, urn }, service, types, replicas) : undefined;
    const first = chosen ?? gpuType;
    return [first, ...types.filter((type) => !isSameGpu(type, [first]))];
  }

  /** A cluster is created with this type, whichever was expected. */
  take(urn: string, type: string): void {
    this.#wants.take(urn, type);
  }

  /** What the clusters before this one take is not there any more. */
  async #choose(
    { inquiry, urn }: Pick<OneCheck, "inquiry" | "urn">,
    service: Service,
    types: readonly string[],
    replicas: number,
  ) {
    const listed = await inquiry.gpuTypes();
    return chooseType(types, replicas, async (type) => {
      if (listed?.certain && matchGpu(type, listed.gpus).kind !== "one") return 0;
      const free = await inquiry.free(type);
      return free === undefined ? undefined : free - this.#wants.ofOthers(urn, service, type);
    });
  }

  /** Judges the type and the stock; answers whether the type is one that there may be. */
  async judge(check: OneCheck, transition: Transition, adoption: Adoption): Promise<boolean> {
    const { kind, before, inputs } = transition;
    const isNew = kind !== "update" && adoption.id === undefined && before?.gpuType !== inputs.gpuType;
    if (!hasOneType(inputs)) return true;
    if (isNew && !(await this.#isListed(check, inputs.gpuType))) return false;
    await this.#judgeStock(check, transition, adoption);
    return true;
  }

  /** Whether the type may be created; what the list cannot tell with certainty is left to the service. */
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
    const source = `GET /v1/gpus${address}, which may leave out what is sold out`;
    const names = listed.gpus.map((gpu) => (isOpaque(gpu.type) ? (gpu.name ?? gpu.type) : gpu.type));
    const text = unlistedText(type, names, source);
    const isError = gpuTypeCheck === "error" && listed.certain;
    if (isError) check.fail("gpuType", text);
    else check.warn(`${text}. The service decides whether it takes it`);
    return !isError;
  }

  async #judgeStock(check: OneCheck, transition: Transition, { id, record }: Adoption): Promise<void> {
    const { service, urn, inquiry } = check;
    if (!service) return;
    const { gpuType: type } = transition.inputs;
    // An adopted cluster that could not be looked up may have all that it needs.
    const count = id !== undefined && !record ? 0 : wantedMore(transition, record);
    this.#wants.set(urn, { service, type, count });
    if (count === 0) return;
    const short = shortage(type, count, this.#wants.ofOthers(urn, service, type), await inquiry.free(type));
    if (short === undefined) return;
    if (check.settings.capacityCheck === "error") check.fail("replicas", `${short} (gpucluster:capacityCheck)`);
    else check.warn(short);
  }
}
