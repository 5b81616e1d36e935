import { start, stopAll, web } from "./harness";

afterEach(stopAll);

test.each([
  ["no header", ""],
  ["an unknown key", "Bearer nope"],
  ["another scheme", "Basic abc"],
])("a request with %s is unauthorized on every path, and still gets rate headers", async (_what, authorization) => {
  const { call } = await start();
  for (const path of ["/health", "/", "/v1/clusters", "/nowhere"]) {
    const { status, body, headers } = await call(`GET ${path}`, undefined, { authorization });
    expect(status).toBe(401);
    expect(body.error).toMatchObject({ code: "unauthorized", status: 401 });
    expect(headers.get("x-ratelimit-remaining")).toBe("100");
  }
});

test("the clusters of one organization do not exist for another", async () => {
  const { call, simulator } = await start({ apiKeys: { one: "org_one", uno: "org_one", two: "org_two" } });
  const { body } = await call("POST /v1/clusters", web);
  const as = (key: string, line: string) => call(line, undefined, { authorization: `Bearer ${key}` });
  expect(simulator).toMatchObject({ apiKey: "one", organization: "org_one" });
  expect((await as("uno", `GET /v1/clusters/${body.id}`)).status).toBe(200);
  expect((await as("two", "GET /v1/clusters")).body.clusters).toEqual([]);
  const refused = await as("two", `DELETE /v1/clusters/${body.id}`);
  expect(refused.body.error.code).toBe("cluster_not_found");
  expect(simulator.requests.map(({ organization }) => organization)).toEqual([
    "org_one",
    "org_one",
    "org_two",
    "org_two",
  ]);
});

test("requests are counted per key in a fixed window, and refused ones are not", async () => {
  const { call, clock } = await start({ rateLimit: 2, rateWindowMs: 1500, apiKeys: { a: "org", b: "org" } });
  const get = async (key = "a") => {
    const { status, headers } = await call("GET /health", undefined, { authorization: `Bearer ${key}` });
    return [status, headers.get("x-ratelimit-remaining"), headers.get("retry-after")];
  };
  expect(await get()).toEqual([200, "1", null]);
  clock.advance(1000);
  expect(await get()).toEqual([200, "0", null]);
  expect(await get()).toEqual([429, "0", "1"]);
  expect(await get("b")).toEqual([200, "1", null]);
  clock.advance(499);
  expect(await get()).toEqual([429, "0", "1"]);
  clock.advance(1);
  expect(await get()).toEqual([200, "1", null]);
});

test("the reset header is the window's end in Unix seconds, rounded up, on errors too", async () => {
  const { call, clock } = await start({ rateWindowMs: 1500 });
  const { headers } = await call("GET /nowhere");
  expect(headers.get("x-ratelimit-limit")).toBe("100");
  expect(headers.get("x-ratelimit-reset")).toBe(String(clock.time / 1000 + 2));
});

test("a refused request has no effect and is answered with rate_limited", async () => {
  const { call, simulator } = await start({ rateLimit: 0 });
  const { body } = await call("POST /v1/clusters", web);
  expect(body.error).toMatchObject({ code: "rate_limited", status: 429 });
  expect(simulator.clusters()).toEqual([]);
});

test("requests are recorded without the key", async () => {
  const { call, simulator, clock } = await start();
  await call("POST /v1/clusters", web);
  expect(simulator.requests).toEqual([
    {
      at: clock.time,
      method: "POST",
      path: "/v1/clusters",
      status: 201,
      body: web,
      organization: "org_default",
      headers: expect.objectContaining({ "content-type": "application/json" }),
    },
  ]);
  expect(JSON.stringify(simulator.requests)).not.toContain(simulator.apiKey);
});
