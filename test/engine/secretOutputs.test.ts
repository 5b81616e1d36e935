import { type Bench, closeBenches, openBench } from "./harness";

const program = `
const native = require("pulumi-gpucluster/native");
const args = { gpuType: "h100", container: "acme/model:1", replicas: config.getNumber("replicas") };
const options = config.getBoolean("open") ? {} : { additionalSecretOutputs: ["endpoint", "createdAt", "hourlyCost"] };
new gpu.Cluster("web", args, options);
new native.Cluster("api", args, options);
`;

const up = ["up", "--yes", "--skip-preview", "--diff"];
let bench: Bench;
const outputs: string[] = [];

beforeAll(async () => {
  bench = await openBench(program);
  await pulumi(...up, "--config", "engine-test:open=true");
  await bench.workspace.succeed("config", "rm", "open");
});
afterAll(closeBenches);

async function pulumi(...args: string[]): Promise<void> {
  const { code, output } = await bench.workspace.pulumi(...args);
  outputs.push(output);
  expect(code).toBe(0);
}

/** Values marked as secrets that are somewhere in plain text, each with the text around it. */
function leaks(text: string): string[] {
  const clusters = bench.simulator.clusters();
  expect(clusters).toHaveLength(2);
  const secrets = clusters.flatMap(({ endpoint, createdAt }) => [endpoint, createdAt]);
  const costs = text.match(/"?hourlyCost"? *: *\d.*|it cost \d.*/g) ?? [];
  return [...text.split("\n").filter((line) => secrets.some((secret) => line.includes(secret))), ...costs];
}

describe("outputs that are marked as secret by `additionalSecretOutputs` are nowhere in plain text", () => {
  const steps: [string, string[]][] = [
    ["the option was added, and nothing else", up],
    ["a preview of a change", ["preview", "--diff", "--config", "engine-test:replicas=2"]],
    ["the change", up],
    ["a refresh", ["refresh", "--yes", "--skip-preview", "--diff"]],
    ["the destruction of both", ["destroy", "--yes", "--skip-preview", "--diff"]],
  ];

  it.each(steps)("after %s", async (_step, args) => {
    await pulumi(...args);
    expect(leaks(outputs.at(-1) ?? "")).toEqual([]);
    expect(leaks(bench.workspace.stateText())).toEqual([]);
  });
});
