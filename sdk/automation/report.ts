import { systemClock } from "../../provider/clock";
import { costOfReplica, roundCost } from "../../provider/cluster/money";
import { type Connection, resolveConnection } from "../../provider/config";
import { ConfigError } from "../../provider/errors";
import { type Organization, type OrganizationCluster, readOrganization } from "../../provider/functions/organization";
import type { ClusterInfo } from "../../provider/types";
import type { StackSource } from "./stack";
import { readStack, type StackState, type StateEntry } from "./stackState";

/** The stacks whose states are compared with the clusters. */
export interface ReportArgs {
  /** A cluster of a stack that is not given here shows as managed by nobody. */
  readonly stacks: readonly StackSource[];
}

/** A cluster in the state of a stack. */
export interface StackCluster {
  readonly stack: string;
  readonly urn: string;
  readonly id: string;
}

/** A cluster that exists. */
export interface ReportedCluster extends ClusterInfo {
  /** Address of the service. */
  readonly service: string;
  /** The states that have the cluster; empty: it is in no state of the given stacks. */
  readonly managedBy: readonly Omit<StackCluster, "id">[];
  /** Since its creation, if the service shows when that was. */
  readonly ageSeconds?: number;
  /**
   * Cost of all replicas for one hour: 0 while it is stopped, absent if the price is not known. Of a managed cluster, at
   * the price of its last operation; of any other one, at the present price of one GPU for each replica.
   */
  readonly hourlyCost?: number;
  /** ISO 4217 code, if the service shows it. */
  readonly currency?: string;
}

/** The clusters of all organizations that the stacks use, compared with the states of the stacks. */
export interface Report {
  readonly clusters: readonly ReportedCluster[];
  /** Those of them that no given stack manages, without those that are being deleted. */
  readonly unmanaged: readonly ReportedCluster[];
  /** Clusters in a state that the complete list of their organization does not contain. */
  readonly missing: readonly StackCluster[];
  /** Clusters in a state whose organization could not be listed completely: nothing is known about them. */
  readonly unchecked: readonly StackCluster[];
  /** Sum of the known costs of all clusters for one hour. */
  readonly hourlyCost: number;
  /** Sum of the known costs of the unmanaged clusters for one hour. */
  readonly unmanagedHourlyCost: number;
  /** False if there may be more clusters than these. */
  readonly complete: boolean;
}

/**
 * Compares the clusters of the organizations that the stacks use with the states of the stacks. It sends reads only,
 * and changes nothing: no cluster, no state, and no selected stack.
 *
 * ```ts
 * const { unmanaged, unmanagedHourlyCost } = await report({ stacks: [{ stackName: "prod", workDir: "./prod" }] });
 * ```
 * @throws AutomationError if a state cannot be read: its clusters would show as managed by nobody.
 */
export async function report({ stacks: sources }: ReportArgs): Promise<Report> {
  const stacks = await Promise.all(sources.map(readStack));
  const connections = new Map<string, Promise<Organization>>();
  const organizationAt = (connection: Connection) => {
    const key = `${connection.baseUrl}\n${connection.apiKey.reveal()}`;
    const organization = connections.get(key) ?? readOrganization(connection);
    connections.set(key, organization);
    return organization;
  };
  const owned = await Promise.all(stacks.map((stack) => organizationsOf(stack, organizationAt)));
  const organizations = await Promise.all(connections.values());
  return compare(owned.flat(), organizations, systemClock.now());
}

/** An entry of a state, and its organization if the settings of the stack name it. */
export interface OwnedEntry {
  readonly entry: StateEntry;
  readonly organization?: Organization;
}

async function organizationsOf(
  { entries, readConfig, env }: StackState,
  organizationAt: (connection: Connection) => Promise<Organization>,
): Promise<OwnedEntry[]> {
  const ofSettings = entries.filter(({ hasOwnProvider }) => !hasOwnProvider);
  const names = new Set<string | undefined>(ofSettings.map(({ connection }) => connection));
  const read = new Map<string | undefined, Organization>();
  for (const name of names.add(undefined)) {
    const connection = connectionOf(name, names.size === 1 || ofSettings.some((entry) => entry.connection === name));
    if (connection) read.set(name, await organizationAt(connection));
  }
  return entries.map((entry) => ({
    entry,
    organization: entry.hasOwnProvider ? undefined : read.get(entry.connection),
  }));

  /** The ordinary connection may be missing if each cluster names another one. */
  function connectionOf(name: string | undefined, isNeeded: boolean): Connection | undefined {
    try {
      return resolveConnection(readConfig, env, name);
    } catch (error) {
      if (error instanceof ConfigError && !isNeeded) return undefined;
      throw error;
    }
  }
}

