// Copies the output of `pulumi up --plan`, without the values that the CLI prints where a plan does not fit.
import { createInterface } from "node:readline";

const VALUES = /(violates plan: properties changed: )(?:[-+=~]+([\w:.-]+)\[)?.*/;
/** What the CLI prints next after a text of many lines, which a value may be. */
const NEXT = /^(Diagnostics|Policies|Outputs|Resources|Duration):|^ {2}\S.* \(.+\):$/;

// A signal for the whole group is meant for the CLI, which has more to say.
for (const signal of ["SIGINT", "SIGTERM"]) process.on(signal, () => {});

let isReport = false;
let isValue = false;
for await (const line of createInterface({ input: process.stdin })) {
  if (NEXT.test(line)) isValue = false;
  if (/^Diagnostics:/.test(line)) isReport = true;
  if (VALUES.test(line)) {
    console.log(line.replace(VALUES, (_, text, name = "not named") => `${text}${name} (values are left out here)`));
    isValue = isReport;
  } else if (!isValue) {
    console.log(line);
  }
}
