import { clientChanged, clientCreated, clientDetail, clientListed, clientScaled, shown } from "./clientRecords";
import { clusterDetail, clusterRecord, createdRecord } from "./clusterRecords";
import type { PerValue } from "./dialectOptions";
import type { Service } from "./service";
import type { SimulatedCluster } from "./snapshot";

/** The records of clusters, as one kind of service answers them. */
interface RecordForm {
  /** The whole answer to a creation. */
  created(cluster: SimulatedCluster): unknown;
  /** In a list. */
  listed(cluster: SimulatedCluster): object;
  /** By id. */
  detail(cluster: SimulatedCluster): unknown;
  /** In the answer to a change; `before` is the number of replicas that there were, if the change was a scale. */
  changed(cluster: SimulatedCluster, before?: number): unknown;
}

const recordForms: PerValue<"records", (service: Service) => RecordForm> = {
  specification: ({ dialect }) => {
    const around = oneCluster[dialect.recordShape];
    return {
      created: (cluster) => createdRecord(cluster, dialect),
      listed: (cluster) => clusterRecord(cluster, dialect),
      detail: (cluster) => around(clusterDetail(cluster, dialect)),
      changed: (cluster) => around(clusterRecord(cluster, dialect)),
    };
  },
  client: ({ dialect, fleet }) => {
    const around = oneCluster[dialect.recordShape];
    const facts = (cluster: SimulatedCluster) => shown(cluster, fleet, dialect);
    return {
      created: (cluster) => around(clientCreated(facts(cluster))),
      listed: (cluster) => clientListed(facts(cluster)),
      detail: (cluster) => around(clientDetail(facts(cluster))),
      changed: (cluster, before) =>
        around(before === undefined ? clientChanged(facts(cluster)) : clientScaled(facts(cluster), before)),
    };
  },
};

/** How a service renders its clusters. */
export function recordForm(service: Service): RecordForm {
  return recordForms[service.dialect.records](service);
}

/** What is around the one cluster of an answer. */
const oneCluster: PerValue<"recordShape", (record: object) => unknown> = {
  bare: (record) => record,
  wrapped: (record) => ({ cluster: record }),
  data: (record) => ({ data: record }),
};
