import type { HttpRequest, HttpResponse, RequestKind } from "../../../../provider/api/http/send";
import { isErrorInSuccess, readErrorBody, statusErrors } from "../../../../provider/api/http/statusErrors";
import {
  ApiError,
  isNotFound,
  isUnauthorized,
  messageOf,
  type Outcome,
  ResponseShapeError,
} from "../../../../provider/base/errors";
import { Redactor } from "../../../../provider/base/redact";
import { Secret } from "../../../../provider/base/text";
import { requestOf } from "../fakes";

const key = "sk-canary-of-the-tests";

async function answerTo(response: Partial<HttpResponse>, request: HttpRequest = requestOf()): Promise<unknown> {
  return statusErrors(new Secret(key))(async () => ({ status: 200, headers: {}, body: "", ...response }))(request).then(
    ({ json }) => json,
    (error: unknown) => error,
  );
}

const envelope = (message: string, code = "some_code", status = 400) =>
  JSON.stringify({ error: { code, message, status } });

const outcomes: [Outcome, RequestKind, number[]][] = [
  ["refused", "write", [300, 302, 400, 401, 403, 404, 410, 418, 422, 501]],
  ["busy", "write", [409, 423, 425]],
  ["rate-limited", "write", [429]],
  ["server-error", "write", [500, 502, 503, 504, 599]],
  ["ambiguous", "write", [408, 303]],
  ["ambiguous", "read", [408]],
  ["ambiguous", "create", [408, 303]],
  ["ambiguous", "delete", [303]],
  ["refused", "read", [303]],
  ["refused", "create", [302]],
];

test.each(outcomes.flatMap(([outcome, kind, statuses]) => statuses.map((status) => [outcome, kind, status] as const)))(
  "the outcome %s of a %s is that of the status %d",
  async (outcome, kind, status) => {
    const request = requestOf(kind, { path: "/v1/clusters/cl_1", subject: 'cluster "web" (cl_1)' });
    const error = await answerTo({ status, body: envelope("No.", "some_code", status) }, request);
    expect(error).toBeInstanceOf(ApiError);
    const maybeApplied = outcome === "ambiguous" || outcome === "server-error";
    const facts = { outcome, status, maybeApplied, code: "some_code", method: request.method, path: request.path };
    expect(error).toMatchObject({ ...facts, isApiAnswer: true });
    const start = `${request.method} /v1/clusters/cl_1 for cluster "web" (cl_1): No (some_code, HTTP`;
    expect(String(error)).toContain(start);
  },
);

test.each<[number, string, boolean]>([
  [429, "anything", true],
  [503, "rate_limited", false],
  [403, "forbidden", false],
])("whether the status %d with the code %s means the rate limit: nothing was done", async (status, code, expected) => {
  const body = JSON.stringify({ error: { code, message: "Slow down.", status } });
  const error = await answerTo({ status, headers: {}, body }, requestOf("create"));
  expect(Object(error).outcome === "rate-limited").toBe(expected);
  if (expected) expect(error).toMatchObject({ maybeApplied: false });
});

test.each([
  [401, {}, "HTTP 401"],
  [403, {}, "HTTP 403"],
  [500, {}, "run the command again later"],
  [302, {}, "Redirects are not followed, so that the key goes nowhere else"],
  [302, { location: "https://login.example.com/sso?x=1" }, "Redirects to https://login.example.com are not followed"],
  [302, { location: "/login" }, "Redirects are not followed"],
])("the message of a %d with %j says what to do", async (status, headers, advice) => {
  const error = await answerTo({ status, headers, body: envelope("No.") });
  expect(String(error)).toContain(advice);
  expect(isUnauthorized(error)).toBe(status === 401 || status === 403);
});

