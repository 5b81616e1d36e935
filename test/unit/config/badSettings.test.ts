import { ConfigError } from "../../../provider/base/errors";
import type { Ctx, Properties } from "../../../provider/contract";
import { createProvider } from "../../../provider/index";
import { expectClean } from "../../support/cleanText";
import { type Fixture, failureOf, openFixture } from "../cluster/harness";
import { checked, least } from "../cluster/inputs";

/** Stands for a key or a password; no message may hold it. */
const secret = "sk-canary-0123456789";

/** settings.test.ts shows what is wrong with a key or an address; here, no operation continues with it. */
const badSettings: [string, { apiKey?: string; baseUrl?: string }, RegExp][] = [
  ["no API key", { apiKey: "" }, /^The API key is missing: set /],
  ["a password in the address", { baseUrl: `http://user:${secret}@HOST` }, /^The address of the service .*must /],
];

const state: Properties = { ...checked, settled: false, __seenBy: "seen" };
const news: Properties = { ...checked, replicas: 3 };

let fixture: Fixture;
beforeEach(async () => {
  fixture = await openFixture();
});
afterEach(() => {
  expect(fixture.simulator.requests.splice(0)).toEqual([]);
});

it.each(badSettings)(
  "%s: every operation is refused, in readable words without a secret",
  async (_title, bad, text) => {
    const { apiKey, url } = fixture.simulator;
    const settings: Record<string, string> = {
      "gpucluster:apiKey": bad.apiKey ?? apiKey,
      // A request would be noticed.
      "gpucluster:baseUrl": (bad.baseUrl ?? url).replace("HOST", new URL(url).host),
    };
    const { cluster, getGpuTypes, getHealth } = createProvider((name) => settings[name]);
    const ctx: Ctx = fixture.ctx({ log: () => undefined });
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
    for (const message of [...failures.map(({ reason }) => reason), ...errors.map((error) => error.message)]) {
      expect(message).toMatch(text);
      expect(message).not.toContain(secret);
      expectClean(message);
    }
  },
);
