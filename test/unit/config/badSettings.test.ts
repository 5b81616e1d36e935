import * as adapter from "../../../provider/adapters/dynamic";
import { ConfigError } from "../../../provider/base/errors";
import { resolveConnection } from "../../../provider/config/settings";
import type { Ctx, Properties } from "../../../provider/contract";
import { createProvider } from "../../../provider/index";
import { type Bench, closeAll, failureOf, openBench, writes } from "../cluster/harness";
import { checked, least, urnOf } from "../cluster/inputs";
import { expectClean } from "../cluster/operations/badAnswersHarness";

/** Stands for a key or a password; no message may hold it. */
const secret = "sk-canary-0123456789";

const badKeys = [
  ...["", " \t\r\n", `${secret} x`, `Bearer ${secret}`, `${secret}\r\nX-Admin: 1`, `${secret}\n${secret}`],
  ...[`${secret}\tx`, `${secret}\0x`, `${secret}\u007fx`, `\u001b[31m${secret}`, `${secret}🔑`, `${secret}ü`],
  ...[`${secret}\u0435`, `“${secret}”`, `${secret}\u200bx`, `\u202e${secret}`, `${secret}\u00a0x`, `${secret}\ud83d`],
];

/** Addresses; `HOST` stands for the simulator's own host and port, so that a request would be noticed. */
const badUrls = [
  ...["", "  ", "null", "[object Object]", "HOST", "//HOST", "http://", "http://:8080", "/v1", "{base_url}"],
  ...["https://<host>", "ftp://HOST", "file:///etc/passwd", "ws://HOST", "javascript:alert(1)"],
  ...["data:application/json,{}", "localhost:8080", "http://api.example.com", "http://10.0.0.1", "http://0.0.0.0"],
  ...["http://127.0.0.1.example.com", "http://127.0.0.1@api.example.com", "http://localhost.example.com"],
  ...["http://[fe80::1]", "http://[fe80::1%eth0]:8080", "http://[::1%25lo]:8080", "http://::1:8080"],
  ...[`http://user:${secret}@HOST`, `http://${secret}@HOST`, `http://:${secret}@HOST`, `http://HOST?key=${secret}`],
  ...["http://HOST?", "http://HOST#top", "http://HOST/#", "http://HOST/v1", "http://HOST/v1//", "http://HOST/x/../v1"],
  ...["http://HOST/v1/.", "http://local host:8080", "https://api.exam\u202eple.com", "https://api%00.example.com"],
  ...["http://127.0.0.1:99999", "http://127.0.0.1:http", "https://256.1.1.1"],
];

/** Addresses that `new URL` would mend, or cut. */
const mendedUrls = [
  ...["http://127.0.0.1\t:9", "http://127.0.0.1:9\n/x", "http://127.0.0.1:9/a b", "http://127.0.0.1:9\0"],
  ...["http://local\u200bhost:9", "http:\\\\127.0.0.1:9", "http://127.0.0.1:9\\gpu", "https:api.example.com"],
  ...["https:///api.example.com", `https://\${HOST}`, "https://{base_url}", "http://127.0.0.1:9/v1/clusters"],
  "http://127.0.0.1:9/a/../..",
];

const badTimeouts: readonly unknown[] = [
  ...["5 minutes", "", "0", 300, -0, Number.NaN, "NaN", "∞", "Infinity", "-1s", "+5m", "1e3s", "0h0m0s", "0.0h", "1d"],
  ...["1H", "1µs", "PT5M", "1:30", "1,5h", "1h 30m", "5m ", "5m\n", "5m\u200b", "\uff11m", "\u0663m"],
  ...[new Date(0), {}, ["5m"], null, true],
];

