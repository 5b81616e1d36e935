import type { Fault } from "../../../simulator";
import { type FixtureOptions, failureOf, openFixture, requestLines } from "../cluster/harness";

/** A service whose descriptor is at another path than that of the simulator; `asked` gets the path of each request. */
function descriptorAt(place: string, asked: string[] = []): NonNullable<FixtureOptions["wire"]> {
  return (real) => (request) => {
    asked.push(request.path);
    const elsewhere = request.path === "/" ? "/nothing" : request.path;
    return real({ ...request, path: request.path === place ? "/" : elsewhere });
  };
}

describe("what the service says of itself", () => {
  it("is found at the last of three paths", async () => {
    const asked: string[] = [];
    const bench = await openFixture({ wire: descriptorAt("/api", asked) });
    expect(await bench.run(bench.client.getServiceInfo())).toEqual({
      name: "GPU Cluster Management API",
      version: "1.0.0",
      documentation: "https://docs.example.com/gpu-clusters",
      endpoints: expect.objectContaining({ health: "GET /health" }),
      raw: expect.objectContaining({ version: "1.0.0" }),
    });
    expect(asked).toEqual(["/", "/v1", "/api"]);
  });

  it.each<[string, Fault]>([
    ["a redirect to a web site", { kind: "redirect", location: "https://www.example.com/" }],
    ["another document", { kind: "body", body: '{"status":"ok"}' }],
  ])("is looked for at the next path when the first has %s", async (_title, fault) => {
    const bench = await openFixture({ wire: descriptorAt("/v1"), faults: [{ ...fault, path: "/nothing" }] });
    expect(await bench.run(bench.client.getServiceInfo())).toMatchObject({ version: "1.0.0" });
  });

  it("is an error when it is at none of the paths, which names them", async () => {
    const faults: Fault[] = [
      { kind: "html", status: 200, path: "/nothing", times: 2 },
      { kind: "body", status: 200, body: "{}", path: "/api" },
    ];
    const bench = await openFixture({ wire: descriptorAt("/elsewhere"), faults });
    const { message } = await bench.run(failureOf(bench.client.getServiceInfo()));
    expect(message).toContain("tried / (not JSON), /v1 (HTTP 404), /api (other content)");
  });

  it("is an error at once when the key is refused", async () => {
    const bench = await openFixture({ faults: [{ kind: "status", status: 401 }] });
    expect((await bench.run(failureOf(bench.client.getServiceInfo()))).message).toMatch(/HTTP 401/);
    expect(requestLines(bench.simulator)).toEqual(["GET /"]);
  });
});

describe("the health of the service", () => {
  it.each<[string, boolean, string]>([
    ['{"status":"ok"}', true, "ok"],
    ["{}", true, ""],
    ['{"status":"degraded"}', false, "degraded"],
    ['{"healthy":true,"status":"degraded"}', false, "degraded"],
  ])("by the answer %s is %s, in the service's own word %j", async (body, healthy, status) => {
    const bench = await openFixture({ faults: [{ kind: "body", body }] });
    expect(await bench.run(bench.client.getHealth())).toEqual({ healthy, status, raw: JSON.parse(body) });
  });

  it.each([
    [100, { healthy: false, status: "HTTP 503", raw: {} }],
    [1, { healthy: true }],
  ])("is unhealthy, and no error, when the service answers 503 more than once (%i times)", async (times, expected) => {
    const bench = await openFixture({ faults: [{ kind: "status", status: 503, times }] });
    expect(await bench.run(bench.client.getHealth())).toMatchObject(expected);
  });

  it.each<[string, Fault, RegExp]>([
    ["some proxy answers", { kind: "html", status: 502, times: 100 }, /web page/],
    ["the key is refused", { kind: "status", status: 401 }, /HTTP 401/],
  ])("is an error when %s", async (_title, fault, text) => {
    const bench = await openFixture({ faults: [fault] });
    expect((await bench.run(failureOf(bench.client.getHealth()))).message).toMatch(text);
  });
});
