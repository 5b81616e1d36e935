import { clusterTable, type Reader, verdictNames } from "../records";
import type { Health, ServiceInfo } from "../types";
import { Fields, object, text } from "./json";
import { unwrap } from "./lists";
import { healthIn } from "./statusRecord";

/** Reads `/health`: a success is healthy unless a flag or a known word about the whole says no. */
export const readHealth: Reader<Health> = (json) => {
  const raw = object(json) ?? { status: json };
  const fields = new Fields(unwrap(raw));
  const { status = "" } = fields.read({ status: clusterTable.status });
  return { healthy: healthIn(fields, verdictNames) ?? true, status, raw };
};

/** Reads the descriptor document (section 4). */
export const readServiceInfo: Reader<ServiceInfo> = (json) => {
  const raw = object(json) ?? {};
  const texts = { name: [text, "name"], version: [text, "version"], documentation: [text, "documentation"] } as const;
  const fields = new Fields(raw);
  return { ...fields.read(texts), endpoints: object(fields.get("endpoints")) ?? {}, raw };
};
