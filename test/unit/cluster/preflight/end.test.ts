import { generatedName } from "../../../../provider/cluster/schema/validate";
import { type Properties, UNKNOWN } from "../../../../provider/contract";
import { type Fixture, failureOf, type Held, openFixture, restart, stop } from "../harness";
import { checked, least, urnOf } from "../inputs";
import { check, checkTwice, old } from "./harness";

const hourMs = 3_600_000;

/** A time that is so many hours from now, by the clock of the fixture. */
const inHours = ({ clock }: Fixture, hours: number) => new Date(clock.now() + hours * hourMs).toISOString();

/** One `pulumi up` of a cluster that exists: check, diff and, if there is a difference, an update. */
async function up(fixture: Fixture, held: Held, olds: Properties, news: Properties) {
  fixture.forget();
  const { inputs, refusals, said } = await check(fixture, news, olds);
  expect(refusals).toEqual([]);
  const { changes, isEnd } = await fixture.diff(held, inputs);
  const lines = [...said, ...fixture.messages.slice(said.length)];
  const isChanged = Object.keys(changes).length > 0;
  const next = isChanged ? await fixture.change(held, inputs) : held;
  return { held: next, inputs, lines, isEnd, changes: Object.keys(changes), sent: fixture.writes() };
}

/** A running cluster whose end is in three hours. */
async function openEnding(changes: Properties = {}) {
  const fixture = await openFixture();
  const program = { ...checked, runUntil: inHours(fixture, 3), ...changes };
  const { inputs, said } = await check(fixture, program);
  const held = await fixture.settle(inputs);
  // Each `up` is a process of its own.
  const later = () => ({ ...fixture, cluster: fixture.as("seen") });
  return { fixture, program, inputs, said, held, later };
}

describe("the end of a cluster", () => {
  it("is announced at the creation, in words that say what it does not do, and changes nothing before", async () => {
    const { program, inputs, said, held, later, fixture } = await openEnding();
    expect(inputs).toMatchObject({ desiredStatus: "running", hourlyCost: 5.98 });
    expect(said).toEqual([
      "info: web: `runUntil` is in 3h: the first `pulumi up` after it stops the cluster. Nothing stops a cluster while nobody runs `up`",
    ]);
    await fixture.clock.advance(3 * hourMs - 60_000);
    expect(await up(later(), held, inputs, program)).toMatchObject({ changes: [], lines: [], sent: [] });
  });

  it("stops it in the first `up` after that without a change of the program, and a later time starts it again", async () => {
    const { program, inputs, held, later, fixture } = await openEnding();
    await fixture.clock.advance(6 * hourMs);
    const stopped = await up(later(), held, inputs, program);
    expect(stopped).toMatchObject({ changes: ["desiredStatus", "hourlyCost"], isEnd: true, sent: [stop] });
    expect(stopped.held.state).toMatchObject({ desiredStatus: "stopped", status: "stopped", hourlyCost: 0 });
    expect(stopped.lines).toEqual([
      "warning: web: `runUntil` passed 3h ago, so `pulumi up` stops it: all 2 replicas stop; 5.98 => 0 per hour",
    ]);
    const again = await up(later(), stopped.held, stopped.inputs, program);
    expect(again).toMatchObject({ changes: [], lines: [], sent: [] });
    const moved = { ...program, runUntil: inHours(fixture, 1) };
    const started = await up(later(), again.held, again.inputs, moved);
    expect(started).toMatchObject({ changes: ["desiredStatus", "runUntil", "hourlyCost"], sent: [restart] });
    expect(started.held.state).toMatchObject({ desiredStatus: "running", status: "running", hourlyCost: 5.98 });
    expect(started.lines).toEqual([expect.stringContaining("`runUntil` is in 1h: the first")]);
  });

  it.each<[string, Properties, number, string[]]>([
    ["does not keep a cluster running that the program stops", { desiredStatus: "stopped" }, 1, [stop]],
    ["that is removed before it is noticed stops nothing", { runUntil: undefined }, 6, []],
    ["stops it beside another change", { replicas: 3 }, 6, [stop]],
  ])("%s", async (_title, changes, hours, sent) => {
    const { program, inputs, held, later, fixture } = await openEnding();
    await fixture.clock.advance(hours * hourMs);
    expect((await up(later(), held, inputs, { ...program, ...changes })).sent).toEqual(sent);
  });

  it("has come at its very millisecond", async () => {
    const { program, inputs, held, later, fixture } = await openEnding();
    await fixture.clock.advance(Date.parse(program.runUntil) - fixture.clock.now() - 1);
    expect((await up(later(), held, inputs, program)).changes).toEqual([]);
    await fixture.clock.advance(1);
    expect((await up(later(), held, inputs, program)).sent).toEqual([stop]);
  });

  it("stops a cluster again that another user has started after it", async () => {
    const { program, inputs, held, later, fixture } = await openEnding();
    await fixture.clock.advance(6 * hourMs);
    const stopped = await up(later(), held, inputs, program);
    fixture.simulator.change(held.id, { status: "running" });
    const found = await fixture.refresh(stopped.held);
    expect((await up(later(), found, { ...stopped.inputs, desiredStatus: "running" }, program)).sent).toEqual([stop]);
  });

  it("that is not known yet may stop an existing cluster, but not a new one", async () => {
    const fixture = await openFixture();
    const program = { ...checked, runUntil: UNKNOWN };
    expect((await check(fixture, program)).inputs).toMatchObject({ desiredStatus: "running", hourlyCost: 5.98 });
    const changed = await check(fixture, program, old());
    expect(changed.inputs).toMatchObject({ desiredStatus: UNKNOWN, hourlyCost: UNKNOWN });
    const rest = await check(fixture, { ...program, desiredStatus: "stopped" }, old({ desiredStatus: "stopped" }));
    expect(rest.inputs).toMatchObject({ desiredStatus: "stopped", hourlyCost: 0 });
  });
});

