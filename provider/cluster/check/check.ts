import { isDeepStrictEqual } from "node:util";
import { isSameGpu } from "../../api/gpuMatch";
import type { ConfigInput } from "../../api/serviceForm";
import { ConfigError, messageOf } from "../../base/errors";
import { Redactor } from "../../base/redact";
import { resourceNameOf } from "../../base/text";
import type { Settings } from "../../config/settings";
import { type Checked, type CheckFailure, type Ctx, hasUnknown, type Properties, UNKNOWN } from "../../contract";
import { rollBackNoteOf } from "../change/rollBack";
import { changedFields } from "../change/updateRequest";
import { withName } from "../compare/adoption";
import { diffCluster } from "../compare/diff";
import {
  certainOutputs,
  hiddenReasonOf,
  isAmong,
  lossesOf,
  rolloutOf,
  type Transition,
  transitionOf,
} from "../compare/transition";
import { textsIn, tierOf } from "../model/extraFields";
import { costOfReplica, roundCost } from "../model/money";
import { secretsOf } from "../model/secrets";
import { asInputs, asState, inputsOf } from "../model/state";
import { type CheckedInputs, type ClusterState, stateOutputNames } from "../model/stateFields";
import { completeInputs, findFailures, generatedName, namingFailures, pathStep } from "../model/validate";
import { LimitError } from "../operations/capacity";
import { Check, Facts, longMs, shortMs } from "../shared/facts";
import type { Service } from "../shared/service";
import { type Cost, costAt, judgeCost, knownCost, Ledger, limitOf } from "./cost";
import {
  allowedTypes,
  hasKnownType,
  informOfTypes,
  judgeStock,
  judgeType,
  takenType,
  typesFor,
  type Wanted,
  withKeptType,
} from "./gpuType";
import {
  type Adoption,
  claim,
  findAdoption,
  holdersOf,
  judgeAdoption,
  judgeName,
  judgeRefusals,
  type Owners,
  refuseForeignKey,
} from "./ownership";

/** What a run knows of a resource between the calls of the engine. Nothing of it is stored. */
interface Known {
  /** The old inputs, or those of the state: the second check of a replacement does not get them. */
  before?: CheckedInputs;
  /** The GPU types that the program allows, in the order of a creation; for a creation with several, each with its cost. */
  types?: ReadonlyMap<string, Cost | undefined>;
  /** The option `replaceOnChanges`. */
  replaceOn?: readonly string[] | undefined;
  /** The inputs that the service cannot change in place. */
  fixed?: readonly ConfigInput[];
}

/** What a check needs besides its inputs, and the failures that say why something of it is missing. */
interface Connected {
  readonly service: Service | undefined;
  readonly settings: Settings | undefined;
  readonly failures: readonly CheckFailure[];
}

/** The checks of one run, which share their lookups. A run is one process: preview and update are two runs. */
export class Checks {
  readonly #known = new Map<string, Known>();
  readonly #facts = new Map<number, Facts>();
  /** Messages that were shown: each is shown once. */
  readonly #said = new Set<string>();
  readonly #owners: Owners = new Map();
  readonly #wanted: Wanted = new Map();
  readonly #ledger = new Ledger();

  constructor(
    private readonly service: () => Service,
    private readonly settings: () => Settings,
  ) {}

  /** Checks the inputs. Secrets are removed from all messages and failures, as from the errors of operations. */
  async check(ctx: Ctx, given: Properties, olds: Properties = {}): Promise<Checked> {
    const news = withoutOutputs(given, olds);
    const connected = this.#connect();
    const hide = this.#hiding(ctx.urn, connected.service, given, olds);
    const { failures, ...checked } = await this.#check(withHidden(ctx, hide), news, olds, connected);
    return { ...checked, failures: failures.map((failure) => ({ ...failure, reason: hide(failure.reason) })) };
  }

