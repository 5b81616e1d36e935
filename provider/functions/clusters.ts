import type { Client } from "../api/client";
import { type ClusterList, type ClusterRecord, clusterIdPattern } from "../api/records";
import { clearWord } from "../api/states";
import { countHealthy } from "../cluster/conditions";
import { describe } from "../cluster/createOnce";
import { gpuTypeOf } from "../cluster/drift";
import { clearStatus, type Hiding, hidingOf } from "../cluster/operation";
import { holdersOf } from "../cluster/ownedIds";
import { KnownSecrets, secretsOf, toPlainJson } from "../cluster/state";
import { GpuClusterError, messageOf, withNotFoundAdvice } from "../errors";
import { cleanText } from "../text";
import type {
  ClusterInfo,
  GetClusterArgs,
  GetClusterResult,
  GetClusterStatusArgs,
  GetClusterStatusResult,
  GetClustersResult,
} from "../types";
import { argRules, textArg } from "./query";

/**
 * The data functions about clusters. Values of env are secret, and a plain result cannot mark them, so no result
 * contains any.
 */

const idRule = textArg(
  "the id of a cluster: letters, digits, '-' and '_', such as cl_1a2b3c; getClusters() lists them",
  (text) => clusterIdPattern.test(text),
);
const nameRule = textArg("the name of a cluster; getClusters() lists them", (text) => text.trim() !== "");

export const getClusterStatusRules = argRules({ id: idRule });
export const getClusterRules = argRules({ id: idRule.optional(), name: nameRule.optional() }).refine(
  (args) => (args.id === undefined) !== (args.name === undefined),
  "give either `id` or `name`",
);

/** The clusters of the organization (specification, section 4, `/v1/clusters`). */
export async function getClusters(
  client: Client,
  _args?: object,
  known = new KnownSecrets(),
): Promise<GetClustersResult> {
  const { clusters, complete, problem } = await client.listClusters();
  if (problem) throw new GpuClusterError(`the list of clusters could not be read to its end: ${problem}`);
  return { clusters: clusters.map((record) => infoOf(record, hidingOf(known.of(record.id)))), complete };
}

/** One cluster in detail (specification, section 4, `/v1/clusters/:id`). */
export async function getCluster(
  client: Client,
  { id: given, name = "" }: GetClusterArgs,
  known = new KnownSecrets(),
): Promise<GetClusterResult> {
  const id = given ?? (await idOf(client, name));
  const secrets = known.of(id);
  const record = await detailOf(client, id, secrets);
  const { container, env } = record;
  return toPlainJson({ ...infoOf(record, hidingOf(secrets)), container, envNames: env && Object.keys(env) });
}

/** The health of the replicas (specification, section 4, `/v1/clusters/:id/status`). */
export async function getClusterStatus(
  client: Client,
  { id }: GetClusterStatusArgs,
  known = new KnownSecrets(),
): Promise<GetClusterStatusResult> {
  // Texts about replicas may quote their env: the secrets of the cluster come from its detail, and from what the
  // process already knows.
  const secrets = known.of(id);
  const [detail, health] = await Promise.allSettled([detailOf(client, id, secrets), client.getClusterStatus(id)]);
  if (detail.status === "rejected") throw detail.reason;
  const hiding = hidingOf([...secrets, ...secretsOf(detail.value)]);
  // A new error without a cause: a program that fails shows everything that a cause contains.
  if (health.status === "rejected") throw new GpuClusterError(hiding.said(messageOf(health.reason)));
  const { status = infoOf(detail.value, hiding).status, replicas } = clearStatus(health.value, hiding);
  return toPlainJson({
    status,
    replicas: [...replicas],
    readyReplicas: countHealthy(health.value, detail.value.replicas ?? 0),
  });
}

async function detailOf(client: Client, id: string, secrets: Iterable<string>): Promise<ClusterRecord> {
  try {
    return await client.getCluster(id, { secrets: [...secrets] });
  } catch (error) {
    throw withNotFoundAdvice(error, "getClusters() lists the clusters that the API key can see, with their ids");
  }
}

/** The id of the one cluster with that name. Any doubt is an error: no cluster is better than the wrong one. */
async function idOf(client: Client, name: string): Promise<string> {
  const list = await client.listClusters();
  const holders = holdersOf(name, list.clusters);
  const [holder] = holders;
  if (holder && holders.length === 1 && list.complete) return holder.id;
  throw new GpuClusterError(`getCluster: ${doubtOf(cleanText(name, 100), holders, list)}`);
}

function doubtOf(name: string, holders: readonly ClusterRecord[], { complete, problem }: ClusterList): string {
  const found = describe(holders);
  if (holders.length > 1) return `"${name}" is the name of ${holders.length} clusters, ${found}: use the \`id\` of one`;
  if (complete) return `there is no cluster "${name}"; getClusters() lists the clusters`;
  const what = found ? `whether only ${found} has the name` : "whether a cluster has the name";
  const why = problem ? ` (${problem})` : "";
  return `the list of clusters is not complete${why}, so it is not certain ${what} "${name}": use the \`id\``;
}

/** Copies known fields only: other fields that the service adds to a record may be secret. */
function infoOf(record: ClusterRecord, { said }: Hiding): ClusterInfo {
  const { id, name, replicas, endpoint, createdAt } = record;
  const status = record.status === undefined ? undefined : clearWord(record.status, said);
  return toPlainJson({ id, name, status, gpuType: gpuTypeOf(record), replicas, endpoint, createdAt });
}