const no = "the service gave no reason";
const known = { error: { code: "not_found", message: "Why.", status: 404 } };
test.each<[string, unknown, string, string?, boolean?]>([
  ["the documented envelope", known, "Why", "not_found", true],
  ["the documented envelope with more in it", { error: { ...known.error, id: "x" }, ok: 0 }, "Why", "not_found", true],
  ["an envelope without a status", { error: { code: "c", message: "Why." } }, "Why", "c"],
  ["an envelope without a code", { error: { message: "Why.", status: 404 } }, "Why"],
  ["an envelope without a message", { error: { code: "c", status: 404 } }, no, "c"],
  ["an envelope at the top", { code: "c", message: "Why." }, "Why", "c"],
  ["a detail", { detail: "Why." }, "Why"],
  ["a text as error", { status: 404, error: "Why." }, "Why"],
  ["a gateway of another vendor", { error: { code: 404, message: "Why.", status: "NOT_FOUND" } }, "Why"],
  ["ill-typed fields", { error: { code: 7, message: ["x"] } }, no],
  ["null", null, no],
  ["a list", ["x"], no],
  ["a list of it", [known], no],
  ["nothing", undefined, no],
])(
  "the reason is read from %s, and whether it is surely the API's own word",
  async (_what, json, reason, code = "", isEnvelope = false) => {
    const error = await answerTo({ status: 404, body: json === undefined ? "" : JSON.stringify(json) });
    expect(String(error)).toContain(reason);
    expect(error).toMatchObject({ isApiAnswer: true, isEnvelope, code: code || undefined });
    expect(isNotFound(error)).toBe(true);
  },
);

test.each([
  ["a web page", "<!DOCTYPE html><html><body><h1>404</h1> Not here</body></html>", {}, "a web page came back"],
  ["a text with the type of a web page", "Not here", { "content-type": "text/html" }, "a web page came back"],
  ["a long page", `<html>${"blah ".repeat(10_000)}</html>`, {}, "a web page came back"],
  ["a text", "404 page not found", {}, "not an API answer"],
  ["broken JSON", '{"error":{"mess', {}, "not an API answer"],
])("%s is a proxy's answer, and never proves that something is gone", async (_what, body, headers, reason) => {
  const error = await answerTo({ status: 404, body, headers });
  expect(error).toMatchObject({ status: 404, isApiAnswer: false, isEnvelope: false, code: undefined });
  expect(String(error)).toContain(reason);
  expect([String(error).includes("<"), String(error).length < 300, isNotFound(error)]).toEqual([false, true, false]);
});

test("a reason is free of control, escape and bidirectional characters, and cut", async () => {
  const dirty = "a\u001b[31mb\u001b]8;;http://evil\u0007c\r\nd\u202ee\u200bf\u009b2J";
  const error = await answerTo({ status: 400, body: envelope(dirty, `x\u001b[2Jy\r\nz`) });
  expect(String(error)).toContain("abc def (xy z, HTTP 400)");
  expect(error).toMatchObject({ code: "xy z" });
  expect(String(await answerTo({ status: 400, body: envelope("x".repeat(1_000_000)) })).length).toBeLessThan(700);
});

const fastApi = [{ loc: ["body", "env", "0"], msg: "Bad" }];
test.each<[string, unknown, string]>([
  ["details in the manner of FastAPI", { detail: fastApi }, JSON.stringify(fastApi)],
  ["details in the envelope", { error: { ...known.error, details: { name: "is bad" } } }, 'Why.; {"name":"is bad"}'],
  ["details alone", { details: { name: "is required" } }, '{"name":"is required"}'],
  ["errors beside a message", { message: "Invalid", errors: { name: "is bad" } }, 'Invalid; {"name":"is bad"}'],
  ["a list of errors", { errors: ["Name is taken"] }, '["Name is taken"]'],
])("a refusal says %s as JSON", (_what, json, expected) => {
  expect(readErrorBody({ body: JSON.stringify(json), headers: {} }).message).toBe(expected);
});

test.each<[boolean, string, unknown]>([
  [true, "a flag that says so", { success: false, clusters: [] }],
  [true, "a flag that says so alone", { success: false }],
  [true, "the documented envelope beside a list", { ...known, clusters: [] }],
  [true, "the documented envelope beside a record", { ...known, id: "cl_1", name: "web" }],
  [true, "a text alone", { error: "no capacity" }],
  [true, "an error of any form alone", { error: [{ message: "x" }] }],
  [false, "why a cluster failed", { id: "cl_1", name: "web", status: "failed", error: "no capacity" }],
  [false, "why a cluster of an id alone failed", { id: "cl_1", status: "failed", error: "no capacity" }],
  [false, "no errors, in a list", { errors: [], clusters: [] }],
  [false, "no error", { error: null, clusters: [] }],
  [false, "errors of a part, beside a list", { errors: [{ message: "one shard is down" }], clusters: [] }],
  [false, "a list", []],
  [false, "nothing", undefined],
])("it is %s that a success with %s is an error", (expected, _what, json) => {
  expect(isErrorInSuccess(json)).toBe(expected);
});