  async #check(ctx: Ctx, news: Properties, olds: Properties, connected: Connected): Promise<Checked> {
    const known = this.#knownOf(ctx.urn);
    const current = typeof olds["name"] === "string" ? olds["name"] : undefined;
    if (current !== undefined) known.before = inputsOf(asState(olds));
    const { service, settings, failures: wrong } = connected;
    const context = { urn: ctx.urn, current, predecessor: known.before?.name, naming: ctx.naming };
    const asked = completeInputs(news, { ...context, salt: settings?.resume });
    const ownFailures = () => [...findFailures(news), ...namingFailures(news, context), ...adapterFailures(ctx)];
    if (!settings || !service) return { inputs: { ...asked }, failures: [...ownFailures(), ...wrong] };
    const check = this.#begin(ctx, service, settings, asked);
    if (isUnchanged(ctx, olds, asked, settings)) {
      const before = ctx.showsOutputs ? asInputs(olds) : await withShown(check, asInputs(olds), asked);
      if (before.gpuType === olds["gpuType"]) return this.#unchanged(check, before, asked);
    }
    check.failures.push(...ownFailures());
    // No request is sent for inputs that are already wrong.
    if (check.failures.length > 0) return { inputs: { ...asked }, failures: check.failures };
    if (current !== undefined && olds["__generatedName"] !== true && news["name"] === undefined)
      check.warn(`\`name\` is no longer set; the cluster keeps its name "${current}"`);
    return this.#judge(check, asked, current === undefined);
  }

  /** The check of a cluster that does not change: it counts for the others of the run. */
  #unchanged(check: Check, inputs: CheckedInputs, asked: CheckedInputs): Checked {
    const cost = knownCost(inputs, inputs) ?? costAt(undefined, inputs);
    claim(check, this.#owners, inputs, true);
    this.#wanted.delete(check.urn);
    this.#ledger.set(check.urn, cost, cost.amount);
    this.#ledger.judge(check, inputs);
    this.#knownOf(check.urn).types = new Map(allowedTypes(asked).map((type) => [type, undefined]));
    const { __deleteBeforeReplace, ...shown } = inputs;
    const { __secrets } = asked;
    return {
      inputs: { ...shown, __secrets },
      failures: check.failures,
      ...(check.ctx.showsOutputs ? { certain: {} } : {}),
    };
  }

  /** Judges everything that needs more than the inputs themselves. */
  async #judge(check: Check, asked: CheckedInputs, isRenewal: boolean): Promise<Checked> {
    const known = this.#knownOf(check.urn);
    const before = known.before && (await withShown(check, known.before, asked));
    known.fixed = [...new Set([...(known.fixed ?? []), ...(await fixedInputs(check, before, asked))])];
    const { fixed } = known;
    const towards = (inputs: CheckedInputs) =>
      transitionOf(before, inputs, { isRenewal, fixed, proposed: check.ctx.naming?.proposed });
    const kept = towards(withKeptType(asked, before));
    const adoption = await findAdoption(check, kept, allowedTypes(asked), this.mayResume(check.urn, kept.inputs));
    const types = await typesFor(check, this.#wanted, asked, before, adoption);
    const transition = towards({ ...withAdopted(kept.inputs, adoption), gpuType: types[0] ?? UNKNOWN });
    const { inputs } = transition;
    judgeRefusals(check, transition);
    const adopts = await judgeAdoption(check, transition, adoption);
    claim(check, this.#owners, inputs, adoption.id === undefined);
    await judgeName(check, transition, adoption);
    const isListed = await judgeType(check, transition, adoption.id !== undefined);
    if (isListed) await judgeStock(check, this.#wanted, transition, adoption);
    const cost = isListed ? await judgeCost(check, this.#ledger, transition, adoption.record) : {};
    known.types = await costsOf(check, transition, types);
    check.reportGaps();
    if (check.failures.length === 0) {
      if (adopts !== undefined) check.inform(adopts);
      if (adoption.id === undefined) informOfTypes(check, transition, types);
      for (const line of lossesOf(transition)) check.warn(line);
    }
    const { __replaceOnChanges, __deleteBeforeReplace, ...shown } = inputs;
    known.replaceOn = __replaceOnChanges;
    const { failures } = check;
    const certain = certainOf(check, transition, adoption, types);
    if (check.ctx.showsOutputs) return { inputs: { ...shown, ...cost }, failures, certain };
    return { inputs: { ...shown, ...certain, ...cost }, failures };
  }

  /**
   * Before a difference: checks that the service of the inputs knows the cluster, and says what only the state shows.
   * @throws GpuClusterError if the service does not know it.
   */
  async recognize(ctx: Ctx, id: string, state: ClusterState, news: Properties): Promise<void> {
    const { changes } = diffCluster({ ...state }, news, this.fixedOf(ctx.urn, state));
    const paths = Object.keys(changes);
    const { replaceOn } = this.#knownOf(ctx.urn);
    const isReplaced = paths.some((path) => changes[path]?.replace || isAmong(replaceOn, path));
    const { service, settings } = this.#connect();
    if (!settings || !service) return;
    service.owned.stored(id, state);
    const hide = this.#hiding(ctx.urn, service, news, { ...state });
    const check = this.#begin(withHidden(ctx, hide), service, settings, news);
    await refuseForeignKey(check, id, state);
    if (paths.length > 0) reportFromState(check, { ...state }, news, isReplaced);
  }

  /** Remembers a state, for checks without old inputs. */
  remember(urn: string, state: ClusterState): void {
    const known = this.#knownOf(urn);
    known.fixed = this.fixedOf(urn, state);
    if (typeof state.name === "string") known.before = inputsOf(state);
  }

  /** The inputs that the service cannot change in place: by the state, and by the last check. */
  fixedOf(urn: string | undefined, { __fixed = [] }: Pick<ClusterState, "__fixed">): readonly ConfigInput[] {
    return [...new Set([...(this.#known.get(urn ?? "")?.fixed ?? []), ...__fixed])];
  }

  /** The inputs with the type of the cluster, if the program allows it: the creation may have got another one than chosen. */
  withTypeOf(urn: string | undefined, state: Properties, inputs: Properties): Properties {
    const { gpuType: taken } = asInputs(state);
    const { gpuType, replicas, desiredStatus } = asInputs(inputs);
    const isAllowed = hasKnownType(state) && isSameGpu(taken, this.typesOf(urn, asInputs(inputs)));
    if (!isAllowed || taken === gpuType) return inputs;
    if (isSameGpu(taken, [gpuType])) return { ...inputs, gpuType: taken };
    const each = costOfReplica(asInputs(state));
    const cost = each === undefined || hasUnknown(replicas) ? undefined : roundCost(each * replicas);
    return { ...inputs, gpuType: taken, hourlyCost: desiredStatus === "stopped" ? 0 : cost };
  }

  /** The GPU types that the program allows, in the order of a creation. Inputs alone no longer have the first one of the program. */
  typesOf(urn: string | undefined, inputs: CheckedInputs): readonly string[] {
    const types = [...(this.#known.get(urn ?? "")?.types?.keys() ?? [])];
    return isSameGpu(inputs.gpuType, types) ? types : allowedTypes(inputs);
  }

  /**
   * The inputs of a creation with one of its types. The limits are those of the check, by its prices.
   * @throws LimitError if the type is not the one that the check has judged, and a limit forbids it.
   */
  take(ctx: Ctx, inputs: CheckedInputs, type: string): CheckedInputs {
    const { urn } = ctx;
    const wanted = this.#wanted.get(urn);
    if (wanted) this.#wanted.set(urn, { ...wanted, type });
    const cost = this.#knownOf(urn).types?.get(type);
    if (cost) this.#ledger.change(urn, cost);
    if (!cost || type === inputs.gpuType || inputs.adopt !== undefined) return inputs;
    const settings = this.settings();
    const limit = limitOf(inputs, settings);
    const [over] = this.#ledger.over(urn, inputs, settings);
    const why = over
      ? `${over.property && `\`${over.property}\` `}${over.reason}`
      : cost.amount === undefined && limit && `${limit} cannot be checked: the service shows no price for "${type}"`;
    if (why) {
      const hide = this.#hiding(urn, this.#connect().service, inputs);
      throw new LimitError(hide(`cluster "${inputs.name}": ${why}. Nothing was sent`));
    }
    return { ...inputs, gpuType: type, hourlyCost: cost.amount };
  }

  /** Whether no other resource and no other stack makes the name, so that a cluster of that name is its own. */
  mayResume(urn: string, { name, adopt, __generatedName }: CheckedInputs): boolean {
    const { resume } = this.settings();
    if (resume === undefined || adopt !== undefined || !__generatedName) return false;
    return name === generatedName(urn, this.#knownOf(urn).before?.name, resume);
  }

  #knownOf(urn: string): Known {
    const known = this.#known.get(urn) ?? {};
    this.#known.set(urn, known);
    return known;
  }

  /** One check. Its lookups may take longer if a limit on costs depends on them. */
  #begin(ctx: Ctx, service: Service, settings: Settings, inputs: Properties | CheckedInputs): Check {
    const limitMs = limitOf(inputs, settings) === undefined ? shortMs : longMs;
    const facts = this.#facts.get(limitMs) ?? new Facts(service, limitMs);
    this.#facts.set(limitMs, facts);
    return new Check(ctx, service, settings, facts, this.#said);
  }

  /** Finds the service and the settings. Their problems are reported together with those of the inputs, not one run later. */
  #connect(): Connected {
    const failures: CheckFailure[] = [];
    const found = <T>(find: () => T): T | undefined => {
      try {
        return find();
      } catch (error) {
        if (!(error instanceof ConfigError)) throw error;
        failures.push({ property: "", reason: messageOf(error) });
        return undefined;
      }
    };
    const settings = found(this.settings);
    const service = found(this.service);
    return { service, settings, failures };
  }

  /** Makes the secrets of a resource known, old and new, before a request is sent; returns what hides them in our sentences. */
  #hiding(urn: string, service: Service | undefined, ...given: readonly (Properties | CheckedInputs)[]): Hide {
    const redactor = service?.client.redactor ?? new Redactor();
    const { before } = this.#knownOf(urn);
    const inputs = before ? [...given, before] : given;
    for (const properties of inputs) redactor.learn(secretsOf(properties));
    const names = inputs.flatMap(({ name, gpuType, fallbackGpuTypes, container, adopt }) =>
      textsIn([name, gpuType, fallbackGpuTypes, container, adopt]),
    );
    return (text) => redactor.hideInOwn(text, [resourceNameOf(urn), ...names]);
  }
}

type Hide = (text: string) => string;

/** The context, with messages that hide secrets. */
function withHidden(ctx: Ctx, hide: Hide): Ctx {
  return { ...ctx, log: (text, severity) => ctx.log(hide(text), severity) };
}

/**
 * Whether the program asks for exactly what its last check has answered. Then nothing has to be judged, unless a limit needs a
 * cost that is not known.
 */
function isUnchanged(ctx: Ctx, olds: Properties, asked: CheckedInputs, settings: Settings): boolean {
  if (typeof olds["name"] !== "string" || ctx.failures?.length) return false;
  if (olds["hourlyCost"] === undefined && limitOf(asked, settings) !== undefined) return false;
  const { endpoint, createdAt, hourlyCost, ...before } = olds;
  const own = ({ __replaceOnChanges, __deleteBeforeReplace, __secrets, ...inputs }: Properties) =>
    Object.fromEntries(Object.entries(inputs).filter(([, value]) => value !== undefined));
  return isDeepStrictEqual(own(before), own({ ...withKeptType(asked, asInputs(olds)) }));
}

/**
 * The old inputs with what only the service knows until the second check after a creation: endpoint, time of creation, and
 * the GPU type that the creation has got.
 */
async function withShown(check: Check, before: CheckedInputs, asked: CheckedInputs): Promise<CheckedInputs> {
  const isShown = check.ctx.showsOutputs && asked.fallbackGpuTypes === undefined;
  // Another name or type may replace the cluster: then nothing of it is certain.
  const isOpen = [before.name, asked.name, asked.gpuType].includes(UNKNOWN);
  if (before.endpoint !== undefined || isShown || isOpen) return before;
  const [record, other] = await holdersOf(check, before.name);
  // If several clusters have the name, none is certain.
  if (!record || other) return before;
  const gpuType = await takenType(check, before, record);
  const cost = gpuType === before.gpuType ? {} : { gpuType, hourlyCost: undefined };
  return { ...before, ...certainOutputs({ ...record }), ...cost };
}

/** The changed inputs that the service cannot change in place. */
async function fixedInputs(check: Check, before: CheckedInputs | undefined, asked: CheckedInputs) {
  const changed = before ? changedFields(asked, before).filter((name) => !hasUnknown(asked[name])) : [];
  if (changed.length === 0) return [];
  return check.need("updates in place", await check.facts.fixed()) ?? [];
}

/** The inputs with the name of the adopted cluster, if the program leaves it open. */
function withAdopted(inputs: CheckedInputs, { record, isLeft }: Adoption): CheckedInputs {
  return record && !isLeft ? withName(inputs, record) : inputs;
}

/** The types, each with the cost of a creation if there are several: a refusal may give it another type than the first. */
async function costsOf({ facts }: Check, { kind, inputs }: Transition, types: readonly string[]) {
  const isOpen = kind !== "update" && types.length > 1;
  const priceOf = async (type: string) => (await facts.price(type, tierOf(inputs.extraFields))).value;
  const costs = new Map<string, Cost | undefined>();
  for (const gpuType of types) {
    const own = { ...inputs, gpuType };
    costs.set(gpuType, isOpen ? (knownCost(own, undefined) ?? costAt(await priceOf(gpuType), own)) : undefined);
  }
  return costs;
}

/** The outputs that are certain. None if another cluster may replace this one. */
function certainOf({ ctx }: Check, transition: Transition, adoption: Adoption, types: readonly string[]): Properties {
  const { kind, before, keeps } = transition;
  // A creation makes another cluster if the one to adopt is gone by then.
  if (adoption.record && !adoption.isLeft) return certainOutputs({ ...adoption.record });
  // Previews that show outputs take those of a kept cluster from its state. A refusal may change the type of a new one.
  if (ctx.showsOutputs) return kind !== "update" && types.length > 1 ? { gpuType: UNKNOWN } : {};
  return before && keeps ? certainOutputs({ ...before }) : {};
}

/** Says what only the state shows: why an update happens, what was rolled back, and which replicas a roll-out replaces. */
function reportFromState(check: Check, state: Properties, news: Properties, isReplaced: boolean): void {
  const reason = hiddenReasonOf(state, news);
  if (reason) check.inform(reason);
  if (isReplaced) return;
  const note = rollBackNoteOf(state, news);
  if (note) check[note.level](note.text);
  // The engine's old inputs are those of the last attempt, also if that was rolled back.
  const rollout = note?.level === "warn" ? undefined : rolloutOf(transitionOf(asInputs(state), asInputs(news)));
  if (rollout) check.inform(rollout);
}

/**
 * The inputs without the outputs that an earlier check has added: the option `ignoreChanges: ["*"]` returns those as
 * inputs.
 */
function withoutOutputs(news: Properties, olds: Properties): Properties {
  const isOutput = (name: string, value: unknown) =>
    stateOutputNames.some((output) => output === name) && isDeepStrictEqual(value, olds[name]);
  return Object.fromEntries(Object.entries(news).filter(([name, value]) => !isOutput(name, value)));
}

/** The failures that an adapter has found, with paths in the same form as the others. */
function adapterFailures({ failures = [] }: Ctx): CheckFailure[] {
  return failures.map(({ property, reason }) => ({ property: property.split(".").map(pathStep).join("."), reason }));
}
