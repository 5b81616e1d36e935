import fc from "fast-check";
import { plainName } from "../../../../provider/base/text";
import { runs } from "../../../support/shares";

/** Variations of the service's answers: each contains the same facts in another form. */

type Json = Record<string, unknown>;

/** Picks one of several values. */
export type Pick = <T>(...values: readonly T[]) => T;

/** The source of all choices of one run. */
const choices = (): fc.Arbitrary<Pick> =>
  fc.infiniteStream(fc.nat(1_000_000)).map((numbers) => {
    return (...values) => values[(numbers.next().value ?? 0) % values.length] as (typeof values)[number];
  });

/** Logs an answer, for the report of a law that does not hold. */
type Log = <T>(answer: T) => T;

/** Checks a law in many variations of each form. */
export function always(law: (pick: Pick, form: Form, log: Log) => void | Promise<void>, numRuns = 100) {
  return async () => {
    for (const form of forms) {
      const property = fc.asyncProperty(choices(), fc.context(), async (pick, context) => {
        await law(pick, form, (answer) => {
          context.log(JSON.stringify(answer));
          return answer;
        });
      });
      await fc.assert(property, { numRuns: runs(numRuns) });
    }
  };
}

const spellings: readonly ((name: string) => string)[] = [
  (name) => name,
  (name) => name.replace(/_([a-z])/g, (_all, letter: string) => letter.toUpperCase()),
  (name) => name.replaceAll("_", "-"),
  (name) => name.replace(/(^|_)([a-z])/g, (_all, _start, letter: string) => letter.toUpperCase()),
];

/** Objects whose names belong to the user or to the service's data: they keep their spelling. */
const keptInside = new Set(["env", "env_vars", "by_id"]);

/** Names that mean nothing to a reader of clusters and GPUs; the values may be anything. */
const unknownNames = ["owner", "labels", "notes", "manufacturer", "internal_ref", "quota", "flavour", "constructor"];
const unknownValues = [null, 7, "x", "", true, [], ["x"], {}, { id: "u-1", name: "acme" }, { status: "fine" }, [[1]]];

/** The same answer with other spelling, order, unknown fields, and null in place of absent values. */
export function varied(json: unknown, pick: Pick, spell = pick(...spellings)): unknown {
  if (Array.isArray(json)) return json.map((item) => varied(item, pick, spell));
  if (typeof json !== "object" || json === null) return json;
  const known = Object.entries(json).map(([name, value]) => {
    const isKept = keptInside.has(name) && typeof value === "object" && !Array.isArray(value);
    const inner = isKept ? value : varied(value, pick, spell);
    return [name === "by_id" ? pick("clusters", "data") : spell(name), inner] as const;
  });
  const extra = Array.from({ length: pick(0, 0, 1, 3) }, () => [
    pick(...unknownNames),
    pick<unknown>(...unknownValues),
  ]);
  const knownNames = new Set(known.map(([name]) => plainName(name)));
  const unknown = extra.filter(([name]) => !knownNames.has(String(name))) as [string, unknown][];
  return Object.fromEntries(shuffled([...known, ...unknown], pick));
}

const places = Array.from({ length: 100 }, (_, place) => place);

export function shuffled<T>(items: readonly T[], pick: Pick): T[] {
  const placed = items.map((item) => ({ item, place: pick(...places) }));
  return placed.sort((one, other) => one.place - other.place).map(({ item }) => item);
}

/** The facts of a cluster, whatever the form is. */
export interface Facts {
  readonly id: string;
  readonly name: string;
  readonly status: string;
  readonly gpu: string;
  readonly replicas: number;
  readonly env: Readonly<Record<string, string>>;
  /** For each replica: how it shows that it is unhealthy, if it is. */
  readonly sick: readonly (Sickness | undefined)[];
}

export const forms = ["specification", "client", "openrelay"] as const;
export type Form = (typeof forms)[number];

/** The record of a cluster, without its replicas. */
export function recordOf({ id, name, status, gpu, replicas, env }: Facts, form: Form): Json {
  const common = { id, name, status, created_at: "2030-01-01T00:00:00Z" };
  const endpoint = `https://${name}.test`;
  if (form === "specification") return { ...common, gpu_type: gpu, replicas, container: "a/b:1", env, endpoint };
  const model = form === "client" ? { gpu_model: { id: gpu, name: `NVIDIA ${gpu}` } } : {};
  const inClientNames = { replica_count: replicas, image_url: "a/b:1", env_vars: env, endpoint_url: endpoint };
  return { ...common, gpu_model_id: gpu, ...model, ...inClientNames };
}

/** An answer about one cluster. */
export function answerOf(record: Json, form: Form, pick: Pick): Json {
  if (form === "client") return { data: record };
  return pick<Json>(record, { cluster: record }, { data: { cluster: record } }, { result: record });
}

/** An answer with a list of clusters, and fields beside it. */
export function listAnswer(list: readonly Json[], form: Form, beside: Json, pick: Pick): unknown {
  if (form === "openrelay") return { items: list, ...beside };
  if (form === "client") return { data: list, ...beside };
  const byId = Object.fromEntries(list.map((record) => [record["id"], record]));
  const forms: unknown[] = [
    { clusters: list, ...beside },
    { data: { clusters: list, ...beside } },
    { result: { clusters: list }, meta: beside },
    { by_id: byId, ...beside },
  ];
  return pick(...forms, ...(Object.keys(beside).length === 0 ? [list] : []));
}

/** Makes a replica show that it is unhealthy. */
type Sickness = (healthy: Json) => Json;
export const sicknesses: readonly Sickness[] = [
  (replica) => ({ ...replica, healthy: false }),
  (replica) => ({ ...replica, is_ready: false }),
  (replica) => ({ ...replica, ready: "false" }),
  (replica) => ({ ...replica, status: "failed" }),
  (replica) => ({ ...replica, healthy: undefined, state: "error", status: undefined }),
  (replica) => ({ ...replica, health: "unhealthy" }),
  (replica) => ({ ...replica, health_status: "critical" }),
  (replica) => ({ ...replica, health: { status: "failed" } }),
  (replica) => ({ ...replica, containers: [{ name: "main", state: "crashed" }] }),
  (replica) => ({ ...replica, status: "pending", healthy: undefined }),
  (replica) => ({ ...replica, probe: { result: { healthy: false } } }),
];

/** The replicas of a cluster. */
export function replicasOf({ id, sick }: Facts): Json[] {
  return sick.map((make, index) => {
    const well = { id: `${id}-${index}`, node: `n${index}`, status: "running", healthy: true };
    const replica = make ? make(well) : well;
    return Object.fromEntries(Object.entries(replica).filter(([, value]) => value !== undefined));
  });
}
