import type { DoctorReport } from "../../../provider/doctor/examine";
import { type FindStack, runDoctor } from "../../../provider/doctor/main";
import type { Simulator, SimulatorOptions } from "../../../simulator";
import { closeSimulators, openSimulator } from "../../support/simulators";

/** Stand for values that no output may contain. */
export const canaries = {
  key: "sk-canary-0123456789abcdef",
  name: "canary-cluster",
  env: "canary-value-of-env",
};

/** A folder that is in no Pulumi project. */
const noStack: FindStack = async () => undefined;

/** Runs the command there. */
export function run(args: readonly string[], env: Readonly<Record<string, string>>, findStack = noStack) {
  return runDoctor(args, env, findStack);
}

/** Every test closes what it has opened. */
afterEach(closeSimulators);

/** A service with so many clusters that have an environment. */
export async function openService(options: SimulatorOptions = {}, clusters = 1): Promise<Simulator> {
  const simulator = await openSimulator({ apiKeys: { [canaries.key]: "org" }, ...options });
  const gpuType = gpuTypes[simulator.dialect.catalog];
  const env = { MODEL: canaries.env, API_TOKEN: `${canaries.env}-2` };
  for (let number = 0; number < clusters; number += 1) {
    simulator.addCluster({ name: `${canaries.name}${number === 0 ? "" : number}`, gpuType, env });
  }
  return simulator;
}

const gpuTypes = { own: "h100", published: "rtx-4090" } as const;

/** The environment of the command. */
export function environmentOf({ url }: Pick<Simulator, "url">, key = canaries.key): Record<string, string> {
  return { GPUCLUSTER_BASE_URL: url, GPUCLUSTER_API_KEY: key };
}

/** The output of the command as data and, from a second run, as text. */
export async function examined(simulator: Pick<Simulator, "url">, ...args: string[]) {
  const env = environmentOf(simulator);
  const json = await run(["--json", ...args], env);
  const text = await run(args, env);
  expect(text.code).toBe(json.code);
  expect(Math.max(...text.out.split("\n").map(({ length }) => length))).toBeLessThanOrEqual(80);
  expect(`${json.err}${text.err}`).toBe("");
  const report: DoctorReport = JSON.parse(json.out);
  return { code: json.code, report, text: text.out, all: `${json.out}${text.out}` };
}

/** The finding about one endpoint. */
export function findingOf({ endpoints }: DoctorReport, endpoint: string) {
  return endpoints.find((finding) => finding.endpoint === `GET ${endpoint}`);
}
