import type { Properties } from "../../../../provider/contract";
import { type Fixture, type FixtureOptions, failureOf, openFixture, requestLines, settle } from "../harness";
import { checked, urnOf } from "../inputs";

/** Clusters that one key has created, and a resource with another key. */
async function openStrangers(options: FixtureOptions = {}, names = ["web"]) {
  const fixture = await openFixture(options);
  const made = [];
  for (const name of names) made.push(await settle(fixture, { ...checked, name }));
  return { fixture, made, other: fixture.as("another") };
}

type Made = Awaited<ReturnType<typeof settle>>;
const look = (fixture: Fixture, cluster: Fixture["cluster"], { id, state }: Made, news: Properties = checked) =>
  fixture.run(cluster.diff(fixture.ctx(), id, state, news));

describe("the diff of a cluster", () => {
  it("sends no request if the same key saw it last", async () => {
    const { fixture, made } = await openStrangers();
    for (const cluster of made) await look(fixture, fixture.cluster, cluster);
    expect(fixture.simulator.requests).toEqual([]);
  });

  it("reads one list for all clusters that another key saw last, and passes if it shows them", async () => {
    const { fixture, made, other } = await openStrangers({}, ["a", "b", "c"]);
    for (const cluster of made) await look(fixture, other, cluster, cluster.state);
    expect(fixture.messages.filter((text) => !text.startsWith("info: "))).toEqual([]);
    expect(requestLines(fixture.simulator)).toEqual(["GET /v1/clusters"]);
  });

  it("fails with the way out if another key saw it last, and this one cannot see it", async () => {
    const { fixture, made, other } = await openStrangers();
    fixture.simulator.change(made[0]?.id ?? "", { status: "gone" });
    await fixture.clock.advance(180_000);
    for (const cluster of made) {
      const { message } = await failureOf(look(fixture, other, cluster));
      expect(message).toMatch(/^cluster "web" \(cl_\w+\) is not known to this .*another service or key saw it last/);
      expect(message).toMatch(/pulumi state delete 'urn:/);
    }
  });
});

it("a rejected key is an error, not a warning", async () => {
  const { fixture, made, other } = await openStrangers();
  fixture.simulator.fault({ kind: "status", status: 401, code: "unauthorized", method: "GET", times: 99 });
  for (const cluster of made)
    expect((await failureOf(look(fixture, other, cluster))).message).toMatch(/^cluster "web".*HTTP 401.*API key/s);
  expect(fixture.warnings()).toEqual([]);
});

it.each([
  ["many clusters that cannot be checked are one warning", false],
  ["each cluster that cannot be checked is an error under strictPreview", true],
])("%s", async (_title, isStrict) => {
  const { fixture, made, other } = await openStrangers({ settings: { strictPreview: isStrict } });
  await fixture.clock.advance(180_000);
  fixture.simulator.fault({ kind: "status", status: 403, code: "forbidden", method: "GET", times: 100_000 });
  const failures: unknown[] = [];
  // One after the other, as the engine requests diffs.
  for (let index = 0; index < 30; index += 1) {
    const ctx = fixture.ctx({ urn: urnOf(`w${index}`) });
    const state = made[0]?.state ?? {};
    await fixture.run(other.diff(ctx, `cl_${index}`, state, state)).catch((error) => failures.push(error));
  }
  expect(requestLines(fixture.simulator)).toEqual(["GET /v1/clusters"]);
  expect([failures.length, fixture.warnings().length]).toEqual(isStrict ? [30, 0] : [0, 1]);
  for (const text of fixture.warnings()) expect(text).toMatch(/could not be checked.*`pulumi refresh`/s);
});

it("a refresh with the new key ends the check", async () => {
  const { fixture, made, other } = await openStrangers();
  for (const { id, state } of made) {
    const found = await fixture.run(fixture.as("another").read(fixture.ctx(), id, state));
    fixture.simulator.requests.length = 0;
    await look(fixture, other, { id, state: found?.state ?? {} });
    expect(requestLines(fixture.simulator)).toEqual([]);
  }
});
