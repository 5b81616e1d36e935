import { openFixture, openSettled } from "../harness";
import { checked } from "../inputs";

describe("the inputs of a check are plain JSON, because the engine takes no `undefined`", () => {
  it("after a creation that has failed", async () => {
    const fixture = await openFixture({ faults: [{ kind: "sick-replica", replica: 0, message: "no driver" }] });
    const { state } = await fixture.failingCreate(checked);
    const { inputs } = await fixture.run(fixture.cluster.check(fixture.ctx(), checked, { ...state }));
    expect(inputs).toStrictEqual(JSON.parse(JSON.stringify(inputs)));
  });

  it("with a state in which no identifiers of the GPU type are known", async () => {
    const { fixture, made } = await openSettled(checked);
    const { __gpu, ...state } = { __gpu: undefined, ...made.state };
    const { inputs } = await fixture.run(fixture.cluster.check(fixture.ctx(), checked, state));
    expect(inputs).toStrictEqual(JSON.parse(JSON.stringify(inputs)));
  });
});
