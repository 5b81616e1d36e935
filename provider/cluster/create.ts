import type { ClusterRecord } from "../api/records";
import type { CreateBody } from "../api/requestNames";
import { type Ctx, InitError, type Properties } from "../core";
import { ClusterFailedError, CreateError, messageOf, RequestError, UncertainError } from "../errors";
import { listOf } from "../text";
import { foundOtherwise } from "./adoption";
import type { Approve } from "./createOnce";
import { type CreatedName, createdNames } from "./fields";
import { find } from "./lookup";
import { Operation } from "./operation";
import { keep, reached, refuseOther } from "./partialState";
import { stop } from "./power";
import type { Service } from "./service";
import { asInputs, pick, toState } from "./state";
import type { CheckedInputs, ClusterState } from "./stateFields";
import { doubtOf, leftBehind, notAdopted, TakenError } from "./takenName";
import { adoptCluster } from "./update";
import { waitUntilReady } from "./wait";

/** The part of a creation that its check decides. */
export interface CreationContext {
  /** Judges the list of clusters just before the create request. */
  readonly approve?: Approve;
  /**
   * The inputs with all their GPU types, if no other resource makes the name: the cluster that an interrupted run has
   * created is then adopted.
   */
  readonly resumable?: CheckedInputs;
}

/** Creates exactly one cluster, or adopts an existing one, and waits until the cluster is as requested. */
export async function createCluster(
  service: Service,
  ctx: Ctx,
  news: Properties,
  { approve, resumable }: CreationContext = {},
) {
  const inputs = asInputs(news);
  if (inputs.adopt !== undefined) return adoptCluster(service, ctx, inputs, inputs.adopt);
  try {
    const operation = new Operation(ctx, service, "create", { id: "", inputs });
    const record = await createOnce(service, operation, inputs, approve);
    return await finish(service, ctx, inputs, record);
  } catch (error) {
    if (resumable && error instanceof TakenError) return adoptLeftBehind(service, ctx, resumable, error);
    if (!resumable || !(error instanceof UncertainError)) throw error;
    throw new UncertainError(`${error.message}; gpucluster:resume adopts it in the next \`pulumi up\``, {
      cause: error,
    });
  }
}

/** Adopts the one cluster that has the name, if it is certainly the one that an interrupted run has created. */
async function adoptLeftBehind(service: Service, ctx: Ctx, inputs: CheckedInputs, error: TakenError) {
  const about = { inputs, urn: ctx.urn, owned: service.owned, nowMs: service.clock.now() };
  const left = leftBehind(error.taken, about);
  if ("doubt" in left) throw new CreateError(`${error.message}. ${notAdopted(left.doubt)}`, { cause: error });
  const facts = { __resumedAt: new Date(about.nowMs).toISOString() };
  const doubt = (record: ClusterRecord) => doubtOf({ ...about, record: { ...left.record, ...record } });
  const reason = "an interrupted run has created it";
  return adoptCluster(service, ctx, inputs, left.record.id, { reason, doubt, facts });
}

/** Waits until a new cluster is as requested. */
async function finish(service: Service, ctx: Ctx, inputs: CheckedInputs, record: ClusterRecord) {
  const { seenBy } = service;
  // From here on the cluster exists and is paid for: nothing below may lose its id.
  const operation = new Operation(ctx, service, "create", { id: record.id, inputs });
  // If the run is killed now, only its output contains the id.
  operation.status(`created as ${record.id}`);
  const isResent = service.creations.wasResent(inputs.name) ? { __resent: true as const } : {};
  const before = { ...toState(inputs, { record }, { settled: false, seenBy }), ...isResent };
  let running = inputs;
  const state = await keep(
    service,
    operation,
    "was created, but is not ready",
    () => ({ running, before, unfinished: true }),
    async () => {
      service.tracer.note({ "gpucluster.cluster.id": record.id });
      service.capacity.created(inputs.name);
      await refuseOtherForm(service, operation, inputs);
      const found = await otherFound(service, operation, inputs, record);
      running = found?.running ?? inputs;
      if (found) throw found.error;
      if (inputs.desiredStatus === "stopped") await stop(service, operation, inputs);
      else await waitUntilReady(service, operation, inputs);
      await reportTwins(service, operation, before);
      return reached(service, operation, inputs, before);
    },
  );
  return { id: record.id, state };
}

/**
 * Reads the first cluster at once if the service has not confirmed the field names of the request. Otherwise a cluster that
 * was created without its GPU or image would be polled in vain.
 */
