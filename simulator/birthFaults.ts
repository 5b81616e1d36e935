import type { ClusterState } from "./clusterState";
import type { Service } from "./service";

/** Applies the pending faults for new clusters to a new cluster. */
export function applyBirthFaults({ fleet, faults }: Service, state: ClusterState): void {
  for (const fault of faults.take("birth", { method: "POST", path: "/v1/clusters", name: state.name })) {
    if (fault.kind === "hidden") state.hiddenUntil = state.createdAt + fault.ms;
    if (fault.kind === "sick-replica") {
      state.sick = { replica: fault.replica, message: fault.message, blocking: true };
    }
    if (fault.kind === "flap") {
      state.flapping = { replica: fault.replica, periodMs: fault.periodMs, flaps: fault.flaps };
    }
    if (fault.kind === "fail") {
      const at = state.createdAt + fleet.timing.provisioningMs / 2;
      state.failure = { message: fault.message, at, lasting: true };
    }
  }
}
