import { closeBenches, openNativeBench } from "./harness";
import { testPublishedCredential, testPublishedFacts, testPublishedSecrets } from "./publishedFacts";
import { testPublishedLife } from "./publishedLife";
import { nativeAdapter } from "./publishedPrograms";

afterAll(closeBenches);

testPublishedLife(nativeAdapter, "documented");
testPublishedFacts(nativeAdapter, "documented");
testPublishedSecrets(nativeAdapter, "documented");
testPublishedCredential(nativeAdapter, "documented");

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