const badIds = [
  ...["", ".", "..", "cl_1/../..", "cl_1/status", "/cl_1", "//evil.example/cl_1", "https://evil.example/cl_1"],
  ...["cl_1\\..\\x", "cl_1%2f", "%2e%2e", "cl_1?x=1", "cl_1#", "cl_1;v=2", "@evil.example", "cl_1:80", "cl 1", "cl_1 "],
  ...["cl_🚀", "\u0441l_1", `\${cluster.id}`, `cl_${"a".repeat(126)}`, "cl_1\r\nX-Admin: 1", "cl_1\n", "cl_1\0"],
  ...["\u001b[2Jcl_1", "cl_1\u200b", "\u202ecl_1", "a".repeat(100_000)],
];

/** As rows with a title of a readable length. */
const titled = <T>(values: readonly T[]) =>
  values.map((value) => [(JSON.stringify(value) ?? String(value)).slice(0, 60), value] as const);

const state: Properties = { ...checked, settled: false, __seenBy: "seen" };
const news: Properties = { ...checked, replicas: 3 };

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
  const ctx: Ctx = bench.ctx({ log: () => undefined });
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

it.each(titled(badKeys))("the API key %s is refused by every operation, and never shown", async (_title, key) => {
  for (const text of await refusalsOf(key, bench.simulator.url)) {
    expect(text).toMatch(/^The API key .*(is missing: set|must be visible ASCII characters only)/);
    expect(text).toMatch(/GPUCLUSTER_API_KEY.*gpucluster:apiKey/);
    expect(text).not.toContain(secret);
    expectClean(text, bench);
  }
});

it.each(titled(badUrls))(
  "the address %s is refused by every operation, with what is right",
  async (_title, address) => {
    const url = address.replace("HOST", new URL(bench.simulator.url).host);
    for (const text of await refusalsOf(bench.simulator.apiKey, url)) {
      expect(text).toMatch(/^The address of the service .*(is missing: set|must |has the form https:\/\/)/);
      expect(text).toMatch(/GPUCLUSTER_BASE_URL.*gpucluster:baseUrl/);
      expect(text).not.toContain(secret);
      expectClean(text, bench);
    }
  },
);

// By the settings alone: an operation would ask other hosts.
it.each(titled(mendedUrls))("the address %s is refused, not mended", (_title, address) => {
  const settings = { GPUCLUSTER_API_KEY: secret, GPUCLUSTER_BASE_URL: address };
  const resolve = () => resolveConnection(() => undefined, settings);
  expect(resolve).toThrow(/^The address of the service .*(must |form https:)/);
});

it.each(titled(badIds))("the id %s is refused by every operation, in one readable line", async (_title, id) => {
  const works: (() => Promise<unknown>)[] = [
    () => bench.cluster.read(bench.ctx(), id, state),
    () => bench.cluster.read(bench.ctx(), id),
    () => bench.cluster.update(bench.ctx(), id, state, news),
    () => bench.cluster.delete(bench.ctx(), id, state),
  ];
  for (const work of works) {
    const { message } = await bench.run(failureOf(work()));
    expect(message).toMatch(/not a cluster id: ".*"; an id has the form cl_<suffix>/);
    expectClean(message, bench);
  }
});

describe("a timeout of", () => {
  const check = async (timeouts: unknown) => {
    await adapter.configure({
      config: new Map([["gpucluster:apiKey", bench.simulator.apiKey]]).set("gpucluster:baseUrl", bench.simulator.url),
    });
    return adapter.check({}, { ...least, __urn: urnOf("web"), __timeouts: timeouts });
  };

  it.each(titled(badTimeouts))("%s is refused for each operation, before any request", async (_title, timeout) => {
    const { failures } = await check({ create: timeout, update: timeout, delete: timeout });
    const right = (name: string) => `customTimeouts.${name}: must be a duration, such as 45m or 1h30m`;
    expect(failures.map(({ reason }) => reason)).toEqual(["create", "update", "delete"].map(right));
    expect(writes(bench.simulator)).toEqual([]);
  });

  it("an operation that does not exist is refused", async () => {
    expect((await check({ creat: "5m" })).failures).toHaveLength(1);
  });
});
