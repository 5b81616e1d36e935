import type { Properties } from "../../../provider/core";
import { type Dialect, dialectOptions, type Fault } from "../../../simulator";
import { type Bench, closeAll, countOf, initErrorOf, openBench, settle } from "./harness";
import { checked } from "./inputs";

afterEach(closeAll);

const old = { KEEP: "kept-value", GONE: "gone-value" };
const patch = "PATCH /v1/clusters/:id";

interface Made {
  readonly id: string;
  readonly state: Properties;
}

const withEnv = (env: Properties | undefined): Properties => ({ ...checked, env });

async function update(bench: Bench, { id, state }: Made, env: Properties, more: Properties = {}): Promise<Made> {
  const news = { ...withEnv(env), ...more };
  return { id, state: await bench.run(bench.cluster.update(bench.ctx(), id, state, news)) };
}

/** How a service shows env. */
const echoes = {
  "as it is": { envEcho: "same" },
  "not at all": { envEcho: "none" },
  masked: { envEcho: "hidden", envHidden: "masked" },
  "by name": { envEcho: "hidden", envHidden: "names" },
} satisfies Record<string, Partial<Dialect>>;

const dialects = dialectOptions.updateSemantics.flatMap((semantics) =>
  Object.entries(echoes).map(([echo, options]) => ({ semantics, echo, options })),
);

describe.each(dialects)(
  "where an update is a $semantics and env is shown $echo, a variable that is removed",
  ({ semantics, options }) => {
    const base = { updateSemantics: semantics, ...options };

    it.each<[string, Properties, Partial<Dialect>]>([
      ["alone is gone, and the other one stays", { KEEP: old.KEEP }, {}],
      ["while another one changes is gone", { KEEP: "new-value" }, {}],
      ["while another one is added is gone", { KEEP: old.KEEP, NEW: "new-value" }, {}],
      ["with all others is gone", {}, {}],
      ["is gone after a redeploy, too", { KEEP: old.KEEP }, { updateRollsOut: false }],
      ["is gone where env is a list of pairs, too", { KEEP: old.KEEP }, { envForm: "pairs" }],
      ["is gone where an update may not carry replicas, too", { KEEP: old.KEEP }, { updateFields: "no-replicas" }],
    ])("%s", async (_title, env, options) => {
      const bench = await openBench({ dialect: { ...base, ...options } });
      const made = await settle(bench, withEnv(old));
      const { state } = await update(bench, made, env);
      expect(state).toMatchObject({ env, settled: true });
      expect(bench.simulator.cluster(made.id)).toMatchObject({ status: "running", replicas: 2 });
      expect(bench.simulator.cluster(made.id)?.deployed).toEqual({ container: checked["container"], env });
      expect(bench.said.filter((text) => text.startsWith("warning"))).toEqual([]);
    });

    it.each<[string, Fault]>([
      ["503 before the effect", { kind: "status", status: 503, method: "PATCH", path: "/v1/clusters/*" }],
      ["a connection that broke before", { kind: "drop", method: "PATCH", path: "/v1/clusters/*" }],
    ])("is gone after a lost answer (%s), for the update is sent again", async (_title, fault) => {
      const bench = await openBench({ dialect: base });
      const made = await settle(bench, withEnv(old));
      bench.simulator.fault(fault);
      await update(bench, made, { KEEP: old.KEEP });
      expect(bench.simulator.cluster(made.id)?.deployed.env).toEqual({ KEEP: old.KEEP });
      expect(countOf(bench.simulator, patch)).toBeGreaterThanOrEqual(2);
    });
  },
);

describe.each<[string, Partial<Dialect>]>(Object.entries(echoes))(
  "a variable that was stored by an update whose redeploy failed (env is shown %s)",
  (_echo, options) => {
    it.each([false, true])("is gone after it is taken back (after a refresh: %s)", async (refreshed) => {
      const dialect = { updateSemantics: "merge-keys", updateRollsOut: false, ...options } as const;
      const bench = await openBench({ dialect });
      const made = await settle(bench, withEnv(old));
      bench.simulator.fault({ kind: "status", status: 403, method: "POST", path: "/v1/clusters/*/redeploy" });
      const left: Made = await bench.run(initErrorOf(update(bench, made, { ...old, NEW: "new-value" })));
      expect(bench.simulator.cluster(made.id)?.env).toHaveProperty("NEW");
      const found = refreshed ? await bench.run(bench.cluster.read(bench.ctx(), made.id, left.state)) : undefined;
      await update(bench, found ? { id: made.id, state: found.state } : left, old);
      expect(bench.simulator.cluster(made.id)).toMatchObject({ env: old, deployed: { env: old } });
      expect(bench.simulator.cluster(made.id)?.env).not.toHaveProperty("NEW");
      expect(bench.simulator.cluster(made.id)?.deployed.env).not.toHaveProperty("NEW");
    });
  },
);

it.each<[string, Partial<Dialect>]>(Object.entries(echoes))(
  "what the service adds to env is never told to go (env is shown %s)",
  async (_echo, options) => {
    const injectedEnv = { GPU_HOST: "node-7" };
    const bench = await openBench({ dialect: { updateSemantics: "merge-keys", ...options, injectedEnv } });
    const made = await settle(bench, withEnv(old));
    await update(bench, made, { KEEP: old.KEEP });
    expect(bench.simulator.cluster(made.id)?.deployed.env).toEqual({ KEEP: old.KEEP });
    expect(JSON.stringify(bench.simulator.requests.map(({ body }) => body ?? null))).not.toContain("GPU_HOST");
  },
);

describe("a cluster that fails after its update was complete", () => {
  it.each([true, false])("is redeployed once by the next update (updates roll out: %s)", async (updateRollsOut) => {
    const bench = await openBench({ dialect: { updateRollsOut }, provisioningMs: 60_000 });
    const made = await settle(bench, checked);
    const env = { MODEL: "another-value" };
    const failed = initErrorOf(bench.cluster.update(bench.ctx(), made.id, made.state, withEnv(env)));
    await bench.clock.advance(20_000);
    bench.simulator.change(made.id, { status: "failed" });
    const left = await bench.run(failed);
    expect(left.state).toMatchObject({ env, settled: false });
    bench.simulator.requests.length = 0;
    const { state } = await update(bench, left, env);
    expect(state).toMatchObject({ env, settled: true, status: "running" });
    expect(countOf(bench.simulator, "POST /v1/clusters/:id/redeploy")).toBe(1);
    expect(bench.simulator.cluster(made.id)?.deployed.env).toEqual(env);
  });
});
