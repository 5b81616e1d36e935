import type { Simulator } from "../../simulator";

/** The clusters that cost money. */
export function living(simulator: Simulator) {
  return simulator.clusters().filter(({ status }) => status !== "gone" && status !== "terminating");
}
