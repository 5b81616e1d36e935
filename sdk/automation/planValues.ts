/**
 * Texts of the engine without the values that it prints in clear if a plan does not fit: those of secrets too. What is said
 * stays, and the name of the first property. examples/pipeline/scripts/mask.mjs does the same without this package; a test
 * compares the two.
 */

const values = /(violates plan: (?:properties|outputs) changed: )(?:[-+=~]+([\w:.-]+)\[)?[\s\S]*/;
/** What the CLI prints next after a text of many lines, which a value may be. */
const next = /^(Diagnostics|Policies|Outputs|Resources|Duration):|^ {2}\S.* \(.+\):\r?$/;

/** One text of the engine, such as a message of an event: the values are all that is behind. */
export function withoutPlanValues(text: string): string {
  return text.replace(values, (_, said: string, name = "not named") => `${said}${name} (values are left out here)`);
}

/** The output of the CLI, in which other texts come behind. Its lines end with a line feed; a carriage return may be in a value. */
export function outputWithoutPlanValues(output: string): string {
  let isReport = false;
  let isValue = false;
  const lines = output.split("\n").filter((line) => {
    if (next.test(line)) isValue = false;
    if (line.startsWith("Diagnostics:")) isReport = true;
    const isShown = values.test(line) || !isValue;
    if (values.test(line)) isValue = isReport;
    return isShown;
  });
  return lines.map(withoutPlanValues).join("\n");
}
