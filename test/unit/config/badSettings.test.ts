import { ConfigError } from "../../../provider/base/errors";
import type { Properties } from "../../../provider/contract";
import { createProvider } from "../../../provider/index";
import { expectClean } from "../../support/cleanText";
import { failureOf, openFixture } from "../cluster/harness";
import { checked, least } from "../cluster/inputs";

/** settings.test.ts shows what is wrong with a key or an address. */
it("every operation refuses a wrong setting before any request, without a secret", async () => {
  const password = "canary-0123456789";
  const state: Properties = { ...checked, settled: false, __seenBy: "seen" };
  const { simulator, ctx: contextOf } = await openFixture();
  const settings: Record<string, string> = {
    "gpucluster:apiKey": simulator.apiKey,
    // A request would arrive.
    "gpucluster:baseUrl": simulator.url.replace("//", `//user:${password}@`),
  };
  const { cluster, functions } = createProvider((name) => settings[name]);
  const ctx = contextOf({ log: () => undefined });
  const { failures } = await cluster.check(ctx, least);
  expect(failures.map(({ property }) => property)).toEqual([""]);
  const works: (() => Promise<unknown>)[] = [
    () => cluster.create(ctx, checked),
    () => cluster.read(ctx, "cl_1", state),
    () => cluster.update(ctx, "cl_1", state, { ...checked, replicas: 3 }),
    () => cluster.delete(ctx, "cl_1", state),
    functions.getGpuTypes,
    functions.getHealth,
  ];
  const errors = await Promise.all(works.map((work) => failureOf(work())));
  for (const error of errors) expect(error).toBeInstanceOf(ConfigError);
  for (const message of [...failures.map(({ reason }) => reason), ...errors.map((error) => error.message)]) {
    expect(message).toMatch(/^The address of the service .*must /);
    expect(message).not.toContain(password);
    expectClean(message);
  }
  expect(simulator.requests).toEqual([]);
});
