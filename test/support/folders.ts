import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const made: string[] = [];
afterAll(() => {
  for (const folder of made) rmSync(folder, { recursive: true, force: true });
});

/** A new, empty folder, which the end of the test file removes. */
export function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "gpucluster-test-"));
  made.push(folder);
  return folder;
}
