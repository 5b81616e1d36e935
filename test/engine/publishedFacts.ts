import { living, openBench } from "./harness";
import type { FormName } from "./publishedLife";
import type { Adapter, Call } from "./publishedPrograms";

const seed = {
  name: "prod",
  gpuType: "rtx-4090",
  replicas: 2,
  container: "acme/model:1",
  env: { API_TOKEN: "canary-llama" },
};
const gpu = { name: "RTX 4090", memoryGb: 24 };
const price = { pricePerHour: 0.49 };
/** The stock, if the form shows it: 48 minus the GPUs of the cluster. The client's form shows only totals. */
const stocks = { documented: { available: true, availableCount: 46 }, client: {} } as const;
const one = (facts: object) => expect.arrayContaining([expect.objectContaining(facts)]);

/** The result of each function, the same for every form of the service, except the form's own names of GPU types. */
const answersOf = (stock: object) => ({
  getGpuTypes: { gpuTypes: one({ ...gpu, ...price, ...stock }) },
  getGpuModels: { models: one(gpu) },
  getGpuPricing: { prices: one(price) },
  getGpuAvailability: { availability: one(stock) },
  ofOneType: { availability: [expect.objectContaining(stock)] },
  getClusters: {
    complete: true,
    clusters: [expect.objectContaining({ name: "prod", replicas: 2, status: "running" })],
  },
  getCluster: { name: "prod", container: seed.container, envNames: ["API_TOKEN"], replicas: 2 },
  getClusterStatus: { readyReplicas: 2, replicas: Array(2).fill(expect.objectContaining({ healthy: true })) },
  getHealth: { healthy: true, status: "ok" },
  getServiceInfo: { name: "GPU Cluster Management API", endpoints: { health: "GET /health" } },
});

/** Tests the data functions and existing clusters in both forms of the published service. */
export function testPublishedFacts(adapter: Adapter, form: FormName): void {
  it(`every data function returns the facts of a service in the form ${form}, and no secret`, async () => {
    const { workspace, simulator, writes } = await openBench("", { dialect: form });
    const { id } = simulator.addCluster(seed);
    const calls: Record<keyof ReturnType<typeof answersOf>, Call> = {
      getGpuTypes: ["getGpuTypes", {}],
      getGpuModels: ["getGpuModels", {}],
      getGpuPricing: ["getGpuPricing", {}],
      getGpuAvailability: ["getGpuAvailability", {}],
      ofOneType: ["getGpuAvailability", { type: "RTX 4090" }],
      getClusters: ["getClusters", {}],
      getCluster: ["getCluster", { name: "prod" }],
      getClusterStatus: ["getClusterStatus", { id }],
      getHealth: ["getHealth", {}],
      getServiceInfo: ["getServiceInfo", {}],
    };
    adapter.writeCalls(workspace, calls);
    expect((await workspace.up()).code).toBe(0);
    const output = await workspace.succeed("stack", "output", "--json");
    expect(JSON.parse(output)).toMatchObject(answersOf(stocks[form]));
    expect(output).not.toContain("canary");
    expect(writes()).toEqual([]);
  });

  it(`a preview of the form ${form} names a GPU type that does not exist, and sends nothing`, async () => {
    const { workspace, writes } = await openBench("", { dialect: form });
    adapter.writeCluster(workspace, { ...wantedOf("b9000") });
    const refused = await workspace.preview();
    expect(refused.output).toMatch(/"b9000" is not a GPU type that the service lists/);
    expect(refused.code).not.toBe(0);
    await workspace.succeed("config", "set", "gpucluster:gpuTypeCheck", "warn");
    const warned = await workspace.preview();
    expect(warned.output).toMatch(/warning: web: .*"b9000".*The service decides whether it accepts the type/);
    expect(warned.code).toBe(0);
    expect(writes()).toEqual([]);
  });
}

