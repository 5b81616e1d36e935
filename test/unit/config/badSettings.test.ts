import { ConfigError } from "../../../provider/base/errors";
import { createProvider } from "../../../provider/index";
import { expectClean } from "../../support/cleanText";
import { failureOf, openBench } from "../cluster/harness";
import { checked, least } from "../cluster/inputs";

/** Stands for a key or a password; no message may contain it. */
const secret = "sk-canary-0123456789";

it.each<[string, { apiKey?: string; baseUrl?: string }, RegExp]>([
  ["no operation goes on without an API key", { apiKey: "" }, /^The API key is missing: set /],
  ["no operation goes on with a key of two lines", { apiKey: `${secret}\r\nX-Admin: 1` }, /^The API key .* must be /],
  [
    "no operation goes on with a password in the address",
    { baseUrl: `http://user:${secret}@HOST` },
    /^The address .*must /,
  ],
])("%s", async (_name, bad, reason) => {
  const bench = await openBench();
  const { apiKey, url, requests } = bench.simulator;
  const settings: Record<string, string> = {
    "gpucluster:apiKey": bad.apiKey ?? apiKey,
    // The simulator would record a request.
    "gpucluster:baseUrl": (bad.baseUrl ?? url).replace("HOST", new URL(url).host),
  };
  const { cluster, getGpuTypes, getHealth } = createProvider((name) => settings[name]);
  const ctx = bench.ctx({ log: () => undefined });
  const state = { ...checked, settled: false, __seenBy: "seen" };
  const { failures } = await cluster.check(ctx, least);
  expect(failures.map(({ property }) => property)).toEqual([""]);
  const operations: Promise<unknown>[] = [
    cluster.create(ctx, checked),
    cluster.read(ctx, "cl_1", state),
    cluster.update(ctx, "cl_1", state, { ...checked, replicas: 3 }),
    cluster.delete(ctx, "cl_1", state),
    getGpuTypes(),
    getHealth(),
  ];
  const errors = await Promise.all(operations.map(failureOf));
  for (const error of errors) expect(error).toBeInstanceOf(ConfigError);
  for (const message of [...failures, ...errors].map((each) => ("reason" in each ? each.reason : each.message))) {
    expect(message).toMatch(reason);
    expect(message).not.toContain(secret);
    expectClean(String(message));
  }
  expect(requests).toEqual([]);
});
