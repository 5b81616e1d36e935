import type { UpdateBody } from "../../../../provider/api/requests";
import { ApiError } from "../../../../provider/base/errors";
import { amend } from "../../../../provider/cluster/change/updateRequest";
import type { Properties } from "../../../../provider/contract";
import { type Dialect, dialectOptions, type Fault } from "../../../../simulator";
import { type Bench, countOf, failureOf, openSettled, writes } from "../harness";
import { checked } from "../inputs";
import { change, failingChange, type Held, patch, refresh, running, warnings } from "../powerHarness";

/** The exact bodies of updates: by PATCH what changes, by PUT and POST everything. */

const before = { MODEL: "one", OLD: "old" };
const container = "team/server:1.0";
const old: Properties = { ...checked, container, env: before, extraFields: { tier: "verified", container_port: 8000 } };
const all = { container, replicas: 2, ...(old["extraFields"] as object) };

const image: Properties = { container: "team/server:2.0" };
const value: Properties = { env: { MODEL: "two", OLD: "old" } };
const removal: Properties = { env: { MODEL: "one" } };
const both: Properties = { replicas: 4, ...value };
const everything: Properties = { ...image, replicas: 4, ...removal };
const port: Properties = { extraFields: { tier: "verified", container_port: 9000 } };
const withNull = { env: { MODEL: "one", OLD: null } };

/** How reads show env, and what an update does to it. */
type Form = "shown, replaced" | "shown, merged" | "hidden, replaced" | "hidden, merged";
const forms: Readonly<Record<Form, Partial<Dialect>>> = {
  "shown, replaced": {},
  "shown, merged": { updateSemantics: "merge-keys" },
  "hidden, replaced": { envEcho: "none" },
  "hidden, merged": { envEcho: "none", updateSemantics: "merge-keys" },
};

/** The bodies of the accepted method, also those that were refused. */
function bodies({ simulator }: Bench): unknown[] {
  const { requests, dialect } = simulator;
  return requests
    .filter(({ method, path }) => method === dialect.updateMethod && /cl_\w+$/.test(path))
    .map(({ body }) => body);
}

type Row = [method: "PATCH" | "PUT" | "POST", form: Form, what: string, changes: Properties, ...bodies: object[]];
const patches = (form: Form): Row[] => [
  ["PATCH", form, "the image", image, image],
  ["PATCH", form, "the value of a variable", value, value],
  ["PATCH", form, "replicas and env", both, both],
  ["PATCH", form, "an extra field", port, { container_port: 9000 }],
];
const puts = (method: "PUT" | "POST", form: Form): Row[] => [
  [method, form, "the image", image, { ...all, env: before, ...image }],
  [method, form, "the value of a variable", value, { ...all, ...value }],
  [method, form, "replicas and env", both, { ...all, ...both }],
  [method, form, "everything", everything, { ...all, ...everything }],
  [method, form, "an extra field", port, { ...all, env: before, container_port: 9000 }],
];

const rows: Row[] = [
  ...(Object.keys(forms) as Form[]).flatMap(patches),
  ["PATCH", "shown, replaced", "a variable, which goes", removal, removal],
  ["PATCH", "shown, replaced", "everything", everything, everything],
  ["PATCH", "shown, merged", "a variable, which goes", removal, removal, withNull],
  ["PATCH", "shown, merged", "everything", everything, everything, withNull],
  ["PATCH", "hidden, replaced", "a variable, which goes", removal, withNull, removal],
  ["PATCH", "hidden, replaced", "everything", everything, { ...everything, ...withNull }, everything],
  ["PATCH", "hidden, merged", "a variable, which goes", removal, withNull],
  ["PATCH", "hidden, merged", "everything", everything, { ...everything, ...withNull }],
  ...puts("PUT", "shown, replaced"),
  ...puts("POST", "hidden, replaced"),
  ["PUT", "shown, replaced", "a variable, which goes", removal, { ...all, ...removal }],
  ["PUT", "shown, merged", "a variable, which goes", removal, { ...all, ...removal }, { ...all, ...withNull }],
  ["POST", "shown, merged", "a variable, which goes", removal, { ...all, ...removal }, { ...all, ...withNull }],
  ["PUT", "hidden, replaced", "a variable, which goes", removal, { ...all, ...removal }],
  ["POST", "hidden, replaced", "a variable, which goes", removal, { ...all, ...removal }],
];

