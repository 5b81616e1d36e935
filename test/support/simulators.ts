import { type Simulator, type SimulatorOptions, startSimulator } from "../../simulator";

const open: Simulator[] = [];

/** A simulator that `closeSimulators` closes. */
export async function openSimulator(options: SimulatorOptions = {}): Promise<Simulator> {
  const simulator = await startSimulator(options);
  open.push(simulator);
  return simulator;
}

export async function closeSimulators(): Promise<void> {
  await Promise.all(open.splice(0).map((simulator) => simulator.close()));
}
