import type { ClusterRecord } from "../../api/records";
import type { CreateBody } from "../../api/requests";
import { CreateError, messageOf, RequestError, UncertainError } from "../../base/errors";
import { type Ctx, InitError, type Properties } from "../../contract";
import { checkMadeAsAsked, endState, withPartialState } from "../change/partialState";
import { stop } from "../change/power";
import { toState } from "../compare/observed";
import { type CreatedName, createdNames } from "../model/fields";
import { pick } from "../model/state";
import type { CheckedInputs, ClusterState } from "../model/stateFields";
import { find } from "../shared/lookup";
import { Operation } from "../shared/operation";
import type { Service } from "../shared/service";
import { doubtOf, leftBehind, notAdopted, TakenError } from "../shared/takenName";
import { waitUntilReady } from "../wait/wait";
import type { Capacity } from "./capacity";
import type { Creations } from "./createOnce";

/** The service, with what the creations of this process share. */
export interface CreatingService extends Service {
  readonly creations: Creations;
  readonly capacity: Capacity;
}

/** An adoption for which no person asks. */
export interface Unasked {
  /** Why it happens. */
  readonly reason: string;
  /** What forbids it, beside what forbids every adoption. */
  readonly doubt: (record: ClusterRecord) => string | undefined;
  /** What the state contains beside the observed values. */
  readonly facts: Pick<ClusterState, "__resumedAt">;
}

/** What a creation needs of others: what its check decides, and the adoption. */
export interface CreationContext {
  /** The GPU types that the program allows, in the order in which they are tried. A cluster of any of them is adopted. */
  readonly types: readonly string[];
  /** The inputs of a creation with one of the types. */
  readonly take: (type: string) => CheckedInputs;
  /** Adopts an existing cluster; without `why`, because the program asks for it. */
  readonly adopt: (inputs: CheckedInputs, id: string, why?: Unasked) => Promise<Created>;
  /** Whether no other resource makes the name: the cluster that an interrupted run has created is then adopted. */
  readonly isResumable: boolean;
}

interface Created {
  readonly id: string;
  readonly state: Properties;
}

/** Creates exactly one cluster, or adopts an existing one, and waits until the cluster is as requested. */
export async function createCluster(
  service: CreatingService,
  ctx: Ctx,
  asked: CheckedInputs,
  context: CreationContext,
): Promise<Created> {
  const { types, take, adopt, isResumable } = context;
  if (asked.adopt !== undefined) return adopt(asked, asked.adopt);
  let inputs = asked;
  try {
    const operation = new Operation(ctx, service, "create", { id: "", inputs });
    const wish = { types, waits: asked.waitForCapacity === true };
    const record = await service.capacity.create(operation, wish, async (type) => {
      inputs = take(type);
      return createOnce(service, operation, inputs);
    });
    return await finish(service, ctx, inputs, record);
  } catch (error) {
    if (isResumable && error instanceof TakenError) return adoptLeftBehind(service, ctx, inputs, context, error);
    if (!isResumable || !(error instanceof UncertainError)) throw error;
    throw new UncertainError(`${error.message}; gpucluster:resume adopts it in the next \`pulumi up\``, {
      cause: error,
    });
  }
}

/** Adopts the one cluster that has the name, if it is certainly the one that an interrupted run has created. */
async function adoptLeftBehind(
  service: Service,
  ctx: Ctx,
  inputs: CheckedInputs,
  { types, adopt }: CreationContext,
  error: TakenError,
): Promise<Created> {
  const about = { inputs, types, urn: ctx.urn, owned: service.owned, nowMs: service.clock.now() };
  const left = leftBehind(error.taken, about);
  if ("doubt" in left) throw new CreateError(`${error.message}. ${notAdopted(left.doubt)}`, { cause: error });
  const facts = { __resumedAt: new Date(about.nowMs).toISOString() };
  const doubt = (record: ClusterRecord) => doubtOf({ ...about, record: { ...left.record, ...record } });
  const reason = "an interrupted run has created it";
  return adopt(inputs, left.record.id, { reason, doubt, facts });
}

/** Waits until a new cluster is as requested. */
async function finish(service: Service, ctx: Ctx, inputs: CheckedInputs, record: ClusterRecord) {
  const { form } = service.client;
  // From here on the cluster exists and is paid for: nothing below may lose its id.
  const operation = new Operation(ctx, service, "create", { id: record.id, inputs });
  // If the run is killed now, only its output contains the id.
  operation.status(`created as ${record.id}`);
  const before = toState(inputs, { record }, { settled: false, seenBy: service.seenBy });
  const state = await withPartialState(
    service,
    operation,
    "was created, but is not ready",
    () => ({ running: inputs, before, unfinished: true }),
    async () => {
      // If no answer has confirmed the names of the request, the first cluster is read at once: without its GPU or image, it
      // would be polled in vain.
      const isSuspect = !form.isConfirmed && form.isNews("names not confirmed");
      const shown = isSuspect ? await find(service, operation) : undefined;
      if (shown) checkMadeAsAsked(service, inputs, shown);
      if (inputs.desiredStatus === "stopped") await stop(service, operation, inputs);
      else await waitUntilReady(service, operation, inputs);
      return endState(service, operation, inputs, { before, learned: inputs });
    },
  );
  return { id: record.id, state };
}

/** The create request: every input whose flags say that a creation sends it. */
function createBody(inputs: CheckedInputs): Pick<CreateBody, CreatedName> {
  return { ...pick(inputs, createdNames), env: inputs.env ?? {} };
}

async function createOnce(
  { creations }: CreatingService,
  operation: Operation,
  inputs: CheckedInputs,
): Promise<ClusterRecord> {
  operation.status("creating");
  try {
    const warn = (text: string) => operation.warn(text);
    const options = { ...operation.request(), lookupDeadlineMs: operation.lookup().deadlineMs, warn };
    return await creations.create(createBody(inputs), options);
  } catch (error) {
    // Several operations share the request for the list, so its error names none of their clusters.
    const isShared = error instanceof RequestError && !error.message.includes(operation.title);
    throw isShared ? operation.error(`was not created: ${messageOf(error)}`, error) : operation.clean(error);
  }
}

/**
 * Creations of this process that have an id but did not finish, by URN. An error hook of the program can make the engine
 * request them again, as if nothing existed.
 */
export class UnfinishedCreations {
  readonly #unfinished = new Map<string, InitError>();

  /** Forgets a creation when the engine runs another operation on its cluster: then the engine has the id. */
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
    const own = last?.state["name"] === name ? last : undefined;
    try {
      const created = own ? { id: own.id, state: await goOn(own.id, own.state) } : await create();
      this.#unfinished.delete(urn);
      return created;
    } catch (error) {
      // The engine treats this as a creation: an error without the id would lose the cluster.
      const isKept = error instanceof InitError || !own;
      const kept = isKept ? error : new InitError(own.id, own.state, [messageOf(error)], { cause: error });
      if (kept instanceof InitError) this.#unfinished.set(urn, kept);
      throw kept;
    }
  }
}
