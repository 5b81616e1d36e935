import { clientChanged, clientCreated, clientDetail, clientListed, clientScaled, shown } from "./clientRecords";
import { clusterDetail, clusterRecord, createdRecord } from "./clusterRecords";
import type { PerValue } from "./dialectOptions";
import type { Service } from "./service";
import type { SimulatedCluster } from "./snapshot";

/** The records of clusters in the answers of one kind of service. */
interface RecordForm {
  /** The whole answer to a creation. */
  created(cluster: SimulatedCluster): unknown;
  /** The record in a list. */
  listed(cluster: SimulatedCluster): object;
  /** The answer to a read by id. */
  detail(cluster: SimulatedCluster): unknown;
  /** The answer to a change; for a scale, `before` is the number of replicas before the change. */
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

/** The record form of a service's dialect. */
export function recordForm(service: Service): RecordForm {
  return recordForms[service.dialect.records](service);
}

/** The wrapping of a single cluster in an answer. */
const oneCluster: PerValue<"recordShape", (record: object) => unknown> = {
  bare: (record) => record,
  wrapped: (record) => ({ cluster: record }),
  data: (record) => ({ data: record }),
};
