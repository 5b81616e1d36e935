// @ts-check
// Finds or installs the real Pulumi CLI for the engine tests and the demo. Run as a program, it prints the CLI's path.

import { download } from "./cli/download.mjs";
import { cliIn, findCached, findOnPath, VERSION } from "./cli/find.mjs";
import { buildWithGo } from "./cli/goBuild.mjs";
import { ensureHosts } from "./cli/hosts.mjs";
import { isMain, runMain } from "./lib/root.mjs";

export { VERSION };

/** The cheapest first; the last one needs only Go and its module proxy. */
const ATTEMPTS = /** @type {const} */ ([
  { source: "cached", title: "Kept from an earlier run", run: () => findCached() },
  { source: "path", title: "On PATH", run: findOnPath },
  { source: "download", title: "Official download (npm package pulumi)", run: () => download() },
  { source: "go", title: "Build with Go", run: () => buildWithGo(report) },
]);

/**
 * The Pulumi CLI with its Node language host. `root` contains `bin/pulumi` and fits the Automation API
 * (`PulumiCommand.get({ root })`). The first call on a computer may take minutes; it reports its progress on stderr.
 *
 * @returns {Promise<{ root: string, bin: string, source: "cached" | "path" | "download" | "go" }>}
 */
export async function ensurePulumiCli() {
  const tried = [];
  for (const { source, title, run } of ATTEMPTS) {
    if (source === "download") report(`Downloading the Pulumi CLI ${VERSION} …`);
    const result = await run();
    if ("root" in result) return { root: result.root, bin: cliIn(result.root), source };
    if (source === "download") report("  the download did not work");
    tried.push(`  - ${title}: ${result.reason.replaceAll("\n", "\n    ")}`);
  }
  throw new Error(
    [
      `There is no Pulumi CLI ${VERSION} (or a newer 3.x), and it could not be installed. Tried:`,
      ...tried,
      "Install the Pulumi CLI (https://www.pulumi.com/docs/install/), or Go 1.25 or newer (https://go.dev/doc/install)",
      "to have it built here. Then try again.",
    ].join("\n"),
  );
}

/**
 * The Pulumi CLI with the hosts of further languages.
 *
 * @param {import("./cli/hosts.mjs").Language[]} languages
 */
export async function ensureCliFor(...languages) {
  const cli = await ensurePulumiCli();
  await ensureHosts(cli.root, languages, report);
  return cli;
}

/**
 * Writes to stderr, because stdout is for the path.
 *
 * @param {string} line
 */
function report(line) {
  console.error(line);
}

if (isMain(import.meta.url)) {
  await runMain(async () => {
    const { bin, source } = await ensureCliFor("yaml", "python");
    report(`Pulumi CLI (${source}):`);
    console.log(bin);
  });
}
