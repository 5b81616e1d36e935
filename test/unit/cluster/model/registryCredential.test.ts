import type { Properties } from "../../../../provider/contract";
import { type BenchOptions, openBench, openSettled, settle, writes } from "../harness";
import { checked, least } from "../inputs";
import { change, expectAtGoal, failingChange, patch, reach, redeploy, refresh, toDo } from "../powerHarness";

const plain: Properties = { ...checked, env: {} };
const own: Properties = { ...plain, registryCredentialId: "cred_1" };
const other: Properties = { ...plain, registryCredentialId: "cred_2" };

type Bench = Awaited<ReturnType<typeof openBench>>;
const bodiesOf = ({ simulator }: Bench, method: string) =>
  simulator.requests.filter((request) => request.method === method).map(({ body }) => body);
const heldBy = ({ simulator }: Bench, id: string) => simulator.cluster(id)?.extras["registryCredentialId"];

describe("the credential of a registry", () => {
  it.each<[string, string, boolean]>([
    ["plain", "registry_credential_id", true],
    ["documented", "registry_credential_id", true],
    ["client", "registryCredentialId", false],
  ])("is sent with a creation of the form %s as %s, and changes nothing afterwards", async (dialect, name, isShown) => {
    const bench = await openBench({ dialect });
    const made = await bench.run(bench.cluster.create(bench.ctx(), own));
    expect(bodiesOf(bench, "POST")).toEqual([expect.objectContaining({ [name]: "cred_1" })]);
    expect(heldBy(bench, made.id)).toBe("cred_1");
    const { unverifiedInputs } = made.state as { unverifiedInputs: string[] };
    expect(unverifiedInputs.includes("registryCredentialId")).toBe(!isShown);
    await expectAtGoal(bench, made, own);
  });

  it.each<[string, Properties, Properties, unknown]>([
    ["given later", plain, own, "cred_1"],
    ["changed", own, other, "cred_2"],
    ["removed", own, plain, null],
  ])("that is %s is one update, and a roll-out", async (_title, before, news, value) => {
    const { bench, made } = await openSettled(before);
    const next = await change(bench, made, news);
    expect(writes(bench.simulator)).toEqual([patch, redeploy]);
    expect(bodiesOf(bench, "PATCH")).toEqual([{ registry_credential_id: value }]);
    expect(next.state["registryCredentialId"]).toBe(value ?? undefined);
    await expectAtGoal(bench, next, news);
  });

  it("that is removed is no part of a whole body, by an update that replaces", async () => {
    const { bench, made } = await openSettled(own, { dialect: { updateMethod: "PUT", updateSemantics: "replace" } });
    await reach(bench, made, plain);
    expect(heldBy(bench, made.id)).toBeUndefined();
    expect(JSON.stringify(bodiesOf(bench, "PUT"))).not.toMatch(/credential/i);
  });

  it("that no program has ever named is in no body, also of an update that did not finish", async () => {
    const { bench, made } = await openSettled(plain, { dialect: { updateRollsOut: false } });
    bench.simulator.fault({ kind: "status", status: 403, path: "/v1/clusters/*/redeploy" });
    const failed = await failingChange(bench, made, { ...plain, container: "team/server:2.0" });
    await change(bench, failed, plain);
    expect(JSON.stringify(bench.simulator.requests.map(({ body }) => body ?? null))).not.toMatch(/credential/i);
  });

  it("is sent again after a lost answer if no answer shows it", async () => {
    const wire: BenchOptions["wire"] = (real) => async (request) => {
      const answer = await real(request);
      return { ...answer, body: answer.body.replace(/,"registry_credential_id":"\w+"/, "") };
    };
    const { bench, made } = await openSettled(own, { wire });
    bench.simulator.fault({ kind: "drop", method: "PATCH" });
    await reach(bench, made, other, [patch, patch, redeploy]);
    expect(heldBy(bench, made.id)).toBe("cred_2");
  });

  it("replaces the cluster where the service has no update, and the preview says so", async () => {
    const { bench, made } = await openSettled(own, { dialect: { updateMethod: "none" } });
    const failed = await failingChange(bench, made, other);
    expect(failed.text).toMatch(/`registryCredentialId` cannot be changed in place/);
    expect(bench.cluster.diff(failed.state, other).changes).toMatchObject({
      registryCredentialId: { kind: "update", replace: true },
    });
    const { inputs } = await bench.run(bench.cluster.check(bench.ctx(), other, failed.state));
    expect(bench.said.join()).toMatch(/`registryCredentialId` changes, which the service cannot do in place, so it is/);
    expect(bench.cluster.diff(made.state, inputs).changes).toMatchObject({ registryCredentialId: { kind: "update" } });
  });

  it.each(["plain", "client"])("of somebody else is drift only if an answer shows it (%s)", async (dialect) => {
    let shown = '"cred_1"';
    const wire: BenchOptions["wire"] = (real) => async (request) => {
      const answer = await real(request);
      return { ...answer, body: answer.body.replace('"cred_1"', shown) };
    };
    const { bench, made } = await openSettled(own, { dialect, wire });
    shown = '"cred_9"';
    const found = await refresh(bench, made);
    expect(toDo(bench, found, own)).toEqual(dialect === "plain" ? ["registryCredentialId"] : []);
  });

  it.each(["plain", "client"])(
    "of an adopted cluster is corrected only if an answer shows it (%s)",
    async (dialect) => {
      const bench = await openBench({ dialect });
      const made = await settle(bench, own);
      const adopting = { ...other, adopt: made.id };
      await bench.run(bench.cluster.create(bench.ctx(), adopting));
      expect(heldBy(bench, made.id)).toBe(dialect === "plain" ? "cred_2" : "cred_1");
    },
  );

  it("is brought back with the image that needed it", async () => {
    const inputs = { ...own, onFailedUpdate: "rollBack" };
    const { bench, made } = await openSettled(inputs);
    bench.simulator.fault({ kind: "fail", message: "no pull access", container: "team/broken:9", times: 99 });
    const news = { ...inputs, container: "team/broken:9", registryCredentialId: "cred_2" };
    const failed = await failingChange(bench, made, news);
    expect(failed.text).toMatch(/Rolled back/);
    expect(heldBy(bench, made.id)).toBe("cred_1");
  });
});

describe("the check of a credential", () => {
  it.each<[string, unknown, string]>([
    ["an id", "cred_1", ""],
    ["a UUID", "0b6ad0a5-51a5-4b67-8e1f-2a8f1f9c7d3e", ""],
    ["an empty text", "", "must be the id of a credential that the service stores"],
    ["two words", "my registry", "must be the id of a credential that the service stores"],
    ["a number", 7, "must be the id of a credential that the service stores"],
    ["a token of a registry", "dckr_pat_0123456789abcdefgh", "is a credential itself: store it with the service"],
    ["a user and a password", "https://user:canary-pw@ghcr.io", "is a credential itself: store it with the service"],
  ])("takes or refuses %s", async (_title, registryCredentialId, reason) => {
    const bench = await openBench();
    const { failures } = await bench.run(bench.cluster.check(bench.ctx(), { ...least, registryCredentialId }));
    expect(failures.map(({ property }) => property)).toEqual(reason === "" ? [] : ["registryCredentialId"]);
    expect(failures[0]?.reason ?? "").toContain(reason);
    expect(JSON.stringify(failures)).not.toMatch(/canary|dckr/);
  });
});
