import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { version } from "../../provider/base/version";

const root = join(__dirname, "../..");

/** The files that a script writes, and git holds. */
test.each(["schema", "docs"])("npm run %s: would change nothing", (name) => {
  const args = [join(root, `scripts/${name}.mjs`), "--check"];
  const { status, stderr } = spawnSync(process.execPath, args, { cwd: root, encoding: "utf8" });
  expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
});

test("the version in the code is the one of the package", () => {
  expect(JSON.parse(readFileSync(join(root, "package.json"), "utf8"))).toMatchObject({ version });
});
