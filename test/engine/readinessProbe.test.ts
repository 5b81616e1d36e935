import type { EndpointServer } from "../support/endpointServer";
import { type Bench, canaryKey, closeBenches, openBench, openEndpoint } from "./harness";

/** One cluster whose endpoint answers late, through the real engine. */
const probe = {
  path: "/health",
  method: "POST",
  period: 1,
  headers: { Authorization: "Bearer canary-header-51d2" },
  body: '{"prompt":"canary-body-77aa"}',
};
const properties = { gpuType: "h100", replicas: 2, container: "acme/model:1", readinessProbe: probe };
const customTimeouts = { create: "8s", update: "8s" };
const program = `
new gpu.Cluster("web", {
  ...${JSON.stringify(properties)}, readinessProbe: { ...${JSON.stringify(probe)}, path: config.get("path") ?? "/health" },
}, { customTimeouts: ${JSON.stringify(customTimeouts)} });
`;

afterAll(closeBenches);

describe("a readiness probe, in order", () => {
  let bench: Bench;
  let served: EndpointServer;
  let shown = "";
  beforeAll(async () => {
    served = await openEndpoint({ kind: "refused" });
    bench = await openBench(program, { endpoint: served.url });
  });
  const run = async (command: Promise<{ code: number | null; output: string }>) => {
    const { code, output } = await command;
    shown += output;
    return { code, output };
  };

  it("fails the creation at the time limit if the endpoint does not answer, and keeps the cluster", async () => {
    const { code, output } = await run(bench.workspace.up());
    expect(code).not.toBe(0);
    expect(output).toMatch(
      /was created, but is not ready: timed out after [89]s: 2\/2 replicas healthy, POST \/health: the connection was refused \(ECONNREFUSED\)/,
    );
    expect(bench.writes()).toEqual(["POST /v1/clusters"]);
    expect(bench.workspace.storedClusters()).toMatchObject([{ outputs: { settled: false } }]);
  });

  it("probes again at the next up, sends nothing else, and shows what it sees", async () => {
    await served.answer({ kind: "status", status: 503, times: 2 }, { kind: "status", status: 200 });
    const { code, output } = await run(bench.workspace.up());
    expect(output).toContain("2/2 replicas healthy, POST /health answers 503");
    expect(code).toBe(0);
    expect(bench.writes()).toEqual([]);
    expect((await run(bench.workspace.preview("--expect-no-changes"))).code).toBe(0);
  });

  it("is not sent by a refresh, and a change of the probe alone sends nothing but the probe", async () => {
    const count = served.requests.length;
    expect((await run(bench.workspace.refresh("--expect-no-changes"))).code).toBe(0);
    expect(served.requests).toHaveLength(count);
    await bench.workspace.succeed("config", "set", "path", "/v1/models");
    const preview = await run(bench.workspace.preview());
    expect(preview.output).toMatch(/path\s*: "\/health" => "\/v1\/models"/);
    expect((await run(bench.workspace.up())).code).toBe(0);
    expect(served.requests.length).toBe(count + 1);
    expect(served.requests.at(-1)?.path).toMatch(/^\/web-\w+\/v1\/models$/);
    expect(bench.writes()).toEqual([]);
  });

  it("sends its headers and body to the endpoint, never the API key, and shows them nowhere", async () => {
    for (const { headers, body } of served.requests) {
      expect(headers.authorization).toBe(probe.headers.Authorization);
      expect(body).toBe(probe.body);
    }
    expect(JSON.stringify(served.requests)).not.toContain(canaryKey);
    expect(JSON.stringify(bench.simulator.requests)).not.toMatch(/canary-(header|body)/);
    expect(bench.workspace.stateText()).not.toMatch(/canary/);
    expect(shown).not.toMatch(/canary/);
    expect((await run(bench.workspace.destroy())).code).toBe(0);
  });
});
