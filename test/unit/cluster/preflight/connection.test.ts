import type { Properties } from "../../../../provider/contract";
import { type Fixture, type FixtureOptions, failureOf, openFixture, requestLines, settle } from "../harness";
import { checked, urnOf } from "../inputs";

/** Clusters that one key has created, and a resource with another key. */
async function openStrangers(options: FixtureOptions = {}, names = ["web"]) {
  const bench = await openFixture(options);
  const made = [];
  for (const name of names) made.push(await settle(bench, { ...checked, name }));
  return { bench, made, other: bench.as("another") };
}

type Made = Awaited<ReturnType<typeof settle>>;
const look = (bench: Fixture, cluster: Fixture["cluster"], { id, state }: Made, news: Properties = checked) =>
  bench.run(cluster.diff(bench.ctx(), id, state, news));

describe("the diff of a cluster", () => {
  it("sends no request if the same key saw it last", async () => {
    const { bench, made } = await openStrangers();
    for (const cluster of made) await look(bench, bench.cluster, cluster);
    expect(bench.simulator.requests).toEqual([]);
  });

  it("reads one list for all clusters that another key saw last, and passes if it shows them", async () => {
    const { bench, made, other } = await openStrangers({}, ["a", "b", "c"]);
    for (const cluster of made) await look(bench, other, cluster, cluster.state);
    expect(bench.messages.filter((text) => !text.startsWith("info: "))).toEqual([]);
    expect(requestLines(bench.simulator)).toEqual(["GET /v1/clusters"]);
  });

  it("fails with the way out if another key saw it last, and this one cannot see it", async () => {
    const { bench, made, other } = await openStrangers();
    bench.simulator.change(made[0]?.id ?? "", { status: "gone" });
    await bench.clock.advance(180_000);
    for (const cluster of made) {
      const { message } = await failureOf(look(bench, other, cluster));
      expect(message).toMatch(/^cluster "web" \(cl_\w+\) is not known to this .*another service or key saw it last/);
      expect(message).toMatch(/pulumi state delete 'urn:/);
    }
  });
});

it("a rejected key is an error, not a warning", async () => {
  const { bench, made, other } = await openStrangers();
  bench.simulator.fault({ kind: "status", status: 401, code: "unauthorized", method: "GET", times: 99 });
  for (const cluster of made)
    expect((await failureOf(look(bench, other, cluster))).message).toMatch(/^cluster "web".*HTTP 401.*API key/s);
  expect(bench.warnings()).toEqual([]);
});

it.each([
  ["many clusters that cannot be checked are one warning", false],
  ["each cluster that cannot be checked is an error under strictPreview", true],
])("%s", async (_title, isStrict) => {
  const { bench, made, other } = await openStrangers({ settings: { strictPreview: isStrict } });
  await bench.clock.advance(180_000);
  bench.simulator.fault({ kind: "status", status: 403, code: "forbidden", method: "GET", times: 100_000 });
  const failures: unknown[] = [];
  // One after the other, as the engine requests diffs.
  for (let index = 0; index < 30; index += 1) {
    const ctx = bench.ctx({ urn: urnOf(`w${index}`) });
    const state = made[0]?.state ?? {};
    await bench.run(other.diff(ctx, `cl_${index}`, state, state)).catch((error) => failures.push(error));
  }
  expect(requestLines(bench.simulator)).toEqual(["GET /v1/clusters"]);
  expect([failures.length, bench.warnings().length]).toEqual(isStrict ? [30, 0] : [0, 1]);
  for (const text of bench.warnings()) expect(text).toMatch(/could not be checked.*`pulumi refresh`/s);
});

it("a refresh with the new key ends the check", async () => {
  const { bench, made, other } = await openStrangers();
  for (const { id, state } of made) {
    const found = await bench.run(bench.as("another").read(bench.ctx(), id, state));
    bench.simulator.requests.length = 0;
    await look(bench, other, { id, state: found?.state ?? {} });
    expect(requestLines(bench.simulator)).toEqual([]);
  }
});
