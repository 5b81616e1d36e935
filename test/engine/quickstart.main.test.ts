import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { repository } from "../support/repository";
import { closeFixtures, living, openFixture, until } from "./harness";
import { type Run, startProcess } from "./workspace";

afterAll(closeFixtures);

describe("the quickstart", () => {
  it("keeps its GPU type when prices and stock have changed between two runs", async () => {
    const { workspace, simulator, writes } = await openFixture("");
    workspace.programFile("examples/quickstart/index.ts");
    expect((await workspace.up()).code).toBe(0);
    const chosen = living(simulator)[0]?.gpuType ?? "";
    writes();
    simulator.setGpuType("h200", { pricePerHour: 0.01, stock: 500 });
    simulator.setGpuType(chosen, { pricePerHour: 999, stock: 0 });
    expect((await workspace.up("--expect-no-changes")).code).toBe(0);
    expect(writes()).toEqual([]);
  });
});

describe("npm start", () => {
  // A folder of its own: parallel tests make temporary folders too.
  let temporary: string;
  beforeEach(() => {
    temporary = mkdtempSync(join(tmpdir(), "gpucluster-start-"));
  });
  afterEach(() => rmSync(temporary, { recursive: true, force: true }));

  /** Folders and stack files of the demo, without the folder that the providers of a run share, and what Pulumi and ts-node keep. */
  const leftovers = () =>
    [...readdirSync(temporary), ...readdirSync(repository)].filter((name) =>
      /^gpucluster-(?!\d+$)|^Pulumi\.demo/.test(name),
    );

  it("runs the whole tour and leaves nothing behind", async () => {
    const { code, output } = await runStart(temporary);
    expect(output).toContain("~ replicas");
    expect(output).toContain("Done: nothing is left running");
    expect(code).toBe(0);
    expect(leftovers()).toEqual([]);
  });

  it("cleans up after itself when it is interrupted", async () => {
    // Any progress line: on a busy machine, the first lines may be missing.
    const { code, output } = await runStart(temporary, " of 60m");
    expect(output).toContain("Interrupted. Nothing is left running.");
    expect(code).toBe(130);
    expect(leftovers()).toEqual([]);
  });
});

/** As in a terminal, Ctrl-C goes to the whole foreground group. */
async function runStart(temporary: string, interruptAt?: string): Promise<Run> {
  const env = { ...process.env, TMPDIR: temporary };
  const run = startProcess(process.execPath, ["scripts/start.mjs"], { cwd: repository, env, detached: true });
  if (interruptAt !== undefined) {
    await until("the tour waits for a cluster", () => run.output().includes(interruptAt), 120_000);
    process.kill(-run.pid, "SIGINT");
  }
  return run.ended;
}
