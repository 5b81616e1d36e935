import type { EngineEvent } from "@pulumi/pulumi/automation";
import { resourceNameOf } from "../../provider/cluster/preview/names";
import { withoutSequences } from "../../provider/text";
import { withoutPlanValues } from "./planValues";

/** One line of an operation's progress. */
export interface Progress {
  /**
   * `begins`, `ends` and `fails`: a step on a resource. `plans`: a step that an `up` would take, in a preview. `status`: the
   * present progress of a resource, until its next `status`. `message`: a lasting message.
   */
  readonly kind: "plans" | "begins" | "status" | "message" | "ends" | "fails";
  /** Name of the resource in the program; empty if the line is about no resource. */
  readonly resource: string;
  /** URN of the resource; empty if the line is about no resource. */
  readonly urn: string;
  /** One line, such as `2/4 replicas healthy, provisioning, 3m10s of 60m`. */
  readonly status: string;
  readonly severity: "info" | "warning" | "error";
}

interface Words {
  readonly begins?: string;
  readonly ends?: string;
  readonly plans?: string;
}

/** Words for the engine's operations; an operation without words changes nothing. A replacement comes in two steps. */
const words: Readonly<Record<string, Words>> = {
  create: { begins: "creating", ends: "created", plans: "to be created" },
  update: { begins: "updating", ends: "updated", plans: "to be updated" },
  delete: { begins: "deleting", ends: "deleted", plans: "to be deleted" },
  replace: { plans: "to be replaced" },
  "create-replacement": { begins: "creating", ends: "created" },
  "delete-replaced": { begins: "deleting", ends: "deleted" },
  refresh: { begins: "refreshing", ends: "refreshed" },
};

/** Types of the engine's own resources, which the program does not declare. */
const ownTypes = /^pulumi:(pulumi:Stack|providers:)/;

/** The lines of progress for an event of the engine; none for most events. Pure. */
export function progressOf(event: EngineEvent): Progress[] {
  const { diagnosticEvent, resourcePreEvent, resOutputsEvent, resOpFailedEvent } = event;
  if (diagnosticEvent) return diagnosticLines(diagnosticEvent);
  if (resourcePreEvent) return step(resourcePreEvent.planning ? "plans" : "begins", resourcePreEvent.metadata);
  if (resOutputsEvent && !resOutputsEvent.planning) return step("ends", resOutputsEvent.metadata);
  if (resOpFailedEvent) return step("fails", resOpFailedEvent.metadata);
  return [];
}

function step(
  kind: "plans" | "begins" | "ends" | "fails",
  { op, urn, type }: { op: string; urn: string; type: string },
) {
  const status = kind === "fails" ? "failed" : words[op]?.[kind];
  if (status === undefined || ownTypes.test(type)) return [];
  return [{ kind, resource: resourceNameOf(urn), urn, status, severity: kind === "fails" ? "error" : "info" } as const];
}

/** Leaves out the engine's debug lines: they hold the inputs of resources, with secrets in plain text. */
const severities: Readonly<Record<string, Progress["severity"]>> = {
  info: "info",
  "info#err": "info",
  warning: "warning",
  error: "error",
};

function diagnosticLines({ urn = "", message, severity, ephemeral }: NonNullable<EngineEvent["diagnosticEvent"]>) {
  const known = severities[severity];
  if (known === undefined) return [];
  const kind = ephemeral ? ("status" as const) : ("message" as const);
  const resource = urn && resourceNameOf(urn);
  return factsIn(withoutPlanValues(message)).map((status) => ({ kind, resource, urn, status, severity: known }));
}

/** Lines that carry no fact: a headline that counts the errors below it, and lines of a call stack. */
const noFact = /^$|^\d+ errors? occurred:$|^at (?:async )?.*:\d+:\d+\)?$/;
/** Text around a fact: the engine's colours, bullets, and the announcement of a program's exception. */
const noise = /<\{%[^%]*%\}>|^\s*\*\s|^\s*Unhandled exception: (?:\w*Error: )?/g;

/** The facts in a text of the engine, one on each line. */
export function factsIn(text: string): string[] {
  const lines = withoutSequences(text)
    .split("\n")
    .map((line) => line.replace(noise, "").trim());
  return lines.filter((line) => !noFact.test(line));
}
