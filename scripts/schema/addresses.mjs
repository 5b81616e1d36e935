// @ts-check

/**
 * What the schema says of the package's repository. Without one, there is no address: an address that nobody owns could become
 * somebody else's.
 *
 * @param {{ url: string } | undefined} repository That of package.json, on GitHub.
 */
export function addressesOf(repository) {
  if (repository === undefined) return {};
  const page = repository.url.replace(/^git\+|\.git$/g, "");
  const place = page.replace("https://", "");
  return {
    homepage: `${page}#readme`,
    repository: page,
    configurationDocsUrl: `${page}/blob/main/docs/installation-configuration.md`,
    logoUrl: `https://raw.${place.replace("github.com", "githubusercontent.com")}/main/docs/logo.png`,
    // The engine downloads the plugin from the release with this version's tag.
    pluginDownloadURL: `github://api.${place}`,
    /** The import path of the Go SDK. */
    importBasePath: `${place}/sdk/go/gpucluster`,
  };
}
