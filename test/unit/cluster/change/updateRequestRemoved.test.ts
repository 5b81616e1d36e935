import type { Properties } from "../../../../provider/contract";
import { type Dialect, dialectOptions, type Fault } from "../../../../simulator";
import { type Bench, closeAll, countOf, openSettled } from "../harness";
import { checked } from "../inputs";
import { change, failingChange, type Held, patch, refresh, warnings } from "../powerHarness";

afterEach(closeAll);

const old = { KEEP: "kept-value", GONE: "gone-value" };

const withEnv = (env: Properties | undefined): Properties => ({ ...checked, env });

const update = (bench: Bench, held: Held, env: Properties) => change(bench, held, withEnv(env));

/** How a service shows env. */
const echoes = {
  "as it is": { envEcho: "same" },
  "not at all": { envEcho: "none" },
  masked: { envEcho: "masked" },
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
      ["is gone where an update may not carry replicas, too", { KEEP: old.KEEP }, { updateFields: "no-replicas" }],
    ])("%s", async (_title, env, options) => {
      const { bench, made } = await openSettled(withEnv(old), { dialect: { ...base, ...options } });
      const { state } = await update(bench, made, env);
      expect(state).toMatchObject({ env, settled: true });
      expect(bench.simulator.cluster(made.id)).toMatchObject({ status: "running", replicas: 2 });
      expect(bench.simulator.cluster(made.id)?.deployed).toEqual({ container: checked["container"], env });
      const gone = Object.keys(old).filter((name) => !Object.hasOwn(env, name));
      const mayStay = gone.map((name) => `\`env.${name}\``).join(" and ");
      const isRefused = base.envEcho === "none" && semantics !== "merge-keys";
      expect(warnings(bench)).toEqual(isRefused ? [expect.stringMatching(`it may keep ${mayStay}$`)] : []);
    });

    const lost: Fault[] = [{ kind: "status", status: 503 }, { kind: "drop" }];
    it.each(lost)("is gone after a lost answer (%j), for the update is sent again", async (fault) => {
      const { bench, made } = await openSettled(withEnv(old), { dialect: base });
      bench.simulator.fault({ ...fault, method: "PATCH", path: "/v1/clusters/*" });
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
      const { bench, made } = await openSettled(withEnv(old), { dialect });
      bench.simulator.fault({ kind: "status", status: 403, method: "POST", path: "/v1/clusters/*/redeploy" });
      const left = await failingChange(bench, made, withEnv({ ...old, NEW: "new-value" }));
      expect(bench.simulator.cluster(made.id)?.env).toHaveProperty("NEW");
      await update(bench, refreshed ? await refresh(bench, left) : left, old);
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
    const { bench, made } = await openSettled(withEnv(old), {
      dialect: { updateSemantics: "merge-keys", ...options, injectedEnv },
    });
    await update(bench, made, { KEEP: old.KEEP });
    expect(bench.simulator.cluster(made.id)?.deployed.env).toEqual({ KEEP: old.KEEP });
    expect(JSON.stringify(bench.simulator.requests.map(({ body }) => body ?? null))).not.toContain("GPU_HOST");
  },
);
