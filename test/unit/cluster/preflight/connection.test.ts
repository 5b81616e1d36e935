import type { Properties } from "../../../../provider/contract";
import { type Fixture, type FixtureOptions, failureOf, openFixture, requestLines, settle } from "../harness";
import { checked, urnOf } from "../inputs";
import { warnings } from "../powerHarness";

/** Clusters that one key has made, and what another one finds out about them before a difference. */
async function openStrangers(options: FixtureOptions = {}, names = ["web"]) {
  const bench = await openFixture(options);
  const made = [];
  for (const name of names) made.push(await settle(bench, { ...checked, name }));
  return { bench, made, other: bench.as("another") };
}

type Made = Awaited<ReturnType<typeof settle>>;
const look = (bench: Fixture, cluster: Fixture["cluster"], { id, state }: Made, news: Properties = checked) =>
  bench.run(cluster.diff(bench.ctx(), id, state, news));

describe("before a difference, a cluster that", () => {
  it("the same key saw last is not looked up", async () => {
    const { bench, made } = await openStrangers();
    for (const cluster of made) await look(bench, bench.cluster, cluster);
    expect(bench.simulator.requests).toEqual([]);
  });

  it("another key saw last, and this one knows, passes in silence: one list for all of them", async () => {
    const { bench, made, other } = await openStrangers({}, ["a", "b", "c"]);
    for (const cluster of made) await look(bench, other, cluster, cluster.state);
    expect(bench.said.filter((text) => !text.startsWith("info: "))).toEqual([]);
    expect(requestLines(bench.simulator)).toEqual(["GET /v1/clusters"]);
  });

  it("another key saw last, and this one does not know, is an error that says what to do", async () => {
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

describe("a service that does not answer whether it knows the cluster", () => {
  const down = { kind: "status", status: 503, method: "GET", times: 99 } as const;

  it("is a warning", async () => {
    const { bench, made, other } = await openStrangers();
    bench.simulator.fault(down);
    for (const cluster of made) await look(bench, other, cluster);
    expect(warnings(bench)).toEqual([
      expect.stringMatching(
        /^warning: cl_\w+ was last seen with another .*could not be checked .*HTTP 503.*`pulumi refresh`/s,
      ),
    ]);
  });

  it("is an error if the service rejects the key", async () => {
    const { bench, made, other } = await openStrangers();
    bench.simulator.fault({ ...down, status: 401, code: "unauthorized" });
    for (const cluster of made)
      expect((await failureOf(look(bench, other, cluster))).message).toMatch(/^cluster "web".*HTTP 401.*API key/s);
    expect(warnings(bench)).toEqual([]);
  });
});

it.each([true, false])(
  "many clusters that another key saw last, and no list shows, are one error or warning (strict: %s)",
  async (isStrict) => {
    const { bench, made, other } = await openStrangers({ settings: { strictPreview: isStrict } });
    await bench.clock.advance(180_000);
    bench.simulator.fault({ kind: "status", status: 403, code: "forbidden", method: "GET", times: 100_000 });
    const failures: unknown[] = [];
    // One after the other, as the engine asks for differences.
    for (let index = 0; index < 30; index += 1) {
      const ctx = bench.ctx({ urn: urnOf(`w${index}`) });
      const state = made[0]?.state ?? {};
      await bench.run(other.diff(ctx, `cl_${index}`, state, state)).catch((error) => failures.push(error));
    }
    expect(requestLines(bench.simulator)).toEqual(["GET /v1/clusters"]);
    expect([failures.length, warnings(bench).length]).toEqual(isStrict ? [30, 0] : [0, 1]);
    for (const text of warnings(bench)) expect(text).toMatch(/could not be checked.*`pulumi refresh`/s);
  },
);

it("a refresh ends the question which key sees a cluster", async () => {
  const { bench, made, other } = await openStrangers();
  for (const { id, state } of made) {
    const found = await bench.run(bench.as("another").read(bench.ctx(), id, state));
    bench.simulator.requests.length = 0;
    await look(bench, other, { id, state: found?.state ?? {} });
    expect(requestLines(bench.simulator)).toEqual([]);
  }
});
