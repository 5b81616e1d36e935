import type { HttpRequest, HttpResponse, RequestKind } from "../../../../provider/api/http/send";
import { ApiError, isNotFound, messageOf, type Outcome, ResponseShapeError } from "../../../../provider/base/errors";
import { Redactor } from "../../../../provider/base/redact";
import { requestOf } from "../fakes";
import { answering } from "./httpHarness";

const key = "sk-canary-of-the-tests";

/** The JSON of an answer, or the error that it becomes. */
async function answerTo(response: Partial<HttpResponse>, request: HttpRequest = requestOf()): Promise<unknown> {
  return answering(
    response,
    key,
  )(request).then(
    ({ json }) => json,
    (error: unknown) => error,
  );
}

const envelope = (message: string, code = "some_code", status = 400) =>
  JSON.stringify({ error: { code, message, status } });

test.each<[Outcome, RequestKind, number[]]>([
  ["refused", "write", [302, 400, 401, 404, 501]],
  ["busy", "write", [409, 423]],
  ["rate-limited", "create", [429]],
  ["server-error", "write", [500, 503]],
  ["ambiguous", "create", [408, 303]],
  ["refused", "read", [303]],
])("the outcome %s of a %s is that of the status %j", async (outcome, kind, statuses) => {
  const request = requestOf(kind, { path: "/v1/clusters/cl_1", subject: 'cluster "web" (cl_1)' });
  for (const status of statuses) {
    const error = await answerTo({ status, body: envelope("No.", "some_code", status) }, request);
    expect(error).toBeInstanceOf(ApiError);
    const maybeApplied = outcome === "ambiguous" || outcome === "server-error";
    const facts = { outcome, status, maybeApplied, code: "some_code", method: request.method };
    expect(error).toMatchObject({ ...facts, isApiAnswer: true });
    const start = `${request.method} /v1/clusters/cl_1 for cluster "web" (cl_1): No (some_code, HTTP`;
    expect(String(error)).toContain(start);
  }
});

const no = "the service gave no reason";
const known = { error: { code: "not_found", message: "Why.", status: 404 } };
test.each<[string, unknown, string, string?, boolean?]>([
  ["the documented envelope", known, "Why", "not_found", true],
  ["an envelope without a status", { error: { code: "c", message: "Why." } }, "Why", "c"],
  ["a text as error", { status: 404, error: "Why." }, "Why"],
  ["a list of it", [known], no],
  ["details in the envelope", { error: { message: "Why.", details: { name: "is bad" } } }, 'Why.; {"name":"is bad"}'],
  ["nothing", undefined, no],
])(
  "the reason is read from %s, and whether it is surely the API's own word",
  async (_what, json, reason, code = "", isEnvelope = false) => {
    const error = await answerTo({ status: 404, body: json === undefined ? "" : JSON.stringify(json) });
    expect(String(error)).toContain(reason);
    expect(error).toMatchObject({ isApiAnswer: true, details: { isEnvelope }, code: code || undefined });
    expect(isNotFound(error)).toBe(true);
  },
);

