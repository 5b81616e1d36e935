import type { Properties } from "../../../provider/core";
import { closeAll, failureOf, living, openBench, settle } from "./harness";
import { checked } from "./inputs";

afterEach(closeAll);

const lost = { kind: "drop", when: "after", method: "POST" } as const;
const warnings = (said: readonly string[]) => said.filter((text) => text.startsWith("warning"));

describe("a list that lags longer than the search for a lost answer", () => {
  it("makes a second request, which is said, and its twin is named when the cluster is ready and at each refresh", async () => {
    const bench = await openBench({ faults: [lost], listLagMs: 25_000, provisioningMs: 60_000 });
    const { id, state } = await bench.run(bench.cluster.create(bench.ctx(), checked));
    expect(living(bench.simulator)).toHaveLength(2);
    const twin = living(bench.simulator).find((cluster) => cluster.id !== id)?.id ?? "";
    expect(warnings(bench.said).join("\n")).toContain("the request is sent again");
    expect(warnings(bench.said).join("\n")).toContain(`${twin} (`);
    bench.said.length = 0;
    const found = await bench.run(bench.cluster.read(bench.ctx(), id, state));
    expect(warnings(bench.said)).toEqual([expect.stringMatching(new RegExp(`${twin}.*is billed too`))]);
    expect(bench.cluster.diff(found?.state ?? {}, checked).changes).toEqual({});
  });
});

describe("an id that is not the cluster's", () => {
  it.each<[string, string]>([
    ["that the list had shown under another name", "other"],
    ["that another creation of this run was answered with", "first"],
  ])("%s is not taken from the answer to a creation", async (_title, name) => {
    let answered: string | undefined;
    const bench = await openBench({
      client: (real) => ({
        createCluster: async (...args) => {
          const record = await real.createCluster(...args);
          return { ...record, id: answered ?? record.id };
        },
      }),
    });
    const other = await settle(bench, { ...checked, name });
    answered = other.id;
    const made = await bench.run(bench.cluster.create(bench.ctx(), checked)).catch((error: Error) => error);
    // The cluster is found by its name; never the other one.
    expect(made instanceof Error ? undefined : made.id).not.toBe(other.id);
  });

  it("in the state, of a cluster of another name, is not deleted: the error names both", async () => {
    const bench = await openBench();
    const ours = await settle(bench, checked);
    const other = await settle(bench, { ...checked, name: "somebody-elses" });
    const state: Properties = ours.state;
    const error = await failureOf(bench.run(bench.cluster.delete(bench.ctx(), other.id, state)));
    expect(error.message).toMatch(/"web".*"somebody-elses"/);
    expect(living(bench.simulator)).toHaveLength(2);
  });
});

describe("a list that cannot be read", () => {
  const unreadable = { kind: "status", status: 403, method: "GET", path: "/v1/clusters", times: 99 } as const;

  it("hides a twin from a refresh, which says so once", async () => {
    const bench = await openBench();
    const { id, state } = await settle(bench, checked);
    bench.simulator.fault(unreadable);
    await bench.run(bench.cluster.read(bench.ctx(), id, { ...state, __resent: true }));
    expect(warnings(bench.said)).toEqual([
      expect.stringMatching(/could not check whether the first create request created a cluster too: .*HTTP 403/),
    ]);
  });

  it("leaves the name before a deletion to the cluster's own record: another one is an error", async () => {
    const bench = await openBench();
    const ours = await settle(bench, checked);
    const other = await settle(bench, { ...checked, name: "somebody-elses" });
    bench.simulator.fault(unreadable);
    const error = await failureOf(bench.run(bench.cluster.delete(bench.ctx(), other.id, ours.state)));
    expect(error.message).toMatch(/"web".*"somebody-elses"/);
    await bench.run(bench.cluster.delete(bench.ctx(), ours.id, ours.state));
    expect(warnings(bench.said)).toEqual([]);
    expect(living(bench.simulator).map(({ id }) => id)).toEqual([other.id]);
  });

  it("and a record that cannot be read either let a deletion go on, with one warning that the name was not checked", async () => {
    const bench = await openBench();
    const { id, state } = await settle(bench, checked);
    bench.simulator.fault(unreadable);
    bench.simulator.fault({ kind: "status", status: 403, method: "GET", path: `/v1/clusters/${id}`, times: 1 });
    await bench.run(bench.cluster.delete(bench.ctx(), id, state));
    expect(warnings(bench.said)).toEqual([
      expect.stringMatching(new RegExp(`could not check that ${id} has this name: .*HTTP 403`)),
    ]);
    expect(living(bench.simulator)).toEqual([]);
  });
});

test("a 403 that a proxy writes for the list is no word about the key: nothing is created", async () => {
  const bench = await openBench({
    faults: [{ kind: "html", status: 403, path: "/v1/clusters", method: "GET", times: 9 }],
  });
  await failureOf(bench.run(bench.cluster.create(bench.ctx(), checked)));
  expect(living(bench.simulator)).toEqual([]);
});
