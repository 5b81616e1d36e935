import { type Fault, faultSlots } from "./faults";
import { isRecord, isTextRecord } from "./fields";

interface Rule {
  accepts(value: unknown): boolean;
  words: string;
  optional?: boolean;
}

const text: Rule = { accepts: (value) => typeof value === "string", words: "a string" };
const amount: Rule = { accepts: (value) => typeof value === "number" && value >= 0, words: "a number of at least 0" };
const status: Rule = { accepts: isStatus, words: "a status from 200 to 599" };
const when: Rule = { accepts: (value) => value === "before" || value === "after", words: '"before" or "after"' };
const pattern: Rule = { accepts: (value) => text.accepts(value) || value instanceof RegExp, words: "a path pattern" };
const headers: Rule = { accepts: isTextRecord, words: "an object of strings" };

const targetRules = {
  method: maybe(text),
  path: maybe(pattern),
  name: maybe(text),
  times: maybe(amount),
  after: maybe(amount),
};

const kindRules: Readonly<Record<Fault["kind"], Readonly<Record<string, Rule>>>> = {
  drop: { when: maybe(when) },
  status: { status, code: maybe(text), message: maybe(text), headers: maybe(headers), when: maybe(when) },
  truncate: {},
  html: { status, when: maybe(when) },
  body: { body: text, status: maybe(status), contentType: maybe(text) },
  redirect: { location: text, status: maybe(status) },
  delay: { ms: amount, when: maybe(when) },
  "sick-replica": { replica: amount, message: text },
  flap: { replica: amount, periodMs: amount, flaps: amount },
  fail: { message: text },
  hidden: { ms: amount },
};

/** Parses an untrusted fault, such as JSON on the command line. @throws TypeError that names the wrong field. */
export function parseFault(value: unknown): Fault {
  if (isFault(value)) return value;
  throw new TypeError(`Not a fault: ${problemOf(value)}.`);
}

function isFault(value: unknown): value is Fault {
  return problemOf(value) === undefined;
}

function problemOf(value: unknown): string | undefined {
  if (!isRecord(value)) return "it must be an object";
  const { kind, ...fields } = value;
  if (!isKind(kind)) return `kind must be one of ${Object.keys(faultSlots).join(", ")}`;
  const rules: Readonly<Record<string, Rule>> = { ...targetRules, ...kindRules[kind] };
  const unknown = Object.keys(fields).find((field) => !Object.hasOwn(rules, field));
  if (unknown !== undefined) return `"${unknown}" is no field of ${kind}`;
  for (const [field, rule] of Object.entries(rules)) {
    const given = fields[field];
    if (given === undefined ? !rule.optional : !rule.accepts(given)) return `${field} of ${kind} must be ${rule.words}`;
  }
  return undefined;
}

function isKind(value: unknown): value is Fault["kind"] {
  return typeof value === "string" && Object.hasOwn(faultSlots, value);
}

function isStatus(value: unknown): boolean {
  return typeof value === "number" && Number.isInteger(value) && value >= 200 && value <= 599;
}

function maybe(rule: Rule): Rule {
  return { ...rule, optional: true };
}
