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
  expect(run(name, "--help").out).toMatch(new RegExp(`^Example: npx pulumi-gpucluster ${name} --`, "m"));
  const { code, out, err } = run(name, "--no-such-option");
  expect({ code, out }).toEqual({ code: 2, out: "" });
  expect(err).toMatch(/^pulumi-gpucluster: .*--no-such-option/);
  expect(err).toContain(`\nSee pulumi-gpucluster ${name} --help.\n`);
});

it.each([[[]], [["--help"]], [["-h"]]])("it names what it has with %j", (args) => {
  const { code, out } = run(...args);
  expect(code).toBe(0);
  expect(out.match(/^ {2}\w+/gm)).toEqual(["  doctor", "  report", "  simulator"]);
  expect(Math.max(...out.split("\n").map(({ length }) => length))).toBeLessThanOrEqual(80);
});

it.each([
  ["Report", "Did you mean report?"],
  ["sim", "Did you mean simulator?"],
  ["reports", "Did you mean report?"],
  ["deploy", "The commands are doctor, report, simulator."],
  ["toString", "The commands are doctor, report, simulator."],
])("it refuses %s", (name, advice) => {
  expect(run(name)).toEqual({ code: 2, out: "", err: `pulumi-gpucluster: "${name}" is not a command. ${advice}\n` });
});