function wantedOf(gpuType: string) {
  return { gpuType, container: "acme/model:1" };
}

const path = "/canary-path-9d1f4a77b2";
const otherPath = "/canary-path-0c55e1b6f3";
const extraNames = {
  documented: { port: "container_port", path: "health_check_path" },
  client: { port: "containerPort", path: "healthCheckPath" },
};

const credentials = {
  documented: {
    name: "registry_credential_id",
    shown: /~ registryCredentialId\s*: "cred_1" => "cred_2"/,
    by: "PATCH",
  },
  client: {
    name: "registryCredentialId",
    shown: /`registryCredentialId` changes, which the service cannot do in place/,
    by: "DELETE",
  },
};

/** Tests the credential of a registry, which a cluster names by its id. */
export function testPublishedCredential(adapter: Adapter, form: FormName): void {
  it(`the id of a registry's credential is sent by the names of the form ${form}`, async () => {
    const { name, shown, by } = credentials[form];
    const { workspace, simulator, writes } = await openBench("", { dialect: form });
    const write = (registryCredentialId: string) =>
      adapter.writeCluster(workspace, { ...wantedOf("rtx-4090"), registryCredentialId });
    const held = () => living(simulator).map(({ extras }) => extras["registryCredentialId"]);
    write("cred_1");
    expect((await workspace.up()).code).toBe(0);
    const creation = simulator.requests.find(({ method }) => method === "POST");
    expect([creation?.body, held()]).toEqual([expect.objectContaining({ [name]: "cred_1" }), ["cred_1"]]);
    write("cred_2");
    expect((await workspace.preview("--refresh")).output).toMatch(shown);
    expect((await workspace.up()).code).toBe(0);
    expect([held(), writes().some((line) => line.startsWith(by))]).toEqual([["cred_2"], true]);
  });
}

/** Tests a secret among the request fields that the package does not know. */
export function testPublishedSecrets(adapter: Adapter, form: FormName): void {
  it(`a secret among the extra fields of the form ${form} shows nowhere`, async () => {
    const { workspace, simulator } = await openBench("", { dialect: form });
    const names = extraNames[form];
    const write = (port: number, value: string) =>
      adapter.writeCluster(workspace, {
        ...wantedOf("rtx-4090"),
        open: { [names.port]: port },
        secret: { [names.path]: value },
      });
    const outputs: string[] = [];
    const run = async (...args: string[]) => {
      const { code, output } = await workspace.pulumi(...args);
      outputs.push(output, workspace.stateText());
      return { code, output };
    };
    const up = ["up", "--yes", "--skip-preview"];
    const refresh = ["refresh", "--yes", "--skip-preview", "--diff"];

    write(8000, path);
    const message = `the path ${path} is unknown`;
    simulator.fault({ kind: "status", status: 400, message, method: "POST", path: "/v1/clusters" });
    expect((await run(...up)).output).toContain("the path [secret] is unknown");
    expect((await run(...up)).code).toBe(0);
    const extras = { containerPort: 8000, healthCheckPath: path };
    expect(living(simulator)).toMatchObject([{ extras }]);

    write(9000, otherPath);
    const { output } = await run("preview", "--diff", "--refresh");
    expect(output).toMatch(/~ container_?[pP]ort\s*: 8000 => 9000/);
    expect(output).toMatch(/~ health_?[cC]heck_?[pP]ath\s*: \[secret\] => \[secret\]/);
    expect((await run("preview", "--json")).code).toBe(0);
    const refusal = `neither ${path} nor ${otherPath} is known`;
    simulator.fault({ kind: "status", status: 403, message: refusal, method: "GET", path: "/v1/clusters/*" });
    expect((await run(...up)).output).toContain("neither [secret] nor [secret] is known");
    expect((await run(...refresh)).code).toBe(0);
    expect(outputs.flatMap((text) => text.match(/.{0,80}canary[\w-]*/g) ?? [])).toEqual([]);
  });
}
