import type { Properties } from "../../../../provider/contract";
import type { Dialect } from "../../../../simulator";
import { type Bench, closeAll, openSettled } from "../harness";
import { checked } from "../inputs";
import { change, type Held, refresh, running, toDo, warnings } from "../powerHarness";

/** The exact bodies of updates: by PATCH what changes, by PUT and POST everything. */

afterEach(closeAll);

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
    const dialect: Partial<Dialect> = { ...forms[form], updateMethod, extraFields: "stored" };
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
    const { bench, id, state } = await openSettled(old, { dialect: { ...forms[form], extraFields: "stored" } });
    const left = { ...state, settled: false, __unfinished: "rollout", __sent: ["NEW"] };
    await change(bench, { id, state: left }, old);
    const { replicas: _same, ...others } = all;
    expect(bodies(bench)).toEqual([{ ...others, env }]);
  });

  it("of one variable keeps what others have set and changed, which is drift", async () => {
    const { bench, made } = await openSettled({ ...old, extraFields: undefined });
    bench.simulator.change(made.id, { env: { MODEL: "one", OLD: "other", MORE: "more" } });
    const wanted = { ...old, extraFields: undefined, ...value };
    const next = await change(bench, made, wanted);
    expect(bodies(bench)).toEqual([{ env: { MODEL: "two", OLD: "other", MORE: "more" } }]);
    const found = await refresh(bench, next);
    expect(toDo(bench, found, wanted)).toEqual(["env.OLD", "env.MORE"]);
    await change(bench, found, wanted);
    expect(bodies(bench)).toEqual([value]);
  });

  it("of a cluster that has failed has everything, though nothing changes", async () => {
    const { bench, made } = await openSettled({ ...old, extraFields: undefined });
    bench.simulator.change(made.id, { status: "failed", message: "lost its node" });
    const wanted = { ...old, extraFields: undefined, redeployTriggers: { at: "now" } };
    await change(bench, made, wanted);
    expect(bodies(bench)).toEqual([{ container, env: before, replicas: 2 }]);
    expect(running(bench, made)).toMatchObject({ status: "running" });
  });

  it.each<[string, Partial<Dialect>, ...object[]]>([
    ["takes the number in an update", {}, { container, env: before, replicas: 1 }],
    [
      "refuses it there",
      { updateFields: "no-replicas" },
      { container, env: before, replicas: 1 },
      { container, env: before },
    ],
  ])(
    "of a cluster that has failed, with another number of replicas, runs where the service %s",
    async (_what, dialect, ...expected) => {
      const { bench, made } = await openSettled({ ...old, extraFields: undefined }, { dialect });
      bench.simulator.change(made.id, { status: "failed", message: "lost its node" });
      await change(bench, made, { ...old, extraFields: undefined, replicas: 1 });
      expect(bodies(bench)).toEqual(expected);
      expect(bench.simulator.cluster(made.id)).toMatchObject({ status: "running", replicas: 1 });
    },
  );
});

describe("a path that only contains the name of a secret is no mask", () => {
  const at = (path: string, image = container): Properties => ({
    ...checked,
    container: image,
    env: { TOKEN_FILE: `/run/secrets/${path}`, HIDDEN: "hidden_size=4096" },
  });
  const others = (bench: Bench, { id }: Held) =>
    bench.simulator.change(id, { env: { TOKEN_FILE: "/run/secrets/b", HIDDEN: "hidden_size=4096" } });

  it("a change of it by others is drift, which the next update puts right", async () => {
    const { bench, made } = await openSettled(at("a"));
    others(bench, made);
    const found = await refresh(bench, made);
    expect(found.state["env"]).toEqual(at("b")["env"]);
    expect(toDo(bench, found, at("a"))).toEqual(["env.TOKEN_FILE"]);
    await change(bench, found, at("a"));
    expect(bodies(bench)).toEqual([{ env: at("a")["env"] }]);
  });

  // With `ignoreChanges`, the engine passes the old inputs: after a refresh, those that the refresh found.
  it.each([false, true])("an update of the image does not undo it (after a refresh: %s)", async (isRefreshed) => {
    for (const updateMethod of ["PATCH", "PUT"] as const) {
      const { bench, made } = await openSettled(at("a"), { dialect: { updateMethod } });
      others(bench, made);
      const held = isRefreshed ? await refresh(bench, made) : made;
      await change(bench, held, { ...at("a", "team/server:2.0"), env: held.state["env"] });
      const env = at("b")["env"];
      const whole = { container: "team/server:2.0", replicas: 2, env };
      expect(bodies(bench)).toEqual([updateMethod === "PATCH" ? { container: "team/server:2.0" } : whole]);
      expect(bench.simulator.cluster(made.id)?.deployed.env).toEqual(env);
    }
  });
});
