import type { Dialect } from "./dialectOptions";
import { nameOf, requestNames } from "./fieldNames";
import { invalid, isRecord, type Parser } from "./fields";

/** One field with its name and value in the request. */
interface Sent {
  name: string;
  value: unknown;
}

/** The fields of a request body, by names that do not depend on the vocabulary of the request. */
export interface Fields {
  sent: ReadonlyMap<string, Sent>;
  /** The name of a missing field in messages. */
  nameOf(field: string): string;
}

/** Reads a body. Refuses or ignores fields that are not `known`, as the dialect says. */
export function fieldsOf(body: unknown, known: readonly string[], dialect: Dialect): Fields {
  if (!isRecord(body)) throw invalid("The body must be a JSON object.");
  const fields = new Map(known.flatMap((field) => requestNames(field, dialect).map((name) => [name, field])));
  const sent = new Map<string, Sent>();
  for (const [name, value] of Object.entries(body)) {
    const field = fields.get(name);
    const other = field === undefined ? undefined : sent.get(field);
    if (other) throw invalid(`The fields "${other.name}" and "${name}" say the same.`);
    if (field !== undefined) sent.set(field, { name, value });
    else if (refusesUnknown(dialect)) {
      throw invalid(`Unknown field "${name}". Known here: ${[...fields.keys()].join(", ")}.`);
    }
  }
  return { sent, nameOf: (field) => nameOf(field, dialect) };
}

/** Reads a required field. */
export function required<T>(fields: Fields, field: string, parse: Parser<T>): T {
  const sent = fields.sent.get(field);
  if (!sent) throw invalid(`The field "${fields.nameOf(field)}" is missing.`);
  return parse(sent.value, sent.name);
}

/** Reads an optional field. An explicit null is refused like any other wrong value. */
export function optional<T>({ sent }: Fields, field: string, parse: Parser<T>): T | undefined {
  const found = sent.get(field);
  return found && parse(found.value, found.name);
}

/** Whether unknown fields are refused. A service without a vocabulary always refuses, so that clients learn of it. */
function refusesUnknown({ requestNames: names, unknownFields }: Dialect): boolean {
  return names === "neither" || unknownFields === "refused";
}
