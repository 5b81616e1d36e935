import { setMaxListeners } from "node:events";
import { type Ctx, InitError, isRecord, type Properties } from "../core";
import { messageOf } from "../errors";
import { defaultTimeoutsMs, Operation } from "./operation";
import { withNumber } from "./replicas";
import { rolloutOf } from "./rollout";
import type { Service } from "./service";
import type { CheckedInputs, ClusterState } from "./stateFields";
import { waitUntilReady } from "./wait";

/** A cluster of a fleet whose own operations leave out the wait: what a ready one is, and the wait that was left out. */
type Member = CheckedInputs & Pick<ClusterState, "__unawaited"> & { readonly id: string };

/** The result of a wait for several clusters, and its state. */
export type Readiness = {
  readonly settled: boolean;
  /** The waits that have ended well, by the keys of the clusters. */
  readonly ready: Readonly<Record<string, string>>;
};

/** The most clusters that an error explains. */
const mostExplained = 5;

/**
 * Waits until all clusters are ready, in one operation and with one time limit. It sends no write. A cluster that does not get
 * ready does not end the waits for the others. Clusters that were ready in the state before are not polled again, unless an
 * operation has left out another wait since.
 * @throws InitError that names the clusters that are not ready.
 */
export async function awaitTogether(
  serviceOf: (connection?: string) => Service,
  ctx: Ctx,
  { clusters }: Properties,
  { ready: known }: Properties = {},
): Promise<Readiness> {
  const members = Object.entries(isRecord(clusters) ? clusters : {}).map(
    ([key, member]) => [key, memberOf(member)] as const,
  );
  // Every wait listens to the one interrupt.
  setMaxListeners(0, ctx.signal);
  let left = members.length;
  const waits = members.map(async ([key, member]) => {
    const wait = `${member.id} ${member.__unawaited?.atMs ?? ""}`.trim();
    const status: Ctx["status"] = (text, row) =>
      row === "stack"
        ? ctx.status(text, row)
        : ctx.status(`${members.length - left}/${members.length} clusters ready; ${key}: ${text}`);
    const isKnown = isRecord(known) && known[key] === wait;
    const failure = isKnown ? undefined : await awaitOne(serviceOf(member.connection), { ...ctx, status }, member);
    if (failure === undefined) left -= 1;
    return { key, wait, failure };
  });
  const ended = await Promise.all(waits);
  const good = ended.filter(({ failure }) => failure === undefined);
  const ready = Object.fromEntries(good.map(({ key, wait }) => [key, wait]));
  const failures = ended.flatMap(({ failure }) => failure ?? []);
  if (failures.length === 0) return { settled: true, ready };
  const summary =
    `${good.length} of ${members.length} clusters are ready: run \`pulumi up\` again to wait for the others, with ` +
    "`--refresh` to start failed ones again";
  const more = failures.length - mostExplained;
  const reasons = [...failures.slice(0, mostExplained), ...(more > 0 ? [`and ${more} more`] : [])];
  throw new InitError(readinessId, { settled: false, ready }, [summary, ...reasons]);
}

/**
 * A cluster as the engine has it, with the number of replicas that its last operation would have waited for: the program's may
 * be another one, because others have scaled the cluster.
 */
function memberOf(properties: unknown): Member {
  const { replicas = 1, ...member } = withNumber(properties as Properties) as unknown as Member;
  const { replicas: left } = member.__unawaited ?? {};
  return left === undefined ? { ...member, replicas, __replicaRange: anyNumber } : { ...member, replicas: left };
}

/** A range that has every number. */
const anyNumber = { min: 1, max: Number.MAX_SAFE_INTEGER };

/** The id of each of these waits: there is nothing at the service that could have one. */
export const readinessId = "readiness";

/** The reason why the cluster is not ready; `undefined` if it is. A stopped cluster is not waited for. */
async function awaitOne(service: Service, ctx: Ctx, member: Member): Promise<string | undefined> {
  if (member.desiredStatus === "stopped" || member.skipAwait) return undefined;
  const limited = { ...ctx, timeoutMs: ctx.timeoutMs ?? defaultTimeoutsMs.create };
  const operation = new Operation(limited, service, "update", { id: member.id, inputs: member });
  try {
    await waitUntilReady(service, operation, member, rolloutOf(service, member.__unawaited));
    return undefined;
  } catch (error) {
    // The engine puts a bullet before each reason.
    return operation.error(`is not ready: ${messageOf(error)}`, error).message.replaceAll("\n", "\n    ");
  }
}
