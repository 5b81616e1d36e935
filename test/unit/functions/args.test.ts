import { GpuClusterError } from "../../../provider/base/errors";
import type { Simulator } from "../../../simulator";
import { failureOf } from "../cluster/harness";
import { canary } from "../cluster/inputs";
import {
  closeSimulators,
  configOf,
  type FunctionName,
  forgetEnvironment,
  functionNames,
  openProvider,
  openSimulator,
} from "../providerHarness";

let simulator: Simulator;

beforeAll(async () => {
  forgetEnvironment();
  simulator = await openSimulator();
});
afterEach(() => {
  expect(simulator.requests.splice(0)).toEqual([]);
});
afterAll(closeSimulators);

/** The one error of bad arguments, which asks nobody for anything and quotes nothing. */
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

describe.each(functionNames)("%s refuses before any request, and says what is right:", (name) => {
  it.each<[string, unknown]>([
    ["a bare text", canary],
    ["null", null],
    ["a number", 5],
    ["a list", [canary]],
  ])("%s as its arguments", async (_title, args) => {
    expect(await refusalOf(name, args)).toContain(
      takes[name] === undefined ? "takes no arguments" : `takes one object, with ${takes[name]}`,
    );
  });

  it("an argument that is none", async () => {
    const right = name === "getCluster" || name === "getClusterStatus" ? { id: "cl_1" } : {};
    const others = takes[name] === undefined ? "there are none" : `the arguments are ${takes[name]}`;
    expect(await refusalOf(name, { ...right, region: canary })).toContain(`\`region\`: not an argument; ${others}`);
  });
});

const id = "must be the id of a cluster: letters, digits, '-' and '_'";
const ids: [string, unknown, string][] = [
  ["an empty id", { id: "" }, `\`id\` ${id}`],
  ["a path as the id", { id: `../${canary}` }, `\`id\` ${id}`],
  ["an id with a question mark", { id: "cl_1?x" }, `\`id\` ${id}`],
  ["a number as the id", { id: 5 }, "`id` must be a string"],
  ["an object, such as an output", { id: { value: canary } }, "call the Output form of the function"],
  ["several that are wrong", { id: 5, nmae: canary }, "`id` must be"],
  ["several that are wrong", { id: 5, nmae: canary }, "; `nmae`: not"],
];
const ofOne: Partial<Record<FunctionName, [string, unknown, string][]>> = {
  getGpuAvailability: [
    ["an empty type", { type: "" }, '`type` must be the identifier of a GPU type, such as "h100"'],
    ["a blank type", { type: " " }, "`type` must be the identifier"],
    ["a type of dots", { type: ".." }, "`type` must be the identifier"],
    ["null as the type", { type: null }, "`type` must be a string, the identifier"],
    ["a number as the type", { type: 100 }, "`type` must be a string, the identifier"],
    ["an object, such as an output", { type: { [canary]: canary } }, "call the Output form of the function"],
    ["another name of the argument", { gpuType: canary }, "`gpuType`: not an argument"],
  ],
  getCluster: [
    ...ids,
    ["nothing", undefined, "give either `id` or `name`"],
    ["neither", {}, "give either `id` or `name`"],
    ["neither, said twice", { id: undefined, name: undefined }, "give either `id` or `name`"],
    ["both", { id: "cl_1", name: "web" }, "give either `id` or `name`"],
    ["an empty name", { name: "" }, "`name` must be the name of a cluster"],
    ["a blank name", { name: " " }, "`name` must be the name of a cluster"],
    ["a number as the name", { name: 5 }, "`name` must be a string, the name of a cluster"],
  ],
  getClusterStatus: [
    ...ids,
    ["nothing", undefined, "`id` must be a string, the id of a cluster"],
    ["no id", {}, "`id` must be a string, the id of a cluster"],
  ],
};

test.each(
  functionNames.flatMap((name) => (ofOne[name] ?? []).map(([title, args, text]) => [name, title, args, text] as const)),
)("%s refuses %s, and says what is right", async (name, _title, args, text) => {
  expect(await refusalOf(name, args)).toContain(text);
});
