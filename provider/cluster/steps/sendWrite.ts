import { busyCode, type ClusterRecord } from "../../api/decode/records";
import { isDeleting, stateOf } from "../../api/decode/states";
import { duration } from "../../base/clock";
import { ApiError, type ApiFailure, briefOf, RequestError } from "../../base/errors";
import { busyPausesMs, effectPausesMs, maxEffectMs, maxRetryAfterMs } from "../../base/times";
import { creationGraceLeftMs, findCluster, type LookupSources } from "../service/lookup";
import { doublingPauses, type Operation } from "../service/operation";

/**
 * How often a change is sent, as far as reads of the service decide. `retryTable` (api/http/transport.ts) decides before:
 * - `lost`: the number of requests if answers are lost and no read shows the effect;
 * - `busy`: the number of requests if the service answers "not now" about a cluster that does not change; counted anew after a lost
 *   answer.
 *
 * A creation is not in this table: its cluster has no id yet, so the list of clusters decides (`CreateOnce`).
 */
const writeTable = {
  update: { lost: 3, busy: 5 },
  scale: { lost: 3, busy: 5 },
  stop: { lost: 3, busy: 5 },
  /** A second request does not harm a stopped cluster. If one action does not start it, another one is tried. */
  start: { lost: 2, busy: 1 },
  /** A second request would restart every replica again. */
  restart: { lost: 1, busy: 5 },
  /** `retryTable` has sent it again. */
  delete: { lost: 1, busy: 5 },
} as const;

/** Records, before a request, that it may take effect. Returns what takes that back: the service has refused it. */
export type Attempt = () => () => void;

interface Write<Answer> {
  readonly kind: keyof typeof writeTable;
  readonly send: () => Promise<Answer>;
  /** Whether a read shows the effect, so that nothing more has to be sent; without a record, the cluster is gone. */
  readonly isDone: (record: ClusterRecord | undefined) => boolean | Promise<boolean>;
  /** Called before each request. */
  readonly attempt?: Attempt | undefined;
}

interface Sent<Answer> {
  readonly answer?: Answer;
  /** Whether a read shows the effect, in place of an answer. */
  readonly isObserved: boolean;
  readonly seen: readonly ClusterRecord[];
}

/**
 * Sends a change until the service accepts it or a read shows its effect, as often as `writeTable` says. "Not now" (409, 423,
 * 425) means that nothing was done: while the cluster is changing, the change is sent again until the deadline of the operation.
 */
export async function sendWrite<Answer>(
  target: LookupSources,
  operation: Operation,
  { kind, send, isDone, attempt }: Write<Answer>,
): Promise<Sent<Answer>> {
  const limit = writeTable[kind];
  const seen: ClusterRecord[] = [];
  const read = async (priority?: "lookup") => {
    const record = await findCluster(target, operation.id, { ...operation.lookupOptions(), priority });
    if (record) seen.push(record);
    return record;
  };
  for (let lost = 0, busy = 0; ; ) {
    const takeBack = attempt?.();
    try {
      return { answer: await send(), isObserved: false, seen };
    } catch (error) {
      // A read within the request follows a refusal, and an interrupt is one before it was sent.
      const mayHaveChanged = error instanceof RequestError && error.method !== "GET" && error.maybeApplied;
      if (!mayHaveChanged) takeBack?.();
      if (!(error instanceof RequestError)) throw error;
      if (error.outcome === "busy") {
        busy += 1;
        const record = await read();
        if (await isDone(record)) return { isObserved: true, seen };
        // Reads may not show a new cluster yet, which the service is still changing.
        const isNew = !record && creationGraceLeftMs(operation.oldState, operation.now()) > 0;
        // The error code or the status can say that the cluster is changing. Nothing else ends by itself.
        const saysChanging = error instanceof ApiError && busyCode.test(error.code ?? "");
        const isTemporary = isNew || saysChanging || stateOf(record?.status) === "pending";
        if (!(isNew || record) || isDeleting(record?.status) || (!isTemporary && busy >= limit.busy)) throw error;
        const what = `the service is busy with the cluster: ${record?.status ?? "not shown yet"} (${briefOf(error)})`;
        operation.progress(`waiting: ${what}`);
        await operation.pause(Math.min(busyPausesMs.max, busyPausesMs.first * 2 ** (busy - 1)));
        if (operation.leftMs() === 0) throw operation.timeout(`: ${what}`, { cause: error });
        continue;
      }
      if (!error.maybeApplied) throw error;
      lost += 1;
      busy = 0;
      const { retryAfterMs = 0 }: Partial<ApiFailure> = error.details;
      const mayRepeat = lost < limit.lost && retryAfterMs <= maxRetryAfterMs;
      if (mayRepeat && retryAfterMs > 0) operation.progress(`waiting ${duration(retryAfterMs)}: ${briefOf(error)}`);
      const lookupMs = Math.max(maxEffectMs, mayRepeat ? retryAfterMs : 0);
      const isObserved = await operation.poll({
        pausesMs: effectPauses(lookupMs),
        check: async () => isDone(await read("lookup")),
      });
      if (isObserved) return { isObserved, seen };
      if (!mayRepeat || operation.leftMs() === 0) throw error;
    }
  }
}

/** The pauses before the reads that look for the effect of a request, at once and for so long. */
export function effectPauses(ms: number): number[] {
  return [0, ...doublingPauses(ms, effectPausesMs)];
}
