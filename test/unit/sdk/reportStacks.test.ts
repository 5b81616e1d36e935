import { chmodSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type Report, report } from "../../../sdk/automation";
import { type Simulator, startSimulator } from "../../../simulator";
import { newFolder } from "../../support/folders";

/** Stacks are read through a CLI that answers from files, and records what it was asked. */
const folder = newFolder();
const command = join(folder, "pulumi");
const keys = { eu: "canary-key-eu-0001", us: "canary-key-us-0002" };
let simulator: Simulator;

beforeAll(async () => {
  const cli = `#!/bin/sh
echo "$*" >>"${folder}/asked"
case "$1 $2" in
  "stack export") cat state ;;
  "config --json") cat config ;;
  "config get") cat "$(echo "$3" | tr : -)" ;;
esac
`;
  writeFileSync(command, cli);
  chmodSync(command, 0o755);
  simulator = await startSimulator({ apiKeys: { [keys.eu]: "europe", [keys.us]: "america" } });
  simulator.addCluster({ name: "paris", gpuType: "h100", organization: "europe" });
  simulator.addCluster({ name: "boston", gpuType: "l4", organization: "america" });
});

afterAll(() => simulator.close());

beforeEach(() => writeFileSync(join(folder, "asked"), ""));

interface Fake {
  readonly clusters?: readonly object[];
  readonly config?: object;
  readonly envVars?: Record<string, string>;
  /** Reference of the provider of the clusters. */
  readonly provider?: string;
}

function reportOf({ clusters = [], config = {}, envVars = {}, provider }: Fake): Promise<Report> {
  const resources = clusters.map((outputs, at) => {
    const id = simulator.clusters()[at]?.id;
    return {
      urn: `urn:pulumi:dev::p::gpucluster:index:Cluster::c${at}`,
      type: "gpucluster:index:Cluster",
      id,
      provider,
      outputs,
    };
  });
  writeFileSync(join(folder, "state"), JSON.stringify({ deployment: { resources } }));
  writeFileSync(join(folder, "config"), JSON.stringify(config));
  return report({ stacks: [{ stackName: "dev", workDir: folder, envVars, pulumiCommand: { command } }] });
}

const asked = () =>
  readFileSync(join(folder, "asked"), "utf8")
    .trim()
    .split("\n")
    .map((line) => line.replace(" --stack dev --non-interactive", ""));
const namesOf = (clusters: Report["clusters"]) => clusters.map(({ name }) => name).sort();

describe("the organizations of a stack", () => {
  const baseUrl = () => ({ "gpucluster:baseUrl": { value: simulator.url, secret: false } });

  it("are that of the key in its config, even if a variable has another one; no other secret is read", async () => {
    writeFileSync(join(folder, "gpucluster-apiKey"), `${keys.eu}\n`);
    const config = { ...baseUrl(), "gpucluster:apiKey": { secret: true }, "other:password": { secret: true } };
    const found = await reportOf({ clusters: [{}], config, envVars: { GPUCLUSTER_API_KEY: keys.us } });
    expect(namesOf(found.clusters)).toEqual(["paris"]);
    expect([found.unmanaged, found.missing, found.unchecked]).toEqual([[], [], []]);
    expect(JSON.stringify(found)).not.toContain("canary");
    expect(asked()).toEqual(["stack export", "config --json", "config get gpucluster:apiKey"]);
  });

  it("are that of the variables if its config has no key, even without clusters", async () => {
    const found = await reportOf({ config: baseUrl(), envVars: { GPUCLUSTER_API_KEY: keys.us } });
    expect(namesOf(found.unmanaged)).toEqual(["boston"]);
    expect(asked()).toEqual(["stack export", "config --json"]);
  });

  it("require no key of the stack if all of its clusters have a provider of the program", async () => {
    const provider = "urn:pulumi:dev::p::pulumi:providers:gpucluster::default_eu::id-1";
    const found = await reportOf({ clusters: [{}], provider });
    expect([found.clusters, found.unchecked.length, found.complete]).toEqual([[], 1, false]);
  });

  it("are an error if there is no key at all", async () => {
    await expect(reportOf({})).rejects.toThrow(/The API key is missing/);
  });

  it("are an error if the key is refused: its clusters would be missing", async () => {
    const envVars = { GPUCLUSTER_API_KEY: "canary-refused", GPUCLUSTER_BASE_URL: simulator.url };
    const error: unknown = await reportOf({ envVars }).catch((reason: unknown) => reason);
    expect(String(error)).toMatch(/HTTP 401/);
    expect(String(error)).not.toContain("canary");
  });
});
