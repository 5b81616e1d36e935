// @ts-check
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { ROOT } from "../lib/root.mjs";

const PAGE = readFileSync(join(ROOT, "docs/_index.md"), "utf8");

/** The page's program in each language, in the form that Pulumi's tools read. The SDK of a language keeps only its own. */
export const examples = [
  "{{% examples %}}",
  "## Example Usage",
  "{{% example %}}",
  ...(PAGE.match(/^```(typescript|python|go|csharp|yaml)\n[\s\S]*?^```$/gm) ?? []),
  "{{% /example %}}",
  "{{% /examples %}}",
].join("\n");
