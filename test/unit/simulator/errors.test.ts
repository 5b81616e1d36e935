import type { Dialect } from "../../../simulator";
import { start, web } from "./harness";

const message = expect.any(String);
const documented = (code: string, status: number) => ({ error: { code, message, status } });
const typed = (type: string) => ({ error: { type, code: message, message } });

test.each<[string, Partial<Dialect>, string, unknown, number, unknown]>([
  ["an invalid body", { errorShape: "flat" }, "POST /v1/clusters", {}, 400, { code: "invalid_request", message }],
  ["an invalid body", { errorShape: "typed" }, "POST /v1/clusters", {}, 400, typed("invalid_request_error")],
  ["an unknown cluster", {}, "GET /v1/clusters/x", undefined, 404, documented("cluster_not_found", 404)],
])("an error has the shape of the dialect: %s, %j", async (_what, dialect, line, body, status, expected) => {
  const { call, simulator } = await start({ dialect });
  const reply = await call(line, body);
  expect([reply.status, simulator.requests.at(-1)?.status]).toEqual([status, status]);
  expect(reply.body).toEqual(expected);
});

test("an error inside the simulator is answered with 500 in the dialect's shape, and the next request is served", async () => {
  let time = Number.NaN;
  const { call } = await start({ dialect: { errorShape: "flat" }, clock: { now: () => time } });
  const { status, body, headers } = await call("POST /v1/clusters", web);
  expect([status, body.code, headers.get("x-ratelimit-remaining")]).toEqual([500, "internal_error", "99"]);
  time = 0;
  expect((await call("GET /health")).status).toBe(200);
});

test.each(["", "Bearer nope"])(
  "%j: an unauthorized request gets 401 and rate headers on every path",
  async (authorization) => {
    const { call } = await start();
    for (const path of ["/health", "/", "/v1/clusters", "/nowhere"]) {
      const { status, body, headers } = await call(`GET ${path}`, undefined, { authorization });
      expect([status, headers.get("x-ratelimit-remaining")]).toEqual([401, "100"]);
      expect([headers.get("www-authenticate"), body]).toEqual(["Bearer", documented("unauthorized", 401)]);
    }
  },
);

test("the clusters of one organization do not exist for another, and requests are recorded without the key", async () => {
  const { call, simulator, clock } = await start({ apiKeys: { one: "org_1", uno: "org_1", two: "org_2" } });
  const as = (key: string, line: string) => call(line, undefined, { authorization: `Bearer ${key}` });
  const { id } = (await call("POST /v1/clusters", web)).body;
  expect(simulator).toMatchObject({ apiKey: "one", organization: "org_1" });
  expect((await as("uno", `GET /v1/clusters/${id}`)).status).toBe(200);
  expect((await as("two", "GET /v1/clusters")).body.clusters).toEqual([]);
  expect((await as("two", `DELETE /v1/clusters/${id}`)).body.error.code).toBe("cluster_not_found");
  expect(simulator.requests.map(({ organization }) => organization)).toEqual(["org_1", "org_1", "org_2", "org_2"]);
  const headers = expect.not.objectContaining({ authorization: expect.anything() });
  const line = { at: clock.time, method: "POST", path: "/v1/clusters", status: 201, organization: "org_1" };
  expect(simulator.requests[0]).toEqual({ ...line, body: web, headers });
});

test("requests are counted for each key in a fixed window, and refused ones are not", async () => {
  const { call, clock } = await start({ rateLimit: 2, rateWindowMs: 1500, apiKeys: { a: "org", b: "org" } });
  const get = async (key = "a") => {
    const { status, headers } = await call("GET /health", undefined, { authorization: `Bearer ${key}` });
    return [
      status,
      ...["limit", "remaining", "reset"].map((name) => headers.get(`x-ratelimit-${name}`)),
      headers.get("retry-after"),
    ].join();
  };
  expect(await get()).toBe("200,2,1,1893456002,");
  clock.advance(1000);
  expect([await get(), await get(), await get("b")]).toEqual([
    "200,2,0,1893456002,",
    "429,2,0,1893456002,1",
    "200,2,1,1893456003,",
  ]);
  clock.advance(499);
  expect(await get()).toMatch(/^429,.*,1$/);
  clock.advance(1);
  expect(await get()).toMatch(/^200,2,1/);
});

test("the Date of an answer is the simulator's, or the real time without a clock of its own", async () => {
  const { call, clock } = await start();
  clock.advance(90_000);
  expect((await call("GET /nowhere")).headers.get("date")).toBe("Tue, 01 Jan 2030 00:01:30 GMT");
  const { headers } = await (await start({ clock: Date })).call("GET /health");
  expect(Math.abs(Date.parse(headers.get("date") ?? "") - Date.now())).toBeLessThan(60_000);
});
