import type { Properties } from "../../../../provider/contract";
import type { Dialect } from "../../../../simulator";
import { type Fixture, openSettled, patch } from "../harness";
import { checked } from "../inputs";

/** The exact bodies of updates: by PATCH what changes, by PUT and POST everything, by PATCH and POST null for what goes. */

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
type EnvHandling = "reported, replaced" | "reported, merged" | "hidden, replaced" | "hidden, merged";
const handlings: Readonly<Record<EnvHandling, Partial<Dialect>>> = {
  "reported, replaced": {},
  "reported, merged": { updateSemantics: "merge-keys" },
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
  [patched, "reported, replaced", "the image", image, image],
  [patched, "hidden, merged", "replicas and env", both, { env: both["env"] }],
  [patched, "reported, replaced", "an extra field", port, { container_port: 9000 }],
  [patched, "reported, replaced", "a variable, which goes", removal, withNull, removal],
  [patched, "reported, merged", "a variable, which goes", removal, withNull],
  [patched, "hidden, replaced", "everything", everything, { ...unscaled, ...withNull }, unscaled],
  [patched, "hidden, merged", "everything", everything, { ...unscaled, ...withNull }],
  [put, "reported, replaced", "the image", image, { ...all, env: before, ...image }],
  [put, "hidden, replaced", "a variable, which goes", removal, { ...all, ...removal }],
  [post, "hidden, replaced", "everything", everything, { ...all, ...unscaled, ...withNull }, { ...all, ...unscaled }],
  [post, "hidden, merged", "a variable, which goes", removal, { ...all, ...withNull }],
  [post, "hidden, replaced", "an extra field", port, { ...all, env: before, container_port: 9000 }],
];

describe("an update", () => {
  it.each(rows)("sends exact bodies: %s, env %s, %s", async (updateMethod, handling, _what, changes, ...expected) => {
    const dialect: Partial<Dialect> = { ...handlings[handling], updateMethod };
    const { fixture, made } = await openSettled(old, { dialect });
    const wanted = { ...old, ...changes };
    const { state } = await fixture.change(made, wanted);
    expect(bodies(fixture)).toEqual(expected);
    expect(fixture.simulator.cluster(made.id)).toMatchObject({ status: "running", replicas: wanted["replicas"] });
    const deployed = { container: wanted["container"], env: wanted["env"] };
    expect(fixture.simulator.cluster(made.id)?.deployed).toEqual(deployed);
    expect(state).toMatchObject({ ...wanted, settled: true });
    const isSeen = updateMethod === "PUT" || dialect.envEcho !== "none" || Object.hasOwn(wanted["env"] ?? {}, "OLD");
    const mayStay = /: the service shows no env, so it may keep `env\.OLD`$/;
    expect(fixture.warnings()).toEqual(isSeen ? [] : [expect.stringMatching(mayStay)]);
  });
});

describe("an unmanaged variable whose value the service masks", () => {
  it("does not prevent a PATCH of another input", async () => {
    const { fixture, made } = await openSettled(old, { dialect: { envEcho: "masked" } });
    fixture.simulator.change(made.id, { env: { ...before, THEIRS: "their-value" } });
    const held = await fixture.refresh(made);
    expect(held.state["env"]).toEqual({ ...before, THEIRS: "***" });
    // The program ignores all changes of env.
    await fixture.change(held, { ...old, env: held.state["env"], ...image });
    expect(bodies(fixture)).toEqual([image]);
    expect(fixture.simulator.cluster(held.id)?.env).toMatchObject({ THEIRS: "their-value" });
  });
});

describe("an update of env that is refused", () => {
  const news = { ...checked, env: { MODEL: "another-value" } };
  const all = { container: checked["container"], replicas: 2, env: news.env };
  const refused = (message: string, method: string) => ({ kind: "status", status: 422, message, method }) as const;

  it.each<[string, "PATCH" | "PUT", string, object, object]>([
    ["for the replicas: without them", "PUT", "replicas is not allowed", all, { ...all, replicas: undefined }],
    ["for a missing name: all of it", "PATCH", "body.name: Field required", { env: news.env }, { ...all, name: "web" }],
  ])("is sent again with a corrected body: %s", async (_title, updateMethod, message, ...expected) => {
    const { fixture, made } = await openSettled(checked, { dialect: { updateMethod } });
    fixture.simulator.fault(refused(message, updateMethod));
    // What the simulator itself makes of the second body does not matter here.
    await fixture.change(made, news).catch(() => undefined);
    expect(bodies(fixture).slice(0, 2)).toEqual(expected);
  });

  it.each<[string, number, string]>([
    ["the refused field has to change", 422, "unknown field env"],
    ["the refusal is about a value", 422, "env.X must be upper case"],
    ["the refusal names longer words that contain a field", 422, "unknown field environment_id, container_port"],
    ["the missing field was sent", 422, "env is required"],
    ["the refusal is not about fields", 403, "container is required"],
  ])("is not sent again, and fails with the reason: %s", async (_title, status, message) => {
    const { fixture, made } = await openSettled(checked);
    fixture.simulator.fault({ ...refused(message, "PATCH"), status, times: 100 });
    expect((await fixture.failingChange(made, news)).text).toContain(message);
    expect(fixture.writes()).toEqual([patch]);
  });
});
