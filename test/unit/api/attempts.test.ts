import { recordAttempts } from "../../../provider/api/attempts";
import { endpoints, parametersOf } from "../../../provider/api/endpoints";
import type { Handler, HttpRequest, HttpResponse, Send } from "../../../provider/api/http";
import { createTransport } from "../../../provider/api/transport";
import { ConnectionError } from "../../../provider/errors";
import type { RequestEntry } from "../../../provider/requestLog";
import { Secret } from "../../../provider/text";
import { noTracer } from "../../../provider/trace";
import { recordSpans } from "../../support/spans";
import { VirtualClock } from "../../support/virtualClock";
import { requestOf } from "./fakes";

const key = "sk-canary-of-the-key";
const value = "canary-of-the-env";

type Step = Partial<HttpResponse> | Error;

/** The chain above a service that gives these answers, each after 40 ms, with its log and its spans. */
function open(...script: readonly Step[]) {
  const clock = new VirtualClock();
  const lines: RequestEntry[] = [];
  const recorded = recordSpans(clock);
  const end: Send = async () => {
    await clock.sleep(40);
    const step = script.length > 1 ? (script as Step[]).shift() : script[0];
    if (step instanceof Error) throw step;
    return { status: 200, headers: {}, body: "{}", ...step };
  };
  const send = createTransport({
    baseUrl: "https://api.example.com",
    apiKey: new Secret(key),
    clock,
    random: () => 0.5,
    userAgent: "test/1",
    tracer: recorded.tracer,
    log: (entry) => lines.push(entry),
    end,
  });
  const run = (request: HttpRequest): Promise<unknown> => clock.run(send(request)).catch((error: unknown) => error);
  return { clock, lines, ...recorded, run };
}

const scale = requestOf("write", {
  method: "POST",
  path: "/v1/clusters/cl_1/scale?dry=1",
  body: JSON.stringify({ replicas: 2, env: { MODEL: value } }),
  subject: 'cluster "web" (cl_1)',
  secrets: [value],
});
const limits = { "x-ratelimit-limit": "100", "x-ratelimit-remaining": "41", "x-request-id": "req_7" };

