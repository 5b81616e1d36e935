import type { Properties } from "../../../provider/core";
import type { Dialect } from "../../../simulator";
import { closeAll, forget, openBench, writes } from "./harness";
import { asked, change, expectAtGoal, patch, running, toDo, warnings } from "./powerHarness";

afterEach(closeAll);

const container = "team/server:1.0";
const env = { MODEL: "llama-3-8b", MODE: "value-of-mode" };
const wanted: Properties = { ...asked, name: "web-1234567", __generatedName: true, container, env };

/** Takes a cluster over that runs something else than the program says. */
async function adopt(dialect: Partial<Dialect>, has: { container?: string; env?: Record<string, string> }) {
  const bench = await openBench({ dialect });
  const { id } = bench.simulator.addCluster({ name: "prod", gpuType: "h100", replicas: 2, container, env, ...has });
  const inputs: Properties = { ...wanted, adopt: id };
  forget(bench);
  const at = await bench.run(bench.cluster.create(bench.ctx(), inputs));
  return { bench, at, inputs };
}

/** What the service shows, what the cluster has otherwise, and what is said to be unverified: none of it is changed. */
const rows: [string, Partial<Dialect>, { container?: string; env?: Record<string, string> }, string[]][] = [
  ["no container", { containerEcho: "none" }, { container: "other/image:9" }, ["container"]],
  ["no env", { envEcho: "none" }, { env: { OTHER: "1" } }, ["env"]],
  ["neither", { containerEcho: "none", envEcho: "none" }, { env: {} }, ["container", "env"]],
  ["masked values", { envEcho: "hidden" }, { env: { ...env, MODE: "another" } }, ["env.MODE", "env.MODEL"]],
  [
    "names alone",
    { envEcho: "hidden", envHidden: "names" },
    { env: { ...env, MODE: "another" } },
    ["env.MODE", "env.MODEL"],
  ],
  ["variables of its own", { injectedEnv: { GPU_HOST: "node-7" } }, {}, []],
  ["variables of somebody", {}, { env: { ...env, OWN: "1" } }, []],
  ["a longer form of the image", { containerEcho: "registry" }, {}, []],
];

describe.each(rows)("a cluster of which the service shows %s", (_title, dialect, has, unverified) => {
  it("is taken over as it is, and nothing of it is drift", async () => {
    const { bench, at, inputs } = await adopt(dialect, has);
    expect(writes(bench.simulator)).toEqual([]);
    expect(at.state["unverifiedInputs"]).toEqual(unverified);
    expect(running(bench, at).env).toEqual(has.env ?? env);
    await expectAtGoal(bench, at, inputs);
    expect(warnings(bench)).toEqual([]);
  });

  it("is sent env and container only when they change, and no other update touches them", async () => {
    const { bench, at, inputs } = await adopt(dialect, has);
    const scaled = await change(bench, at, { ...inputs, replicas: 3 });
    expect(writes(bench.simulator)).not.toContain(patch);
    expect(running(bench, scaled).env).toEqual(has.env ?? env);
    await expectAtGoal(bench, scaled, { ...inputs, replicas: 3 });
    const news = { ...inputs, replicas: 3, env: { ...env, MODE: "value-after" } };
    const next = await change(bench, scaled, news);
    expect(writes(bench.simulator)).toEqual([patch]);
    expect(running(bench, next).env).toMatchObject(news.env);
    expect(bench.simulator.cluster(next.id)?.deployed.container).toBe(container);
    await expectAtGoal(bench, next, news);
  });
});

describe("a cluster that is taken over by a program without env", () => {
  it("keeps the env that it has, and that is no drift", async () => {
    const bench = await openBench();
    const { id } = bench.simulator.addCluster({ name: "prod", gpuType: "h100", replicas: 2, container, env });
    const { env: _env, ...others } = wanted;
    const inputs: Properties = { ...others, adopt: id };
    forget(bench);
    const at = await bench.run(bench.cluster.create(bench.ctx(), inputs));
    expect(writes(bench.simulator)).toEqual([]);
    await expectAtGoal(bench, at, inputs);
  });
});

describe("a variable of somebody in a cluster that was taken over", () => {
  it("is drift where it comes later", async () => {
    const { bench, at, inputs } = await adopt({}, {});
    bench.simulator.change(at.id, { env: { ...env, OWN: "1" } });
    const found = await bench.run(bench.cluster.read(bench.ctx(), at.id, at.state));
    expect(toDo(bench, { id: at.id, state: found?.state ?? {} }, inputs)).toEqual(["env.OWN"]);
  });

  it("shows with its value in no message and in no state", async () => {
    const secret = "somebodys-secret-4711";
    const { bench, at } = await adopt({}, { env: { MODEL: env.MODEL, OWN: secret } });
    expect(JSON.stringify(at.state)).not.toContain(secret);
    expect(bench.said.join()).not.toContain(secret);
  });
});
