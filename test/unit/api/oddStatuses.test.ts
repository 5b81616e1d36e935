import type { HttpRequest, HttpResponse } from "../../../provider/api/http";
import { statusErrors } from "../../../provider/api/statusErrors";
import { ApiError, messageOf, type Outcome, ResponseShapeError } from "../../../provider/errors";
import { Secret } from "../../../provider/text";
import { requestOf } from "./fakes";

const key = "sk-canary-of-the-tests";

async function answerTo(response: Partial<HttpResponse>, request: HttpRequest = requestOf()): Promise<unknown> {
  return statusErrors(new Secret(key))(async () => ({ status: 200, headers: {}, body: "", ...response }))(request).then(
    ({ json }) => json,
    (error: unknown) => error,
  );
}

test.each<[number, "read" | "create" | "write" | "delete", Outcome]>([
  [408, "read", "ambiguous"],
  [408, "create", "ambiguous"],
  [408, "write", "ambiguous"],
  [303, "create", "ambiguous"],
  [303, "write", "ambiguous"],
  [303, "delete", "ambiguous"],
  [303, "read", "refused"],
  [302, "create", "refused"],
])("the status %d to a %s has the outcome %s", async (status, kind, outcome) => {
  const error = await answerTo({ status, headers: { location: "/v1/clusters/cl_1" } }, requestOf(kind));
  expect(error).toBeInstanceOf(ApiError);
  expect(error).toMatchObject({ status, outcome, maybeApplied: outcome === "ambiguous" });
});

test.each<[number, string]>([
  [503, "rate_limited"],
  [403, "rate_limited"],
  [503, "TOO_MANY_REQUESTS"],
  [403, "TOO_MANY_REQUESTS"],
])("the status %d with the code %s has the outcome rate-limited: nothing was done", async (status, code) => {
  const body = JSON.stringify({ error: { code, message: "Slow down.", status } });
  const error = await answerTo({ status, body }, requestOf("create"));
  expect(error).toMatchObject({ status, outcome: "rate-limited", maybeApplied: false });
});

test.each<[string, unknown, string]>([
  ["a flag that says so", { success: false, message: "no capacity" }, "no capacity"],
  [
    "the documented envelope beside a list",
    { error: { code: "internal", message: "no shard", status: 500 }, clusters: [] },
    "no shard, internal",
  ],
  ["a flag that says so, and no reason", { success: false }, "no reason"],
])("a success with %s may have taken effect, and says why it is none", async (_what, json, reason) => {
  const error = await answerTo({ body: JSON.stringify(json) }, requestOf("create"));
  expect(error).toBeInstanceOf(ResponseShapeError);
  expect(error).toMatchObject({ outcome: "ambiguous", maybeApplied: true });
  expect(messageOf(error)).toBe(`POST /v1/clusters: the service answered HTTP 200, but with an error: ${reason}`);
});

test("the reason of a success that is none is free of secrets", async () => {
  const body = JSON.stringify({ success: false, message: `bad key ${key}, bad value hf_abcdefgh1234` });
  const error = await answerTo({ body }, requestOf("create", { secrets: ["hf_abcdefgh1234"] }));
  expect(messageOf(error)).toContain("bad key [secret], bad value [secret]");
});

test.each<[string, unknown]>([
  ["an error beside its word", { status: "degraded", error: "database down" }],
  ["an error beside a word that says so", { status: "error", error: { code: "db", message: "x", status: 500 } }],
  ["a flag that says no", { success: false, status: "down" }],
])("the health is as the answer shows with %s", async (_what, json) => {
  const answer = answerTo({ body: JSON.stringify(json) }, requestOf("read", { path: "/health" }));
  expect(await answer).toEqual(json);
});

test.each(["/health", "/v1/gpus", "/v1/gpus/h100/availability", "/"])(
  "what stands under environment in the answer of %s is cleaned, and free of the key",
  async (path) => {
    const dirty = { environment: { REGION: "\u001b[31meu\r\n", TOKEN: `Bearer ${key}` }, env: `x ${key}` };
    const clean = { environment: { REGION: "eu", TOKEN: "Bearer [secret]" }, env: "x [secret]" };
    expect(await answerTo({ body: JSON.stringify(dirty) }, requestOf("read", { path }))).toEqual(clean);
    expect(await answerTo({ body: JSON.stringify([dirty]) }, requestOf("read", { path }))).toEqual([clean]);
  },
);

test.each<[string, Partial<HttpResponse>]>([
  ["a refusal", { status: 400, body: '{"error":{"code":"c","message":"No.","status":400}}' }],
  ["a redirect", { status: 302 }],
  ["a success that is an error", { body: '{"success":false}' }],
  ["a success that is no JSON", { body: "{" }],
  ["an empty success", {}],
])("the message of %s does not hold the query of the page", async (_what, response) => {
  const error = await answerTo(response, requestOf("read", { path: "/v1/clusters?cursor=canary%0Atwo" }));
  expect(messageOf(error)).toMatch(/^GET \/v1\/clusters: /);
  expect(messageOf(error)).not.toContain("canary");
});
