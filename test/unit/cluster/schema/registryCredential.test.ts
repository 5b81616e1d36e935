import type { Properties } from "../../../../provider/contract";
import { type FixtureOptions, openFixture, openSettled, writes } from "../harness";
import { checked, least } from "../inputs";
import { change, expectAtGoal, patch, reach, redeploy, refresh, toDo } from "../powerHarness";

const plain: Properties = { ...checked, env: {} };
const own: Properties = { ...plain, registryCredentialId: "cred_1" };
const other: Properties = { ...plain, registryCredentialId: "cred_2" };

type Bench = Awaited<ReturnType<typeof openFixture>>;
const bodiesOf = ({ simulator }: Bench, method: string) =>
  simulator.requests.filter((request) => request.method === method).map(({ body }) => body);
const heldBy = ({ simulator }: Bench, id: string) => simulator.cluster(id)?.extras["registryCredentialId"];

describe("the credential of a registry", () => {
  it.each<[string, string, boolean]>([
    ["plain", "registry_credential_id", true],
    ["client", "registryCredentialId", false],
  ])("is sent with a creation of the form %s as %s, and changes nothing afterwards", async (dialect, name, isShown) => {
    const bench = await openFixture({ dialect });
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

  it("is sent again after a lost answer if no answer shows it", async () => {
    const wire: FixtureOptions["wire"] = (real) => async (request) => {
      const answer = await real(request);
      return { ...answer, body: answer.body.replace(/,"registry_credential_id":"\w+"/, "") };
    };
    const { bench, made } = await openSettled(own, { wire });
    bench.simulator.fault({ kind: "drop", method: "PATCH" });
    await reach(bench, made, other, [patch, patch, redeploy]);
    expect(heldBy(bench, made.id)).toBe("cred_2");
  });

  it.each(["plain", "client"])("of somebody else is drift only if an answer shows it (%s)", async (dialect) => {
    let shown = '"cred_1"';
    const wire: FixtureOptions["wire"] = (real) => async (request) => {
      const answer = await real(request);
      return { ...answer, body: answer.body.replace('"cred_1"', shown) };
    };
    const { bench, made } = await openSettled(own, { dialect, wire });
    shown = '"cred_9"';
    const found = await refresh(bench, made);
    expect(toDo(bench, found, own)).toEqual(dialect === "plain" ? ["registryCredentialId"] : []);
  });
});

describe("the check of a credential", () => {
  it.each<[string, unknown, string]>([
    ["a UUID", "0b6ad0a5-51a5-4b67-8e1f-2a8f1f9c7d3e", ""],
    ["an empty text", "", "must be the id of a credential that the service stores"],
    ["a token of a registry", "dckr_pat_0123456789abcdefgh", "is a credential itself: store it with the service"],
    ["a user and a password", "https://user:canary-pw@ghcr.io", "is a credential itself: store it with the service"],
  ])("takes or refuses %s", async (_title, registryCredentialId, reason) => {
    const bench = await openFixture();
    const { failures } = await bench.run(bench.cluster.check(bench.ctx(), { ...least, registryCredentialId }));
    expect(failures.map(({ property }) => property)).toEqual(reason === "" ? [] : ["registryCredentialId"]);
    expect(failures[0]?.reason ?? "").toContain(reason);
    expect(JSON.stringify(failures)).not.toMatch(/canary|dckr/);
  });
});