describe("an attempt", () => {
  it("has one line and one span, with the route in place of the path", async () => {
    const service = open({ headers: limits });
    await service.run(scale);
    const common = { method: "POST", route: "/v1/clusters/{id}/scale" };
    expect(service.lines).toEqual([
      {
        ...common,
        time: "2030-01-01T00:00:00.000Z",
        status: 200,
        attempt: 1,
        durationMs: 40,
        waitedMs: 0,
        remaining: 41,
        cluster: "cl_1",
        subject: 'cluster "web" (cl_1)',
        requestId: "req_7",
        error: undefined,
      },
    ]);
    expect(await service.spans()).toMatchObject([
      {
        name: "POST /v1/clusters/{id}/scale",
        failure: undefined,
        attributes: {
          "server.address": "api.example.com",
          "server.port": 443,
          "http.request.method": "POST",
          "url.template": common.route,
          "http.response.status_code": 200,
          "gpucluster.cluster.id": "cl_1",
          "gpucluster.subject": 'cluster "web" (cl_1)',
          "gpucluster.rate_limit.remaining": 41,
          "gpucluster.request.id": "req_7",
        },
      },
    ]);
  });

  it("is one of several, each with its number and its error", async () => {
    const refused = new ConnectionError("no connection", { outcome: "not-sent", method: "GET", path: "/v1/clusters" });
    const service = open(refused, { status: 502, headers: { "request-id": "r 2" }, body: "" }, {});
    await service.run(requestOf("read"));
    expect(service.lines.map(({ attempt, status, error }) => [attempt, status, error])).toEqual([
      [1, undefined, "no connection"],
      [2, 502, "GET /v1/clusters: the service answered HTTP 502"],
      [3, 200, undefined],
    ]);
    const spans = await service.spans();
    expect(spans.map(({ attributes, failure }) => [attributes["http.request.resend_count"], failure])).toEqual([
      [undefined, "not-sent: no connection"],
      [1, expect.stringMatching(/^502: GET \/v1\/clusters: /)],
      [2, undefined],
    ]);
  });

  it("has a span for the wait in the rate budget, if it waited", async () => {
    const used = { ...limits, "x-ratelimit-remaining": "0", "x-ratelimit-reset": "20" };
    const service = open({ headers: used }, {});
    await service.run(requestOf("read"));
    await service.run(requestOf("read"));
    const waitedMs = service.lines[1]?.waitedMs ?? 0;
    expect(waitedMs).toBeGreaterThan(19_000);
    expect(service.lines[1]).toMatchObject({ status: 200, durationMs: 40 });
    const spans = await service.spans();
    expect(spans.map(({ name }) => name)).toEqual(["GET /v1/clusters", "wait for rate limit", "GET /v1/clusters"]);
    expect(spans[1]?.ms).toBe(waitedMs);
  });

  it("has no status and no duration if the rate limit does not let it pass", async () => {
    const used = { ...limits, "x-ratelimit-remaining": "0", "x-ratelimit-reset": "50" };
    const service = open({ headers: used }, {});
    await service.run(requestOf("read"));
    await service.run(requestOf("read", { maxQueueMs: 1_000 }));
    const { status, durationMs, error } = service.lines[1] ?? {};
    expect([status, durationMs, error]).toEqual([undefined, undefined, expect.stringContaining("is used up")]);
    expect((await service.spans())[1]).toMatchObject({
      name: "wait for rate limit",
      failure: expect.stringMatching(/^refused: .*is used up/),
    });
  });

  it.each<[string, Step]>([
    ["the reason", { status: 400, body: JSON.stringify({ error: { message: `no ${value}, ${key}`, code: value } }) }],
    ["the id of the request", { headers: { "x-request-id": `${key}/${value}` } }],
    ["a redirect", { status: 302, headers: { location: `https://${value}.example.com/?${key}` } }],
    ["another header", { status: 500, headers: { "set-cookie": key, "www-authenticate": value }, body: value }],
    ["a body that is no JSON", { body: `${key}${value}` }],
    ["a success with an error", { body: JSON.stringify({ success: false, error: { message: `${key} ${value}` } }) }],
    ["an error without an answer", new Error(`fetch ${key} failed: ${value}`)],
  ])("shows no key and no value of env that is in %s", async (_where, step) => {
    const service = open(step);
    await service.run({ ...scale, attempts: 1 });
    const shown = JSON.stringify(service.lines) + (await service.text());
    expect(shown).toContain("/v1/clusters/{id}/scale");
    expect([key, value].filter((secret) => shown.includes(secret))).toEqual([]);
  });

  it.each<[string, Partial<HttpResponse>]>([
    [
      "a refusal",
      { status: 404, body: JSON.stringify({ error: { message: `cl_2: HF_TOKEN=${value}`, code: value } }) },
    ],
    ["a failure", { status: 500, body: JSON.stringify({ message: value }) }],
    ["a redirect", { status: 302, headers: { location: `https://${value}.example.com/` } }],
    ["a success with an error", { body: JSON.stringify({ success: false, error: { message: value } }) }],
  ])("does not repeat the words of %s: no request knows the secrets of all clusters", async (_what, step) => {
    const service = open({ ...step, headers: { ...step.headers, ...limits } });
    await service.run(requestOf("read", { subject: "the list", attempts: 1 }));
    const { status, requestId, error } = service.lines[0] ?? {};
    expect([status, requestId]).toEqual([step.status ?? 200, "req_7"]);
    expect(error).toMatch(/^GET \/v1\/clusters for the list: the service answered HTTP \d+/);
    const [span] = await service.spans();
    expect(span?.failure).toContain(error);
    expect(JSON.stringify(service.lines) + (await service.text())).not.toContain(value);
  });
});

test("without a trace and a log, the chain is as it was", () => {
  const chain: Handler = (next) => next;
  const options = { clock: new VirtualClock(), apiKey: new Secret(key), baseUrl: "https://api.example.com" };
  expect(recordAttempts({ ...options, tracer: noTracer }, chain)).toBe(chain);
});

test("a route names no cluster and no GPU type of any endpoint, and no query", () => {
  const routes = Object.values(endpoints).map((endpoint) => {
    const { path } = typeof endpoint === "function" ? endpoint("cl_canary" as never, "PATCH" as never) : endpoint;
    return parametersOf(`${path}?cursor=cl_canary`).route;
  });
  expect(routes.filter((route) => route.startsWith("/v1")).sort()).toEqual(
    [
      "/v1/clusters",
      "/v1/clusters",
      ...Array(4).fill("/v1/clusters/{id}").slice(0, 3),
      "/v1/clusters/{id}/redeploy",
      "/v1/clusters/{id}/restart",
      "/v1/clusters/{id}/scale",
      "/v1/clusters/{id}/status",
      "/v1/clusters/{id}/stop",
      "/v1/gpus",
      "/v1/gpus/availability",
      "/v1/gpus/models",
      "/v1/gpus/pricing",
      "/v1/gpus/{type}/availability",
    ].sort(),
  );
});
