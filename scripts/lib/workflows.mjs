// @ts-check
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { ROOT } from "./root.mjs";
import { run } from "./run.mjs";
import { inTemporaryFolder } from "./temporary.mjs";

const ACTIONLINT = "github.com/rhysd/actionlint/cmd/actionlint@v1.7.12";
const DEPENDABOT = ".github/dependabot.yml";
const FROM_PYPI = ["check-jsonschema==0.39.0", "zizmor==1.32.0"];

/** Our workflows, and those that users copy from the examples. */
function workflows() {
  const folders = [".github/workflows", "examples"];
  const files = folders.flatMap((folder) =>
    readdirSync(join(ROOT, folder), { recursive: true, encoding: "utf8" }).map((file) => join(folder, file)),
  );
  const isWorkflow = (/** @type {string} */ file) =>
    /\.ya?ml$/.test(file) && !file.includes("node_modules") && /^jobs:/m.test(readFileSync(join(ROOT, file), "utf8"));
  return files.filter(isWorkflow).sort();
}

/**
 * Checks all workflows: their expressions, their schema, and their security. It needs Go, and Python with venv.
 *
 * @returns {Promise<{ code: number | undefined, output: string }>}
 */
export function checkWorkflows() {
  const files = workflows();
  return inTemporaryFolder(async (folder) => {
    const bin = join(folder, "venv", process.platform === "win32" ? "Scripts" : "bin");
    const commands = [
      ["python3", "-m", "venv", join(folder, "venv")],
      [join(bin, "pip"), "install", "--quiet", ...FROM_PYPI],
      // It does not know `queue` of `concurrency` yet. Without the linters that it would find on some machines only.
      ["go", "run", ACTIONLINT, "-shellcheck=", "-pyflakes=", "-ignore", 'unexpected key "queue"', ...files],
      [join(bin, "check-jsonschema"), "--builtin-schema", "vendor.github-workflows", ...files],
      [join(bin, "check-jsonschema"), "--builtin-schema", "vendor.dependabot", DEPENDABOT],
      // By name: in a folder, it would only find what lies in .github/workflows.
      [join(bin, "zizmor"), "--offline", "--quiet", DEPENDABOT, ...files],
    ];
    let output = "";
    for (const [command = "", ...args] of commands) {
      const result = await run(command, args);
      if (result.code !== 0) return { ...result, output: `${[command, ...args].join(" ")}\n${result.output}` };
      output = result.output;
    }
    return { code: 0, output };
  });
}
