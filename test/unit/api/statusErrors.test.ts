import type { HttpRequest, HttpResponse } from "../../../provider/api/http";
import { statusErrors } from "../../../provider/api/statusErrors";
import { ApiError, isNotFound, isUnauthorized, type Outcome, ResponseShapeError } from "../../../provider/errors";
import { Secret } from "../../../provider/text";
import { requestOf } from "./fakes";

async function answerTo(response: Partial<HttpResponse>, request: HttpRequest = requestOf()): Promise<unknown> {
  const handler = statusErrors(new Secret("sk-canary-of-the-tests"));
  return handler(async () => ({ status: 200, headers: {}, body: "", ...response }))(request).then(
    ({ json }) => json,
    (error: unknown) => error,
  );
}

const envelope = (message: string, code = "some_code", status = 400) =>
  JSON.stringify({ error: { code, message, status } });

test.each<[number, Outcome, boolean]>([
  [300, "refused", false],
  [302, "refused", false],
  [400, "refused", false],
  [401, "refused", false],
  [403, "refused", false],
  [404, "refused", false],
  [408, "ambiguous", true],
  [409, "busy", false],
  [410, "refused", false],
  [418, "refused", false],
  [422, "refused", false],
  [423, "busy", false],
  [425, "busy", false],
  [429, "rate-limited", false],
  [500, "server-error", true],
  [501, "refused", false],
  [502, "server-error", true],
  [503, "server-error", true],
  [504, "server-error", true],
  [599, "server-error", true],
])("the status %d has the outcome %s", async (status, outcome, maybeApplied) => {
  const request = requestOf("write", { path: "/v1/clusters/cl_1", subject: 'cluster "web" (cl_1)' });
  const error = await answerTo({ status, body: envelope("No.", "some_code", status) }, request);
  expect(error).toBeInstanceOf(ApiError);
  const facts = { outcome, status, maybeApplied, code: "some_code", method: "PATCH", path: "/v1/clusters/cl_1" };
  expect(error).toMatchObject({ ...facts, isApiAnswer: true });
  expect(String(error)).toContain('PATCH /v1/clusters/cl_1 for cluster "web" (cl_1): No (some_code, HTTP');
});

test.each([
  [500, "run the command again later"],
  [503, "run the command again later"],
  [302, "Redirects are not followed, so that the key goes nowhere else"],
])("the message of a %d says what to do", async (status, advice) => {
  expect(String(await answerTo({ status, body: envelope("No.") }))).toContain(advice);
});

test.each([
  ["the documented envelope", { error: { code: "c", message: "Why." } }, "Why", "c"],
  ["an envelope at the top", { code: "c", message: "Why." }, "Why", "c"],
  ["a detail", { detail: "Why." }, "Why", undefined],
  ["a text as error", { error: "Why." }, "Why", undefined],
  ["ill-typed fields", { error: { code: 7, message: ["x"] } }, "the service gave no reason", undefined],
  ["null", null, "the service gave no reason", undefined],
  ["a list", ["x"], "the service gave no reason", undefined],
  ["nothing", undefined, "the service gave no reason", undefined],
])("the reason is read from %s", async (_what, json, reason, code) => {
  const error = await answerTo({ status: 404, body: json === undefined ? "" : JSON.stringify(json) });
  expect(String(error)).toContain(reason);
  expect(error).toMatchObject({ code, isApiAnswer: true });
  expect(isNotFound(error)).toBe(true);
});

test.each([
  ["a web page", "<!DOCTYPE html><html><body><h1>404</h1> Not here</body></html>", {}, "a web page came back"],
  ["a text with the type of a web page", "Not here", { "content-type": "text/html" }, "a web page came back"],
  ["a text", "404 page not found", {}, "not an API answer"],
  ["broken JSON", '{"error":{"mess', {}, "not an API answer"],
])("%s is a proxy's answer, and never proves that something is gone", async (_what, body, headers, reason) => {
  const error = await answerTo({ status: 404, body, headers });
  expect(error).toMatchObject({ status: 404, isApiAnswer: false, code: undefined });
  expect(String(error)).toContain(reason);
  expect(String(error)).not.toContain("<");
  expect(isNotFound(error)).toBe(false);
});

test("of a long page only a little is shown", async () => {
  const error = await answerTo({ status: 502, body: `<html>${"blah ".repeat(10_000)}</html>` });
  expect(String(error).length).toBeLessThan(300);
});

test.each([401, 403])("a %d of the API means that the key itself is the problem", async (status) => {
  expect(isUnauthorized(await answerTo({ status, body: envelope("No.") }))).toBe(true);
});

test("control, escape and bidirectional characters do not reach the message or the code", async () => {
  const dirty = "a\u001b[31mb\u001b]8;;http://evil\u0007c\r\nd\u202ee\u200bf\u009b2J";
  const error = await answerTo({ status: 400, body: envelope(dirty, `x\u001b[2Jy\r\nz`) });
  expect(String(error)).toContain("abc def (xy z, HTTP 400)");
  expect(error).toMatchObject({ code: "xy z" });
});

test("a reason of 1 MB is cut", async () => {
  expect(String(await answerTo({ status: 400, body: envelope("x".repeat(1_000_000)) })).length).toBeLessThan(700);
});

const secret = 'tok"en\\with/äöü';
test.each([
  ["raw", secret],
  ["escaped once more", JSON.stringify(secret)],
  ["encoded for a URL", encodeURIComponent(secret)],
  ["in base64", Buffer.from(secret).toString("base64")],
])("an env value that the API repeats %s is removed from the message", async (_form, written) => {
  const error = await answerTo(
    { status: 400, body: envelope(`bad value ${written}!`) },
    requestOf("create", { secrets: [secret] }),
  );
  expect(String(error)).toContain("bad value ");
  expect(String(error)).toContain("[secret]");
  expect(String(error)).not.toContain(written);
});

test.each([
  [
    "with the host that it leads to",
    "https://login.example.com/sso?x=1",
    "Redirects to https://login.example.com are not followed",
  ],
  ["without one that is no URL", "/login", "Redirects are not followed"],
])("a redirect is refused %s", async (_what, location, text) => {
  expect(String(await answerTo({ status: 302, headers: { location } }))).toContain(text);
});

test.each([
  ["an object", '{"a":1}', { a: 1 }],
  ["a list", "[1]", [1]],
  ["null", "null", null],
  ["white space around", ' \n{"a":1}\n', { a: 1 }],
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
  expect(String(error)).toContain(what);
  expect(String(error)).toContain('for cluster "web"');
  expect(String(error)).not.toContain("canary");
});
