import { removedInputs } from "../../../../provider/config/removed";
import { type Properties, UNKNOWN } from "../../../../provider/contract";
import { failureOf, openBench, openSettled, writes } from "../harness";
import { checked, least, urnOf } from "../inputs";
import { change, refresh, toDo } from "../powerHarness";

describe("an input that was removed", () => {
  it.each([
    ["deletionPolicy", 'use the option retainOnDelete or protect, or desiredStatus "stopped"'],
    ["healthCheck", "leave it out, because replicas are always read, or use skipAwait to wait for nothing"],
    ["plainEnv", "leave it out: only what looks like a credential, or is marked as a secret, is hidden"],
  ])("is an error that says what to use, before any request: %s", async (name, instead) => {
    const bench = await openBench();
    for (const value of ["stop", true, { a: "long-value" }, UNKNOWN]) {
      const { failures } = await bench.run(bench.cluster.check(bench.ctx(), { ...least, [name]: value }));
      expect(failures).toEqual([{ property: "", reason: `${name} was removed: ${instead}` }]);
    }
    expect(bench.simulator.requests).toEqual([]);
  });
});

/** Each removed input, as the state of an earlier version may have it. */
const old: Properties = Object.fromEntries([...removedInputs.keys()].map((name) => [name, "old"]));

describe("a state with inputs that were removed", () => {
  it("is up to date, and a check and a refresh leave them out", async () => {
    const { bench, id, state } = await openSettled(checked);
    const held = { id, state: { ...state, ...old } };
    expect(toDo(bench, held, checked)).toEqual([]);
    const { inputs, failures } = await bench.run(bench.cluster.check(bench.ctx(), checked, { ...checked, ...old }));
    expect(failures).toEqual([]);
    const found = await bench.run(bench.cluster.read(bench.ctx(), id, held.state));
    expect(found?.state).toEqual(state);
    for (const properties of [inputs, found?.inputs]) expect(properties).not.toMatchObject(old);
    expect(await change(bench, held, { ...checked, replicas: 3 })).toMatchObject({ state: { replicas: 3 } });
  });
});

describe('a state with `deletionPolicy: "stop"`', () => {
  const open = async () => {
    const { bench, id, state } = await openSettled(checked);
    return { bench, held: { id, state: { ...state, deletionPolicy: "stop" } } };
  };

  it("is not deleted, before and after a refresh, and the error says what to do, without a request", async () => {
    const { bench, held } = await open();
    const found = await refresh(bench, held);
    bench.simulator.requests.length = 0;
    for (const { id, state } of [held, found]) {
      const { message } = await bench.run(failureOf(bench.cluster.delete(bench.ctx(), id, state)));
      expect(message).toBe(
        `cluster "web" (${id}) was not deleted: its state has \`deletionPolicy: "stop"\`, which was removed; to keep the ` +
          `cluster, run \`pulumi state delete '${urnOf("web")}'\`, and to delete it, run \`pulumi up\` with a program ` +
          "without that input, then the deletion again",
      );
    }
    expect(bench.simulator.requests).toEqual([]);
  });

  it("loses it by an update, which sends nothing and says why it happens; then it can be deleted", async () => {
    const { bench, held } = await open();
    const { id } = held;
    expect(toDo(bench, held, checked)).toEqual(["deletionPolicy"]);
    await bench.run(bench.cluster.recognize(bench.ctx(), id, held.state, checked));
    expect(bench.said).toEqual([
      "info: web: only `deletionPolicy` of an earlier version leaves the state; the cluster does not change",
    ]);
    const { state } = await change(bench, held, checked);
    expect(bench.simulator.requests).toEqual([]);
    expect(state).not.toHaveProperty("deletionPolicy");
    expect(toDo(bench, { id, state }, checked)).toEqual([]);
    await bench.run(bench.cluster.delete(bench.ctx(), id, state));
    expect(writes(bench.simulator)).toEqual(["DELETE /v1/clusters/:id"]);
  });
});
