import type { Client } from "../../api/client";
import { matchGpu } from "../../api/gpuMatch";
import { plainName } from "../../api/names";
import { countCode, unlistedCodes } from "../../api/records";
import { type ApiError, GpuClusterError, InterruptedError, isCapacityRefusal, messageOf } from "../../base/errors";
import type { CheckedInputs } from "../model/stateFields";
import type { Operation } from "../shared/operation";

/** Creations that are refused for lack of GPUs: the next type of the list, or a later time. */

/** Whether a creation waits for capacity. An adopted cluster has its GPUs. */
export function waitsForCapacity({ waitForCapacity, adopt }: CheckedInputs): boolean {
  return waitForCapacity === true && adopt === undefined;
}

/** A limit on costs forbids a GPU type. Nothing was sent. */
export class LimitError extends GpuClusterError {}

/** The pauses between two requests of a waiting creation: GPUs become free when others stop, which takes minutes to hours. */
const pausesMs = { first: 20_000, longest: 120_000 };
/** How soon a waiting creation sees that another one was answered. */
const tickMs = 1_000;
/** After a success, so many others may ask: many free GPUs are soon taken, and a single one costs few refusals. */
const followers = 2;

/** The types that a creation may ask for now. */
type Turn = Set<string>;

/** The creations that may wait for one GPU type, in the order of their arrival. */
interface Queue {
  turns: readonly Turn[];
  /** The last refusal; absent until the first answer, and after a success. */
  refusal?: string;
}

/**
 * The creations of this process that need capacity. Those that may wait for the same type share their answers: only the first
 * one asks; the others ask after it has succeeded.
 */
export class Capacity {
  readonly #queues = new Map<string, Queue>();

  constructor(private readonly client: Pick<Client, "listGpuTypes" | "form">) {}

  /**
   * Attempts a creation with one GPU type after the other, until one succeeds, or fails for another reason than its type.
   * With `waits`, it goes on until the time limit with the types that may become free.
   */
  async create<T>(
    operation: Operation,
    { types, waits }: { readonly types: readonly string[]; readonly waits: boolean },
    attempt: (type: string) => Promise<T>,
  ): Promise<T> {
    const turn: Turn = new Set(types);
    if (waits) for (const type of types) this.#join(turn, type);
    const told = new Set<string>();
    let left = types;
    let created: string | undefined;
    try {
      for (let pauseMs = pausesMs.first; ; pauseMs = Math.min(pauseMs * 2, pausesMs.longest)) {
        const round = left;
        for (const [index, type] of round.entries()) {
          if (waits) await this.#untilAnswered(operation, turn, type);
          if (!turn.delete(type)) continue;
          try {
            const result = await attempt(type);
            created = type;
            return result;
          } catch (error) {
            const isRefusal = isCapacityRefusal(error);
            if (!isRefusal && !(error instanceof LimitError)) throw error;
            const returns = waits && isRefusal && (await this.#mayReturn(operation, type, error));
            if (returns) this.#queueOf(type).refusal = refusalOf(error);
            else this.#leave(turn, [type]);
            if (!returns) left = left.filter((other) => other !== type);
            if (left.length === 0) throw error;
            const after = round[index + 1];
            const next = after === undefined ? "the creation waits for capacity" : `"${after}" is next`;
            const why = isRefusal ? "is refused" : "is not allowed by a limit";
            if (!told.has(type)) operation.warn(`the GPU type "${type}" ${why}, so ${next}: ${messageOf(error)}`);
            told.add(type);
          }
        }
        await this.#wait(operation, turn, left, pauseMs);
      }
    } finally {
      this.#leave(turn, types, created);
    }
  }

  #queueOf(type: string): Queue {
    const queue = this.#queues.get(type) ?? { turns: [] };
    this.#queues.set(type, queue);
    return queue;
  }

  #join(turn: Turn, type: string): void {
    const queue = this.#queueOf(type);
    if (queue.turns.length > 0) turn.delete(type);
    queue.turns = [...queue.turns, turn];
  }

  /** Takes a creation off queues. If it was the first one, or has succeeded, others may ask. */
  #leave(turn: Turn, types: readonly string[], created?: string): void {
    for (const type of types) {
      const { turns = [], refusal } = this.#queues.get(type) ?? {};
      const others = turns.filter((other) => other !== turn);
      const count = type === created ? followers : Number(turns[0] === turn);
      for (const next of others.slice(0, count)) next.add(type);
      if (others.length === 0) this.#queues.delete(type);
      else this.#queues.set(type, { turns: others, ...(type !== created && refusal !== undefined && { refusal }) });
    }
  }

  /** If another creation asks for the type, its answer comes first. */
  async #untilAnswered(operation: Operation, turn: Turn, type: string): Promise<void> {
    const isOpen = () => !turn.has(type) && this.#queueOf(type).refusal === undefined;
    while (isOpen() && operation.leftMs() > 0) await pause(operation);
  }

  /** Waits until the creation may ask for a type. The first one of a queue may do so after the pause. */
  async #wait(operation: Operation, turn: Turn, types: readonly string[], pauseMs: number): Promise<void> {
    const refusals = types.flatMap((type) => this.#queueOf(type).refusal ?? []);
    const what = [types.join(", "), refusals.at(-1)].filter(Boolean).join(": ");
    operation.progress(`waiting for capacity of ${what}`);
    const endMs = operation.leftMs() - pauseMs;
    while (turn.size === 0 && operation.leftMs() > Math.max(0, endMs)) await pause(operation);
    if (operation.leftMs() === 0) {
      const why = `was not created: ${operation.timeout(`, no capacity of ${what}`).message}`;
      throw operation.error(`${why}. To wait longer, set \`customTimeouts\`, and run \`pulumi up\` again`);
    }
    if (turn.size > 0) return;
    for (const type of types) if (this.#queueOf(type).turns[0] === turn) turn.add(type);
  }

  /** Whether the type may become free: a node can hold so many GPUs, and the service knows the type. */
  async #mayReturn(operation: Operation, type: string, error: ApiError): Promise<boolean> {
    const code = plainName(error.code ?? "");
    if (code === countCode) return false;
    const { form } = this.client;
    const isKnown = this.#queueOf(type).refusal !== undefined || matchGpu(type, form.gpus).kind !== "none";
    // Some services list only what is free: a type that was listed before exists.
    if (isKnown || !unlistedCodes.has(code)) return true;
    const list = await this.client.listGpuTypes(operation.request()).catch(() => undefined);
    return !list?.certain || matchGpu(type, list.gpus).kind !== "none";
  }
}

/** `no capacity for 2 x h200 (INSUFFICIENT_GPU_CAPACITY)` */
function refusalOf({ apiMessage, code, status }: ApiError): string {
  return `${apiMessage || "refused"} (${code ?? `HTTP ${status}`})`;
}

async function pause(operation: Operation): Promise<void> {
  try {
    await operation.pause(tickMs);
  } catch (error) {
    if (!operation.signal.aborted) throw error;
    throw new InterruptedError(`${operation.title}: the wait for capacity was interrupted. Nothing was created`);
  }
}
