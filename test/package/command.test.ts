import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";

const repository = resolve(__dirname, "../..");
const { bin } = JSON.parse(readFileSync(join(repository, "package.json"), "utf8"));

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

it("the package has one command", () => {
  expect(Object.keys(bin)).toEqual(["pulumi-gpucluster"]);
});

it.each(["doctor", "report", "simulator"])("it has %s, with options of its own", (name) => {
  expect(run(name, "--help")).toEqual({
    code: 0,
    out: expect.stringContaining(`Usage: pulumi-gpucluster ${name} `),
    err: "",
  });
  const { code, out, err } = run(name, "--no-such-option");
  expect({ code, out }).toEqual({ code: 2, out: "" });
  expect(err).toMatch(/^pulumi-gpucluster: .*--no-such-option/);
  expect(err).toContain(`\nSee pulumi-gpucluster ${name} --help.\n`);
});

it.each([["--help"], ["-h"]])("it names what it has with %s", (flag) => {
  const { code, out } = run(flag);
  expect(code).toBe(0);
  expect(out.match(/^ {2}\w+/gm)).toEqual(["  doctor", "  report", "  simulator"]);
  expect(Math.max(...out.split("\n").map(({ length }) => length))).toBeLessThanOrEqual(80);
});

it.each([
  [[], "a command is missing"],
  [["examine"], '"examine" is no command'],
  [["toString"], '"toString" is no command'],
])("it refuses %j", (args, problem) => {
  const err = `pulumi-gpucluster: ${problem}. Commands: doctor, report, simulator.\nSee pulumi-gpucluster --help.\n`;
  expect(run(...args)).toEqual({ code: 2, out: "", err });
});