/** Compares entries of states with the clusters of organizations. Pure. */
export function compare(owned: readonly OwnedEntry[], organizations: readonly Organization[], nowMs: number): Report {
  // Two keys of one organization see the same clusters.
  const found = new Map<string, readonly [Organization, OrganizationCluster]>();
  for (const organization of organizations) {
    for (const cluster of organization.clusters) {
      found.set(`${organization.address}\n${cluster.id}`, [organization, cluster]);
    }
  }
  const all = [...found.values()].map(([{ address }, cluster]) => {
    const own = owned.filter((each) => each.entry.id === cluster.id && (placeOf(each)?.address ?? address) === address);
    const entries = own.map(({ entry }) => entry);
    return { isLeaving: cluster.isLeaving, reported: reportedOf(cluster, address, entries, nowMs) };
  });
  const clusters = all.map(({ reported }) => reported).sort(byManager);
  const isUnmanaged = new Set(all.filter(({ isLeaving }) => !isLeaving).map(({ reported }) => reported));
  const unmanaged = clusters.filter((cluster) => cluster.managedBy.length === 0 && isUnmanaged.has(cluster));
  const others = owned.filter(
    ({ entry }) => !clusters.some((cluster) => cluster.id === entry.id && cluster.managedBy.some(isEntry(entry))),
  );
  return {
    clusters,
    unmanaged,
    missing: others.filter((each) => placeOf(each)?.complete).map(toStackCluster),
    unchecked: others.filter((each) => !placeOf(each)?.complete).map(toStackCluster),
    hourlyCost: sumOf(clusters),
    unmanagedHourlyCost: sumOf(unmanaged),
    complete: organizations.every(({ complete }) => complete),
  };

  /** The organization of an entry: that of its settings, else the one that saw it last. */
  function placeOf({ entry, organization }: OwnedEntry): Organization | undefined {
    return organization ?? organizations.find(({ seenBy }) => seenBy === entry.seenBy);
  }
}

function isEntry({ stack, urn }: StateEntry) {
  return (manager: Omit<StackCluster, "id">) => manager.stack === stack && manager.urn === urn;
}

function toStackCluster({ entry: { stack, urn, id } }: OwnedEntry): StackCluster {
  return { stack, urn, id };
}

function reportedOf(
  { gpuPrice, currency, isStopped, isLeaving, ...info }: OrganizationCluster,
  service: string,
  entries: readonly StateEntry[],
  nowMs: number,
): ReportedCluster {
  const createdMs = Date.parse(info.createdAt ?? "");
  const ageSeconds = Number.isNaN(createdMs) ? undefined : Math.max(0, Math.round((nowMs - createdMs) / 1000));
  const each = entries.map(knownCost).find((cost) => cost !== undefined) ?? gpuPrice;
  const sum = each === undefined || info.replicas === undefined ? undefined : roundCost(each * info.replicas);
  const managedBy = entries.map(({ stack, urn }) => ({ stack, urn }));
  return { ...info, service, managedBy, ageSeconds, hourlyCost: isStopped ? 0 : sum, currency };

  /** The cost of a replica in the state: it counts tiers and several GPUs, which the list does not show. */
  function knownCost({ gpuType, replicas = 0, hourlyCost, desiredStatus }: StateEntry): number | undefined {
    return gpuType === info.gpuType ? costOfReplica({ hourlyCost, replicas, desiredStatus }) : undefined;
  }
}

/** Unmanaged clusters first, then by stack and name. */
function byManager(one: ReportedCluster, other: ReportedCluster): number {
  const keys = [one, other].map(({ managedBy: [first], name, id }) => `${first?.stack ?? ""}\n${name ?? id}\n${id}`);
  return (keys[0] ?? "") < (keys[1] ?? "") ? -1 : 1;
}

function sumOf(clusters: readonly ReportedCluster[]): number {
  return roundCost(clusters.reduce((sum, { hourlyCost = 0 }) => sum + hourlyCost, 0));
}
