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

const checkKey = "Check the API key, which comes from the config value gpucluster:apiKey";
const checkAddress = "Check the address of the service, which comes from the environment variable GPUCLUSTER_BASE_URL";

test.each<[string, Partial<HttpResponse> | Error, string]>([
  ["a rejected key", { status: 401 }, `HTTP 401). ${checkKey}`],
  ["a rejected key with 403", { status: 403, body: refused("invalid_api_key") }, `HTTP 403). ${checkKey}`],
  [
    "a key without the right",
    { status: 403, body: refused("forbidden") },
    "HTTP 403). The API key, which comes from the config value gpucluster:apiKey, is not allowed to do this; " +
      "a key belongs to one organization (dashboard settings)",
  ],
  ["a redirect", { status: 302 }, `nowhere else. ${checkAddress}`],
  [
    "an unreachable host",
    new ConnectionError("GET /: the connection was refused", unreachable),
    `the connection was refused (tried 5 times). ${checkAddress}`,
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

const ofStack = { apiKey: sources.apiKey, baseUrl: "the config value gpucluster:baseUrl" };
const ofProvider = { apiKey: "the provider's `apiKey`", baseUrl: "the provider's `baseUrl`" };
const withVariable = { "gpucluster:connections": eu({ apiKeyEnv: "GPUCLUSTER_EU" }) };
const withValue = {
  "gpucluster:connections": eu({ apiKeyConfig: "gpucluster:euKey", baseUrl: "https://eu.example.com" }),
  "gpucluster:euKey": "key-of-eu",
};

test.each<[string, Record<string, string>, Record<string, string>, Connection["sources"], boolean?, string?]>([
  ["the environment", stack, env, ofEnv],
  ["the stack", stack, {}, ofStack],
  ["a provider", stack, env, ofProvider, true],
  ["a provider without settings", {}, env, ofEnv, true],
  [
    "a connection with a variable",
    withVariable,
    { ...env, GPUCLUSTER_EU: "key-of-eu" },
    { apiKey: `the environment variable GPUCLUSTER_EU (${euEntry} names it)`, baseUrl: ofEnv.baseUrl },
    false,
    "eu",
  ],
  [
    "a connection with an address and a config value",
    withValue,
    env,
    { apiKey: `the config value gpucluster:euKey (${euEntry} names it)`, baseUrl: euEntry },
    false,
    "eu",
  ],
])("the sources of %s", (_what, config, environment, expected, isExplicit = false, name = undefined) => {
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