describe("an update", () => {
  it.each(rows)("by %s where env is %s changes %s", async (updateMethod, form, _what, changes, ...expected) => {
    const dialect: Partial<Dialect> = { ...forms[form], updateMethod };
    const { bench, made } = await openSettled(old, { dialect });
    const wanted = { ...old, ...changes };
    const { state } = await change(bench, made, wanted);
    expect(bodies(bench)).toEqual(expected);
    expect(bench.simulator.cluster(made.id)).toMatchObject({ status: "running", replicas: wanted["replicas"] });
    const deployed = { container: wanted["container"], env: wanted["env"] };
    expect(bench.simulator.cluster(made.id)?.deployed).toEqual(deployed);
    expect(state).toMatchObject({ ...wanted, settled: true });
    const isRefused =
      updateMethod === "PATCH" && form === "hidden, replaced" && !Object.hasOwn(wanted["env"] ?? {}, "OLD");
    const stays = /: the service shows no env and refuses a null in it, so it may keep `env\.OLD`$/;
    expect(warnings(bench)).toEqual(isRefused ? [expect.stringMatching(stays)] : []);
  });

  it.each<[Form, object]>([
    ["shown, replaced", before],
    ["hidden, merged", { ...before, NEW: null }],
  ])("where env is %s has all that an unfinished one may have left", async (form, env) => {
    const { bench, id, state } = await openSettled(old, { dialect: forms[form] });
    const left = { ...state, settled: false, __unfinished: "rollout", __sent: ["NEW"] };
    await change(bench, { id, state: left }, old);
    const { replicas: _same, ...others } = all;
    expect(bodies(bench)).toEqual([{ ...others, env }]);
  });

  it("of a cluster that has failed has everything, though nothing changes", async () => {
    const { bench, made } = await openSettled({ ...old, extraFields: undefined });
    bench.simulator.change(made.id, { status: "failed", message: "lost its node" });
    const wanted = { ...old, extraFields: undefined, redeployTriggers: { at: "now" } };
    await change(bench, made, wanted);
    expect(bodies(bench)).toEqual([{ container, env: before, replicas: 2 }]);
    expect(running(bench, made)).toMatchObject({ status: "running" });
  });
});

const twoVariables = { KEEP: "kept-value", GONE: "gone-value" };

const withEnv = (env: Properties | undefined): Properties => ({ ...checked, env });

const updateEnv = (bench: Bench, held: Held, env: Properties) => change(bench, held, withEnv(env));

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
      ["alone is gone, and the other one stays", { KEEP: twoVariables.KEEP }, {}],
      ["is gone after a redeploy, too", { KEEP: twoVariables.KEEP }, { updateRollsOut: false }],
    ])("%s", async (_title, env, options) => {
      const { bench, made } = await openSettled(withEnv(twoVariables), { dialect: { ...base, ...options } });
      const { state } = await updateEnv(bench, made, env);
      expect(state).toMatchObject({ env, settled: true });
      expect(bench.simulator.cluster(made.id)).toMatchObject({ status: "running", replicas: 2 });
      expect(bench.simulator.cluster(made.id)?.deployed).toEqual({ container: checked["container"], env });
      const gone = Object.keys(twoVariables).filter((name) => !Object.hasOwn(env, name));
      const mayStay = gone.map((name) => `\`env.${name}\``).join(" and ");
      const isRefused = base.envEcho === "none" && semantics !== "merge-keys";
      expect(warnings(bench)).toEqual(isRefused ? [expect.stringMatching(`it may keep ${mayStay}$`)] : []);
    });

    const lost: Fault[] = [{ kind: "status", status: 503 }, { kind: "drop" }];
    it.each(lost)("is gone after a lost answer (%j), for the update is sent again", async (fault) => {
      const { bench, made } = await openSettled(withEnv(twoVariables), { dialect: base });
      bench.simulator.fault({ ...fault, method: "PATCH", path: "/v1/clusters/*" });
      await updateEnv(bench, made, { KEEP: twoVariables.KEEP });
      expect(bench.simulator.cluster(made.id)?.deployed.env).toEqual({ KEEP: twoVariables.KEEP });
      expect(countOf(bench.simulator, patch)).toBeGreaterThanOrEqual(2);
    });
  },
);

describe.each<[string, Partial<Dialect>]>(Object.entries(echoes))(
  "a variable that was stored by an update whose redeploy failed (env is shown %s)",
  (_echo, options) => {
    it.each([false, true])("is gone after it is taken back (after a refresh: %s)", async (refreshed) => {
      const dialect = { updateSemantics: "merge-keys", updateRollsOut: false, ...options } as const;
      const { bench, made } = await openSettled(withEnv(twoVariables), { dialect });
      bench.simulator.fault({ kind: "status", status: 403, method: "POST", path: "/v1/clusters/*/redeploy" });
      const left = await failingChange(bench, made, withEnv({ ...twoVariables, NEW: "new-value" }));
      expect(bench.simulator.cluster(made.id)?.env).toHaveProperty("NEW");
      await updateEnv(bench, refreshed ? await refresh(bench, left) : left, twoVariables);
      expect(bench.simulator.cluster(made.id)).toMatchObject({ env: twoVariables, deployed: { env: twoVariables } });
      expect(bench.simulator.cluster(made.id)?.env).not.toHaveProperty("NEW");
      expect(bench.simulator.cluster(made.id)?.deployed.env).not.toHaveProperty("NEW");
    });
  },
);

