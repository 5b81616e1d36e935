import { spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { newFolder } from "../support/folders";
import { read } from "../support/repository";
import { cliRoot } from "./workspace";

const schema = read("provider/schema/schema.json");

/** Pulumi's own check of a schema. */
function check(text: string) {
  const file = join(newFolder(), "schema.json");
  writeFileSync(file, text);
  const { status, stdout, stderr } = spawnSync(join(cliRoot, "bin/pulumi"), ["schema", "check", file], {
    env: { ...process.env, PULUMI_SKIP_UPDATE_CHECK: "true" },
    encoding: "utf8",
  });
  return { status, output: stdout + stderr };
}

test("Pulumi's check accepts the schema", () => {
  expect(check(schema)).toEqual({ status: 0, output: "" });
});

test("Pulumi's check finds an error in a schema", () => {
  const { status, output } = check(
    schema.replace("#/types/gpucluster:index:GpuPrice", "#/types/gpucluster:index:GpuCost"),
  );
  expect(status).not.toBe(0);
  expect(output).toContain("GpuCost");
});
