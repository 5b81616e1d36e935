import { failureOf, openFixture, openSettled } from "../harness";
import { checked } from "../inputs";

const sick = { kind: "sick-replica", replica: 0, message: "no driver" } as const;

describe("a creation that an error hook of the program repeats", () => {
  it("ends with the same error, which keeps the id, and sends nothing", async () => {
    const fixture = await openFixture({ faults: [sick] });
    const first = await fixture.failingCreate(checked);
    const { length } = fixture.simulator.requests;
    const second = await fixture.failingCreate(checked);
    expect([second.id, second.message]).toEqual([first.id, first.message]);
    expect(fixture.simulator.requests).toHaveLength(length);
  });

  it("makes a new cluster once the first one was deleted, in a process that outlives its run", async () => {
    const fixture = await openFixture({ faults: [sick] });
    const first = await fixture.failingCreate(checked);
    await fixture.remove(first);
    expect((await fixture.settle(checked)).id).not.toBe(first.id);
    expect(fixture.living()).toHaveLength(1);
  });
});

describe("an update that an error hook of the program repeats from the state before it", () => {
  const wanted = { ...checked, container: "a/b:2" };
  const unreadable = { kind: "status", status: 403, method: "GET", path: "/v1/clusters/*" } as const;

  async function failOnce() {
    const { fixture, made } = await openSettled(checked);
    fixture.simulator.fault({ ...sick, container: wanted.container });
    const first = await fixture.failingChange(made, wanted);
    fixture.simulator.fault(unreadable);
    return { fixture, made, first };
  }

  it("keeps what the first attempt left if the repetition cannot read the cluster, so that a revert takes effect", async () => {
    const { fixture, made, first } = await failOnce();
    const second = await fixture.failingChange(made, wanted);
    expect(second.state).toEqual(first.state);
    expect(second.text).toMatch(/403/);
    await fixture.change(second, checked);
    expect(fixture.simulator.cluster(made.id)?.deployed).toMatchObject({ container: checked.container });
  });

  it("continues from what the first attempt left", async () => {
    const { fixture, made, first } = await failOnce();
    await fixture.failingChange(made, wanted);
    fixture.simulator.change(made.id, { status: "running" });
    const { state } = await fixture.change(made, wanted);
    expect(first.state).toMatchObject({ settled: false });
    expect(state).toMatchObject({ container: wanted.container, settled: true });
    // The service has the new image: another update would roll out every replica again.
    expect(fixture.simulator.requests.filter(({ method }) => method === "PATCH")).toEqual([]);
  });

  it("begins with the stored state in the next run of a process that outlives its run", async () => {
    const { fixture, made } = await failOnce();
    await fixture.cluster.diff(fixture.ctx(), made.id, made.state, wanted);
    expect(await failureOf(fixture.change(made, wanted))).not.toHaveProperty("state");
  });
});
