import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { cancelCreation } from "../support/dynamicProcess";
import { newFolder } from "../support/folders";
import { repository } from "../support/repository";

const folder = newFolder();

describe("a creation by the dynamic adapter, in the process of the SDK", () => {
  it("ends at once when the engine cancels it, and the new cluster stays in the state", async () => {
    const { id, error, clusters } = await cancelCreation(repository, 3_600_000);
    expect(error).toMatch(/^cluster "web" \(cl_\w+\) .*: interrupted\n/);
    expect(clusters).toEqual([id]);
  });

  it("goes on to its end if Node does not list the active handles: only the interrupt has no effect", async () => {
    const other = join(folder, "other.cjs");
    writeFileSync(other, "delete process._getActiveHandles");
    const { id, error, clusters } = await cancelCreation(repository, 1_000, { more: ["-r", other] });
    expect(error).toBe("");
    expect(clusters).toEqual([id]);
  });
});
