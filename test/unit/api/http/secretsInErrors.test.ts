import { inspect } from "node:util";
import { statusErrors } from "../../../../provider/api/http/statusErrors";
import { ApiError } from "../../../../provider/base/errors";
import { Redactor } from "../../../../provider/base/redact";
import { Secret } from "../../../../provider/base/text";
import { requestOf } from "../fakes";

/** A service that answers so, behind the handler that hides this key. */
const answering = (key: string, body: string, status = 200) =>
  statusErrors(new Secret(key))(async () => ({ status, headers: {}, body }));

/** The refusal of a request with this secret. */
const refusalOf = (secret: string, body: string): Promise<unknown> =>
  answering(
    "sk-canary-of-the-tests",
    body,
    400,
  )(requestOf("create", { redactor: new Redactor([secret]) })).catch((reason: unknown) => reason);

/** Everything of a text that is long enough to tell something. */
function partsOf(text: string): string[] {
  return Array.from({ length: text.length - 3 }, (_, index) => text.slice(index, index + 4));
}

const value = "Zq7K-Wv93+Lm2X/Tt8R=Hj5B";
const lines = "Zq7KWv93\nLm2XTt8R\tHj5BYp4D";
const collapsed = lines.replace(/\s+/g, " ");
const long = (text: string, kept: number, max: number) => `${"x".repeat(max - kept)}${text}`;
const envelope = (message: string, code = "bad_env") => JSON.stringify({ error: { code, message, status: 400 } });

test.each<[string, string, (kept: number) => string]>([
  ["at the cut of a long reason", value, (kept) => envelope(long(value, kept, 500))],
  ["in base64, at the cut", value, (kept) => envelope(long(Buffer.from(value).toString("base64"), kept, 500))],
  ["at the cut of a long code", value, (kept) => envelope("No.", long(value, kept, 100))],
  ["in a page", value, (kept) => `<html><body><pre>${long(value, kept, 500)}</pre></body></html>`],
  ["at the cut of a page that is a text", value, (kept) => long(value, kept, 200)],
  ["in one line in place of several", lines, () => envelope(`bad value ${collapsed}!`)],
  ["in one line, at the cut", lines, (kept) => envelope(long(collapsed, kept, 500))],
])("no part of an env value is shown that the API repeats %s", async (_where, secret, bodyOf) => {
  const parts = [secret, collapsed, Buffer.from(value).toString("base64")].flatMap(partsOf);
  for (let kept = 0; kept <= 40; kept += 1) {
    const error = await refusalOf(secret, bodyOf(kept));
    expect(error).toBeInstanceOf(ApiError);
    const shown = inspect(error, { depth: 10, showHidden: true });
    expect(parts.filter((part) => shown.includes(part))).toEqual([]);
  }
});

const longKey = "Zq7K-Wv93-Lm2X-T"; // 16 characters
test.each([
  ["a key of 16 characters is hidden", longKey, "[secret]"],
  ["a shorter key is hidden too", longKey.slice(1), "[secret]"],
  ["so is one of 4 characters", "Zq7K", "[secret]"],
])("in the data of a success %s, and env values are kept byte for byte", async (_what, key, shown) => {
  const data = (text: string) => ({ name: `web ${text}`, replicas: [{ message: `Bearer ${text}.` }] });
  const env = { A: ` ${key}\r\n`, B: key };
  const body = JSON.stringify({ ...data(key), env });
  const response = await answering(key, body)(requestOf());
  expect(response.json).toEqual({ ...data(shown), env });
  expect(response.body).toBe("");
});

test.each([
  ["of 15 characters, what is like it or half of it", "training-webapp", "training Training-Webapp-2 webapp"],
  ["of 5 characters, what names and addresses are made of", "train", "train acme/train:1 https://train.dev"],
])("a key %s stays as it is in data", async (_what, key, text) => {
  const words = text.split(" ");
  const body = JSON.stringify({ words });
  const response = await answering(key, body)(requestOf());
  expect(response.json).toEqual({ words });
});

test.each([4, 15])("a key of %d characters is hidden in the reason of a refusal, encoded too", async (length) => {
  const key = longKey.slice(0, length);
  const message = `bad key ${key}, in base64 ${Buffer.from(key).toString("base64")}`;
  await expect(answering(key, envelope(message), 400)(requestOf())).rejects.toThrow(
    "bad key [secret], in base64 [secret]",
  );
});

test.each([4, 16])("data of 1 MB is looked through in a moment for a key of %d characters", async (length) => {
  const key = longKey.slice(0, length);
  for (const unit of ["a", "Zq7", `${longKey.slice(0, length - 1)} `, "%41", "\\", `${key} `]) {
    const body = JSON.stringify({ text: unit.repeat(Math.ceil(1_000_000 / unit.length)) });
    const microseconds: number[] = [];
    for (let attempt = 0; attempt < 3; attempt += 1) {
      const start = process.cpuUsage();
      await answering(key, body)(requestOf());
      microseconds.push(process.cpuUsage(start).user);
    }
    // Of this process alone: other processes may take most of the machine. The collection of garbage counts too, once.
    expect(Math.min(...microseconds)).toBeLessThan(1_000_000);
  }
});

test.each([
  ["with its white space collapsed", "alpha \t beta gamma", "bad alpha beta gamma!"],
  ["broken by an invisible character at the cut", "token-value-0123", `${"x".repeat(493)}tok\u200ben-value-0123`],
])("a secret that stands in an error %s does not show, not even in part", async (_how, secret, message) => {
  const error = await refusalOf(secret, envelope(message));
  expect(error).toBeInstanceOf(ApiError);
  expect(String(error)).not.toMatch(/token-v|alpha beta/);
});

test("the key does not show in a success, where a long text is cut, nor as a name", async () => {
  const key = "sk-canary-0123456789";
  const body = JSON.stringify({ a: `${"x".repeat(8_180)}${key}`, [key]: 1 });
  const response = await answering(key, body)(requestOf());
  expect(JSON.stringify(response.json)).not.toContain("sk-canary");
});
