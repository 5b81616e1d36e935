import { type Simulator, type SimulatorOptions, startSimulator } from "../../simulator";
import { type EndpointServer, serveEndpoints } from "../support/endpointServer";
import { living } from "../support/living";
import { Workspace } from "./workspace";

/** The key of these tests: it must not be in plain text anywhere. */
export const canaryKey = "canary-key-3f9a71c04d";

export interface Fixture {
  readonly simulator: Simulator;
  readonly workspace: Workspace;
  /** Requests that change something, such as `POST /v1/clusters`, since the last call. */
  writes(): string[];
}

const fixtures: Fixture[] = [];

/** A simulator and a stack whose program uses it. `closeFixtures` removes both after the test file. */
export async function openFixture(program: string, options: SimulatorOptions = {}, project?: string): Promise<Fixture> {
  const simulator = await startSimulator({
    provisioningMs: 300,
    deletionMs: 100,
    rateLimit: 10_000,
    apiKeys: { [canaryKey]: "org_test" },
    ...options,
  });
  const env = { GPUCLUSTER_BASE_URL: simulator.url, GPUCLUSTER_API_KEY: canaryKey };
  const workspace = new Workspace({ env, program, project });
  let seen = 0;
  const writes = () => {
    const fresh = simulator.requests.slice(seen);
    seen = simulator.requests.length;
    return fresh
      .filter(({ method }) => method !== "GET")
      .map(({ method, path }) => `${method} ${path.replace(/cl_[^/]+/, ":id")}`);
  };
  const fixture = { simulator, workspace, writes };
  fixtures.push(fixture);
  workspace.init();
  return fixture;
}

/** A fixture for a YAML program, which the plugin serves. */
export async function openNativeFixture(program: object, options?: SimulatorOptions): Promise<Fixture> {
  const fixture = await openFixture("", options);
  fixture.workspace.yaml(program);
  return fixture;
}

const servers: EndpointServer[] = [];

/** A real server for the endpoints of all clusters: its `url` is the option `endpoint` of a fixture. */
export async function openEndpoint(): Promise<EndpointServer> {
  const server = await serveEndpoints();
  servers.push(server);
  return server;
}

/** For `afterAll` of a file that opens fixtures. */
export async function closeFixtures(): Promise<void> {
  for (const { simulator, workspace } of fixtures.splice(0)) {
    await simulator.close();
    workspace.remove();
  }
  await Promise.all(servers.splice(0).map((server) => server.close()));
}

export { living };

/** The ids in a stable order. */
export function idsOf(clusters: readonly { readonly id: string }[]): string[] {
  return clusters.map(({ id }) => id).sort();
}

/** Waits for a condition of a process that runs in parallel with the test. */
export async function until(what: string, condition: () => boolean, limitMs = 30_000): Promise<void> {
  const endMs = Date.now() + limitMs;
  while (!condition()) {
    if (Date.now() > endMs) throw new Error(`timed out waiting until ${what}`);
    await new Promise((done) => setTimeout(done, 20));
  }
}
