import type { EngineEvent } from "@pulumi/pulumi/automation";
import { resourceNameOf } from "../../provider/cluster/check/names";
import { withoutSequences } from "../../provider/terminal";
import { withoutPlanValues } from "./planValues";

/** One thing that an operation does, has done, or says. */
export interface Progress {
  /**
   * `begins`, `ends` and `fails`: an operation on a resource. `plans`: what a preview says that an `up` will do. `status`: what
   * a resource is at now, until the next one of it. `message`: what stays.
   */
  readonly kind: "plans" | "begins" | "status" | "message" | "ends" | "fails";
  /** Name of the resource in the program; empty for what is about none. */
  readonly resource: string;
  /** URN of the resource; empty for what is about none. */
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

/** What the engine's operations are called; those that are not here change nothing. A replacement comes in two steps. */
const words: Readonly<Record<string, Words>> = {
  create: { begins: "creating", ends: "created", plans: "to be created" },
  update: { begins: "updating", ends: "updated", plans: "to be updated" },
  delete: { begins: "deleting", ends: "deleted", plans: "to be deleted" },
  replace: { plans: "to be replaced" },
  "create-replacement": { begins: "creating", ends: "created" },
  "delete-replaced": { begins: "deleting", ends: "deleted" },
  refresh: { begins: "refreshing", ends: "refreshed" },
};

/** What is the engine's own and no resource of the program. */
const ownTypes = /^pulumi:(pulumi:Stack|providers:)/;

/** What an event of the engine tells people, in lines; nothing for most of them. Pure. */
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

/** The engine's debug lines are left out: they hold what programs pass to resources, secrets in clear. */
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

/** Lines that carry no fact: a headline that counts the errors below it, and calls of a stack. */
const noFact = /^$|^\d+ errors? occurred:$|^at (?:async )?.*:\d+:\d+\)?$/;
/** What stands before a fact: bullets, colours of the engine's own, and how a program's exception is announced. */
const noise = /<\{%[^%]*%\}>|^\s*\*\s|^\s*Unhandled exception: (?:\w*Error: )?/g;

/** The facts of a text of the engine, one a line. */
export function factsIn(text: string): string[] {
  const lines = withoutSequences(text)
    .split("\n")
    .map((line) => line.replace(noise, "").trim());
  return lines.filter((line) => !noFact.test(line));
}
