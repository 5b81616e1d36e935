import type { Properties } from "../../../../provider/contract";
import type { Dialect, ForeignCluster } from "../../../../simulator";
import { type Bench, closeAll, failureOf, living, openBench, openSettled, settle } from "../harness";
import { canary, checked } from "../inputs";
import { change, refresh, toDo, warnings } from "../powerHarness";
import { failingLists, lists, lost, lostAfter } from "./createOnceHarness";

afterEach(closeAll);

const container = String(checked["container"]);

/** A bench on which the create request is lost, and a cluster of its name shows up that is like this. */
async function openFound(shown: Partial<ForeignCluster>, dialect: Partial<Dialect> = {}): Promise<Bench> {
  const bench: Bench = await openBench({
    dialect,
    faults: [lost],
    client: (real) => ({
      createCluster: (...args) => {
        const cluster = { gpuType: "h100", container, replicas: 2, env: { MODEL: canary }, ...shown };
        bench.simulator.addCluster({ name: "web", createdAt: bench.clock.now(), ...cluster });
        return real.createCluster(...args);
      },
    }),
  });
  return bench;
}

const create = (bench: Bench, inputs: Properties = checked) => bench.run(bench.cluster.create(bench.ctx(), inputs));

describe("a cluster that is found after the answer to its creation was lost", () => {
  it("and shows another value of a variable is taken; a refresh shows that, and the next `up` puts it right", async () => {
    const bench = await openFound({ env: { MODEL: "other" } });
    const made = await create(bench);
    const seen = await refresh(bench, made);
    expect(toDo(bench, seen, checked)).not.toEqual([]);
    const { state } = await change(bench, seen, checked);
    expect(state).toMatchObject({ settled: true, replicas: 2, env: { MODEL: canary } });
    expect(living(bench.simulator)).toMatchObject([{ id: made.id, replicas: 2, env: { MODEL: canary } }]);
  });

  it("and shows another number of replicas is not surely ours: the error names it", async () => {
    const bench = await openFound({ replicas: 5 });
    const { message } = await bench.run(failureOf(create(bench)));
    expect(message).toContain(`it may be one of ${living(bench.simulator)[0]?.id}`);
  });

  it.each<[string, Partial<ForeignCluster>, Partial<Dialect>]>([
    ["just what was asked for", {}, {}],
    ["variables that the service adds", {}, { injectedEnv: { REGION: "eu" } }],
    ["masks in place of values", { env: { MODEL: "other" } }, { envEcho: "masked" }],
    ["no variables at all", { env: { MODEL: "other" } }, { envEcho: "none" }],
  ])("and shows %s is taken", async (_title, shown, dialect) => {
    const bench = await openFound(shown, dialect);
    const { id, state } = await create(bench);
    expect(state).toMatchObject({ settled: true });
    expect(living(bench.simulator).map((made) => made.id)).toEqual([id]);
  });

  it("and has another number of replicas within the range of an autoscaler is taken", async () => {
    const bench = await openFound({ replicas: 3 });
    const extraFields = { autoscaling: { min_replicas: 1, max_replicas: 4 } };
    const { state } = await create(bench, { ...checked, extraFields, skipAwait: true });
    expect(state).toMatchObject({ settled: true });
  });
});

describe("a list that lags longer than the search for a lost answer", () => {
  it("makes an error that names the cluster, and the next run refuses the name with its id", async () => {
    const bench = await openBench({ faults: [lostAfter], listLagMs: 45_000 });
    const { message } = await failureOf(create(bench));
    expect(message).toMatch(/"web" may have been created, but its id is not known: .*no list of clusters shows it/);
    await bench.clock.advance(45_000);
    const next = await bench.run(failureOf(bench.as("seen").create(bench.ctx(), checked)));
    expect(next.message).toContain(`is already the name of ${living(bench.simulator)[0]?.id}`);
    expect(living(bench.simulator)).toHaveLength(1);
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
    // The cluster is found by its name; never the other one.
    const made = await create(bench).catch(() => undefined);
    expect(made?.id).not.toBe(other.id);
  });

  it("in the state, of a cluster of another name, is not deleted: the error names both", async () => {
    const { bench, made: ours } = await openSettled(checked);
    const other = await settle(bench, { ...checked, name: "somebody-elses" });
    const error = await failureOf(bench.run(bench.cluster.delete(bench.ctx(), other.id, ours.state)));
    expect(error.message).toMatch(/"web".*"somebody-elses"/);
    expect(living(bench.simulator)).toHaveLength(2);
  });
});

describe("a list that cannot be read", () => {
  const unreadable = failingLists(403);

  it("leaves the name before a deletion to the cluster's own record: another one is an error", async () => {
    const { bench, made: ours } = await openSettled(checked);
    const other = await settle(bench, { ...checked, name: "somebody-elses" });
    bench.simulator.fault(unreadable);
    const error = await failureOf(bench.run(bench.cluster.delete(bench.ctx(), other.id, ours.state)));
    expect(error.message).toMatch(/"web".*"somebody-elses"/);
    await bench.run(bench.cluster.delete(bench.ctx(), ours.id, ours.state));
    expect(warnings(bench)).toEqual([]);
    expect(living(bench.simulator).map(({ id }) => id)).toEqual([other.id]);
  });

  it("and a record that cannot be read either let a deletion go on, with one warning that the name was not checked", async () => {
    const { bench, id, state } = await openSettled(checked);
    bench.simulator.fault(unreadable);
    bench.simulator.fault({ kind: "status", status: 403, method: "GET", path: `/v1/clusters/${id}`, times: 1 });
    await bench.run(bench.cluster.delete(bench.ctx(), id, state));
    expect(warnings(bench)).toEqual([
      expect.stringMatching(new RegExp(`could not check that ${id} has this name: .*HTTP 403`)),
    ]);
    expect(living(bench.simulator)).toEqual([]);
  });
});

test("a 403 that a proxy writes for the list is no word about the key: nothing is created", async () => {
  const bench = await openBench({ faults: [{ ...lists, kind: "html", status: 403, times: 9 }] });
  await failureOf(create(bench));
  expect(living(bench.simulator)).toEqual([]);
});
