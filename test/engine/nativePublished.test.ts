import { closeBenches, living, openNativeBench } from "./harness";
import { testPublishedFacts } from "./publishedFacts";
import { testPublishedLife } from "./publishedLife";
import { nativeAdapter } from "./publishedPrograms";

afterAll(closeBenches);

testPublishedLife(nativeAdapter, "documented");
testPublishedFacts(nativeAdapter, "documented");

it("an import gives a program that previews as no change, in any spelling", async () => {
  const { workspace, simulator, writes } = await openNativeBench({}, { dialect: "client" });
  const seed = { name: "prod", gpuType: "rtx-4090", replicas: 2, container: "acme/model:1", env: { MODEL: "llama" } };
  const { id } = simulator.addCluster(seed);
  const { code, output } = await workspace.pulumi(
    ...["import", "gpucluster:index:Cluster", "web", id, "--yes", "--skip-preview", "--protect=false"],
  );
  expect(code).toBe(0);
  expect(output).toMatch(/container: acme\/model:1[\s\S]*gpuType: (rtx-4090|RTX 4090)\s+name: prod\s+replicas: 2/);
  expect(output).not.toMatch(/failed to validate|warning/);
  const uuid = await gpuIdOf(id);
  for (const gpuType of ["RTX 4090", "rtx-4090", uuid]) {
    nativeAdapter.writeCluster(workspace, { ...seed, gpuType });
    const { output: shown } = await workspace.preview();
    expect(shown).toContain("2 unchanged");
    expect(shown).not.toMatch(/gpuType|warning|to replace|is replaced/);
  }
  expect(writes()).toEqual([]);

  /** The service's own id of a cluster's GPU type. */
  async function gpuIdOf(cluster: string): Promise<string> {
    const { GPUCLUSTER_API_KEY: key } = workspace.env;
    const answer = await fetch(`${simulator.url}/v1/clusters/${cluster}`, {
      headers: { Authorization: `Bearer ${key}` },
    });
    const [, found = ""] = /"gpuModelId":"([^"]*)"/.exec(await answer.text()) ?? [];
    return found;
  }
});

const wanted = { gpuType: "rtx-4090", container: "acme/model:1" };

it("the id of a registry's credential is sent, and is changed in place", async () => {
  const { workspace, simulator, writes } = await openNativeBench({}, { dialect: "documented" });
  const held = () => living(simulator).map(({ extras }) => extras["registryCredentialId"]);
  nativeAdapter.writeCluster(workspace, { ...wanted, registryCredentialId: "cred_1" });
  expect((await workspace.up()).code).toBe(0);
  const creation = simulator.requests.find(({ method }) => method === "POST");
  expect(creation?.body).toMatchObject({ registry_credential_id: "cred_1" });
  expect(held()).toEqual(["cred_1"]);
  writes();
  nativeAdapter.writeCluster(workspace, { ...wanted, registryCredentialId: "cred_2" });
  const { output } = await workspace.preview("--refresh");
  expect(output).toMatch(/~ registryCredentialId\s*: "cred_1" => "cred_2"/);
  expect((await workspace.up()).code).toBe(0);
  expect(held()).toEqual(["cred_2"]);
  // The update is stored, and the redeploy makes the replicas pull with it.
  expect(writes()).toEqual([expect.stringMatching(/^PATCH /), expect.stringMatching(/^POST .*\/redeploy$/)]);
});

it("a secret among the extra fields shows nowhere", async () => {
  const [path, otherPath] = ["/canary-path-9d1f4a77b2", "/canary-path-0c55e1b6f3"];
  const { workspace, simulator } = await openNativeBench({}, { dialect: "documented" });
  const write = (port: number, value: string) => {
    const extraFields = { container_port: port, health_check_path: { "fn::secret": value } };
    workspace.yaml({ resources: { web: { type: "gpucluster:Cluster", properties: { ...wanted, extraFields } } } });
  };
  const outputs: string[] = [];
  const run = async (...args: string[]) => {
    const { code, output } = await workspace.pulumi(...args);
    outputs.push(output, workspace.stateText());
    return { code, output };
  };
  const up = () => run("up", "--yes", "--skip-preview");

  write(8000, path);
  const message = `the path ${path} is unknown`;
  simulator.fault({ kind: "status", status: 400, message, method: "POST", path: "/v1/clusters" });
  expect((await up()).output).toContain("the path [secret] is unknown");
  expect((await up()).code).toBe(0);
  expect(living(simulator)).toMatchObject([{ extras: { containerPort: 8000, healthCheckPath: path } }]);

  write(9000, otherPath);
  const { output } = await run("preview", "--diff", "--refresh");
  expect(output).toMatch(/~ container_port\s*: 8000 => 9000/);
  expect(output).toMatch(/~ health_check_path\s*: \[secret\] => \[secret\]/);
  expect((await run("preview", "--json")).code).toBe(0);
  const refusal = `neither ${path} nor ${otherPath} is known`;
  simulator.fault({ kind: "status", status: 403, message: refusal, method: "GET", path: "/v1/clusters/*" });
  expect((await up()).output).toContain("neither [secret] nor [secret] is known");
  expect((await run("refresh", "--yes", "--skip-preview", "--diff")).code).toBe(0);
  expect(outputs.flatMap((text) => text.match(/.{0,80}canary[\w-]*/g) ?? [])).toEqual([]);
});
