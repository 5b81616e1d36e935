import { Client } from "../../../../provider/api/client";
import type { HttpRequest, HttpResponse, RequestKind, Send } from "../../../../provider/api/http/send";
import { ApiError, isNotFound, messageOf, type Outcome, ResponseShapeError } from "../../../../provider/base/errors";
import { Redactor } from "../../../../provider/base/redact";
import { VirtualClock } from "../../../support/virtualClock";
import { answering, failureOf, requestOf, transportOver } from "./httpHarness";

const key = "sk-canary-of-the-tests";
const secret = "hf_abcdefgh1234";

/** The JSON of an answer, or the error that it becomes. */
function answerTo(response: Partial<HttpResponse>, request: HttpRequest = requestOf()): Promise<unknown> {
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

describe("a refusal", () => {
  it.each<[Outcome, RequestKind, number[]]>([
    ["refused", "write", [307, 308, 400, 401, 404, 501]],
    ["busy", "write", [409, 423]],
    ["rate-limited", "create", [429]],
    ["server-error", "write", [500, 503]],
    ["ambiguous", "create", [408, 300, 301, 302, 303, 304]],
    ["ambiguous", "write", [301, 302, 303]],
    ["ambiguous", "delete", [301, 302, 303]],
    ["refused", "create", [307, 308]],
    ["refused", "read", [301, 302, 303, 307, 308]],
  ])("%s, %s: has this outcome for the statuses %j", async (outcome, kind, statuses) => {
    const request = requestOf(kind, { path: "/v1/clusters/cl_1", subject: 'cluster "web" (cl_1)' });
    for (const status of statuses) {
      const error = await answerTo({ status, body: envelope("No.", "some_code", status) }, request);
      expect(error).toBeInstanceOf(ApiError);
      const maybeApplied = outcome === "ambiguous" || outcome === "server-error";
      const details = { outcome, status, maybeApplied, code: "some_code", method: request.method };
      expect(error).toMatchObject({ ...details, isApiAnswer: true });
      const start = `${request.method} /v1/clusters/cl_1 for cluster "web" (cl_1): No (some_code, HTTP`;
      expect(String(error)).toContain(start);
    }
  });

  const none = "the service gave no reason";
  const known = { error: { code: "not_found", message: "Why.", status: 404 } };
  it.each<[string, unknown, string, string?, boolean?]>([
    ["the documented envelope", known, "Why", "not_found", true],
    ["an envelope without a status", { error: { code: "c", message: "Why." } }, "Why", "c"],
    ["a string as error", { status: 404, error: "Why." }, "Why"],
    ["a list of it", [known], none],
    ["details in the envelope", { error: { message: "Why.", details: { name: "is bad" } } }, 'Why.; {"name":"is bad"}'],
    ["nothing", undefined, none],
  ])("has the reason in its body: %s", async (_what, json, reason, code = "", isEnvelope = false) => {
    const error = await answerTo({ status: 404, body: json === undefined ? "" : JSON.stringify(json) });
    expect(String(error)).toContain(reason);
    expect(error).toMatchObject({ isApiAnswer: true, details: { isEnvelope }, code: code || undefined });
    expect(isNotFound(error)).toBe(true);
  });

  it.each([
    ["a web page", `<html>${"blah ".repeat(10_000)}</html>`, {}, "a web page came back"],
    ["text with the type of a web page", "Not here", { "content-type": "text/html" }, "a web page came back"],
    ["broken JSON", '{"error":{"mess', {}, "not an API answer"],
  ])("never proves that something is gone if it comes from a proxy: %s", async (_what, body, headers, reason) => {
    const error = await answerTo({ status: 404, body, headers });
    expect(error).toMatchObject({ status: 404, isApiAnswer: false, details: { isEnvelope: false }, code: undefined });
    expect(String(error)).toContain(reason);
    expect([String(error).includes("<"), String(error).length < 300, isNotFound(error)]).toEqual([false, true, false]);
  });

  it("has a reason without control characters, which is cut", async () => {
    const error = await answerTo({ status: 400, body: envelope("a\u001bb\r\nc\u202e", `x\u009by\r\nz`) });
    expect(error).toMatchObject({ code: "xy z", message: expect.stringContaining("ab c (xy z, HTTP 400)") });
    expect(String(await answerTo({ status: 400, body: envelope("x".repeat(1_000_000)) })).length).toBeLessThan(700);
  });

  const denial = { error: "No.", code: "FORBIDDEN", permission: "compute.create", deniedBy: "org_policy" };
  it.each<[string, Record<string, string>, object, string]>([
    ["no secret in the id of the request", { "x-request-id": `${key}${secret}` }, {}, "request id [secret]"],
    ["the id of the request in the body", {}, { error: "No.", requestId: "b2" }, "No (HTTP 403, request id b2)"],
    [
      "the missing permission, the policy that denied it, and the id of the request in a header",
      { "x-request-id": "a1" },
      { error: { ...denial, error: undefined, message: "No.", requestId: "b2" } },
      "No (FORBIDDEN, HTTP 403, permission compute.create, denied by org_policy, request id a1)",
    ],
    [
      "no secret and no control character in these, even outside of an envelope",
      {},
      { ...denial, permission: `a\u001b${secret}`, deniedBy: key, requestId: `c ${secret}` },
      "permission a[secret], denied by [secret], request id c_[secret])",
    ],
  ])("has details: %s", async (_what, headers, body, expected) => {
    const request = requestOf("read", { redactor: new Redactor().learn([secret]) });
    const error = await answerTo({ status: 403, headers, body: JSON.stringify(body) }, request);
    expect(messageOf(error)).toContain(expected);
  });

  it("does not quote the query of a page", async () => {
    const error = await answerTo({ status: 400 }, requestOf("read", { path: "/v1/clusters?cursor=canary%0Atwo" }));
    expect(messageOf(error)).toMatch(/^GET \/v1\/clusters: (?!.*canary)/);
  });
});

describe("a success", () => {
  it.each<[boolean, string, unknown]>([
    [true, "a flag that says so, beside a list", { success: false, clusters: [] }],
    [true, "the documented envelope, beside a list", { error: { status: 404 }, clusters: [] }],
    [true, "a string alone", { error: "no capacity" }],
    [false, "the reason why a cluster failed", { id: "cl_1", name: "web", status: "failed", error: "no capacity" }],
    [false, "no error, in a list", { errors: [], error: null, clusters: [] }],
  ])("%s: is an error: %s", async (expected, _what, json) => {
    const found = await answerTo({ body: JSON.stringify(json) });
    expect(found instanceof ResponseShapeError).toBe(expected);
    if (!expected) expect(found).toEqual(json);
  });

  it("that is an error may have taken effect, and says why it is none, without secrets", async () => {
    const request = requestOf("create", { redactor: new Redactor().learn([secret]) });
    const json = { success: false, message: `bad key ${key}, bad value ${secret}` };
    const error = await answerTo({ body: JSON.stringify(json) }, request);
    expect(error).toMatchObject({ outcome: "ambiguous", maybeApplied: true });
    const why = "bad key [secret], bad value [secret]";
    expect(messageOf(error)).toBe(`POST /v1/clusters: the service answered HTTP 200, but with an error: ${why}`);
  });

  it("has clean values under environment, without the key, if it is not about clusters", async () => {
    const dirty = { environment: { REGION: "\u001beu\r\n", TOKEN: `Bearer ${key}` } };
    const clean = { environment: { REGION: "eu", TOKEN: "Bearer [secret]" } };
    expect(await answerTo({ body: JSON.stringify([dirty]) }, requestOf("read", { path: "/v1/gpus" }))).toEqual([clean]);
  });

  it("of a change needs no body", async () => {
    expect(await answerTo({ status: 204 }, requestOf("delete"))).toBeUndefined();
    expect(await answerTo({ status: 202, body: " \n" }, requestOf("action"))).toBeUndefined();
  });

  it.each([
    ["empty", "", "it is empty"],
    ["a web page", "<html>sign in</html>", "it is a web page"],
    ["truncated", '{"id":"cl_1","env":{"A":"canary', "31 characters that are not JSON"],
    ["nested too deep", "[".repeat(200_000) + "]".repeat(200_000), "nested more than 100 levels deep"],
  ])("%s: may have taken effect, and the body is not quoted", async (_what, body, what) => {
    const error = await answerTo({ body }, requestOf("read", { subject: 'cluster "web"' }));
    expect(error).toBeInstanceOf(ResponseShapeError);
    expect(error).toMatchObject({ outcome: "ambiguous", maybeApplied: true, method: "GET" });
    for (const part of [what, 'for cluster "web"']) expect(String(error)).toContain(part);
    expect(String(error)).not.toContain("canary");
  });
});

/** A client whose service answers with these bodies, one after the other, the last one again and again. */
function clientOf(...bodies: string[]) {
  const clock = new VirtualClock();
  const paths: string[] = [];
  const wire: Send = async ({ path }) => {
    paths.push(path);
    return { status: 200, headers: {}, body: bodies[paths.length - 1] ?? bodies.at(-1) ?? "" };
  };
  const client = new Client({ send: transportOver(wire, { clock, random: () => 1 }) });
  return { client, paths, run: <T>(work: Promise<T>) => clock.run(work) };
}

describe("a read whose answer is unreadable", () => {
  it.each<[string, string, number, boolean]>([
    ["a truncated body is read twice", '{"gpus":[{"type":"h1', 2, false],
    ["an unknown shape is read once", '{"greeting":"hello"}', 1, false],
    ["an error in a success is read twice", '{"error":{"message":"no database","status":500}}', 2, true],
  ])("fails soon, with what to do: %s", async (_what, body, count, hasReason) => {
    const { client, paths, run } = clientOf(body);
    const error = await run(failureOf(client.listClusters()));
    expect(error).toBeInstanceOf(ResponseShapeError);
    expect(paths).toHaveLength(count);
    // The command that examines the service is no help if the service itself says what is wrong.
    expect(String(error).split("npx pulumi-gpucluster doctor")).toHaveLength(hasReason ? 1 : 2);
  });

  it("is sent once more for the page alone that is truncated", async () => {
    const first = '{"clusters":[{"id":"cl_1"}],"next_cursor":"x"}';
    const { client, paths, run } = clientOf(first, "{", '{"clusters":[{"id":"cl_2"}]}');
    expect((await run(client.listClusters())).clusters.map(({ id }) => id)).toEqual(["cl_1", "cl_2"]);
    expect(paths).toEqual(["/v1/clusters", "/v1/clusters?cursor=x", "/v1/clusters?cursor=x"]);
  });
});
