import { isDeepStrictEqual } from "node:util";
import type { ClusterList } from "../../api/records";
import type { Settings } from "../../config";
import { type Checked, type CheckFailure, type Ctx, hasUnknown, type Properties } from "../../core";
import { ConfigError, GpuClusterError, messageOf } from "../../errors";
import { listOf, resourceNameOf } from "../../text";
import { inOrder, waitsForCapacity } from "../capacity";
import type { CreationContext } from "../create";
import { withTakenType } from "../drift";
import { textsIn } from "../extraFields";
import { outputNames } from "../fields";
import { type Hiding, hidingOf, Operation } from "../operation";
import { withNearest, withNumber } from "../replicas";
import { rollBackNoteOf } from "../rollBack";
import type { Service } from "../service";
import { asInputs, secretsOf } from "../state";
import type { CheckedInputs, ClusterState } from "../stateFields";
import { changedFields, wayOut } from "../updateRequest";
import { CostCheck, UnpricedError } from "./cost";
import { Inquiry, LateLookups, Lookups } from "./facts";
import { createInTurn, GpuCheck, withKeptType, withList } from "./gpuType";
import { OneCheck, type Shared } from "./oneCheck";
import {
  type Adoption,
  adoptedId,
  findAdopted,
  findLeft,
  isReplaced,
  judgeAdoption,
  NameCheck,
  Recognition,
  refusalsOf,
  withFoundName,
} from "./ownership";
import { hiddenReasonOf, lossesOf, previewCluster, rolloutOf, type Transition, transitionOf } from "./plan";
import { completeInputs, findFailures, generatedName, namingFailures, pathStep } from "./validate";

/**
 * The checks of one run. A run is one process, so preview and update are two runs. The checks share their lookups, and
 * remember facts that concern several clusters.
 */
export class CheckRun {
  readonly #shared: Shared = { lookups: new Lookups(), said: new Set() };
  /** The old inputs, by URN. A replacement is checked twice, the second time without its old inputs. */
  readonly #before = new Map<string, CheckedInputs>();
  readonly #late = new LateLookups();
  readonly #recognition = new Recognition(this.#shared.lookups);
  /** URNs whose difference the engine has requested since their last check with old inputs. */
  readonly #compared = new Set<string>();
  /** The option `replaceOnChanges`, by URN: only a preview needs it, and it must not show among the inputs. */
  readonly #replacing = new Map<string, readonly string[] | undefined>();
  readonly #names = new NameCheck();
  readonly #gpus = new GpuCheck();
  readonly #costs = new CostCheck();

  constructor(
    private readonly service: (connection?: string) => Service,
    private readonly settings: () => Settings,
  ) {}

