import { isDeepStrictEqual } from "node:util";
import { ConfigError, messageOf } from "../../base/errors";
import { Redactor } from "../../base/redact";
import { resourceNameOf } from "../../base/text";
import type { Settings } from "../../config/settings";
import type { Checked, CheckFailure, Ctx, Diff, Properties } from "../../contract";
import { diffAdopted } from "../diff/adoption";
import { withCost } from "../diff/diff";
import { isResumableName } from "../operations/resume";
import { textsIn } from "../schema/extraFields";
import { secretsOf } from "../schema/secrets";
import { asState, inputsOf } from "../schema/state";
import { type CheckedInputs, type ClusterState, stateOutputNames } from "../schema/stateFields";
import type { Service } from "../wait/service";
import { refuseForeignKey } from "./connection";
import { hourlyCostOf, limitOf } from "./cost";
import { info, type Message, warning } from "./findings";
import { preflight } from "./preflight";
import { Run } from "./run";
import { hiddenReasonOf, lossOf, rolloutOf } from "./summary";

/** The service and the settings, and the failures that say why one of them is missing. */
interface Connected {
  readonly service: Service | undefined;
  readonly settings: Settings | undefined;
  readonly failures: readonly CheckFailure[];
}

/** What the engine asks before an operation, in one run: checks and differences, whose texts are shown without secrets. */
export class Checks {
  readonly #run = new Run();

  constructor(
    private readonly service: () => Service,
    private readonly settings: () => Settings,
  ) {}

  /** Checks the inputs. */
  async check(ctx: Ctx, given: Properties, olds: Properties = {}): Promise<Checked> {
    const run = this.#run;
    const { service, settings, failures } = this.#connect();
    if (typeof olds["name"] === "string") run.setCluster(ctx.urn, inputsOf(asState(olds)));
    const hide = this.#hiding(ctx.urn, service, given, olds);
    const result = await preflight({ ctx, news: withoutOutputs(given, olds), olds, service, settings, run });
    this.#log(ctx, result.messages, hide);
    return {
      inputs: result.inputs,
      failures: [...result.failures, ...failures].map(({ property, reason }) => ({ property, reason: hide(reason) })),
      ...(ctx.showsOutputs ? { certain: result.certain } : {}),
    };
  }

  /**
   * The difference, and after a check what it does to the cluster. A refresh, which only displays drift, makes no check.
   * @throws GpuClusterError if the service of the inputs does not know the cluster, or if `adopt` names another one.
   */
  async diff(ctx: Ctx, id: string, state: ClusterState, news: CheckedInputs): Promise<Diff> {
    const run = this.#run;
    const { urn } = ctx;
    const { name, __fixed = [] } = state;
    // The second check of a replacement gets no old inputs.
    if (name !== undefined) run.setCluster(urn, inputsOf(state));
    run.addFixed(urn, __fixed);
    const { service, settings } = this.#connect();
    const hide = this.#hiding(urn, service, news, state);
    service?.owned.stored(id, state);
    const unseen = service && settings ? await refuseForeignKey({ ctx, service, settings, run }, id, state) : [];
    const diff = diffAdopted({ ...state }, { ...news }, id, run.fixedOf(urn));
    this.#log(ctx, [...unseen, ...(run.isChecked(urn) ? this.#messagesOf(urn, state, news, diff) : [])], hide);
    return withCost(diff, { ...state }, { ...news });
  }

  /** What the change does to the cluster. */
  #messagesOf(urn: string, state: ClusterState, news: CheckedInputs, { changes }: Diff): Message[] {
    const reason = hiddenReasonOf(changes);
    const rollout = rolloutOf(state, news, changes);
    const loss = lossOf(state, news, changes);
    if (loss && Object.values(changes).some(({ replace }) => replace)) this.#run.isFirst(`replaced ${urn}`);
    return [reason && info(reason), rollout && info(rollout), loss && warning(loss)].flatMap((line) => line || []);
  }

  /** The cost of a creation that gets another GPU type than the first. */
  async hourlyCostOf({ signal }: Ctx, inputs: CheckedInputs): Promise<number | undefined> {
    const isPatient = limitOf(inputs, this.settings()) !== undefined;
    return hourlyCostOf(this.#run.reads(this.service(), { signal, isPatient }), inputs);
  }

  /** Whether only this resource of this stack makes the name. */
  isResumable(urn: string, inputs: CheckedInputs): boolean {
    const { resume: salt } = this.settings();
    return isResumableName(inputs, urn, { salt, predecessor: this.#run.clusterOf(urn)?.name });
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
  #hiding(urn: string, service: Service | undefined, ...given: readonly (Properties | CheckedInputs)[]) {
    const redactor = service?.client.redactor ?? new Redactor();
    const inputs = [...given, this.#run.clusterOf(urn) ?? {}];
    for (const properties of inputs) redactor.learn(secretsOf(properties));
    const names = inputs.flatMap(({ name, gpuType, fallbackGpuTypes, container, adopt }) =>
      textsIn([name, gpuType, fallbackGpuTypes, container, adopt]),
    );
    return (text: string) => redactor.hideInSentence(text, [resourceNameOf(urn), ...names]);
  }

  /** Logs each message once in a run. Some views do not show the resource of a message, so the text names it. */
  #log({ urn, log }: Ctx, messages: readonly Message[], hide: (text: string) => string): void {
    const name = resourceNameOf(urn);
    for (const { kind, text, once } of messages) {
      const line = once !== undefined || name === "" ? text : `${name}: ${text}`;
      if (this.#run.isFirst(once ?? `${urn}\n${text}`)) log(hide(line), kind);
    }
  }
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
