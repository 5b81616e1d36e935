import { inputNames, outputNames } from "../../provider/cluster/schema/fields";
import { Workspace } from "../engine/workspace";
import { atMost, type Row } from "./rows";
import { openUnlimited } from "./service";

const clusters = 200;
/** Previews of each project, in turn, so that other load on the machine slows all of them. */
const rounds = 5;
const inputs = `gpuType: "h100", container: "acme/model:1", env: { MODEL: "meta/llama-3-8b", TOKEN: "secret-" + i }`;

/** What the class `Cluster` declares besides what the program gives, so that the program can read it. */
const declared = [...inputNames, ...outputNames];

/** Programs of as many resources, in the words of `Workspace`: `pulumi` and `gpu` are defined. */
const programs = {
  ours: `for (let i = 0; i < ${clusters}; i++) new gpu.Cluster("c" + i, { ${inputs} });`,
  sameFields: emptyProgram(`${declared.map((name) => `${name}: undefined`).join(", ")}, ${inputs}`),
  empty: emptyProgram(`gpuType: "h100"`),
};

/** Resources whose provider does nothing, declared as ours are: no provider is serialized at each start. */
function emptyProgram(fields: string): string {
  const provider = 'exports.handler=()=>({create:async inputs=>({id:"1",outs:inputs})})';
  return `const __provider = ${JSON.stringify(provider)};
const type = "pulumi-nodejs:dynamic/bench:Empty";
for (let i = 0; i < ${clusters}; i++) new pulumi.CustomResource(type, "c" + i, { ${fields}, __provider });`;
}

type Program = keyof typeof programs;

/** A preview of unchanged clusters by the real engine, beside those of resources that do nothing. */
export async function unchangedPreview(): Promise<Row> {
  const { simulator, env } = await openUnlimited(300);
  const names = Object.keys(programs) as Program[];
  const projects = new Map<Program, Workspace>();
  try {
    for (const name of names) projects.set(name, await upProject(env, programs[name]));
    const before = simulator.requests.length;
    const times: Record<Program, number[]> = { ours: [], sameFields: [], empty: [] };
    for (let round = 0; round < rounds; round += 1) {
      for (const [name, workspace] of projects) times[name].push(await secondsOf(workspace));
    }
    const requests = (simulator.requests.length - before) / rounds;
    const over = (base: Program) => median(times.ours.map((seconds, round) => seconds / (times[base][round] ?? 0)));
    return {
      run: `preview of ${clusters} without changes`,
      ours: { seconds: median(times.ours), requests },
      note: `${over("empty").toFixed(2)} of resources with one field`,
      // Measured: 1.21 to 1.25. Each cluster costs two calls of the provider that have something to do, a check and a diff.
      targets: [atMost("of resources with as many fields that do nothing", over("sameFields"), 1.3, 2)],
    };
  } finally {
    await simulator.close();
    for (const workspace of projects.values()) workspace.remove();
  }
}

async function upProject(env: Record<string, string>, program: string): Promise<Workspace> {
  const workspace = new Workspace({ env, program });
  workspace.init();
  await workspace.succeed("up", "--yes", "--skip-preview", "--parallel", "64");
  return workspace;
}

async function secondsOf(workspace: Workspace): Promise<number> {
  const startMs = performance.now();
  await workspace.succeed("preview");
  return (performance.now() - startMs) / 1_000;
}

function median(values: readonly number[]): number {
  return [...values].sort((one, other) => one - other)[Math.floor(values.length / 2)] ?? Number.NaN;
}
