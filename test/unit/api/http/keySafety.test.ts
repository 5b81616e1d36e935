import type { RequestListener } from "node:http";
import { inspect } from "node:util";
import { keyHider } from "../../../../provider/api/http/answers";
import { ApiError, GpuClusterError } from "../../../../provider/base/errors";
import { Redactor } from "../../../../provider/base/redact";
import { answering, canary, failureOf, once, requestOf, serve, transportTo } from "./httpHarness";

const envelope = (message: string, code = "bad_env") => JSON.stringify({ error: { code, message, status: 400 } });
const answers: [string, RequestListener][] = [
  [
    "that repeats the key in its reason and code",
    (_q, response) => response.writeHead(401).end(envelope(canary, canary)),
  ],
  [
    "that repeats all in a malformed answer",
    ({ socket, headers }) => socket.end(`HTTP/1.1 what OK\r\n\r\n${inspect(headers)}`),
  ],
  ["that shows the request", ({ headers }, response) => response.writeHead(502).end(`<pre>${inspect(headers)}</pre>`)],
  [
    "that answers half",
    ({ headers: { authorization } }, response) =>
      void response.writeHead(200, { "content-length": 999 }).write(`"${authorization}`, () => response.destroy()),
  ],
];

const deep = { depth: 10, showHidden: true };
const sinks: ((error: Error) => string)[] = [
  ({ stack }) => `${stack}`,
  (error) => JSON.stringify(error, Object.getOwnPropertyNames(error)),
  (error) => inspect(error, { ...deep, getters: true }),
  ({ cause }) => inspect(cause, deep),
];

test.each(answers)("a service %s: the key is nowhere in the error", async (_what, listener) => {
  const { url } = await serve(listener);
  for (const kind of ["read", "create"] as const) {
    const error = await failureOf(transportTo(url).send(once(kind)));
    if (!(error instanceof GpuClusterError)) throw new Error("it did not fail as expected");
    const printed = sinks.map((print) => print(error)).join("\n");
    const bytes = Buffer.from(canary);
    const inHex = bytes.toString("hex").replace(/..\B/g, "$& ");
    for (const form of [canary, encodeURIComponent(canary), bytes.toString("base64"), inHex])
      expect(printed).not.toContain(form);
  }
});

test.each([
  ["the host", "https://key.evil.example/", "zq7k-wv93-lm2x-t5"],
  ["the host, in two labels", "https://Zq7K-Wv93-.Lm2X-T5.example/", "lm2x"],
])("%s of a redirect: a key in it is nowhere in the error", async (_what, form, part) => {
  const key = "Zq7K-Wv93-Lm2X-T5";
  const location = form.replace("key", key.toLowerCase());
  const { url } = await serve((_request, response) => response.writeHead(302, { location }).end());
  const error = String(await failureOf(transportTo(url, key).send(once("read"))));
  expect(error).toMatch(/Redirects( to https:\/\/\S+)? are not followed/);
  expect(error.toLowerCase()).not.toContain(part);
});

/** Everything of a string that is long enough to be a leak. */
function partsOf(text: string): string[] {
  return Array.from({ length: text.length - 3 }, (_, index) => text.slice(index, index + 4));
}

const value = "Zq7K-Wv93+Lm2X/Tt8R=Hj5B";
const long = (text: string, kept: number, max: number) => `${"x".repeat(max - kept)}${text}`;

test.each<[string, (kept: number) => string]>([
  ["at the cut of a long reason", (kept) => envelope(long(value, kept, 500))],
  ["at the cut of a long code", (kept) => envelope("No.", long(value, kept, 100))],
  [
    "broken by an invisible character",
    (kept) => envelope(long(`${value.slice(0, 9)}\u200b${value.slice(9)}`, kept, 500)),
  ],
])("%s: no part of an env value that the service repeats is in the error", async (_where, bodyOf) => {
  for (let kept = 0; kept <= 40; kept += 1) {
    const request = requestOf("create", { redactor: new Redactor().learn([value]) });
    const error = await failureOf(answering({ status: 400, body: bodyOf(kept) })(request));
    expect(error).toBeInstanceOf(ApiError);
    const printed = inspect(error, deep);
    expect(partsOf(value).filter((part) => printed.includes(part))).toEqual([]);
  }
});

test.each(["Zq7K-Wv93-Lm2X-T", "Zq7K"])(
  "%s: the key is hidden in the data of a success, even at a cut and in a name",
  async (key) => {
    const env = { A: ` ${key}\r\n`, B: key };
    const body = JSON.stringify({ name: `web ${key}`, text: `${"x".repeat(8_180)} ${key}`, [`a ${key}`]: 1, env });
    const response = await answering({ body }, key)(requestOf());
    const { env: kept, ...data } = Object(response.json);
    expect(JSON.stringify(data)).not.toContain("Zq7K");
    expect(data).toMatchObject({ name: "web [secret]", "a [secret]": 1 });
    // Values of env are compared with those that were sent.
    expect(kept).toEqual(env);
    expect(response.body).toBe("");
  },
);

test.each([
  ["a long key is replaced in its plain forms", "sk-canary-0123", "web-sk-canary-0123", "web-[secret]"],
  ["half of it does not count", "training-webapp", "training Training-Webapp-2 webapp", undefined],
  ["a short key is a word of a text", "train", "bad key train", "bad key [secret]"],
  ["no name has white space", "train", "train", undefined],
])("the API key in data: %s", (_law, key, text, expected = text) => {
  expect(keyHider(key)(text)).toBe(expected);
});
