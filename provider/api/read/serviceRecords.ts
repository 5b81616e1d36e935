import type { Health, ServiceInfo } from "../../types";
import { healthNames, type Reader } from "../records";
import { stateOf } from "../states";
import { asFlag, asRecord, asText, defined, Fields } from "./json";

/** Reads `/health`: a flag, else a word, else the success itself. */
export const readHealth: Reader<Health> = (json) => {
  const raw = typeof json === "object" ? asRecord(json) : { status: json };
  const fields = new Fields(raw);
  const status = fields.first(healthNames.word, asText) ?? "";
  const said = status === "" ? true : stateOf(status) === "running";
  return { healthy: fields.first(healthNames.flag, asFlag) ?? said, status, raw };
};

/** Reads the descriptor document (section 4). */
export const readServiceInfo: Reader<ServiceInfo> = (json) => {
  const raw = asRecord(json);
  const fields = new Fields(raw);
  return defined({
    name: fields.first(["name"], asText),
    version: fields.first(["version"], asText),
    documentation: fields.first(["documentation"], asText),
    endpoints: asRecord(fields.get("endpoints")),
    raw,
  });
};
