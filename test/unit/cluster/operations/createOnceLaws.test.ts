import fc from "fast-check";
import type { ClusterRecord } from "../../../../provider/api/records";
import type { Fault } from "../../../../simulator";
import { runs } from "../../../support/shares";
import { closeAll, living, openBench } from "../harness";
import { claim, lists, post } from "./createOnceHarness";

const when = fc.constantFrom("before" as const, "after" as const);
const times = fc.integer({ min: 1, max: 3 });

/** Whatever can befall a create request. A 429 is left out after the effect: the service promises that it did nothing. */
const createFault: fc.Arbitrary<Fault> = fc.oneof(
  fc.record({ kind: fc.constant("drop" as const), when, times }).map((fault) => ({ ...post, ...fault })),
  fc
    .record({
      kind: fc.constant("status" as const),
      status: fc.constantFrom(400, 401, 408, 409, 500, 502, 503, 504),
      when,
      times,
    })
    .map((fault) => ({ ...post, ...fault })),
  fc
    .record({ kind: fc.constant("html" as const), status: fc.constantFrom(200, 201, 502), when, times })
    .map((fault) => ({ ...post, ...fault })),
  fc.record({ kind: fc.constant("truncate" as const), times }).map((fault) => ({ ...post, ...fault })),
  fc
    .record({
      kind: fc.constant("body" as const),
      body: fc.constantFrom("", "{}", "[]", "null", '{"id":"a/b"}'),
      times,
    })
    .map((fault) => ({ ...post, ...fault })),
  fc.constant<Fault>({ ...post, kind: "status", status: 429, headers: { "Retry-After": "2" } }),
);

/** Whatever can befall the search: the list lags behind, and fails now and then. */
const listFault: fc.Arbitrary<Fault> = fc.oneof(
  fc.integer({ min: 0, max: 19_000 }).map((ms): Fault => ({ kind: "hidden", ms })),
  fc
    .record({
      kind: fc.constant("status" as const),
      status: fc.constantFrom(401, 403, 500, 503),
      times: fc.integer({ min: 1, max: 12 }),
      after: fc.nat(4),
    })
    .map((fault) => ({ ...lists, ...fault })),
  fc
    .record({ kind: fc.constant("drop" as const), times: fc.integer({ min: 1, max: 12 }), after: fc.nat(4) })
    .map((fault) => ({ ...lists, ...fault })),
  fc
    .record({ kind: fc.constant("body" as const), body: fc.constant('{"clusters":[{}]}'), after: fc.nat(4), times })
    .map((fault) => ({ ...lists, ...fault })),
);

const anyFaults = fc
  .tuple(fc.array(createFault, { maxLength: 3 }), fc.array(listFault, { maxLength: 3 }))
  .map((faults) => faults.flat());

async function claimAll(faults: Fault[], names: readonly string[]) {
  const bench = await openBench({ faults });
  const results = await bench.run(Promise.allSettled(names.map((name) => claim(bench, { name }))));
  await closeAll();
  const clusters = living(bench.simulator);
  return names.map((name, index) => ({
    name,
    result: results[index],
    alive: clusters.filter((cluster) => cluster.name === name).map(({ id }) => id),
  }));
}

type Claimed = Awaited<ReturnType<typeof claimAll>>[number];

/** Every living cluster is handed out, or an error says its name; and never are there two without an error. */
function expectNothingLost({ name, result, alive }: Claimed): void {
  if (result?.status === "fulfilled") {
    const record: ClusterRecord = result.value;
    expect(alive).toEqual([record.id]);
    return;
  }
  if (alive.length > 0) expect(String(result?.reason)).toContain(`"${name}"`);
  expect(alive.length).toBeLessThanOrEqual(1);
}

describe("whatever goes wrong while clusters are created", () => {
  it.each([
    ["one creation ends with exactly its cluster, or with an error that names it", ["web"], 300],
    ["so do three at the same time", ["web", "api", "db"], 100],
  ])(
    "%s",
    async (_title, names, count) => {
      const law = fc.asyncProperty(anyFaults, async (faults) => {
        for (const claimed of await claimAll(faults, names)) expectNothingLost(claimed);
      });
      await fc.assert(law, { numRuns: runs(count) });
    },
    60_000,
  );
});