test.each<[unknown, string]>([
  [{ success: false, message: "no capacity" }, "no capacity"],
  [{ error: { code: "internal", message: "no shard", status: 500 }, clusters: [] }, "no shard, internal"],
  [{ success: false }, "no reason"],
  [{ success: false, message: `bad key ${key}, bad value hf_abcdefgh1234` }, "bad key [secret], bad value [secret]"],
])("a success with %j may have taken effect, and says why it is none, without secrets", async (json, reason) => {
  const request = requestOf("create", { redactor: new Redactor(["hf_abcdefgh1234"]) });
  const error = await answerTo({ body: JSON.stringify(json) }, request);
  expect(error).toBeInstanceOf(ResponseShapeError);
  expect(error).toMatchObject({ outcome: "ambiguous", maybeApplied: true });
  expect(messageOf(error)).toBe(`POST /v1/clusters: the service answered HTTP 200, but with an error: ${reason}`);
});

test.each([
  { status: "degraded", error: "database down" },
  { status: "error", error: { code: "db", message: "x", status: 500 } },
  { success: false, status: "down" },
])("the health is as the answer shows: %j", async (json) => {
  const health = requestOf("read", { path: "/health" });
  expect(await answerTo({ body: JSON.stringify(json) }, health)).toEqual(json);
});

test.each(["/health", "/v1/gpus", "/v1/gpus/h100/availability", "/"])(
  "what stands under environment in the answer of %s is cleaned, and free of the key",
  async (path) => {
    const dirty = { environment: { REGION: "\u001b[31meu\r\n", TOKEN: `Bearer ${key}` }, env: `x ${key}` };
    const clean = { environment: { REGION: "eu", TOKEN: "Bearer [secret]" }, env: "x [secret]" };
    expect(await answerTo({ body: JSON.stringify([dirty]) }, requestOf("read", { path }))).toEqual([clean]);
  },
);

test.each<[string, Partial<HttpResponse>]>([
  ["a refusal", { status: 400, body: envelope("No.") }],
  ["a redirect", { status: 302 }],
  ["a success that is an error", { body: '{"success":false}' }],
  ["a success that is no JSON", { body: "{" }],
  ["an empty success", {}],
])("the message of %s does not hold the query of the page", async (_what, response) => {
  const error = await answerTo(response, requestOf("read", { path: "/v1/clusters?cursor=canary%0Atwo" }));
  expect(messageOf(error)).toMatch(/^GET \/v1\/clusters: (?!.*canary)/);
});

test.each([
  ["an object", '{"a":1}', { a: 1 }],
  ["null", "null", null],
  ["white space around", " \n[1]\n", [1]],
  ["texts with escape characters, cleaned", '{"a":"\\u001b[31mx"}', { a: "x" }],
  ["env values, byte for byte", '{"env":{"A":"\\u001b[31mx\\n"}}', { env: { A: "\u001b[31mx\n" } }],
])("a success with %s is let through", async (_what, body, json) => {
  expect(await answerTo({ body })).toEqual(json);
});

test.each(["create", "delete", "action", "write"] as const)("a success of a %s needs no body", async (kind) => {
  expect(await answerTo({ status: 204 }, requestOf(kind))).toBeUndefined();
  expect(await answerTo({ status: 202, body: " \n" }, requestOf(kind))).toBeUndefined();
});

test.each([
  ["empty", "", "it is empty"],
  ["a web page", "<html>sign in</html>", "it is a web page"],
  ["truncated", '{"id":"cl_1","env":{"A":"canary', "31 characters that are not JSON"],
  ["nested too deep", "[".repeat(200_000) + "]".repeat(200_000), "nested more than 100 levels deep"],
])("a success whose body is %s may have taken effect, and the body is not quoted", async (_what, body, what) => {
  const error = await answerTo({ body }, requestOf("read", { subject: 'cluster "web"' }));
  expect(error).toBeInstanceOf(ResponseShapeError);
  expect(error).toMatchObject({ outcome: "ambiguous", maybeApplied: true, method: "GET", path: "/v1/clusters" });
  for (const part of [what, 'for cluster "web"']) expect(String(error)).toContain(part);
  expect(String(error)).not.toContain("canary");
});
