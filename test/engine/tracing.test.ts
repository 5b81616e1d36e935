import { readFileSync } from "node:fs";
import { join } from "node:path";
import { type Bench, canaryKey, closeBenches, openBench } from "./harness";

const program = `
const native = require("pulumi-gpucluster/native");
const env = { TOKEN: pulumi.secret("canary-env-5d21c8"), LEVEL: "canary-plain-77e0" };
const readinessProbe = { path: "/health", headers: { "X-Token": "canary-header-19ab" } };
exports.gpus = gpu.getGpuTypes().then(({ gpuTypes }) => gpuTypes.length);
const args = { gpuType: "h100", replicas: 2, container: "acme/model:1", env, readinessProbe };
for (const [name, { Cluster }] of Object.entries({ web: gpu, api: native })) {
  new Cluster(name, { ...args, desiredStatus: config.get("status") });
}
`;

let bench: Bench;
beforeAll(async () => {
  bench = await openBench(program, { endpoint: [{ kind: "status", status: 200 }], requestIdHeader: "x-request-id" });
  // Without this, the language host writes whole requests into the trace.
  bench.workspace.env["PULUMI_TRACING_NO_PAYLOADS"] = "true";
});
afterAll(closeBenches);

/** The engine's normal output, without its log. */
function shown(output: string): string {
  return output.replace(/^(\{"time":|[IWE]\d{4} ).*$/gm, "");
}

interface Span {
  readonly name: string;
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
}

interface Scope {
  readonly scope?: { readonly name: string };
  readonly spans: Span[];
}

/**
 * The spans of this package in a file of the CLI, each with its parents, and those that are not in the trace of the command.
 * Those of data functions come from the process of the program.
 */
function spansIn(text: string) {
  const resources = text
    .trimEnd()
    .split("\n")
    .flatMap((line) => JSON.parse(line).resourceSpans);
  const spansOf = (each: { scopeSpans: Scope[] }) => each.scopeSpans.flatMap(({ spans }) => spans);
  const all = new Map(resources.flatMap(spansOf).map((span) => [span.spanId, span]));
  const path = (span: Span | undefined): string[] =>
    span ? [span.name, ...path(all.get(span.parentSpanId ?? ""))] : [];
  const scopes = resources.flatMap((each): Scope[] => each.scopeSpans);
  const spans = scopes.filter(({ scope }) => scope?.name === "pulumi-gpucluster").flatMap((own) => own.spans);
  const command = [...all.values()].find(({ name }) => name === "pulumi")?.traceId;
  return {
    paths: spans.map((span) => path(span).join(" < ")),
    elsewhere: spans.filter(({ traceId }) => traceId !== command).map(({ name }) => name),
  };
}

const canaries = [canaryKey, "canary-env-5d21c8", "canary-plain-77e0", "canary-header-19ab"];

describe("flags of the engine that go before its address on the command line of a provider, in both adapters", () => {
  it("do not change progress: --tracing and --logflow", async () => {
    const { workspace } = bench;
    const trace = ["--tracing", `file:${join(workspace.folder, "trace.out")}`];
    const { code, output } = await workspace.up(...trace, "--logflow", "--logtostderr", "-v=3");
    expect(code).toBe(0);
    expect(shown(output)).toMatch(/ web .*2\/2 replicas healthy/);
    expect(shown(output)).toMatch(/ api .*2\/2 replicas healthy/);
  });

  it("do not change warnings: --otel-traces", async () => {
    const { workspace } = bench;
    const traces = ["--otel-traces", `file://${join(workspace.folder, "traces.json")}`];
    const { code, output } = await workspace.preview("--config", "engine-test:status=stopped", ...traces);
    expect(code).toBe(0);
    expect(shown(output)).toMatch(/warning: web: it is stopped/);
    expect(shown(output)).toMatch(/warning: api: it is stopped/);
  });
});

describe("the CLI's own trace, and the log of requests", () => {
  it("have the operations of both adapters below the calls of the engine, and no secret", async () => {
    const { workspace } = bench;
    const [traces, log] = ["up.json", "requests.log"].map((name) => join(workspace.folder, name)) as [string, string];
    workspace.env["GPUCLUSTER_LOG"] = `json:${log}`;
    await workspace.destroy();
    // As a host of Node programs sets it; the CLI takes it for the parent of its own trace.
    workspace.env["TRACEPARENT"] = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
    const { code, output } = await workspace.up(
      "--config",
      "engine-test:status=running",
      "--otel-traces",
      `file://${traces}`,
    );
    expect([code, output]).toEqual([0, expect.stringMatching(/ web .*2\/2 replicas healthy/)]);
    delete workspace.env["TRACEPARENT"];
    const text = readFileSync(traces, "utf8");
    const { paths, elsewhere } = spansIn(text);
    expect(elsewhere).toEqual([]);
    const engine = "pulumirpc.ResourceProvider/Create < pulumi-plan < pulumi";
    const count = (path: string) => paths.filter((each) => each === path).length;
    expect(count(`create < ${engine}`)).toBe(2);
    expect(count(`POST /v1/clusters < create < ${engine}`)).toBe(2);
    expect(count(`wait for replicas < create < ${engine}`)).toBe(2);
    expect(count(`probe < create < ${engine}`)).toBe(2);
    expect([count("getGpuTypes"), count("GET /v1/gpus < getGpuTypes")]).toEqual([1, 1]);
    // The first call of the dynamic adapter has no parent.
    const others = paths.filter((path) => !/(^| < )(pulumi|getGpuTypes)$/.test(path));
    expect(others.filter((path) => !path.endsWith("check"))).toEqual([]);
    const lines = readFileSync(log, "utf8");
    const entries = lines
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line));
    expect(entries.filter(({ method }) => method === "POST")).toMatchObject(
      Array(2).fill({ route: "/v1/clusters", status: 201, attempt: 1, requestId: expect.stringMatching(/^req_\d+$/) }),
    );
    expect(canaries.filter((canary) => (text + lines + output).includes(canary))).toEqual([]);
  });

  it("show a deletion of the dynamic adapter, the only call of its process, and end without a receiver", async () => {
    const { workspace } = bench;
    const traces = join(workspace.folder, "destroy.json");
    const web = "urn:pulumi:test::engine-test::pulumi-nodejs:dynamic/gpucluster:Cluster::web";
    expect(
      (
        await workspace.pulumi(
          "destroy",
          "--yes",
          "--skip-preview",
          "--target",
          web,
          "--otel-traces",
          `file://${traces}`,
        )
      ).code,
    ).toBe(0);
    const { paths, elsewhere } = spansIn(readFileSync(traces, "utf8"));
    expect(elsewhere).toEqual([]);
    expect(paths).toEqual(
      expect.arrayContaining(["delete", "wait for deletion < delete", "DELETE /v1/clusters/{id} < delete"]),
    );
    workspace.env["PULUMI_OTEL_EXPORTER_OTLP_ENDPOINT"] = "127.0.0.1:1";
    expect((await workspace.destroy()).code).toBe(0);
  });
});
