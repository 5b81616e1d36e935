import { outputWithoutPlanValues } from "./planValues";
import type { Progress } from "./progress";

export type Operation = "up" | "preview" | "refresh" | "destroy";

/** One line of what went wrong. */
export interface Fact {
  /** Name of the resource in the program; empty for what is about none. */
  readonly resource: string;
  readonly text: string;
}

/** Why an operation ended without success: by an error, by its `signal`, or because another one has the stack. */
export type Reason = "failed" | "canceled" | "locked";

const headlines: Readonly<Record<Reason, string>> = {
  failed: "failed",
  canceled: "was canceled",
  locked: "did not begin: another operation has the stack",
};

/** An operation on a stack that did not succeed. Its message is all there is to know, one fact a line. */
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
    // Programs print the stack of an error that nobody catches; where this one was made says nothing.
    this.stack = `${this.name}: ${this.message}`;
  }
}

/** The engine's own last word, which says nothing where there is another. */
const lastWord = /^\w+ (failed|canceled)$/;

/**
 * What went wrong, each fact once: what the resources said, else what the CLI did. Pure.
 * @param errors The messages with severity `error`, in their order.
 * @param text Everything that the CLI has printed.
 */
export function factsOf(errors: readonly Progress[], text: string): Fact[] {
  const output = outputWithoutPlanValues(text);
  const said = errors.map(({ resource, status }) => ({ resource, text: status }));
  const telling = said.filter(({ text }) => !lastWord.test(text));
  const printed = [...output.matchAll(/^(?: *stderr: )?error: (.+)$/gm)].map(([, text = ""]) => ({
    resource: "",
    text,
  }));
  const anything = /\S.*/.exec(output.replace(/^.*?stderr:/s, ""))?.slice(0, 1) ?? [];
  const last = anything.map((text) => ({ resource: "", text }));
  const facts = [telling, said, printed].find((some) => some.length > 0) ?? last;
  return [...new Map(facts.map((fact) => [`${fact.resource}\n${fact.text}`, fact])).values()];
}