async function refuseOtherForm(service: Service, operation: Operation, inputs: CheckedInputs): Promise<void> {
  const { form } = service.client;
  if (form.isConfirmed || !form.isNews("names not confirmed")) return;
  const record = await find(service, operation);
  if (record) refuseOther(service, inputs, record);
}

/** Compares a cluster that was found by its name with the inputs. If its replicas or variables differ, it may not be ours. */
async function otherFound(service: Service, operation: Operation, inputs: CheckedInputs, listed: ClusterRecord) {
  if (!service.creations.wasFound(inputs.name)) return undefined;
  // If the cluster cannot be read by its id, the record from the list is compared.
  const record = (await find(service, operation).catch(unread)) ?? listed;
  const { running, paths } = foundOtherwise(inputs, record);
  if (paths.length === 0) return undefined;
  const error = new ClusterFailedError(
    `the answer to its creation was lost, and the cluster that was found by its name has another ${listOf(paths.map((path) => `\`${path}\``))}. ` +
      "The next `pulumi up` corrects that; if someone else created the cluster, run " +
      `\`pulumi state delete '${operation.urn}'\` instead`,
  );
  return { running, error };
}

/** @throws The error itself if it is not about the request. */
function unread(error: unknown): undefined {
  if (!(error instanceof RequestError)) throw error;
}

/** No list lags so long: a second cluster of the name would have shown by then. */
const twinSearchMs = 24 * 60 * 60_000;

/** If two create requests were sent, warns of a second cluster of the name: a list may show it late. */
export async function reportTwins(
  { creations, clock }: Service,
  operation: Operation,
  { name, __resent, createdAt = "" }: ClusterState,
): Promise<void> {
  const isOld = clock.now() - Date.parse(createdAt) > twinSearchMs;
  const warn = (text: string) => operation.warn(text);
  if (__resent && !isOld) await creations.reportTwins(name, [operation.id], { ...operation.lookup(), warn });
}

/** The create request: every input whose flags say that a creation sends it. */
function createBody(inputs: CheckedInputs): Pick<CreateBody, CreatedName> {
  return { ...pick(inputs, createdNames), env: inputs.env ?? {} };
}

async function createOnce(
  { creations }: Service,
  operation: Operation,
  inputs: CheckedInputs,
  approve: Approve | undefined,
): Promise<ClusterRecord> {
  operation.status("creating");
  try {
    const warn = (text: string) => operation.warn(text);
    const options = { ...operation.request(), lookupDeadlineMs: operation.lookup().deadlineMs, warn, approve };
    return await creations.create(createBody(inputs), options);
  } catch (error) {
    // Several operations share the request for the list, so its error names none of their clusters.
    const isShared = error instanceof RequestError && !error.message.includes(operation.title);
    throw isShared ? operation.error(`was not created: ${messageOf(error)}`, error) : operation.clean(error);
  }
}

interface Created {
  readonly id: string;
  readonly state: Properties;
}

/**
 * Creations of this process that have an id but did not finish. An error hook of the program can make the engine request
 * them again, as if nothing existed.
 */
export class UnfinishedCreations {
  readonly #unfinished = new Map<string, InitError>();

  /**
   * Forgets the creation of a cluster when the engine runs another operation on it: then the engine has the id, and a later
   * creation is about another cluster.
   */
  ended(id: string): void {
    for (const [urn, error] of this.#unfinished) if (error.id === id) this.#unfinished.delete(urn);
  }

  /** @param goOn Continues with a cluster that was already created. */
  async run(
    urn: string,
    { name }: Properties,
    create: () => Promise<Created>,
    goOn: (id: string, state: Properties) => Promise<Properties>,
  ): Promise<Created> {
    const last = this.#unfinished.get(urn);
    const unfinished = last?.state["name"] === name ? last : undefined;
    try {
      const created = unfinished
        ? { id: unfinished.id, state: await goOn(unfinished.id, unfinished.state) }
        : await create();
      this.#unfinished.delete(urn);
      return created;
    } catch (error) {
      // The engine treats this as a creation: an error without the id would lose the cluster.
      const kept =
        unfinished && !(error instanceof InitError)
          ? new InitError(unfinished.id, unfinished.state, [messageOf(error)], { cause: error })
          : error;
      if (kept instanceof InitError) this.#unfinished.set(urn, kept);
      throw kept;
    }
  }
}
