import { type Fixture, type FixtureOptions, failureOf, type Held, openFixture, openSettled } from "../harness";
import { checked } from "../inputs";

/** A cluster that one key has created, and a resource with another key. */
async function openStranger(options: FixtureOptions = {}) {
  const { fixture, made } = await openSettled(checked, options);
  return { fixture, made, other: fixture.as("another") };
}

const look = (fixture: Fixture, cluster: Fixture["cluster"], { id, state }: Held) =>
  fixture.run(cluster.diff(fixture.ctx(), id, state, state));

describe("the diff of a cluster", () => {
  it("reads one list for all clusters that another key saw last, and passes if it shows them", async () => {
    const fixture = await openFixture();
    const other = fixture.as("another");
    for (const held of await fixture.settleFleet(3)) await look(fixture, other, held);
    expect(fixture.messages).toEqual([]);
    expect(fixture.requestLines()).toEqual(["GET /v1/clusters"]);
  });

  it("fails with the way out if another key saw it last, and this one cannot see it", async () => {
    const { fixture, made, other } = await openStranger();
    fixture.simulator.change(made.id, { status: "gone" });
    await fixture.clock.advance(180_000);
    const { message } = await failureOf(look(fixture, other, made));
    expect(message).toMatch(/^cluster "web" \(cl_\w+\) is not known to this .*another service or key saw it last/);
    expect(message).toMatch(/pulumi state delete 'urn:/);
  });

  it("fails if the key is rejected", async () => {
    const { fixture, made, other } = await openStranger();
    fixture.simulator.fault({ kind: "status", status: 401, code: "unauthorized", method: "GET", times: 99 });
    expect((await failureOf(look(fixture, other, made))).message).toMatch(/^cluster "web".*HTTP 401.*API key/s);
  });
});

it.each([
  ["many clusters that cannot be checked are one warning", false],
  ["each cluster that cannot be checked is an error under `strict`", true],
])("%s", async (_title, isStrict) => {
  const { fixture, made, other } = await openStranger({ settings: { previewChecks: isStrict ? "strict" : "default" } });
  await fixture.clock.advance(180_000);
  fixture.simulator.fault({ kind: "status", status: 403, code: "forbidden", method: "GET", times: 99 });
  const failures: unknown[] = [];
  for (const id of ["cl_1", "cl_2", "cl_3"])
    await look(fixture, other, { ...made, id }).catch((error) => failures.push(error));
  expect(fixture.requestLines()).toEqual(["GET /v1/clusters"]);
  expect([failures.length, fixture.warnings().length]).toEqual(isStrict ? [3, 0] : [0, 1]);
  for (const text of fixture.warnings()) expect(text).toMatch(/could not be checked.*`pulumi refresh`/s);
});
