import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { manifest, repository } from "../support/repository";

const { bin } = manifest;

/** Runs the one command of the package. */
function run(...args: string[]) {
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    [join(repository, bin["pulumi-gpucluster"]), ...args],
    {
      encoding: "utf8",
    },
  );
  return { code: status, out: stdout, err: stderr };
}

test("the package has one command", () => {
  expect(Object.keys(bin)).toEqual(["pulumi-gpucluster"]);
});

test.each(["doctor", "report", "simulator"])("each part of the command has its own options: %s", (name) => {
  expect(run(name, "--help")).toEqual({
    code: 0,
    out: expect.stringContaining(`Usage: pulumi-gpucluster ${name} `),
    err: "",
  });
  expect(run(name, "--help").out).toMatch(new RegExp(`^Example: npx pulumi-gpucluster ${name} --`, "m"));
  const { code, out, err } = run(name, "--no-such-option");
  expect({ code, out }).toEqual({ code: 2, out: "" });
  expect(err).toMatch(/^pulumi-gpucluster: .*--no-such-option/);
  expect(err).toContain(`\nSee pulumi-gpucluster ${name} --help.\n`);
});

test.each([[[]], [["--help"]], [["-h"]]])("the command lists its parts: %j", (args) => {
  const { code, out } = run(...args);
  expect(code).toBe(0);
  expect(out.match(/^ {2}\w+/gm)).toEqual(["  doctor", "  report", "  simulator"]);
  expect(Math.max(...out.split("\n").map(({ length }) => length))).toBeLessThanOrEqual(80);
});

test.each([
  ["Report", "Did you mean report?"],
  ["sim", "Did you mean simulator?"],
  ["deploy", "The commands are doctor, report, simulator."],
  ["toString", "The commands are doctor, report, simulator."],
])("the command refuses an unknown part: %s", (name, advice) => {
  expect(run(name)).toEqual({ code: 2, out: "", err: `pulumi-gpucluster: "${name}" is not a command. ${advice}\n` });
});