  /** Checks the inputs. Secrets are removed from all messages and failures, as from the errors of operations. */
  async check(ctx: Ctx, given: Properties, olds: Properties = {}): Promise<Checked> {
    const hiding = hidingIn(ctx, given, olds, this.#before.get(ctx.urn) ?? {});
    const { failures, ...checked } = await this.#check(hidingLog(ctx, hiding), given, olds, hiding.said);
    return {
      ...checked,
      failures: failures.map((failure) => ({ ...failure, reason: hiding.ownText(failure.reason) })),
    };
  }

  async #check(ctx: Ctx, given: Properties, olds: Properties, hide: (text: string) => string): Promise<Checked> {
    const news = withoutOutputs(given, olds);
    const current = typeof olds["name"] === "string" ? olds["name"] : undefined;
    this.remember(ctx.urn, olds);
    const remembered = this.#before.get(ctx.urn);
    const context = { urn: ctx.urn, current, predecessor: remembered?.name, naming: ctx.naming };
    const before = current === undefined ? remembered : asInputs(olds);
    const connected = this.#connect(news);
    const salt = "failures" in connected ? undefined : connected.settings.resume;
    const asked = completeInputs(news, { ...context, salt });
    const wrong = "failures" in connected ? connected.failures : [];
    const failures = [...findFailures(news), ...namingFailures(news, context), ...adapterFailures(ctx), ...wrong];
    // No request is sent for inputs that are already wrong.
    if (failures.length > 0 || "failures" in connected) return { inputs: asked, failures };
    const check = new OneCheck(ctx, connected.service, connected.settings, this.#shared, hide);
    if (current !== undefined && olds["__generatedName"] !== true && news["name"] === undefined) {
      check.warn(`\`name\` is no longer set; the cluster keeps its name "${current}"`);
    }
    if (current !== undefined) this.#compared.delete(ctx.urn);
    const counted = asInputs(withNumber({ ...asked }, before?.replicas));
    return this.#judge(check, before, counted, current === undefined);
  }

  /**
   * Creates a cluster with the chosen type. If the service refuses that type, or if its cost is limited and not known,
   * the next one of the list is tried; with `waitForCapacity`, the next one that has enough free GPUs.
   */
  async create<T>(
    ctx: Ctx,
    deadlineMs: number,
    service: Service,
    inputs: CheckedInputs,
    send: (inputs: CheckedInputs, context: CreationContext) => Promise<T>,
  ): Promise<T> {
    const types = await this.#askLate(ctx, deadlineMs, service, inputs, (inquiry) =>
      this.#gpus.inTurn(ctx.urn, service, inquiry, inputs),
    );
    // A cluster of the name has its GPUs, and may be the one to adopt: that is no matter of capacity.
    const isTaken = () => service.creations.isTaken(inputs.name, { signal: ctx.signal, deadlineMs });
    const choice =
      waitsForCapacity(inputs) && !(await isTaken())
        ? service.capacity.enter(new Operation(ctx, service, "create", { id: "", inputs }), inputs, types)
        : inOrder(types);
    const resumable = this.#mayResume(ctx.urn, inputs) ? inputs : undefined;
    const attempt = async (type: string): Promise<T> => {
      const wanted = inputs.adopt === undefined ? withTakenType(inputs, [type]) : inputs;
      this.#gpus.take(ctx.urn, wanted.gpuType);
      const held = await this.holdLimits(ctx, deadlineMs, service, wanted, wanted.gpuType !== inputs.gpuType);
      return send(held, { resumable, approve: (list) => this.#approve(ctx, service, held, list) });
    };
    const warn = (text: string) =>
      ctx.log(this.#hiding(ctx, inputs).ownText(`cluster "${inputs.name}": ${text}`), "warning");
    return createInTurn(choice, attempt, warn);
  }

  /**
   * Enforces the cost limits for an operation if its check could not look the price up in time, for example because of
   * the rate limit. This lookup may wait as long as the operation.
   * @param isOther Whether the operation takes another GPU type than its check has judged.
   * @returns The inputs; for another type, with its cost.
   * @throws GpuClusterError if a limit is exceeded or cannot be checked.
   */
  async holdLimits(
    ctx: Ctx,
    deadlineMs: number,
    service: Service,
    inputs: CheckedInputs,
    isOther = false,
  ): Promise<CheckedInputs> {
    const { amount, problem, unpriced } = await this.#askLate(ctx, deadlineMs, service, inputs, (inquiry) =>
      this.#costs.judgeLate(ctx.urn, inquiry, inputs, this.settings(), isOther),
    );
    const said = (text: string) => this.#hiding(ctx, inputs).ownText(`cluster "${inputs.name}": ${text}`);
    if (problem) throw new GpuClusterError(said(`${problem}. Nothing was sent`));
    if (unpriced && isOther) throw new UnpricedError(said(`${unpriced}. Nothing was sent`));
    if (unpriced) ctx.log(said(unpriced), "warning");
    return isOther ? { ...inputs, hourlyCost: amount } : inputs;
  }

  /**
   * Enforces the cost limit of the organization once more, just before the create request: others may have created
   * clusters since the check. The prices are those of the check, so that this needs no further request.
   * @throws GpuClusterError if the limit is exceeded.
   */
  async #approve(ctx: Ctx, service: Service, inputs: CheckedInputs, list: ClusterList): Promise<void> {
    const hiding = this.#hiding(ctx, inputs);
    const inquiry = new Inquiry(this.#shared.lookups, service, hiding.said);
    const over = await this.#costs.overOrganization(ctx.urn, inquiry, this.settings(), list);
    if (over) throw new GpuClusterError(hiding.ownText(`cluster "${inputs.name}": ${over}. Nothing was sent`));
  }

  /** Whether no other resource and no other stack makes the name, so that a cluster of that name is its own. */
  #mayResume(urn: string, { name, adopt, __generatedName }: CheckedInputs): boolean {
    const { resume } = this.settings();
    if (resume === undefined || adopt !== undefined || !__generatedName) return false;
    return name === generatedName(urn, this.#before.get(urn)?.name, resume);
  }

  /** Lookups that may take as long as the operation. */
  #askLate<T>(
    ctx: Ctx,
    deadlineMs: number,
    service: Service,
    inputs: CheckedInputs,
    ask: (inquiry: Inquiry) => Promise<T>,
  ): Promise<T> {
    return this.#late.ask({ ctx, deadlineMs, service, inputs, hide: this.#hiding(ctx, inputs).said }, ask);
  }

  /** How the secrets of a resource are hidden, including those of its old inputs. */
  #hiding(ctx: Ctx, inputs: CheckedInputs): Hiding {
    return hidingIn(ctx, inputs, this.#before.get(ctx.urn) ?? {});
  }

  /**
   * Checks that the service of the inputs knows the cluster, if another service or key saw it last.
   * @throws GpuClusterError if it does not.
   */
  async recognize(ctx: Ctx, id: string, state: ClusterState, news: Properties): Promise<void> {
    const isGoing = isReplaced({ ...state }, news, this.#replacing.get(ctx.urn));
    const connected = this.#connect(isGoing ? { ...state } : news);
    if ("failures" in connected) return;
    const hiding = hidingIn(ctx, news, { ...state });
    const shared = { ...this.#shared, lookups: this.#recognition.lookups };
    const { service, settings } = connected;
    service?.owned.stored(id, state);
    const check = new OneCheck(hidingLog(ctx, hiding), service, settings, shared, hiding.said);
    await this.#recognition.refuseUnknown(check, ctx, id, state);
    reportFromState(check, { ...state }, news, isGoing);
  }

  /**
   * Records that the engine has requested the difference between a state and new inputs: it then knows the order of a
   * replacement.
   */
  compare(urn: string, state: Properties): void {
    this.#compared.add(urn);
    this.remember(urn, state);
    const before = this.#before.get(urn);
    if (before) this.#before.set(urn, withNumberIn(asInputs(state), before));
  }

  /**
   * Remembers the old inputs of a resource, for checks without old inputs: a resource that depends on a replaced one
   * may be replaced with it.
   */
  remember(urn: string, olds: Properties): void {
    if (typeof olds["name"] === "string" && !this.#before.has(urn)) this.#before.set(urn, asInputs(olds));
  }

  /**
   * Finds the service and the settings. Their problems are reported together with those of the inputs, not one run
   * later.
   */
  #connect({
    connection,
  }: Properties): { service: Service | undefined; settings: Settings } | { failures: CheckFailure[] } {
    const failures: CheckFailure[] = [];
    const found = <T>(property: string, find: () => T): T | undefined => {
      try {
        return find();
      } catch (error) {
        if (!(error instanceof ConfigError)) throw error;
        failures.push({ property, reason: messageOf(error) });
        return undefined;
      }
    };
    const settings = found("", () => this.settings());
    const service = isName(connection)
      ? found("connection", () => this.service(connection))
      : connection === undefined
        ? found("", () => this.service())
        : undefined;
    return settings && failures.length === 0 ? { service, settings } : { failures };
  }

  /** Judges everything that needs more than the inputs themselves. */
  async #judge(
    check: OneCheck,
    remembered: CheckedInputs | undefined,
    asked: CheckedInputs,
    isRenewal: boolean,
  ): Promise<Checked> {
    const before = await this.#gpus.withTakenType(check, remembered);
    const order = orderOf(check, before, isRenewal && !this.#compared.has(check.urn));
    const towards = (inputs: CheckedInputs) => transitionOf(before, inputs, isRenewal, order);
    const first = towards(withKeptType(asked, before));
    const adoption = this.#mayResume(check.urn, first.inputs)
      ? await findLeft(check, first)
      : await findAdopted(check, adoptedId(first));
    const named = withFoundName(await this.#gpus.withOneType(check, first, adoption), adoption);
    const chosen = withNearest(named, adoption.record?.replicas);
    const known = await this.#gpus.withKnownType(check, towards(chosen));
    const inputs = adoption.record ? known : withList(known, asked, towards(known));
    const transition = towards(inputs);
    check.failures.push(...refusalsOf(transition));
    judgeAdoption(check, transition, adoption);
    await this.#names.judge(check, transition, adoption);
    const cost = (await this.#gpus.judge(check, transition, adoption))
      ? await this.#costs.judge(check, transition, adoption.record)
      : {};
    await warnOfMissingUpdate(check, transition);
    const certain = await certainOutputs(check, transition, adoption);
    check.reportGaps();
    if (check.failures.length === 0) {
      for (const line of lossesOf(transition)) check.warn(line);
    }
    const { failures } = check;
    const { __replaceOnChanges: replacing, ...shown } = inputs;
    this.#replacing.set(check.urn, replacing);
    if (check.showsOutputs) return { inputs: { ...shown, ...cost }, failures, certain };
    return { inputs: { ...shown, ...certain, ...cost }, failures };
  }
}

/** Says what only the state shows: why an update happens, what was rolled back, and which replicas a roll-out renews. */
function reportFromState(check: OneCheck, state: Properties, news: Properties, isGoing: boolean): void {
  const reason = hiddenReasonOf(state, news);
  if (reason) check.inform(reason);
  if (isGoing) return;
  const note = rollBackNoteOf(state, news);
  if (note) check[note.level](note.text);
  // The engine's old inputs are those of the last attempt, also if that was rolled back.
  const rollout = note?.level === "warn" ? undefined : rolloutOf(transitionOf(asInputs(state), asInputs(news), false));
  if (rollout) check.inform(rollout);
}

/**
 * Whether the engine deletes first in a replacement; `undefined` if it requests the difference, or if there is none.
 * @param isUncompared Whether a resource is replaced of which the engine has not requested the difference.
 */
function orderOf({ naming }: OneCheck, before: CheckedInputs | undefined, isUncompared: boolean): boolean | undefined {
  // A naming pattern without a random part makes the same name again.
  if (before && naming?.proposed === before.name) return true;
  return isUncompared ? false : undefined;
}

/** Old inputs with the number of the state, if they give a range: a replacement begins with the last known number. */
function withNumberIn({ replicas, hourlyCost }: Partial<CheckedInputs>, before: CheckedInputs): CheckedInputs {
  const isOpen = before.__replicaRange !== undefined && replicas !== undefined;
  return isOpen ? { ...before, replicas, hourlyCost } : before;
}

/** Hides the secrets of a resource, old and new; the texts that identify the resource stay readable. */
function hidingIn({ urn }: Ctx, ...inputs: readonly (Properties | CheckedInputs)[]): Hiding {
  const names = inputs.flatMap(({ name, gpuType, container, adopt }) => textsIn([name, gpuType, container, adopt]));
  return hidingOf(inputs.flatMap(secretsOf), [resourceNameOf(urn), ...names]);
}

/** The context, with messages that hide secrets. */
function hidingLog(ctx: Ctx, { ownText }: Hiding): Ctx {
  return { ...ctx, log: (text, severity) => ctx.log(ownText(text), severity) };
}

/**
 * The inputs without the outputs that an earlier check has added: the option `ignoreChanges: ["*"]` returns those as
 * inputs.
 */
function withoutOutputs(news: Properties, olds: Properties): Properties {
  const isOutput = (name: string, value: unknown) =>
    outputNames.some((output) => output === name) && isDeepStrictEqual(value, olds[name]);
  return Object.fromEntries(Object.entries(news).filter(([name, value]) => !isOutput(name, value)));
}

/** The failures that an adapter has found, with paths in the same form as the others. */
function adapterFailures({ failures = [] }: Ctx): CheckFailure[] {
  return failures.map(({ property, reason }) => ({ property: property.split(".").map(pathStep).join("."), reason }));
}

/** Whether a connection is a known name. An invalid one is judged with the inputs. */
function isName(connection: unknown): connection is string {
  return typeof connection === "string" && connection !== "" && !hasUnknown(connection);
}

/**
 * Warns of changes that require an update request, if the service offers none. Programs in YAML and
 * Python do not tell the provider of `replaceOnChanges`.
 */
async function warnOfMissingUpdate(check: OneCheck, { kind, before, inputs }: Transition): Promise<void> {
  if (kind !== "update" || !before) return;
  const changed = changedFields(inputs, before).filter((field) => field !== "container" && !hasUnknown(inputs[field]));
  if (changed.length === 0 || !(await check.inquiry.lacksUpdate())) return;
  const what = listOf(changed.map((field) => `\`${field}\``));
  check.warn(
    `${what} cannot be changed in place: the service has no update of clusters. ${wayOut(changed)}; without it, ` +
      "`pulumi up` fails",
  );
}

/**
 * The certain outputs: from the adopted cluster, the old inputs, or the run's one list of clusters. None if another
 * cluster may replace this one. If previews show outputs, those of a kept cluster come from the state.
 */
async function certainOutputs(
  { inquiry, showsOutputs }: OneCheck,
  transition: Transition,
  { record, isLeft }: Adoption,
): Promise<Properties> {
  const { inputs, before, keeps } = transition;
  // A creation makes another cluster if the one to adopt is gone by then.
  if (record && !isLeft) return previewCluster(inputs, { ...record });
  if (!before || !keeps || showsOutputs) return {};
  const known = previewCluster(inputs, before);
  if (known["endpoint"] !== undefined) return known;
  const holders = (await inquiry.holders(inputs.name, { quietly: true })) ?? [];
  // If several clusters have the name, none is certain.
  return previewCluster(inputs, holders.length === 1 ? { ...holders[0] } : {});
}
