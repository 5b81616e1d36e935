import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { inspect } from "node:util";
import type { EngineEvent, Stack } from "@pulumi/pulumi/automation";
import fc from "fast-check";
import * as automation from "../../../sdk/automation";
import { outputWithoutPlanValues } from "../../../sdk/automation/planValues";

const urn = "urn:pulumi:dev::shop::pulumi-nodejs:dynamic/gpucluster:Cluster::web";
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
async function shownBy(act: (onEvent: (event: EngineEvent) => void) => void): Promise<string> {
  const told: automation.Progress[] = [];
  const operation = async ({ onEvent }: { onEvent(event: EngineEvent): void }) => act(onEvent);
  const stack = { name: "dev", workspace: {}, preview: operation, up: operation } as unknown as Stack;
  const error: unknown = await automation
    .up({ stack, onProgress: (progress) => told.push(progress) })
    .catch((reason: unknown) => reason);
  if (!(error instanceof automation.AutomationError)) throw new Error("it did not fail");
  return [error.message, error.stack, JSON.stringify(error), inspect(error, { depth: 9 }), JSON.stringify(told)].join(
    "\n",
  );
}

const failed = (stderr: string) =>
  Object.assign(new Error(`code: -2\n stdout: \n stderr: Command failed: pulumi up\n${stderr}\n err?: `), {
    name: "CommandError",
  });

describe.each(cases)("values of %s in changed %s of a plan that does not fit", (_what, kind, change) => {
  const text = `resource ${urn} violates plan: ${kind} changed: ${change}`;

  it.each(["error", "warning", "info"] as const)(
    "do not show in the progress of an event with severity %s",
    async (severity) => {
      const message = `<{%reset%}>${text}<{%reset%}>\n`;
      const shown = await shownBy((onEvent) => {
        onEvent({ sequence: 1, timestamp: 1, diagnosticEvent: { urn, message, severity, color: "never" } });
        throw failed("");
      });
      expect(shown).toContain(`violates plan: ${kind} changed:`);
      expect(shown).toContain("(values are left out here)");
      expect(shown).not.toContain(canary);
    },
  );

  it("do not show if only the CLI has printed them", async () => {
    const shown = await shownBy(() => {
      throw failed(`Diagnostics:\n  gpucluster:Cluster (web):\nerror: ${text.replace("Outputs:", "outputs")}`);
    });
    expect(shown).toContain("(values are left out here)");
    expect(shown).not.toContain(canary);
  });
});

test("text after the values in the CLI's output stays", () => {
  const output = [
    "Diagnostics:",
    `  a (web):`,
    "error: x violates plan: properties changed: ~~env[{a",
    canary,
    "Resources:",
    "  1",
  ];
  expect(outputWithoutPlanValues(output.join("\n"))).toBe(
    [
      "Diagnostics:",
      "  a (web):",
      "error: x violates plan: properties changed: env (values are left out here)",
      "Resources:",
      "  1",
    ].join("\n"),
  );
});

test("the pipeline's mask does the same", () => {
  const parts = [
    "\n",
    "\r",
    "\u2028",
    "Diagnostics:\n",
    "Outputs:\n",
    "  a (b):\n",
    "violates plan: properties changed: ~~env[{a",
    ...changes.flat(),
  ];
  const outputs = fc.sample(
    fc.array(fc.constantFrom(...parts), { maxLength: 12 }).map((some) => some.join("")),
    20,
  );
  const all = [
    ...changes.map(
      ([, change]) => `Diagnostics:\n  a (web):\nerror: violates plan: properties changed: ${change}\nOutputs:\n`,
    ),
    ...outputs,
  ];
  for (const output of all) {
    const masked = execFileSync(process.execPath, [mask], { input: `${output}\n`, encoding: "utf8" });
    expect(masked).toBe(`${outputWithoutPlanValues(output)}\n`);
  }
});
