import { type Bench, canaryKey, closeBenches, openBench } from "./harness";

/** Canaries in the key, in the program's values, and in values that the service adds or changes: none may show anywhere. */
const program = `
new gpu.Cluster("web", {
  gpuType: config.get("gpuType") ?? "h100",
  container: "acme/model:1",
  env: { TOKEN: "canary-given", ...config.getObject("more") },
});
`;
const loud = ["-v9", "--logtostderr"];

let bench: Bench;
const outputs: string[] = [];

beforeAll(async () => {
  bench = await openBench(program, { dialect: { injectedEnv: { SERVICE_TOKEN: "canary-injected" } } });
});
afterAll(closeBenches);

async function pulumi(...args: string[]): Promise<number | null> {
  const { code, output } = await bench.workspace.pulumi(...args);
  outputs.push(output);
  return code;
}

/** The places where a canary shows, with the text around them. */
function leaks(text: string): string[] {
  return [...text.matchAll(/.{0,80}canary[\w-]*/g)].map(([found]) => found);
}

/** The output without the engine's log: at level 9 it contains all messages to providers, with the program's secrets. */
function withoutEngineLog(output: string): string {
  return output.replace(/^\{"time":.*$/gm, "");
}

describe("no secret shows, whatever the commands print", () => {
  it("at a creation with every log on", async () => {
    expect(await pulumi("up", "--yes", "--skip-preview", ...loud)).toBe(0);
  });

  it("at a refresh that finds values that the service has added and changed", async () => {
    const [web] = bench.simulator.clusters();
    bench.simulator.change(web?.id ?? "", { env: { TOKEN: "canary-changed", NEW_BY_SERVICE: "canary-new" } });
    expect(await pulumi("refresh", "--yes", "--skip-preview", "--diff", ...loud)).toBe(0);
    expect(outputs.at(-1)).toContain("NEW_BY_SERVICE");
  });

  it("in a preview of the change back, as text and as JSON", async () => {
    expect(await pulumi("preview", "--diff")).toBe(0);
    expect(await pulumi("preview", "--json")).toBe(0);
  });

  it("if the inputs are wrong", async () => {
    const wrong = ["--config", "engine-test:gpuType=?", "--config", 'engine-test:more={"9BAD":"canary-name"}'];
    expect(await pulumi("preview", ...wrong)).not.toBe(0);
    expect(outputs.at(-1)).toMatch(/env\.9BAD: must be a name/);
  });

  it("if the service quotes them in its refusals", async () => {
    await pulumi("config", "rm", "more");
    await pulumi("config", "rm", "gpuType");
    const message = `the key ${canaryKey} may not set canary-changed`;
    bench.simulator.fault({ kind: "status", status: 403, message, path: "/v1/clusters/*", times: 100 });
    expect(await pulumi("up", "--yes", "--skip-preview")).not.toBe(0);
    expect(await pulumi("destroy", "--yes", "--skip-preview")).not.toBe(0);
    expect(outputs.at(-1)).toContain("may not set [secret]");
  });

  it("in no output and in no state", async () => {
    const state = bench.workspace.stateText();
    expect(state).toContain("NEW_BY_SERVICE");
    expect(leaks(state)).toEqual([]);
    expect(outputs.map(withoutEngineLog).flatMap(leaks)).toEqual([]);
    expect(outputs.filter((output) => output.includes(canaryKey))).toEqual([]);
  });
});
