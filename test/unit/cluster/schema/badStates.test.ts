import type { Properties } from "../../../../provider/contract";
import { failureOf, openSettled } from "../harness";
import { checked, urnOf } from "../inputs";

describe("a state that was edited", () => {
  it.each<[string, Properties]>([
    ["name", { name: 5 }],
    ["gpuType", { gpuType: {} }],
    ["env.MODEL", { env: { MODEL: 1 } }],
    ["replicas", { replicas: "2" }],
    ["replicaStatuses", { replicaStatuses: {} }],
    ["__unfinished", { __unfinished: true }],
    ["__unfinished.paths", { __unfinished: { kind: "update" } }],
    ["__observed.env", { __observed: { env: "MODEL" } }],
    ["__fixed.0", { __fixed: ["name"] }],
  ])("is one clear error of each operation before any request: %s", async (path, edit) => {
    const { fixture, id, state } = await openSettled(checked);
    const { cluster } = fixture;
    const edited = { ...state, ...edit };
    const works = [
      () => cluster.check(fixture.ctx(), checked, edited),
      () => cluster.diff(fixture.ctx(), id, edited, checked),
      () => cluster.read(fixture.ctx(), id, edited),
      () => cluster.update(fixture.ctx(), id, edited, { ...checked, replicas: 1 }),
      () => cluster.delete(fixture.ctx(), id, edited),
    ];
    for (const work of works) {
      const { message } = await fixture.run(failureOf(work()));
      expect(message).toContain(`its state cannot be read, so nothing was sent: \`${path}\`: `);
      expect(message).toContain(`run \`pulumi state delete '${urnOf("web")}'\`, and set \`adopt\``);
    }
    expect(fixture.simulator.requests).toEqual([]);
  });
});
