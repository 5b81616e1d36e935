import { type Answer, errorBody } from "./answers";
import type { ClusterState, Timing } from "./clusterState";
import type { Dialect } from "./dialectOptions";
import type { AnswerFault, Fault } from "./faults";
import type { FaultStage, PendingFaults } from "./pendingFaults";

/** The answer to a request with a fault; `effect` performs the request. */
export function applyAnswerFault(fault: AnswerFault, effect: () => Answer, dialect: Dialect): Answer {
  const real = hasEffect(fault) ? effect() : { status: 0 };
  switch (fault.kind) {
    case "drop":
      return { ...real, connection: "drop" };
    case "truncate":
      return { ...real, connection: "truncate" };
    case "status":
      return statusAnswer(fault, dialect);
    case "html":
      return { status: fault.status, text: pageOf(fault.status), headers: { "Content-Type": "text/html" } };
    case "body": {
      const headers = { ...real.headers, "Content-Type": fault.contentType ?? "application/json" };
      return { status: fault.status ?? real.status, text: fault.body, headers };
    }
    case "redirect":
      return { status: fault.status ?? 302, headers: { Location: fault.location } };
  }
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

function pageOf(status: number): string {
  return `<!DOCTYPE html><html><head><title>${status}</title></head><body><h1>${status}</h1></body></html>\n`;
}

/** Applies the pending faults to a new cluster, or to one whose replicas were just replaced. */
export function applyClusterFaults(
  faults: PendingFaults,
  stage: FaultStage,
  state: ClusterState,
  now: number,
  timing: Timing,
): void {
  const subject = { method: "POST", path: "/v1/clusters", name: state.name, container: state.deployed.container };
  for (const fault of faults.take(stage, subject)) applyClusterFault(fault, state, now, timing);
}

function applyClusterFault(fault: Fault, state: ClusterState, now: number, { provisioningMs }: Timing): void {
  if (fault.kind === "hidden") state.hiddenUntil = state.createdAt + fault.ms;
  if (fault.kind === "sick-replica") {
    state.sick = { replica: fault.replica, message: fault.message, blocking: true };
  }
  if (fault.kind === "flap") {
    state.flapping = { replica: fault.replica, periodMs: fault.periodMs, flaps: fault.flaps };
  }
  if (fault.kind === "fail") {
    state.failure = { message: fault.message, at: now + provisioningMs / 2, lasting: true };
  }
}
