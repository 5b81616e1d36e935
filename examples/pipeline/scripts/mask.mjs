// Copies the output of `pulumi up --plan`, without the values that the CLI prints where a plan does not fit. Writes out/awaiting
// if the CLI ends with exit code 10, which the workflow cannot see: a creation had no GPUs, and again.sh has to try again.

import { writeFileSync } from "node:fs";

const VALUES = /(violates plan: (?:properties|outputs) changed: )(?:[-+=~]+([\w:.-]+)\[)?[\s\S]*/;
/** What the CLI prints next after a text of many lines, which a value may be. */
const NEXT = /^(Diagnostics|Policies|Outputs|Resources|Duration):|^ {2}\S.* \(.+\):\r?$/;

// A signal for the whole group is meant for the CLI, which has more to say.
for (const signal of ["SIGINT", "SIGTERM"]) process.on(signal, () => {});

let isReport = false;
let isValue = false;
let rest = "";
process.stdin.setEncoding("utf8");
// Only a line feed ends a line: a carriage return may stand in a value, and what is behind it is a part of it.
for await (const chunk of process.stdin) {
  const lines = (rest + chunk).split("\n");
  rest = lines.pop();
  for (const line of lines) print(line);
}
if (rest !== "") print(rest);

function print(line) {
  if (/^ +warning: update has awaiting resources\r?$/.test(line)) writeFileSync("out/awaiting", "");
  if (NEXT.test(line)) isValue = false;
  if (line.startsWith("Diagnostics:")) isReport = true;
  if (VALUES.test(line)) {
    console.log(line.replace(VALUES, (_, text, name = "not named") => `${text}${name} (values are left out here)`));
    isValue = isReport;
  } else if (!isValue) {
    console.log(line);
  }
}
