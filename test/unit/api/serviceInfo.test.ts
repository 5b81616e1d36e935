import type { Fault } from "../../../simulator";
import { type FixtureOptions, failureOf, openFixture } from "../cluster/harness";

/** A service whose descriptor is at this path; `paths` gets that of each request. */
function descriptorAt(place: string, paths: string[] = []): NonNullable<FixtureOptions["wire"]> {
  return (real) => (request) => {
    paths.push(request.path);
    const elsewhere = request.path === "/" ? "/nothing" : request.path;
    return real({ ...request, path: request.path === place ? "/" : elsewhere });
  };
}

describe("the descriptor of the service", () => {
  it("is found at the last of three paths", async () => {
    const paths: string[] = [];
    const fixture = await openFixture({ wire: descriptorAt("/api", paths) });
    expect(await fixture.run(fixture.client.getServiceInfo())).toEqual({
      name: "GPU Cluster Management API",
      version: "1.0.0",
      documentation: "https://docs.example.com/gpu-clusters",
      endpoints: expect.objectContaining({ health: "GET /health" }),
      raw: expect.objectContaining({ version: "1.0.0" }),
    });
    expect(paths).toEqual(["/", "/v1", "/api"]);
  });

  it.each<[string, Fault]>([
    ["HTTP 302", { kind: "redirect", location: "https://www.example.com/" }],
    ["not JSON", { kind: "html", status: 200, times: 2 }],
  ])("%s: is an error with the paths if it is at none of them", async (why, first) => {
    const faults: Fault[] = [
      { ...first, path: "/nothing" },
      { kind: "body", status: 200, body: "{}", path: "/api" },
    ];
    const { client, run } = await openFixture({ wire: descriptorAt("/elsewhere"), faults });
    const { message } = await run(failureOf(client.getServiceInfo()));
    expect(message).toContain(`tried / (${why}), /v1 (HTTP 404), /api (other content)`);
  });

  it("is an error at once if the key is refused", async () => {
    const fixture = await openFixture({ faults: [{ kind: "status", status: 401 }] });
    expect((await fixture.run(failureOf(fixture.client.getServiceInfo()))).message).toMatch(/HTTP 401/);
    expect(fixture.requestLines()).toEqual(["GET /"]);
  });
});

describe("the health of the service", () => {
  it.each<[string, string, boolean, string]>([
    ["is good by a known word", '{"status":"ok"}', true, "ok"],
    ["is good by a success", "{}", true, ""],
    ["is bad by a word, even beside a good flag", '{"healthy":true,"status":"degraded"}', false, "degraded"],
    ["is bad by an error in a success", '{"success":false,"status":"error","error":{"status":500}}', false, "error"],
  ])("%s", async (_name, body, healthy, status) => {
    const fixture = await openFixture({ faults: [{ kind: "body", body }] });
    expect(await fixture.run(fixture.client.getHealth())).toEqual({ healthy, status, raw: JSON.parse(body) });
  });

  it("is bad, and no error, if the service answers 503 more than once", async () => {
    const fixture = await openFixture({ faults: [{ kind: "status", status: 503, times: 3 }] });
    expect(await fixture.run(fixture.client.getHealth())).toEqual({ healthy: false, status: "HTTP 503", raw: {} });
    expect(await fixture.run(fixture.client.getHealth())).toMatchObject({ healthy: true });
  });

  it.each<[string, Fault, RegExp]>([
    ["is an error if a proxy answers", { kind: "html", status: 502, times: 100 }, /web page/],
    ["is an error if the key is refused", { kind: "status", status: 401 }, /HTTP 401/],
  ])("%s", async (_name, fault, message) => {
    const fixture = await openFixture({ faults: [fault] });
    expect((await fixture.run(failureOf(fixture.client.getHealth()))).message).toMatch(message);
  });
});
