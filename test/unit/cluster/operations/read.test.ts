import type { Properties } from "../../../../provider/contract";
import type { ClusterChanges, Dialect } from "../../../../simulator";
import { failureOf, openSettled } from "../harness";
import { canary, checked } from "../inputs";

describe("a read of an unchanged cluster", () => {
  it("returns the same state and inputs, by two requests", async () => {
    const { fixture, made } = await openSettled(checked);
    const found = await fixture.read(made);
    expect(found?.state).toStrictEqual(made.state);
    expect(found?.inputs).toMatchObject(checked);
    expect(fixture.requestLines()).toEqual(["GET /v1/clusters/:id", "GET /v1/clusters/:id/status"]);
  });

  it("keeps the hidden inputs among the inputs, and no observed value", async () => {
    const hidden = { __urn: "urn", __timeouts: { delete: "1h" }, __generatedName: true };
    const { fixture, made } = await openSettled({ ...checked, ...hidden });
    const found = await fixture.read(made);
    expect(found?.inputs).toMatchObject(hidden);
    for (const name of ["status", "settled", "replicaStatuses", "readyReplicas", "__seenBy", "__observed"]) {
      expect(found?.inputs).not.toHaveProperty(name);
    }
  });
});

describe("a read", () => {
  it.each<[string, ClusterChanges, Properties, string[]]>([
    ["shows drift of the replicas", { replicas: 1 }, { replicas: 1 }, ["replicas"]],
    ["shows drift of a variable", { env: { MODEL: "x" } }, { env: { MODEL: "x" } }, ["env.MODEL"]],
    ["shows a stop", { status: "stopped" }, { status: "stopped", desiredStatus: "stopped" }, ["desiredStatus"]],
    ["shows a failure", { status: "failed" }, { status: "failed" }, ["settled"]],
    ["shows an unhealthy replica", { sickReplica: { replica: 0, message: "hot" } }, { readyReplicas: 1 }, ["settled"]],
  ])("%s, and the next diff corrects it", async (_title, changes, observed, paths) => {
    const { fixture, made } = await openSettled(checked);
    fixture.simulator.change(made.id, changes);
    const found = await fixture.refresh(made);
    expect(found.state).toMatchObject(observed);
    expect(fixture.toDo(found, checked)).toEqual(paths);
  });
});

it.each([
  ["an unrecognized status is no drift of a stopped cluster", "zorbing"],
  ["a stop in progress is no drift of a stopped cluster", "stopping"],
])("%s", async (_title, status) => {
  const { fixture, made } = await openSettled({ ...checked, desiredStatus: "stopped" });
  const body = JSON.stringify({ id: made.id, name: "web", status });
  fixture.simulator.fault({ kind: "body", method: "GET", body });
  const found = await fixture.read(made);
  expect(found?.inputs).toMatchObject({ desiredStatus: "stopped" });
});

it.each<[string, Dialect["tombstone"], "read" | "update" | "delete"]>([
  ["a 404", "none", "read"],
  ["a 404 before an update", "none", "update"],
  ["the status `terminated`", "readable", "read"],
  ["a 404 after a lost answer to a deletion", "none", "delete"],
])(
  "another key than the last one cannot prove that a cluster is gone, and the error names the way out: %s",
  async (_title, tombstone, operation) => {
    const { fixture, id, state } = await openSettled(checked, { dialect: { tombstone } });
    fixture.simulator.change(id, { status: "gone" });
    fixture.simulator.fault({ method: "DELETE", kind: "drop" });
    const work = fixture
      .as("another")
      [operation](fixture.ctx({ urn: "urn:web" }), id, state, { ...checked, replicas: 4 });
    const { message } = await fixture.run(failureOf(work));
    expect(message).toMatch(/another service or key saw it last/);
    expect(message).toMatch(/GPUCLUSTER_BASE_URL and GPUCLUSTER_API_KEY/);
    expect(message).toContain("pulumi state delete 'urn:web'");
  },
);

it("a read by the id alone finds the inputs that a program can set, and no others", async () => {
  const { fixture, id } = await openSettled(checked);
  const found = await fixture.run(fixture.cluster.read(fixture.ctx(), id));
  expect(found?.inputs).toEqual(checked);
});

test("a value of env is hidden in the message of a replica before the message is cut, so that no part of it is left", async () => {
  const { fixture, made } = await openSettled(checked);
  const replicas = [{ id: "a", status: "down", message: `${"x".repeat(1_020)}${canary}`, healthy: false }];
  fixture.simulator.fault({ kind: "body", method: "GET", path: /\/status$/, body: JSON.stringify({ replicas }) });
  const found = await fixture.read(made);
  expect(JSON.stringify(found?.state["replicaStatuses"])).toContain("x[sec…");
});

describe("hourlyCost", () => {
  const openPriced = () => openSettled({ ...checked, hourlyCost: 6 });

  it.each<[string, ClusterChanges, number]>([
    ["more replicas", { replicas: 5 }, 15],
    ["a stop", { status: "stopped" }, 0],
    ["a failure", { status: "failed" }, 6],
  ])("follows what a refresh finds: %s", async (_title, changes, cost) => {
    const { fixture, made } = await openPriced();
    fixture.simulator.change(made.id, changes);
    expect((await fixture.refresh(made)).state["hourlyCost"]).toBe(cost);
  });

  it("is absent after a change from no replicas to some, never null", async () => {
    const { fixture, made } = await openPriced();
    fixture.simulator.change(made.id, { replicas: 0 });
    const none = await fixture.refresh(made);
    expect(none.state).toMatchObject({ replicas: 0, hourlyCost: 0 });
    fixture.simulator.change(made.id, { replicas: 3 });
    const again = await fixture.read(none);
    expect(again?.state).toMatchObject({ replicas: 3 });
    for (const properties of [again?.state, again?.inputs]) expect(properties).not.toHaveProperty("hourlyCost");
  });
});