it.each<[string, Partial<Dialect>]>(Object.entries(echoes))(
  "what the service adds to env is never told to go (env is shown %s)",
  async (_echo, options) => {
    const injectedEnv = { GPU_HOST: "node-7" };
    const { bench, made } = await openSettled(withEnv(twoVariables), {
      dialect: { updateSemantics: "merge-keys", ...options, injectedEnv },
    });
    await updateEnv(bench, made, { KEEP: twoVariables.KEEP });
    expect(bench.simulator.cluster(made.id)?.deployed.env).toEqual({ KEEP: twoVariables.KEEP });
    expect(JSON.stringify(bench.simulator.requests.map(({ body }) => body ?? null))).not.toContain("GPU_HOST");
  },
);

const env = { MODEL: "m" };
const whole: UpdateBody = { container, replicas: 2, env };
const spare: UpdateBody = { name: "web", gpuType: "h100" };

function refusal(said: string, status = 422, code?: string): ApiError {
  const outcome = status >= 500 ? "server-error" : status === 409 ? "busy" : "refused";
  return new ApiError(said, { method: "PATCH", path: "/", outcome, status, isApiAnswer: true, apiMessage: said, code });
}

/** The body after a refusal, where these fields have to change. */
function amended(error: ApiError, needed: (keyof UpdateBody)[] = [], body = whole): UpdateBody | undefined {
  const next = amend(body, error, { needed: new Set(needed), all: whole, spare, mayKeepRemoved: true });
  return next && JSON.parse(JSON.stringify(next));
}

describe("a field that the service does not want, and that need not change,", () => {
  it.each<[string, keyof UpdateBody, string?]>([
    ['Unknown field "replicas".', "replicas"],
    ["body.replicas: Extra inputs are not permitted", "replicas"],
    ["see the documentation of replicas", "replicas", "unknown_field"],
    ["container cannot be changed", "container"],
    ["unknown field gpuType", "gpuType"],
  ])("is left out after %j", (said, field, code = "") => {
    const body = { ...whole, ...spare };
    const { [field]: _gone, ...rest } = body;
    expect(amended(refusal(said, 422, code), [], body)).toEqual(rest);
    expect(amended(refusal(said, 400, code), [], body)).toEqual(rest);
  });
});

describe("a body stays as it is", () => {
  it.each<[string, ApiError, (keyof UpdateBody)[]]>([
    ["where the field has to change: container", refusal("unknown field container"), ["container"]],
    ["after a complaint about a value", refusal("env.X must be upper case"), []],
    ["where only a longer word is like a field", refusal("unknown field environment_id, container_port"), []],
    ["where a field is missing that was sent", refusal("env is required"), []],
    ["after a conflict", refusal("unknown field replicas", 409), []],
    ["after a refusal of the key", refusal("replicas is not allowed", 403), []],
  ])("%s", (_title, error, needed) => {
    expect(amended(error, needed)).toBeUndefined();
  });
});

it.each<[string, keyof UpdateBody]>([
  ['"name" is required.', "name"],
  ["body.name: Field required", "name"],
  ["gpu_type is missing", "gpuType"],
])("a field that the service misses is added after %j", (said, field) => {
  expect(amended(refusal(said), ["env", "container"])).toEqual({ ...whole, [field]: spare[field] });
  // A service that misses a field may reset every other one that is missing.
  expect(amended(refusal(said), ["env"], { env })).toEqual({ ...whole, [field]: spare[field] });
});

describe("an update of env that is refused", () => {
  const news = { ...checked, env: { MODEL: "another-value" } };
  const all = { container: checked["container"], replicas: 2, env: news.env };
  const refused = (message: string, status = 422): Fault => ({ kind: "status", status, message, method: "PATCH" });

  it.each<[string, Fault, Properties, object]>([
    [
      "for the replicas is sent without them",
      refused("replicas is not allowed", 400),
      { replicas: 4 },
      { env: news.env },
    ],
    ["for a missing name is sent as a whole", refused("body.name: Field required"), {}, { ...all, name: "web" }],
  ])("%s", async (_title, fault, others, body) => {
    const { bench, id, state } = await openSettled(checked);
    // What the simulator itself makes of the second body does not matter here.
    bench.simulator.fault(fault);
    await bench.run(bench.cluster.update(bench.ctx(), id, state, { ...news, ...others }).catch(() => undefined));
    const patches = bench.simulator.requests.filter(({ method }) => method === "PATCH");
    expect(patches.map((request) => request.body).slice(0, 2)).toEqual([{ ...others, env: news.env }, body]);
  });

  it.each<[string, Fault]>([
    ["for its own field", refused("env is not allowed")],
    ["by the key", refused("replicas is not allowed", 403)],
  ])("%s fails after one request, with the reason", async (_title, fault) => {
    const { bench, id, state } = await openSettled(checked);
    bench.simulator.fault({ ...fault, times: 100 });
    const error = await bench.run(failureOf(bench.cluster.update(bench.ctx(), id, state, news)));
    expect(error.message).toContain("message" in fault && fault.message);
    expect(writes(bench.simulator)).toEqual(["PATCH /v1/clusters/:id"]);
  });
});
