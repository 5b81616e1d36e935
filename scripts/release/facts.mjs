// @ts-check
// The facts of a release that are not in the code, from release.json, and the addresses that follow from them.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { ROOT } from "../lib/root.mjs";

/** @type {{ owner: string, repository: string, publisher: string }} */
const { owner, repository: name, publisher } = JSON.parse(readFileSync(join(ROOT, "release.json"), "utf8"));

const page = `https://github.com/${owner}/${name}`;

/** The fields of package.json. npm refuses the provenance of a package whose `repository` is another one. */
export const manifestFacts = {
  author: publisher,
  homepage: `${page}#readme`,
  repository: { type: "git", url: `git+${page}.git` },
  bugs: { url: `${page}/issues` },
  publishConfig: { access: "public", provenance: true },
};

/** The fields of the schema. The engine downloads the plugin from the release of the repository with this version's tag. */
export const schemaFacts = {
  homepage: manifestFacts.homepage,
  repository: page,
  publisher,
  logoUrl: `https://raw.githubusercontent.com/${owner}/${name}/main/docs/logo.png`,
  pluginDownloadURL: `github://api.github.com/${owner}/${name}`,
};

/** The entry for the list of packages of the Pulumi Registry, which somebody adds there once. */
export const registryEntry = { repoSlug: `${owner}/${name}`, schemaFile: "provider/schema/schema.json" };

/** The import path of the Go SDK. Its tags begin with the folder: `sdk/go/gpucluster/v0.1.0`. */
export const goImport = `github.com/${owner}/${name}/sdk/go/gpucluster`;
