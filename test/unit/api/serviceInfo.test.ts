import { getHealth, getServiceInfo } from "../../../provider/api/serviceInfo";
import type { Fault } from "../../../simulator";
import { type BenchOptions, failureOf, openBench, requestLines } from "../cluster/harness";

const paths = ["/", "/v1", "/api"];

/** A service whose descriptor is at another path than that of the simulator; `asked` gets the path of each request. */
function descriptorAt(place: string, asked: string[] = []): NonNullable<BenchOptions["wire"]> {
  return (real) => (request) => {
    asked.push(request.path);
    const elsewhere = request.path === "/" ? "/nothing" : request.path;
    return real({ ...request, path: request.path === place ? "/" : elsewhere });
  };
}

describe("what the service says of itself", () => {
  it.each([
    ["/", 1],
    ["/v1", 2],
    ["/api", 3],
  ])("is found at %s, at request %d", async (path, count) => {
    const asked: string[] = [];
    const bench = await openBench({ wire: descriptorAt(path, asked) });
    expect(await bench.run(getServiceInfo(bench.client))).toEqual({
      name: "GPU Cluster Management API",
      version: "1.0.0",
      documentation: "https://docs.example.com/gpu-clusters",
      endpoints: expect.objectContaining({ health: "GET /health" }),
      raw: expect.objectContaining({ version: "1.0.0" }),
    });
    expect(asked).toEqual(paths.slice(0, count));
  });

  it.each<[string, object]>([
    ['{"name":"x"}', { name: "x", endpoints: {} }],
    ['{"version":"2.0.0"}', { version: "2.0.0", endpoints: {} }],
    ['{"endpoints":{"health":"/health"}}', { endpoints: { health: "/health" } }],
  ])("may be as little as %s", async (body, info) => {
    const bench = await openBench({ faults: [{ kind: "body", body }] });
    expect(await bench.run(getServiceInfo(bench.client))).toStrictEqual({ ...info, raw: JSON.parse(body) });
  });

  it.each<[string, Fault]>([
    ["nothing", { kind: "status", status: 404 }],
    ["a web site", { kind: "html", status: 200, times: 2 }],
    ["a redirect to a web site", { kind: "redirect", location: "https://www.example.com/" }],
    ["another document", { kind: "body", body: '{"status":"ok"}' }],
  ])("is looked for at the next path when the first has %s", async (_title, fault) => {
    const bench = await openBench({ wire: descriptorAt("/v1"), faults: [{ ...fault, path: "/nothing" }] });
    expect(await bench.run(getServiceInfo(bench.client))).toMatchObject({ version: "1.0.0" });
  });

  it("is an error when it is at none of the paths, which names them", async () => {
    const faults: Fault[] = [
      { kind: "html", status: 200, path: "/nothing", times: 2 },
      { kind: "body", status: 200, body: "{}", path: "/api" },
    ];
    const bench = await openBench({ wire: descriptorAt("/elsewhere"), faults });
    const { message } = await bench.run(failureOf(getServiceInfo(bench.client)));
    expect(message).toContain("tried / (not JSON), /v1 (HTTP 404), /api (other content)");
  });

  it.each<[string, Fault, RegExp]>([
    ["the key is refused", { kind: "status", status: 401 }, /HTTP 401/],
    ["the service fails", { kind: "status", status: 500, times: 2 }, /HTTP 500/],
    ["nobody answers", { kind: "drop", times: 2 }, /the connection broke/],
  ])("is an error at once when %s", async (_title, fault, text) => {
    const bench = await openBench({ faults: [fault] });
    expect((await bench.run(failureOf(getServiceInfo(bench.client)))).message).toMatch(text);
    expect(new Set(requestLines(bench.simulator))).toEqual(new Set(["GET /"]));
  });
});

const health = async (...faults: Fault[]) => {
  const bench = await openBench({ faults });
  return bench.run(getHealth(bench.client));
};

describe("the health of the service", () => {
  it("is healthy when it says so", async () => {
    expect(await health()).toMatchObject({ healthy: true, raw: expect.any(Object) });
  });

  it.each<[string, boolean, string]>([
    ['{"status":"ok"}', true, "ok"],
    ['{"healthy":true}', true, ""],
    ["{}", true, ""],
    ['{"status":"degraded"}', false, "degraded"],
    ['{"healthy":false}', false, ""],
    ['{"healthy":false,"status":"ok"}', false, "ok"],
    ['{"healthy":true,"status":"degraded"}', false, "degraded"],
  ])("by the answer %s is %s, in the service's own word %j", async (body, healthy, status) => {
    expect(await health({ kind: "body", body })).toEqual({ healthy, status, raw: JSON.parse(body) });
  });

  it.each([500, 503])("is unhealthy, and no error, when the service answers %d for good", async (status) => {
    expect(await health({ kind: "status", status, times: 100 })).toEqual({
      healthy: false,
      status: `HTTP ${status}`,
      raw: {},
    });
  });

  it("is asked for once more after one 503", async () => {
    expect(await health({ kind: "status", status: 503 })).toMatchObject({ healthy: true });
  });

  it.each<[string, Fault, RegExp]>([
    ["nobody answers", { kind: "drop", times: 100 }, /the connection broke/],
    ["some proxy answers", { kind: "html", status: 502, times: 100 }, /web page/],
    ["the key is refused", { kind: "status", status: 401 }, /HTTP 401/],
    ["the path is not there", { kind: "status", status: 404 }, /HTTP 404/],
  ])("is an error when %s", async (_title, fault, text) => {
    const bench = await openBench({ faults: [fault] });
    expect((await bench.run(failureOf(getHealth(bench.client)))).message).toMatch(text);
  });
});
