import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { inspect } from "node:util";
import fc from "fast-check";
import * as automation from "../../../sdk/automation";
import { outputWithoutPlanValues } from "../../../sdk/automation/planValues";
import { errorOf, failing, fakeStack, type Options, urn } from "./stackHarness";

const canary = "canary-7f3a9e";
const mask = join(__dirname, "../../../examples/pipeline/scripts/mask.mjs");

const changes: [string, string][] = [
  ["one line", `~~env[{map[TOKEN:{${canary}}]}!={map[TOKEN:{other}]}]`],
  ["several lines", `~~env[{map[KEY:{-----BEGIN\n${canary}\nOutputs:\n${canary}}]}!={map[]}]`],
  ["a lone carriage return", `~~env[{map[KEY:{a\r${canary}}]}!={map[]}]`],
  ["other line separators", `~~env[{map[KEY:{a\u2028${canary}\u0085${canary}}]}!={map[]}]`],
  ["no name", `{${canary}}`],
];
const kinds = ["properties", "outputs"];
const cases = changes.flatMap(([what, change]) => kinds.map((kind) => [what, kind, change] as const));

/** All output of a failing update. */
async function shownBy(act: (options: Options) => never): Promise<string> {
  const told: automation.Progress[] = [];
  const error = await errorOf(
    automation.up({ stack: fakeStack(act).stack, onProgress: (progress) => told.push(progress) }),
  );
  const shown = [error.message, error.stack, JSON.stringify(error), inspect(error, { depth: 9 }), JSON.stringify(told)];
  return shown.join("\n");
}

describe.each(cases)("values of %s in changed %s of a plan that does not fit", (_what, kind, change) => {
  const text = `resource ${urn} violates plan: ${kind} changed: ${change}`;

  it.each(["error", "warning", "info"] as const)(
    "do not show in the progress of an event with severity %s",
    async (severity) => {
      const message = `<{%reset%}>${text}<{%reset%}>\n`;
      const shown = await shownBy(failing("", undefined, { message, severity }));
      expect(shown).toContain(`violates plan: ${kind} changed:`);
      expect(shown).toContain("(values are left out here)");
      expect(shown).not.toContain(canary);
    },
  );

  it("do not show if only the CLI has printed them", async () => {
    const output = `Diagnostics:\n  gpucluster:Cluster (web):\nerror: ${text.replace("Outputs:", "outputs")}`;
    const shown = await shownBy(failing(output));
    expect(shown).toContain("(values are left out here)");
    expect(shown).not.toContain(canary);
  });
});

test("text after the values in the CLI's output stays", () => {
  const before = "Diagnostics:\n  a (web):\nerror: x violates plan: properties changed: ";
  const after = "\nResources:\n  1";
  const output = outputWithoutPlanValues(`${before}~~env[{a\n${canary}${after}`);
  expect(output).toBe(`${before}env (values are left out here)${after}`);
});

test("the pipeline's mask does the same", () => {
  const lines = ["Diagnostics:\n", "Outputs:\n", "  a (b):\n", "violates plan: properties changed: ~~env[{a"];
  const part = fc.constantFrom("\n", "\r", "\u2028", ...lines, ...changes.flat());
  const outputs = fc.sample(
    fc.array(part, { maxLength: 12 }).map((some) => some.join("")),
    20,
  );
  const planned = changes.map(
    ([, change]) => `Diagnostics:\n  a (web):\nerror: violates plan: properties changed: ${change}\nOutputs:\n`,
  );
  const all = [...planned, ...outputs];
  for (const output of all) {
    const masked = execFileSync(process.execPath, [mask], { input: `${output}\n`, encoding: "utf8" });
    expect(masked).toBe(`${outputWithoutPlanValues(output)}\n`);
  }
});
