import { statusErrors } from "../../../provider/api/statusErrors";
import { ApiError } from "../../../provider/errors";
import { Secret } from "../../../provider/text";
import { requestOf } from "./fakes";

const key = "sk-canary-0123456789";

function answer(status: number, json: unknown, secrets: string[] = []): Promise<unknown> {
  const next = async () => ({ status, headers: {}, body: JSON.stringify(json) });
  return statusErrors(new Secret(key))(next)({ ...requestOf(), secrets }).then(
    (response) => response.json,
    (error: unknown) => error,
  );
}

const refusal = (message: string) => ({ error: { code: "bad", message, status: 400 } });

test.each([
  ["with its white space collapsed", "alpha \t beta gamma", "bad alpha beta gamma!"],
  ["broken by an invisible character at the cut", "token-value-0123", `${"x".repeat(493)}tok\u200ben-value-0123`],
  ["broken by a colour at the cut", "token-value-0123", `${"x".repeat(493)}tok\u001b[1men-value-0123`],
])("a secret that stands in an error %s does not show, not even in part", async (_how, secret, message) => {
  const error = await answer(400, refusal(message), [secret]);
  expect(error).toBeInstanceOf(ApiError);
  expect(String(error)).not.toMatch(/token-v|alpha beta/);
});

test("the key does not show in a success, where a long text is cut, nor as a name", async () => {
  const json = await answer(200, { a: `${"x".repeat(8_180)}${key}`, [key]: 1 });
  expect(JSON.stringify(json)).not.toContain("sk-canary");
});

test.each([
  ["the documented shape", { error: { code: "c", message: "m", status: 404 } }, true],
  ["no message", { error: { code: "c", status: 404 } }, false],
  ["no code", { error: { message: "m", status: 404 } }, false],
  ["no status", { error: { code: "c", message: "m" } }, false],
])("an answer with %s counts as the API's own: %#", async (_what, json, isEnvelope) => {
  expect(await answer(404, json)).toMatchObject({ isEnvelope });
});
