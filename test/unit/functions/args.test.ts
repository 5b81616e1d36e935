import { GpuClusterError } from "../../../provider/base/errors";
import type { Simulator } from "../../../simulator";
import { closeSimulators, openSimulator } from "../../support/simulators";
import { failureOf } from "../cluster/harness";
import { canary } from "../cluster/inputs";
import { configOf, type FunctionName, forgetEnvironment, functionNames, openProvider } from "../providerHarness";

let simulator: Simulator;

beforeAll(async () => {
  forgetEnvironment();
  simulator = await openSimulator();
});
afterEach(() => {
  expect(simulator.requests.splice(0)).toEqual([]);
});
afterAll(closeSimulators);

/** The error of wrong arguments, which quotes none of them. */
async function refusalOf(name: FunctionName, ...args: unknown[]): Promise<string> {
  const error = await failureOf(openProvider(configOf(simulator)).call(name, ...args));
  expect(error).toBeInstanceOf(GpuClusterError);
  expect(error.message).toMatch(new RegExp(`^${name}: [^\\r\\n]*\\. Nothing was sent$`));
  expect(error.message).not.toContain(canary);
  return error.message;
}

/** What each function with arguments takes, in its errors. */
const takes: Partial<Record<FunctionName, string>> = {
  getGpuAvailability: "`type`",
  getCluster: "`id` and `name`",
  getClusterStatus: "`id`",
};

test.each(functionNames)(
  "%s: refuses other arguments before any request, and names those that it takes",
  async (name) => {
    const valid = takes[name] === undefined ? "takes no arguments" : `takes one object, with ${takes[name]}`;
    for (const args of [canary, null, [canary]]) expect(await refusalOf(name, args)).toContain(valid);
    const others = takes[name] === undefined ? "there are none" : `the arguments are ${takes[name]}`;
    const extended = { ...(name.startsWith("getCluster") && takes[name] ? { id: "cl_1" } : {}), region: canary };
    expect(await refusalOf(name, extended)).toContain(`\`region\`: not an argument; ${others}`);
  },
);

const id = "must be the id of a cluster: letters, digits, '-' and '_'";
test.each<[FunctionName, string, unknown, string]>([
  ["getGpuAvailability", "a blank type", { type: " " }, "`type` must be the identifier of a GPU type"],
  ["getGpuAvailability", "an output", { type: { [canary]: canary } }, "call the Output form of the function"],
  ["getCluster", "a path as the id", { id: `../${canary}` }, `\`id\` ${id}`],
  ["getCluster", "nothing", undefined, "give either `id` or `name`"],
  ["getCluster", "both", { id: "cl_1", name: "web" }, "give either `id` or `name`"],
  ["getCluster", "a blank name", { name: " " }, "`name` must be the name of a cluster"],
  ["getCluster", "several wrong arguments", { id: 5, nmae: canary }, "; `nmae`: not"],
  ["getClusterStatus", "no id", {}, "`id` must be a string, the id of a cluster"],
])("%s: refuses %s", async (name, _title, args, text) => {
  expect(await refusalOf(name, args)).toContain(text);
});
