import { ConfigError } from "../../../provider/base/errors";
import type { Ctx, Properties } from "../../../provider/contract";
import { createProvider } from "../../../provider/index";
import { expectClean } from "../../support/cleanText";
import { type Bench, failureOf, openBench } from "../cluster/harness";
import { checked, least } from "../cluster/inputs";

/** Stands for a key or a password; no message may hold it. */
const secret = "sk-canary-0123456789";

/** What is wrong with a key or an address is in settings.test.ts; here, that no operation goes on with it. */
const badKeys = ["", `${secret}\r\nX-Admin: 1`];

/** Addresses; `HOST` stands for the simulator's own host and port, so that a request would be noticed. */
const badUrls = ["", `http://user:${secret}@HOST`];

const badIds = ["", "cl_1/../..", "cl_1?x=1", "cl_1\r\nX-Admin: 1", "\u202ecl_1", "a".repeat(100_000)];

/** As rows with a title of a readable length. */
const titled = <T>(values: readonly T[]) =>
  values.map((value) => [(JSON.stringify(value) ?? String(value)).slice(0, 60), value] as const);

const state: Properties = { ...checked, settled: false, __seenBy: "seen" };
const news: Properties = { ...checked, replicas: 3 };

let bench: Bench;
beforeEach(async () => {
  bench = await openBench();
});
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
    expectClean(text);
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
      expectClean(text);
    }
  },
);

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
    expectClean(message);
  }
});
