import type { UpdateBody } from "../../../../provider/api/requests";
import { ApiError } from "../../../../provider/base/errors";
import type { CheckedInputs } from "../../../../provider/cluster/schema/stateFields";
import { secondBody } from "../../../../provider/cluster/steps/updateRequest";
import type { Properties } from "../../../../provider/contract";
import type { Dialect, Fault } from "../../../../simulator";
import { type Fixture, failureOf, openSettled, writes } from "../harness";
import { checked } from "../inputs";
import { change, failingChange, type Held, refresh, warnings } from "../powerHarness";

/** The exact bodies of updates: by PATCH what changes, by PUT and POST everything. */

const before = { MODEL: "one", OLD: "old" };
const container = "team/server:1.0";
const old: Properties = { ...checked, container, env: before, extraFields: { tier: "verified", container_port: 8000 } };
const all = { container, replicas: 2, ...(old["extraFields"] as object) };

const image: Properties = { container: "team/server:2.0" };
const removal: Properties = { env: { MODEL: "one" } };
const both: Properties = { replicas: 4, env: { MODEL: "two", OLD: "old" } };
const everything: Properties = { ...image, replicas: 4, ...removal };
/** The number of replicas has a request of its own. */
const unscaled: Properties = { ...image, ...removal };
const port: Properties = { extraFields: { tier: "verified", container_port: 9000 } };
const withNull = { env: { MODEL: "one", OLD: null } };

/** How reads show env, and what an update does to it. */
type EnvHandling = "shown, replaced" | "shown, merged" | "hidden, replaced" | "hidden, merged";
const handlings: Readonly<Record<EnvHandling, Partial<Dialect>>> = {
  "shown, replaced": {},
  "shown, merged": { updateSemantics: "merge-keys" },
  "hidden, replaced": { envEcho: "none" },
  "hidden, merged": { envEcho: "none", updateSemantics: "merge-keys" },
};

/** The bodies of the accepted method, including refused ones. */
function bodies({ simulator }: Fixture): unknown[] {
  const { requests, dialect } = simulator;
  return requests
    .filter(({ method, path }) => method === dialect.updateMethod && /cl_\w+$/.test(path))
    .map(({ body }) => body);
}

type Row = [
  method: "PATCH" | "PUT" | "POST",
  handling: EnvHandling,
  what: string,
  changes: Properties,
  ...bodies: object[],
];
const [patched, put, post] = ["PATCH", "PUT", "POST"] as const;
const rows: Row[] = [
  [patched, "shown, replaced", "the image", image, image],
  [patched, "hidden, merged", "replicas and env", both, { env: both["env"] }],
  [patched, "shown, replaced", "an extra field", port, { container_port: 9000 }],
  [patched, "shown, replaced", "a variable, which goes", removal, removal],
  [patched, "shown, merged", "a variable, which goes", removal, removal, withNull],
  [patched, "hidden, replaced", "everything", everything, { ...unscaled, ...withNull }, unscaled],
  [patched, "hidden, merged", "everything", everything, { ...unscaled, ...withNull }],
  [put, "shown, replaced", "the image", image, { ...all, env: before, ...image }],
  [put, "shown, merged", "a variable, which goes", removal, { ...all, ...removal }, { ...all, ...withNull }],
  [post, "hidden, replaced", "everything", everything, { ...all, ...unscaled }],
  [post, "hidden, replaced", "an extra field", port, { ...all, env: before, container_port: 9000 }],
];

describe("an update", () => {
  it.each(rows)("sends exact bodies: %s, env %s, %s", async (updateMethod, handling, _what, changes, ...expected) => {
    const dialect: Partial<Dialect> = { ...handlings[handling], updateMethod };
    const { bench, made } = await openSettled(old, { dialect });
    const wanted = { ...old, ...changes };
    const { state } = await change(bench, made, wanted);
    expect(bodies(bench)).toEqual(expected);
    expect(bench.simulator.cluster(made.id)).toMatchObject({ status: "running", replicas: wanted["replicas"] });
    const deployed = { container: wanted["container"], env: wanted["env"] };
    expect(bench.simulator.cluster(made.id)?.deployed).toEqual(deployed);
    expect(state).toMatchObject({ ...wanted, settled: true });
    const isRefused =
      updateMethod === "PATCH" && handling === "hidden, replaced" && !Object.hasOwn(wanted["env"] ?? {}, "OLD");
    const stays = /: the service shows no env and refuses a null in it, so it may keep `env\.OLD`$/;
    expect(warnings(bench)).toEqual(isRefused ? [expect.stringMatching(stays)] : []);
  });

  it.each<[EnvHandling, object]>([
    ["shown, replaced", before],
    ["hidden, merged", { ...before, NEW: null }],
  ])("sends all that an unfinished update may have left: env %s", async (handling, env) => {
    const { bench, id, state } = await openSettled(old, { dialect: handlings[handling] });
    const left = { ...state, settled: false, __unfinished: "rollout", __sent: ["NEW"] };
    await change(bench, { id, state: left }, old);
    const { replicas: _same, ...others } = all;
    expect(bodies(bench)).toEqual([{ ...others, env }]);
  });
});

