// @ts-check
/**
 * The package's names in each language. Every language takes the version that the schema has when it is loaded.
 *
 * @param {string} pulumi The versions of Pulumi's Node SDK that fit.
 * @param {string | undefined} importBasePath The import path of the Go SDK.
 */
export function languages(pulumi, importBasePath) {
  const respectSchemaVersion = true;
  return {
    nodejs: {
      // What `pulumi import` writes into a program. It is no name of a package, so that no generated SDK replaces this one.
      packageName: "pulumi-gpucluster/native",
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
