// @ts-check
import { readManifest } from "../lib/root.mjs";
import { addressesOf } from "./addresses.mjs";
import { functionSpecs } from "./functions.mjs";
import { languages } from "./languages.mjs";
import { providerProperties } from "./provider.mjs";
import { clusterSpec } from "./resource.mjs";
import { namedTypes } from "./types.mjs";

/** The whole schema. Without a version: the plugin adds the package's version, so a release does not make the file stale. */
export async function packageSchema() {
  const { description, license, keywords, author, repository, peerDependencies } = readManifest();
  const { importBasePath, ...addresses } = addressesOf(repository);
  const settings = await providerProperties();
  const resources = { "gpucluster:index:Cluster": clusterSpec() };
  const functions = functionSpecs();
  return {
    name: "gpucluster",
    displayName: "GPU Cluster",
    description,
    keywords,
    license,
    publisher: author,
    ...addresses,
    language: languages(peerDependencies["@pulumi/pulumi"], importBasePath),
    config: { variables: settings },
    provider: {
      description: "The service's address, its API key, and the settings for all clusters of a stack.",
      properties: settings,
      inputProperties: settings,
    },
    types: Object.fromEntries(Object.entries(namedTypes).sort()),
    resources,
    functions,
  };
}
