import { outputWithoutPlanValues } from "./planValues";
import type { Progress } from "./progress";

export type Operation = "up" | "preview" | "refresh" | "destroy";

/** One line of what went wrong. */
export interface Fact {
  /** Name of the resource in the program; empty if the fact is about no resource. */
  readonly resource: string;
  readonly text: string;
}

/** Why an operation did not succeed: an error, its `signal`, or another operation that has locked the stack. */
export type Reason = "failed" | "canceled" | "locked";

const headlines: Readonly<Record<Reason, string>> = {
  failed: "failed",
  canceled: "was canceled",
  locked: "did not begin: another operation has the stack",
};

/** An operation on a stack that did not succeed. Its message contains every fact, one on each line. */
export class AutomationError extends Error {
  override readonly name = "AutomationError";

  constructor(
    readonly operation: Operation,
    readonly stackName: string,
    readonly reason: Reason,
    readonly facts: readonly Fact[] = [],
  ) {
    const lines = facts.map(({ resource, text }) => `\n  ${resource && `${resource}: `}${text}`);
    super(`${operation} of ${stackName} ${headlines[reason]}${lines.join("")}`);
    // Programs print the `stack` of an uncaught error; the call stack of this one helps nobody.
    this.stack = `${this.name}: ${this.message}`;
  }
}

/** The engine's closing line, which adds nothing if there is any other error. */
const closingLine = /^\w+ (failed|canceled)$/;

/**
 * The facts of a failure, each once: the errors of the resources, else the errors that the CLI printed. Pure.
 * @param errors The messages with severity `error`, in their order.
 * @param text The whole output of the CLI.
 */
export function factsOf(errors: readonly Progress[], text: string): Fact[] {
  const output = outputWithoutPlanValues(text);
  const said = errors.map(({ resource, status }) => ({ resource, text: status }));
  const telling = said.filter(({ text }) => !closingLine.test(text));
  const printed = [...output.matchAll(/^(?: *stderr: )?error: (.+)$/gm)].map(([, text = ""]) => ({
    resource: "",
    text,
  }));
  const anything = /\S.*/.exec(output.replace(/^.*?stderr:/s, ""))?.slice(0, 1) ?? [];
  const last = anything.map((text) => ({ resource: "", text }));
  const facts = [telling, said, printed].find((some) => some.length > 0) ?? last;
  return [...new Map(facts.map((fact) => [`${fact.resource}\n${fact.text}`, fact])).values()];
}
