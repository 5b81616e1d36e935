import type { Properties } from "../../../../provider/contract";
import { type Fixture, type FixtureOptions, openFixture } from "../harness";
import { checked, existing, urnOf } from "../inputs";

/** The result of one check, with its messages. */
interface CheckResult {
  readonly inputs: Properties;
  /** `property: reason` of each failure. */
  readonly refusals: string[];
  /** The messages of this check alone. */
  readonly said: string[];
}

/** Checks a resource in the run of the fixture. */
export async function check(
  fixture: Fixture,
  news: Properties,
  olds: Properties = {},
  name = "web",
): Promise<CheckResult> {
  const { run, cluster, ctx, messages: said } = fixture;
  const before = said.length;
  const { inputs, failures } = await run(cluster.check(ctx({ urn: urnOf(name) }), news, olds));
  const refusals = failures.map(({ property, reason }) => `${property}: ${reason}`);
  return { inputs, refusals, said: said.slice(before) };
}

/** Checks several new resources in the run of the fixture, each under its own name. */
export async function checkAll(fixture: Fixture, news: readonly Properties[]): Promise<CheckResult[]> {
  const results: CheckResult[] = [];
  for (const one of news) results.push(await check(fixture, one, {}, String(one["name"])));
  return results;
}

/** One check in a run of its own. */
export async function checkOnce(
  news: Properties,
  olds?: Properties,
  options?: FixtureOptions,
): Promise<CheckResult & { readonly fixture: Fixture }> {
  const fixture = await openFixture(options);
  return { fixture, ...(await check(fixture, news, olds)) };
}

/** As the engine checks a replacement: with the old inputs, then, after a diff, without them. */
export async function checkTwice(
  fixture: Fixture,
  news: Properties,
  olds: Properties,
  name = "web",
): Promise<[CheckResult, CheckResult]> {
  const { cluster, ctx, run } = fixture;
  const first = await check(fixture, news, olds, name);
  const urn = urnOf(name);
  await run(cluster.diff(ctx({ urn }), "cl_1", olds, first.inputs));
  return [first, await check(fixture, news, {}, name)];
}

/** A program with several GPU types, in this order. */
export function listOf(gpuType: string, ...fallbackGpuTypes: string[]): Properties {
  return { ...checked, gpuType, fallbackGpuTypes };
}

/** The inputs of a cluster that exists. */
export function old(changes: Properties = {}): Properties {
  return { ...existing, ...changes };
}
