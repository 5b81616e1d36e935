import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { cancelCreation } from "../support/dynamicProcess";

const repository = resolve(__dirname, "../..");
const folder = mkdtempSync(join(tmpdir(), "gpucluster-cancel-"));

afterAll(() => rmSync(folder, { recursive: true }));

describe("a creation by the dynamic adapter, in the process of the SDK", () => {
  it("ends at once when the engine cancels it, and the new cluster stays in the state", async () => {
    const { id, error, clusters } = await cancelCreation(repository, 3_600_000);
    expect(error).toMatch(/^cluster "web" \(cl_\w+\) .*: interrupted\n/);
    expect(clusters).toEqual([id]);
  });

  it.each([
    ["Node does not tell which handles are active", "delete process._getActiveHandles"],
    ["Node tells something else", 'process._getActiveHandles = () => "none"'],
    ["no handle is the server", "process._getActiveHandles = () => [process.stdin, undefined, {}]"],
  ])("goes on to its end if %s: only the interrupt is without effect", async (_why, change) => {
    const other = join(folder, "other.cjs");
    writeFileSync(other, change);
    const { id, error, clusters } = await cancelCreation(repository, 1_000, { more: ["-r", other] });
    expect(error).toBe("");
    expect(clusters).toEqual([id]);
  });
});
