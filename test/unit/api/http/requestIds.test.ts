import { statusErrors } from "../../../../provider/api/http/statusErrors";
import { requestIdHeaders } from "../../../../provider/api/records";
import { messageOf } from "../../../../provider/base/errors";
import { Redactor } from "../../../../provider/base/redact";
import { Secret } from "../../../../provider/base/text";
import { requestOf } from "../fakes";

const key = "sk-canary-of-the-key";
const value = "canary-of-the-env";

/** The message of the error that an answer becomes. */
const messageFor = (headers: Record<string, string>, body = "", status = 500) =>
  statusErrors(new Secret(key))(async () => ({ status, headers, body }))(
    requestOf("read", { redactor: new Redactor([value]) }),
  ).then(() => "no error", messageOf);

describe("the service's id of a request", () => {
  it.each(requestIdHeaders)("is read from the header %s", async (header) => {
    expect(await messageFor({ [header]: "a1" })).toContain("(HTTP 500, request id a1)");
  });

  it("is that of the service, not of a proxy, if both have one", async () => {
    expect(await messageFor({ "cf-ray": "ray", "x-request-id": "own" })).toContain("request id own)");
  });

  it.each([
    ["is empty", { "x-request-id": " " }, "(HTTP 500)"],
    ["has other characters than visible ASCII", { "x-request-id": "a\u001b[31m\u00e9 b" }, "request id a_b)"],
    ["is long", { "x-request-id": "x".repeat(5_000) }, `request id ${"x".repeat(100)}…)`],
    ["is a secret", { "x-request-id": `${key}${value}` }, "request id [secret]"],
  ])("in an error if it %s", async (_how, headers, expected) => {
    const message = await messageFor({ ...headers });
    expect(message).toContain(expected);
    expect([key, value].filter((secret) => message.includes(secret))).toEqual([]);
  });

  it.each([
    [
      "a refusal with a code",
      '{"error":{"code":"taken","message":"No.","status":409}}',
      409,
      "No (taken, HTTP 409, request id a1)",
    ],
    ["a success with an error", '{"success":false,"error":"No."}', 200, "but with an error: No., request id a1"],
  ])("is in the error of %s", async (_what, body, status, expected) => {
    expect(await messageFor({ "x-request-id": "a1" }, body, status)).toContain(expected);
  });
});
