import { manifest } from "../support/repository";

/** The SDK of Pulumi: both ends of the supported range, and the last version for Node 20, which this repository uses. */
export const oldestSdk: string = manifest.peerDependencies["@pulumi/pulumi"].replace("^", "");
export const currentSdk: string = manifest.devDependencies["@pulumi/pulumi"];
export const newestSdk = "3.276.0";

/** The first part of a version. */
export function major(version: string): string {
  return version.split(".")[0] ?? "";
}
