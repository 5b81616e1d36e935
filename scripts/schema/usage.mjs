// @ts-check
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { ROOT } from "../lib/root.mjs";

const LANGUAGES = ["typescript", "python", "go", "csharp", "yaml"];
const BEGIN = "{{% examples %}}";

/**
 * The programs of a page, one in each language, in the form that Pulumi's tools read. The SDK of a language keeps only its own.
 *
 * @param {string} file In the repository.
 */
export function usageIn(file) {
  const page = readFileSync(join(ROOT, file), "utf8");
  const programs = LANGUAGES.map((language) => {
    const [program] = new RegExp(`^\`\`\`${language}\\n[\\s\\S]*?^\`\`\`$`, "m").exec(page) ?? [];
    if (program === undefined) throw new Error(`${file} has no program in ${language}.`);
    return program;
  });
  const lines = [BEGIN, "## Example Usage", "{{% example %}}", ...programs, "{{% /example %}}", "{{% /examples %}}"];
  return lines.join("\n");
}

/** @param {string} description Of a resource or a function. */
export function withoutUsage(description) {
  return description.split(BEGIN)[0]?.trim() ?? "";
}