it("a creation that waits for GPUs beyond the end of the cluster buys none", async () => {
  const fixture = await openFixture();
  fixture.simulator.setGpuType("h100", { stock: 0 });
  const program = { ...checked, onNoCapacity: "wait", runUntil: inHours(fixture, 0.5) };
  const { inputs } = await check(fixture, program);
  const work = failureOf(fixture.cluster.create(fixture.ctx(), inputs));
  await fixture.clock.advance(0.49 * hourMs);
  expect(fixture.countOf("POST /v1/clusters")).toBeGreaterThan(5);
  await fixture.clock.advance(60_000);
  fixture.simulator.setGpuType("h100", { stock: 100 });
  const reason = "was not created, because `runUntil` has passed: set a later time, or undo this change of the program";
  expect((await fixture.run(work)).message).toBe(`cluster "web" ${reason}`);
  expect(fixture.living()).toEqual([]);
});

it("an end that no calendar has is one failure", async () => {
  const fixture = await openFixture();
  const { refusals } = await check(fixture, { ...checked, runUntil: "2020-02-30T10:00Z" });
  expect(refusals).toEqual([expect.stringMatching(/^runUntil: .*ISO 8601/)]);
});

describe("a cluster whose end has passed", () => {
  const ended =
    /^runUntil: passed 2h ago, so no cluster is created, adopted or replaced: set a later time, or undo this/;

  it.each<[string, Properties]>([
    ["created", checked],
    ["adopted", { ...checked, adopt: "cl_1a2b3c" }],
    ["created as stopped", { ...checked, desiredStatus: "stopped" }],
  ])("is not %s, and nothing is sent", async (_title, program) => {
    const fixture = await openFixture();
    const { refusals } = await check(fixture, { ...program, runUntil: inHours(fixture, -2) });
    expect(refusals).toEqual([expect.stringMatching(ended)]);
    expect(fixture.simulator.requests).toEqual([]);
  });

  it("is not replaced", async () => {
    const fixture = await openFixture();
    const runUntil = inHours(fixture, -2);
    const [, second] = await checkTwice(fixture, { ...checked, gpuType: "l4", runUntil }, old({ runUntil }));
    expect(second.refusals).toEqual([expect.stringMatching(ended)]);
  });

  it("is adopted and stopped if an interrupted run has created it; without such a cluster it is not created", async () => {
    const salt = "salt-7f3a9e51";
    const fixture = await openFixture({ settings: { resume: salt } });
    const program = { ...least, runUntil: inHours(fixture, -2) };
    expect((await check(fixture, program)).refusals).toEqual([expect.stringMatching(ended)]);
    const name = generatedName(urnOf("web"), "", salt);
    const createdAt = fixture.clock.now() - 3 * hourMs;
    const { id } = fixture.simulator.addCluster({ name, gpuType: "h100", container: "acme/model:1", createdAt });
    const process = { ...fixture, cluster: fixture.as("seen") };
    const { inputs, refusals } = await check(process, program);
    expect(refusals).toEqual([]);
    const made = await fixture.run(process.cluster.create(fixture.ctx(), inputs));
    expect(made).toMatchObject({ id, state: { desiredStatus: "stopped", status: "stopped", settled: true } });
    expect(fixture.writes()).toEqual([stop]);
  });
});