const twoVariables = { KEEP: "kept-value", GONE: "gone-value" };

const withEnv = (env: Properties | undefined): Properties => ({ ...checked, env });

const updateEnv = (bench: Fixture, held: Held, env: Properties) => change(bench, held, withEnv(env));

/** How a service shows env. */
const echoes = {
  "as it is": { envEcho: "same" },
  "not at all": { envEcho: "none" },
  masked: { envEcho: "masked" },
} satisfies Record<string, Partial<Dialect>>;

it.each<[string, Partial<Dialect>, boolean]>([
  ["as it is", echoes["as it is"], true],
  ["not at all", echoes["not at all"], false],
  ["not at all", echoes["not at all"], true],
])(
  "a variable that a failed update stored is removed when the program removes it: env is shown %s, refreshed %s",
  async (_echo, options, isRefreshed) => {
    const dialect = { updateSemantics: "merge-keys", updateRollsOut: false, ...options } as const;
    const { bench, made } = await openSettled(withEnv(twoVariables), { dialect });
    bench.simulator.fault({ kind: "status", status: 403, method: "POST", path: "/v1/clusters/*/redeploy" });
    const left = await failingChange(bench, made, withEnv({ ...twoVariables, NEW: "new-value" }));
    expect(bench.simulator.cluster(made.id)?.env).toHaveProperty("NEW");
    await updateEnv(bench, isRefreshed ? await refresh(bench, left) : left, twoVariables);
    const { env, deployed } = bench.simulator.cluster(made.id) ?? {};
    expect([env, deployed?.env]).toEqual([twoVariables, twoVariables]);
  },
);

it.each(Object.entries(echoes))(
  "a variable that the service adds to env is never removed: env is shown %s",
  async (_echo, options) => {
    const dialect: Partial<Dialect> = {
      updateSemantics: "merge-keys",
      ...options,
      injectedEnv: { GPU_HOST: "node-7" },
    };
    const { bench, made } = await openSettled(withEnv(twoVariables), { dialect });
    await updateEnv(bench, made, { KEEP: twoVariables.KEEP });
    expect(bench.simulator.cluster(made.id)?.deployed.env).toEqual({ KEEP: twoVariables.KEEP });
    expect(JSON.stringify(bench.simulator.requests.map(({ body }) => body ?? null))).not.toContain("GPU_HOST");
  },
);

