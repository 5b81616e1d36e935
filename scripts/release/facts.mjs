// @ts-check
// The facts of a release that are not in the code, from release.json, and the addresses that follow from them.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { ROOT } from "../lib/root.mjs";

/** @typedef {{ owner: string, repository: string, publisher: string }} Release `owner`: empty as long as there is none. */
/** @typedef {ReturnType<typeof factsOf>} Facts */

/**
 * What package.json, the schema and the documents say of a release. Without an owner, there is no address: an address that
 * nobody owns could become somebody else's.
 *
 * @param {Release} release
 */
export function factsOf({ owner, repository: name, publisher }) {
  const importBasePath = owner === "" ? undefined : `github.com/${owner}/${name}/sdk/go/gpucluster`;
  const page = owner === "" ? undefined : `https://github.com/${owner}/${name}`;
  const homepage = page && `${page}#readme`;
  return {
    /** The fields of package.json. npm refuses the provenance of a package whose `repository` is missing or another one. */
    manifest: {
      author: publisher,
      homepage,
      repository: page && { type: "git", url: `git+${page}.git` },
      bugs: page && { url: `${page}/issues` },
      publishConfig: { access: "public", provenance: true },
    },
    /** The fields of the schema. The engine downloads the plugin from the release of the repository with this version's tag. */
    schema: {
      homepage,
      repository: page,
      publisher,
      logoUrl: page && `https://raw.githubusercontent.com/${owner}/${name}/main/docs/logo.png`,
      pluginDownloadURL: page && `github://api.github.com/${owner}/${name}`,
    },
    /** The import path of the Go SDK in the schema. */
    importBasePath,
    /** The import path in programs: without one in the schema, the one that Pulumi's generator of SDKs takes. */
    goImport: importBasePath ?? "example.com/pulumi-gpucluster/sdk/go/gpucluster",
  };
}

/** @type {Release} */
export const release = JSON.parse(readFileSync(join(ROOT, "release.json"), "utf8"));

export const facts = factsOf(release);
