import { ConnectionError } from "../../../../provider/base/errors";
import { type FixtureOptions, failureOf, interruptAfter, openSettled } from "../harness";
import { checked } from "../inputs";

const line = "DELETE /v1/clusters/:id";

describe("a deletion", () => {
  it.each(["none", "readable"] as const)("waits until the cluster is gone: tombstone %s", async (tombstone) => {
    const { fixture, made } = await openSettled(checked, { deletionMs: 90_000, dialect: { tombstone } });
    const { tookMs } = await fixture.timed(fixture.remove(made));
    expect(tookMs).toBeGreaterThanOrEqual(90_000);
    expect(fixture.simulator.cluster(made.id)?.status).toBe("gone");
    expect(fixture.writes()).toEqual([line]);
    expect(fixture.messages[0]).toBe("status: deleting");
    expect(fixture.messages.at(-1)).toBe("status: deleted");
  });

  it("reports the cost of the replicas that ran, whoever has scaled the cluster", async () => {
    for (const [replicas, cost] of [
      [2, "5.98"],
      [5, "14.95"],
    ] as const) {
      const { fixture, made } = await openSettled({ ...checked, hourlyCost: 5.98 });
      fixture.simulator.change(made.id, { replicas });
      await fixture.remove(made);
      expect(fixture.messages.at(-1)).toBe(`status: deleted; it cost ${cost} per hour`);
    }
  });

  it("of a new cluster ends at once if its answer is lost, and the list confirms the 404 of its repetition", async () => {
    const { fixture, made } = await openSettled(checked, { deletionMs: 0 });
    fixture.simulator.fault({ method: "DELETE", kind: "drop", when: "after" });
    const { tookMs } = await fixture.timed(fixture.remove(made));
    expect(tookMs).toBeLessThan(5_000);
    expect(fixture.countOf(line)).toBe(2);
    expect(fixture.messages.at(-1)).toBe("status: deleted");
  });

  it("of a new cluster waits if its repetition can be the first request that the service gets", async () => {
    let failures = 0;
    const wire: FixtureOptions["wire"] = (real) => async (request) => {
      if (request.method !== "DELETE" || failures > 0) return real(request);
      failures += 1;
      throw new ConnectionError("the connection was refused", { ...request, outcome: "not-sent" });
    };
    const { fixture, made } = await openSettled(checked, { wire });
    fixture.simulator.change(made.id, { hiddenMs: 60_000 });
    fixture.simulator.fault({ method: "DELETE", kind: "status", status: 404, code: "not_found" });
    expect((await failureOf(fixture.remove(made))).message).toMatch(/was not deleted: .*still shows it/);
    expect(fixture.living()).toHaveLength(1);
  });

  it.each([0, 60_000])(
    "that is redirected, but not done, keeps a new cluster that reads hide for %i ms",
    async (hiddenMs) => {
      const { fixture, made } = await openSettled(checked);
      fixture.simulator.change(made.id, { hiddenMs });
      fixture.simulator.fault({ method: "DELETE", kind: "redirect", location: "https://gateway.example/", times: 99 });
      const { message } = await failureOf(fixture.remove(made));
      expect(message).toMatch(
        /was not deleted: DELETE .*HTTP 302.*Redirects to https:\/\/gateway.example are not followed/,
      );
      expect(fixture.living()).toHaveLength(1);
    },
  );

  it("ends at once at an interrupt", async () => {
    const { fixture, made } = await openSettled(checked, { deletionMs: 24 * 3_600_000 });
    const { end, lastedMs } = await interruptAfter(fixture, 20_000, (ctx) =>
      failureOf(fixture.cluster.delete(fixture.ctx(ctx), made.id, made.state)),
    );
    expect(end.message).toMatch(/was not deleted: interrupted/);
    expect(lastedMs).toBe(0);
  });
});

it.each([
  ["a cluster of another name than that of the state is not deleted, by the list", false],
  ["a cluster of another name than that of the state is not deleted, by its record if the list cannot be read", true],
])("%s", async (_title, isAlone) => {
  const { fixture, made: ours } = await openSettled(checked);
  const other = await fixture.settle({ ...checked, name: "other" });
  if (isAlone) fixture.simulator.fault({ kind: "status", status: 403, method: "GET", path: "/v1/clusters", times: 99 });
  const error = await failureOf(fixture.remove({ id: other.id, state: ours.state }));
  expect(error.message).toMatch(/"web".*"other"/);
  expect(fixture.living()).toHaveLength(2);
  await fixture.remove(ours);
  expect(fixture.living().map(({ id }) => id)).toEqual([other.id]);
});