describe("an unmanaged variable whose value the service masks", () => {
  /** A cluster with such a variable, after a refresh; `kept` are the inputs with which the program ignores all changes of env. */
  async function openMasked(dialect: Partial<Dialect>) {
    const { bench, made } = await openSettled(old, { dialect: { envEcho: "masked", ...dialect } });
    bench.simulator.change(made.id, { env: { ...before, THEIRS: "their-value" } });
    const held = await refresh(bench, made);
    expect(held.state["env"]).toEqual({ ...before, THEIRS: "" });
    return { bench, held, kept: { ...old, env: held.state["env"] } };
  }

  it.each<[string, Partial<Dialect>, Properties]>([
    ["a PUT of everything", { updateMethod: "PUT" }, image],
    ["a POST of everything", { updateMethod: "POST" }, port],
  ])("is not emptied, and the error names it and the remedy: %s", async (_title, dialect, changes) => {
    const { bench, held, kept } = await openMasked(dialect);
    const left = await failingChange(bench, held, { ...kept, ...changes });
    expect(left.text).toMatch(/`env\.THEIRS`.*Nothing was sent.*`ignoreChanges`/s);
    expect(bodies(bench)).toEqual([]);
    expect(left.state).toMatchObject({ container, env: held.state["env"], __unfinished: true });
    await change(bench, left, { ...old, ...changes, env: { ...before, THEIRS: "ours" } });
    expect(bench.simulator.cluster(held.id)?.deployed.env).toEqual({ ...before, THEIRS: "ours" });
  });

  it("does not prevent a PATCH of another input", async () => {
    const { bench, held, kept } = await openMasked({});
    await change(bench, held, { ...kept, ...image });
    expect(bodies(bench)).toEqual([image]);
    expect(bench.simulator.cluster(held.id)?.env).toMatchObject({ THEIRS: "their-value" });
  });

  it.each(["same", "none"] as const)(
    "is not confused with an empty variable of the program: env is shown %s",
    async (envEcho) => {
      const inputs = { ...old, env: { MODEL: "one", DEBUG: "" } };
      const { bench, made } = await openSettled(inputs, { dialect: { updateMethod: "PUT", envEcho } });
      await change(bench, made, { ...inputs, ...image });
      expect(bodies(bench)[0]).toMatchObject({ env: inputs.env });
    },
  );
});

const env = { MODEL: "m" };
const whole: UpdateBody = { container, replicas: 2, env };

function refusal(message: string, status = 422): ApiError {
  const outcome = status === 409 ? "busy" : "refused";
  return new ApiError(message, { method: "PATCH", path: "/", outcome, status, isApiAnswer: true, apiMessage: message });
}

describe("a refused body that is not corrected", () => {
  it.each<[string, ApiError, (keyof UpdateBody)[]]>([
    ["the refused field has to change", refusal("unknown field container"), ["container"]],
    ["the refusal is about a value", refusal("env.X must be upper case"), []],
    [
      "the refusal names longer words that contain a field",
      refusal("unknown field environment_id, container_port"),
      [],
    ],
    ["the missing field was sent", refusal("env is required"), []],
    ["the refusal is a conflict", refusal("unknown field replicas", 409), []],
  ])("has a reason: %s", (_title, error, differing) => {
    const inputs = { ...whole, name: "web", gpuType: "h100" } as CheckedInputs;
    expect(secondBody(whole, error, { all: whole, differing, inputs })).toBeUndefined();
  });
});

describe("an update of env that is refused", () => {
  const news = { ...checked, env: { MODEL: "another-value" } };
  const all = { container: checked["container"], replicas: 2, env: news.env };
  const refused = (message: string, method: string): Fault => ({ kind: "status", status: 422, message, method });

  it.each<[string, "PATCH" | "PUT", string, object, object]>([
    ["for the replicas: without them", "PUT", "replicas is not allowed", all, { ...all, replicas: undefined }],
    [
      "for a missing name: as a whole",
      "PATCH",
      "body.name: Field required",
      { env: news.env },
      { ...all, name: "web" },
    ],
  ])("is sent again with a corrected body %s", async (_title, updateMethod, message, ...expected) => {
    const { bench, id, state } = await openSettled(checked, { dialect: { updateMethod } });
    // What the simulator itself makes of the second body does not matter here.
    bench.simulator.fault(refused(message, updateMethod));
    await bench.run(bench.cluster.update(bench.ctx(), id, state, news).catch(() => undefined));
    expect(bodies(bench).slice(0, 2)).toEqual(expected);
  });

  it("because of env itself fails after one request, with the reason", async () => {
    const { bench, id, state } = await openSettled(checked);
    bench.simulator.fault({ ...refused("env is not allowed", "PATCH"), times: 100 });
    const error = await bench.run(failureOf(bench.cluster.update(bench.ctx(), id, state, news)));
    expect(error.message).toContain("env is not allowed");
    expect(writes(bench.simulator)).toEqual(["PATCH /v1/clusters/:id"]);
  });
});

it("a removed variable is removed even if it was empty and the service is busy with the first request", async () => {
  const dialect: Partial<Dialect> = { updateSemantics: "merge-keys", busyWhen: "changing" };
  const { bench, made } = await openSettled(withEnv({ KEEP: "a", GONE: "" }), { dialect });
  await updateEnv(bench, made, { KEEP: "b" });
  expect(bench.simulator.cluster(made.id)?.deployed.env).toEqual({ KEEP: "b" });
});
