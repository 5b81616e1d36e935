import { clientFor } from "../../../provider/api/clients";
import type { HttpResponse } from "../../../provider/api/http";
import { addSources, createTransport, noSources } from "../../../provider/api/transport";
import { type Connection, resolveConnection } from "../../../provider/config";
import { ConnectionError, messageOf } from "../../../provider/errors";
import { Secret } from "../../../provider/text";
import { startSimulator } from "../../../simulator";
import { VirtualClock } from "../../support/virtualClock";
import { requestOf } from "./fakes";
import { serve, stopServers } from "./httpHarness";

afterEach(stopServers);

const sources = {
  apiKey: "the config value gpucluster:apiKey",
  baseUrl: "the environment variable GPUCLUSTER_BASE_URL",
};

async function messageFor(answer: Partial<HttpResponse> | Error, known: Connection["sources"] = sources) {
  const clock = new VirtualClock();
  const collected = noSources();
  addSources(collected, known);
  const send = createTransport({
    baseUrl: "https://api.example.com",
    apiKey: new Secret("key-of-the-test"),
    userAgent: "test/1",
    clock,
    random: () => 0,
    sources: collected,
    end: async () => {
      if (answer instanceof Error) throw answer;
      return { status: 200, headers: {}, body: "", ...answer };
    },
  });
  return clock.run(send(requestOf())).then(() => "", messageOf);
}

const refused = (code: string) => JSON.stringify({ error: { code, message: "No", status: 403 } });
const unreachable = { method: "GET", path: "/", outcome: "not-sent", isUnreachable: true } as const;

test.each<[string, Partial<HttpResponse> | Error, string]>([
  [
    "a rejected key",
    { status: 401 },
    "HTTP 401). Check the API key, which comes from the config value gpucluster:apiKey",
  ],
  [
    "a rejected key with 403",
    { status: 403, body: refused("invalid_api_key") },
    "HTTP 403). Check the API key, which comes from the config value gpucluster:apiKey",
  ],
  [
    "a key without the right",
    { status: 403, body: refused("forbidden") },
    "HTTP 403). The API key, which comes from the config value gpucluster:apiKey, is not allowed to do this; " +
      "a key belongs to one organization (dashboard settings)",
  ],
  [
    "a redirect",
    { status: 302 },
    "nowhere else. Check the address of the service, which comes from the environment variable GPUCLUSTER_BASE_URL",
  ],
  [
    "an unreachable host",
    new ConnectionError("GET /: the connection was refused", unreachable),
    "the connection was refused (tried 5 times). Check the address of the service, which comes from the environment " +
      "variable GPUCLUSTER_BASE_URL",
  ],
])("the message of %s ends with the setting to check", async (_what, answer, end) => {
  const message = await messageFor(answer);
  expect(message.slice(-end.length)).toBe(end);
});

test.each<[string, Partial<HttpResponse> | Error]>([
  ["an invalid request", { status: 422 }],
  ["a request that ran out of time", new ConnectionError("late", { ...unreachable, isUnreachable: false })],
])("the message of %s names no setting", async (_what, answer) => {
  expect(await messageFor(answer)).not.toMatch(/Check|comes from/);
});

test("without a known source, the advice names none", async () => {
  expect(await messageFor({ status: 401 }, undefined)).toMatch(/\. Check the API key/);
});

const eu = (entry: object) => JSON.stringify({ eu: entry });
const env = { GPUCLUSTER_API_KEY: "key-of-env", GPUCLUSTER_BASE_URL: "https://env.example.com" };
const stack = { "gpucluster:apiKey": "key-of-stack", "gpucluster:baseUrl": "https://stack.example.com" };
const ofEnv = {
  apiKey: "the environment variable GPUCLUSTER_API_KEY",
  baseUrl: "the environment variable GPUCLUSTER_BASE_URL",
};
const euEntry = 'the entry "eu" of gpucluster:connections';

test.each<[string, Record<string, string>, Record<string, string>, string | undefined, boolean, object]>([
  ["the environment", stack, env, undefined, false, ofEnv],
  [
    "the stack",
    stack,
    {},
    undefined,
    false,
    { apiKey: "the config value gpucluster:apiKey", baseUrl: "the config value gpucluster:baseUrl" },
  ],
  [
    "a provider",
    stack,
    env,
    undefined,
    true,
    { apiKey: "the provider's `apiKey`", baseUrl: "the provider's `baseUrl`" },
  ],
  ["a provider without settings", {}, env, undefined, true, ofEnv],
  [
    "a connection with a variable",
    { "gpucluster:connections": eu({ apiKeyEnv: "GPUCLUSTER_EU" }) },
    { ...env, GPUCLUSTER_EU: "key-of-eu" },
    "eu",
    false,
    { apiKey: `the environment variable GPUCLUSTER_EU (${euEntry} names it)`, baseUrl: ofEnv.baseUrl },
  ],
  [
    "a connection with an address and a config value",
    {
      "gpucluster:connections": eu({ apiKeyConfig: "gpucluster:euKey", baseUrl: "https://eu.example.com" }),
      "gpucluster:euKey": "key-of-eu",
    },
    env,
    "eu",
    false,
    { apiKey: `the config value gpucluster:euKey (${euEntry} names it)`, baseUrl: euEntry },
  ],
])("the sources of %s", (_what, config, environment, name, isExplicit, expected) => {
  expect(resolveConnection((key) => config[key], environment, name, isExplicit).sources).toEqual(expected);
});

test("a key that several settings hold has one client, whose errors name all of them", async () => {
  const simulator = await startSimulator();
  const base = { baseUrl: simulator.url, apiKey: new Secret("wrong-key-canary") };
  const clients = ["one", "two", "one"].map((apiKey) => clientFor({ ...base, sources: { apiKey, baseUrl: "there" } }));
  expect(new Set(clients).size).toBe(1);
  const message = await clients[0]?.listClusters().then(() => "", messageOf);
  expect(message).toMatch(/Check the API key, which comes from one or two$/);
  expect(message).not.toContain("wrong-key");
  await simulator.close();
});

test("the message of a refused connection names the setting of the address", async () => {
  const { server, url } = await serve(() => undefined);
  await new Promise((resolve) => server.close(resolve));
  const client = clientFor({ baseUrl: url, apiKey: new Secret("key-of-the-test"), sources });
  const message = await client.listClusters({ attempts: 1 }).then(() => "", messageOf);
  expect(message).toMatch(
    /^GET \/v1\/clusters: the connection was refused \(ECONNREFUSED, .*\)\. Check the address of the service, which comes from the environment variable GPUCLUSTER_BASE_URL$/,
  );
});
