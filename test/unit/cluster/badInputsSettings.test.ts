import * as door from "../../../provider/adapters/dynamic";
import { resolveConnection } from "../../../provider/config";
import type { Ctx, Properties } from "../../../provider/core";
import { ConfigError } from "../../../provider/errors";
import { createProvider } from "../../../provider/index";
import { expectClean } from "./badAnswersHarness";
import { badIds, badKeys, badTimeouts, badUrls, longIds, mendedUrls, secret } from "./badSettings";
import { type Bench, closeAll, failureOf, openBench, writes } from "./harness";
import { checked, least, urnOf } from "./inputs";

const state: Properties = { ...checked, settled: false, __seenBy: "seen" };
const news: Properties = { ...checked, replicas: 3 };
const ctx: Ctx = {
  urn: urnOf("web"),
  signal: new AbortController().signal,
  log: () => undefined,
  status: () => undefined,
};

let bench: Bench;

beforeAll(async () => {
  bench = await openBench();
});
afterAll(closeAll);
afterEach(() => {
  // Whatever a test has asked for, it asked for nothing of the service.
  expect(bench.simulator.requests.splice(0)).toEqual([]);
});

/** Every operation under these settings: the texts of all refusals. */
async function refusalsOf(apiKey: string, baseUrl: string): Promise<string[]> {
  const settings = new Map([["gpucluster:apiKey", apiKey]]).set("gpucluster:baseUrl", baseUrl);
  const { cluster, getGpuTypes, getHealth } = createProvider((name) => settings.get(name));
  const { failures } = await cluster.check(ctx, least);
  expect(failures.map(({ property }) => property)).toEqual([""]);
  const works: (() => Promise<unknown>)[] = [
    () => cluster.create(ctx, checked),
    () => cluster.read(ctx, "cl_1", state),
    () => cluster.update(ctx, "cl_1", state, news),
    () => cluster.delete(ctx, "cl_1", state),
    getGpuTypes,
    getHealth,
  ];
  const errors = await Promise.all(works.map((work) => failureOf(work())));
  for (const error of errors) expect(error).toBeInstanceOf(ConfigError);
  return [...failures.map(({ reason }) => reason), ...errors.map(({ message }) => message)];
}

describe("as the API key,", () => {
  it.each(badKeys)("%s is refused by every operation, and never shown", async (_title, key) => {
    for (const text of await refusalsOf(key, bench.simulator.url)) {
      expect(text).toMatch(/^The API key .*(is missing: set|must be visible ASCII characters only)/);
      expect(text).toMatch(/GPUCLUSTER_API_KEY.*gpucluster:apiKey/);
      expect(text).not.toContain(secret);
      expectClean(text, bench);
    }
  });

  it("a key with a space is refused with what is right", async () => {
    const [text] = await refusalsOf(`Bearer ${secret}`, bench.simulator.url);
    expect(text).toMatch(/must |set /);
  });
});

describe("as the address of the service,", () => {
  it.each(badUrls)("%s is refused by every operation, with what is right", async (_title, address) => {
    const url = address.replace("HOST", new URL(bench.simulator.url).host);
    for (const text of await refusalsOf(bench.simulator.apiKey, url)) {
      expect(text).toMatch(/^The address of the service .*(is missing: set|must |has the form https:\/\/)/);
      expect(text).toMatch(/GPUCLUSTER_BASE_URL.*gpucluster:baseUrl/);
      expect(text).not.toContain(secret);
      expectClean(text, bench);
    }
  });

  // By the settings alone: an operation would ask other hosts.
  it.each(mendedUrls)("an address with %s is refused", (_title, address) => {
    const settings = { GPUCLUSTER_API_KEY: secret, GPUCLUSTER_BASE_URL: address };
    expect(() => resolveConnection(() => undefined, settings)).toThrow(
      /^The address of the service .*(must |form https:)/,
    );
  });
});

describe("as an id,", () => {
  const works = (id: string): [string, () => Promise<unknown>][] => [
    ["read", () => bench.cluster.read(bench.ctx(), id, state)],
    ["look-up", () => bench.cluster.read(bench.ctx(), id)],
    ["update", () => bench.cluster.update(bench.ctx(), id, state, news)],
    ["delete", () => bench.cluster.delete(bench.ctx(), id, state)],
  ];

  it.each(badIds)("%s is refused by every operation, with the right form", async (_title, id) => {
    for (const [, work] of works(id)) {
      const { message } = await bench.run(failureOf(work()));
      expect(message).toMatch(/not a cluster id: ".*"; an id has the form cl_<suffix>/);
      expectClean(message, bench);
    }
  });

  it.each(longIds)("%s is refused by every operation", async (_title, id) => {
    for (const [, work] of works(id)) {
      const { message } = await bench.run(failureOf(work()));
      expect(message).toMatch(/not a cluster id: ".*"; an id has the form cl_<suffix>/);
    }
  });

  it.each(longIds)("%s is told in one readable line", async (_title, id) => {
    for (const [, work] of works(id)) expectClean((await bench.run(failureOf(work()))).message, bench);
  });
});

describe("as a timeout,", () => {
  const check = async (timeouts: unknown) => {
    await door.configure({
      config: new Map([["gpucluster:apiKey", bench.simulator.apiKey]]).set("gpucluster:baseUrl", bench.simulator.url),
    });
    return door.check({}, { ...least, __urn: urnOf("web"), __timeouts: timeouts });
  };

  // First, while the door has no list of clusters yet.
  it("words are refused before any request", async () => {
    expect((await check({ create: "5 minutes" })).failures).toHaveLength(1);
  });

  it.each(badTimeouts)("%s is refused for each operation, with what is right", async (_title, timeout) => {
    const { failures } = await check({ create: timeout, update: timeout, delete: timeout });
    expect(failures.map(({ reason }) => reason)).toEqual(
      ["create", "update", "delete"].map((name) => `customTimeouts.${name}: must be a duration, such as 45m or 1h30m`),
    );
    expect(writes(bench.simulator)).toEqual([]);
  });

  it("one for an operation that does not exist is refused", async () => {
    expect((await check({ creat: "5m" })).failures).toHaveLength(1);
  });
});
