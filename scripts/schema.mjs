// @ts-check
// Writes provider/schema/schema.json, which describes the native package to every language, from the package's sources.
// `--check` only compares.
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { isMain, ROOT, readManifest, runMain } from "./lib/root.mjs";
import { addressesOf } from "./schema/addresses.mjs";
import { functionSpecs } from "./schema/functions.mjs";
import { clusterSpec } from "./schema/resource.mjs";
import { exported } from "./schema/sources.mjs";
import { asFlags, fieldsOf, namedTypes } from "./schema/types.mjs";

const SETTINGS = "provider/config/settings.ts";

/** The whole schema. Without a version: the plugin adds the package's version, so a release does not make the file stale. */
async function packageSchema() {
  const { description, license, keywords, author, repository, peerDependencies } = readManifest();
  const { importBasePath, ...addresses } = addressesOf(repository);
  const settings = providerProperties();
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

/**
 * The settings of the provider. No setting names its environment variable as a default: a generated SDK would read the
 * variable in the program, and write the key into the state.
 */
function providerProperties() {
  const { properties } = fieldsOf(exported(SETTINGS, "ProviderArgs"));
  return Object.fromEntries(
    Object.entries(asFlags(properties)).map(([name, spec]) => [
      name,
      name === "apiKey" ? { ...spec, secret: true } : spec,
    ]),
  );
}

/**
 * The package's names in each language. Every language takes the version that the schema has when it is loaded.
 *
 * @param {string} pulumi The versions of Pulumi's Node SDK that fit.
 * @param {string | undefined} importBasePath The import path of the Go SDK.
 */
function languages(pulumi, importBasePath) {
  const respectSchemaVersion = true;
  return {
    nodejs: {
      // The name for npm, as pages and tools show it. The native classes are its entry `/native`, which a schema cannot say.
      packageName: "pulumi-gpucluster",
      dependencies: { "@pulumi/pulumi": pulumi },
      respectSchemaVersion,
    },
    python: {
      packageName: "pulumi_gpucluster",
      requires: { pulumi: ">=3.165.0,<4.0.0" },
      pyproject: { enabled: true },
      inputTypes: "classes-and-dicts",
      respectSchemaVersion,
    },
    go: {
      importBasePath,
      generateResourceContainerTypes: true,
      respectSchemaVersion,
    },
    csharp: {
      namespaces: { gpucluster: "GpuCluster" },
      packageReferences: { Pulumi: "3.*" },
      respectSchemaVersion,
    },
  };
}

async function main() {
  const file = join(ROOT, "provider/schema/schema.json");
  const written = `${JSON.stringify(await packageSchema(), undefined, 2)}\n`;
  if (process.argv[2] !== "--check") writeFileSync(file, written);
  else if (readFileSync(file, "utf8") !== written)
    throw new Error("The schema is not up to date: run `npm run schema`.");
}

if (isMain(import.meta.url)) await runMain(main);
