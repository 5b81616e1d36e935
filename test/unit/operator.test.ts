import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { parseAllDocuments } from "yaml";
import manifest from "../../package.json";

const folder = join(__dirname, "../../examples/operator");
const read = (name: string) => readFileSync(join(folder, name), "utf8");
const manifests = readdirSync(folder)
  .filter((name) => name.endsWith(".yaml"))
  .flatMap((name) => parseAllDocuments(read(name)).map((document) => document.toJS()));

describe("the example for the Pulumi Kubernetes Operator", () => {
  const { spec } = manifests.find(({ kind }) => kind === "Stack");

  it("contains no secret, only references", () => {
    const references = { ...spec.envRefs, ...spec.secretsRef };
    const literals = Object.entries<{ type: string }>(references).filter(([, { type }]) => type !== "Secret");
    expect(literals.map(([name]) => name)).toEqual(["GPUCLUSTER_BASE_URL"]);
    expect(Object.keys(references)).toEqual(
      expect.arrayContaining(["GPUCLUSTER_API_KEY", "PULUMI_CONFIG_PASSPHRASE", "hfToken"]),
    );
  });

  it("has an image with the CLI that all this is tested with, and the plugin of this version", () => {
    const { version, config } = manifest;
    expect(read("Dockerfile")).toContain(`FROM pulumi/pulumi-base:${config.pulumi}\n`);
    expect(read("Dockerfile")).toContain(`ARG GPUCLUSTER_VERSION=${version}\n`);
    expect(read("program.yaml")).toContain(`version: ${version} `);
    expect(spec.workspaceTemplate.spec.image).toMatch(new RegExp(`:${version}$`));
  });
});
