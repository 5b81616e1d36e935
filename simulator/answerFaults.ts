import type { Answer } from "./answer";
import type { Dialect } from "./dialectOptions";
import { errorBody } from "./errorAnswers";
import { type AnswerFault, type DelayFault, type Fault, faultSlots } from "./faults";

/** The answer to a request with a fault; `effect` performs the request. */
export function spoil(fault: AnswerFault, effect: () => Answer, dialect: Dialect): Answer {
  const real = hasEffect(fault) ? effect() : { status: 0 };
  switch (fault.kind) {
    case "drop":
      return { ...real, wire: "drop" };
    case "truncate":
      return { ...real, wire: "truncate" };
    case "status":
      return statusAnswer(fault, dialect);
    case "html":
      return { status: fault.status, text: page(fault.status), headers: { "Content-Type": "text/html" } };
    case "body": {
      const headers = { ...real.headers, "Content-Type": fault.contentType ?? "application/json" };
      return { status: fault.status ?? real.status, text: fault.body, headers };
    }
    case "redirect":
      return { status: fault.status ?? 302, headers: { Location: fault.location } };
  }
}

/** The one fault among them that spoils the answer. */
export function answerFault(faults: readonly Fault[]): AnswerFault | undefined {
  return faults.find(isAnswerFault);
}

/** Milliseconds by which the faults delay a request before or after its effect. */
export function delayOf(faults: readonly Fault[], when: "before" | "after"): number {
  const delay = faults.find((fault): fault is Fault & DelayFault => fault.kind === "delay");
  return delay && (delay.when ?? "before") === when ? delay.ms : 0;
}

function isAnswerFault(fault: Fault): fault is Fault & AnswerFault {
  return faultSlots[fault.kind].slot === "answer";
}

function hasEffect(fault: AnswerFault): boolean {
  if (fault.kind === "truncate" || fault.kind === "body") return true;
  return fault.kind !== "redirect" && fault.when === "after";
}

function statusAnswer(fault: AnswerFault & { kind: "status" }, dialect: Dialect): Answer {
  const { status, code = `fault_${status}`, message = `Simulated status ${status}.`, headers } = fault;
  if (status === 204 || status === 304) return { status, headers };
  return errorBody({ status, code, message }, dialect, headers);
}

function page(status: number): string {
  return `<!DOCTYPE html><html><head><title>${status}</title></head><body><h1>${status}</h1></body></html>\n`;
}