test.each([
  ["a web page", `<html>${"blah ".repeat(10_000)}</html>`, {}, "a web page came back"],
  ["a text with the type of a web page", "Not here", { "content-type": "text/html" }, "a web page came back"],
  ["broken JSON", '{"error":{"mess', {}, "not an API answer"],
])("%s is a proxy's answer, and never proves that something is gone", async (_what, body, headers, reason) => {
  const error = await answerTo({ status: 404, body, headers });
  expect(error).toMatchObject({ status: 404, isApiAnswer: false, details: { isEnvelope: false }, code: undefined });
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

const secret = "hf_abcdefgh1234";
const denial = { error: "No.", code: "FORBIDDEN", permission: "compute.create", deniedBy: "org_policy" };
test.each<[string, Record<string, string>, object, string]>([
  ["the id of the request in a header", { "x-request-id": "a1" }, {}, "(HTTP 403, request id a1)"],
  ["no secret in that id", { "x-request-id": `${key}${secret}` }, {}, "request id [secret]"],
  ["the id of the request in the body", {}, { error: "No.", requestId: "b2" }, "No (HTTP 403, request id b2)"],
  [
    "the missing permission and the policy that denied it",
    {},
    denial,
    "No (FORBIDDEN, HTTP 403, permission compute.create, denied by org_policy)",
  ],
  [
    "the same inside the envelope",
    { "x-request-id": "a1" },
    { error: { ...denial, error: undefined, message: "No.", requestId: "b2" } },
    "No (FORBIDDEN, HTTP 403, permission compute.create, denied by org_policy, request id a1)",
  ],
  [
    "no secret and no control character in these",
    {},
    { ...denial, permission: `a\u001b[31m${secret}`, deniedBy: key, requestId: `c ${secret}` },
    "permission a[secret], denied by [secret], request id c_[secret])",
  ],
])("an error of the service has %s", async (_what, headers, body, expected) => {
  const request = requestOf("read", { redactor: new Redactor([secret]) });
  const error = await answerTo({ status: 403, headers, body: JSON.stringify(body) }, request);
  expect(messageOf(error)).toContain(expected);
});

test.each<[boolean, string, unknown]>([
  [true, "a flag that says so beside a list", { success: false, clusters: [] }],
  [true, "the documented envelope beside a list", { ...known, clusters: [] }],
  [true, "a text alone", { error: "no capacity" }],
  [false, "why a cluster failed", { id: "cl_1", name: "web", status: "failed", error: "no capacity" }],
  [false, "no error, in a list", { errors: [], error: null, clusters: [] }],
])("it is %s that a success with %s is an error", async (expected, _what, json) => {
  const found = await answerTo({ body: JSON.stringify(json) });
  expect(found instanceof ResponseShapeError).toBe(expected);
  if (!expected) expect(found).toEqual(json);
});

test("a success that is an error may have taken effect, and says why it is none, without secrets", async () => {
  const request = requestOf("create", { redactor: new Redactor(["hf_abcdefgh1234"]) });
  const json = { success: false, message: `bad key ${key}, bad value hf_abcdefgh1234` };
  const error = await answerTo({ body: JSON.stringify(json) }, request);
  expect(error).toMatchObject({ outcome: "ambiguous", maybeApplied: true });
  const why = "bad key [secret], bad value [secret]";
  expect(messageOf(error)).toBe(`POST /v1/clusters: the service answered HTTP 200, but with an error: ${why}`);
});

test("the health is as the answer shows, also if that is an error", async () => {
  const json = { success: false, status: "error", error: { code: "db", message: "x", status: 500 } };
  expect(await answerTo({ body: JSON.stringify(json) }, requestOf("read", { path: "/health" }))).toEqual(json);
});

test("what stands under environment in an answer that is not about clusters is cleaned, and free of the key", async () => {
  const dirty = { environment: { REGION: "\u001b[31meu\r\n", TOKEN: `Bearer ${key}` } };
  const clean = { environment: { REGION: "eu", TOKEN: "Bearer [secret]" } };
  expect(await answerTo({ body: JSON.stringify([dirty]) }, requestOf("read", { path: "/v1/gpus" }))).toEqual([clean]);
});

test("no message holds the query of a page", async () => {
  const error = await answerTo({ status: 400 }, requestOf("read", { path: "/v1/clusters?cursor=canary%0Atwo" }));
  expect(messageOf(error)).toMatch(/^GET \/v1\/clusters: (?!.*canary)/);
});

test("a success of a change needs no body", async () => {
  expect(await answerTo({ status: 204 }, requestOf("delete"))).toBeUndefined();
  expect(await answerTo({ status: 202, body: " \n" }, requestOf("action"))).toBeUndefined();
});

test.each([
  ["empty", "", "it is empty"],
  ["a web page", "<html>sign in</html>", "it is a web page"],
  ["truncated", '{"id":"cl_1","env":{"A":"canary', "31 characters that are not JSON"],
  ["nested too deep", "[".repeat(200_000) + "]".repeat(200_000), "nested more than 100 levels deep"],
])("a success whose body is %s may have taken effect, and the body is not quoted", async (_what, body, what) => {
  const error = await answerTo({ body }, requestOf("read", { subject: 'cluster "web"' }));
  expect(error).toBeInstanceOf(ResponseShapeError);
  expect(error).toMatchObject({ outcome: "ambiguous", maybeApplied: true, method: "GET" });
  for (const part of [what, 'for cluster "web"']) expect(String(error)).toContain(part);
  expect(String(error)).not.toContain("canary");
});
