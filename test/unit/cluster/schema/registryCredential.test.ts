import type { Properties } from "../../../../provider/contract";
import { type Fixture, openFixture, openSettled, patch, redeploy, rewritingText } from "../harness";
import { checked } from "../inputs";

const without: Properties = { ...checked, env: {} };
const first: Properties = { ...without, registryCredentialId: "cred_1" };
const second: Properties = { ...without, registryCredentialId: "cred_2" };

const bodiesOf = ({ simulator }: Fixture, method: string) =>
  simulator.requests.filter((request) => request.method === method).map(({ body }) => body);
const credentialOf = ({ simulator }: Fixture, id: string) => simulator.cluster(id)?.extras["registryCredentialId"];

describe("the credential of a registry", () => {
  it.each<[string, string, string, boolean]>([
    ["is sent by the name of the specification", "plain", "registry_credential_id", true],
    ["is sent by the name of the official client", "client", "registryCredentialId", false],
  ])("%s, and differs in nothing afterwards", async (_title, dialect, name, isReported) => {
    const fixture = await openFixture({ dialect });
    const made = await fixture.make(first);
    expect(bodiesOf(fixture, "POST")).toEqual([expect.objectContaining({ [name]: "cred_1" })]);
    expect(credentialOf(fixture, made.id)).toBe("cred_1");
    const { unverifiedInputs } = made.state as { unverifiedInputs: string[] };
    expect(unverifiedInputs.includes("registryCredentialId")).toBe(!isReported);
    await fixture.expectAtGoal(made, first);
  });

  it.each<[string, Properties, Properties, unknown]>([
    ["is added by one update and a rollout", without, first, "cred_1"],
    ["is removed by one update with null and a rollout", first, without, null],
  ])("%s", async (_title, before, news, value) => {
    const { fixture, made } = await openSettled(before);
    const next = await fixture.change(made, news);
    expect(fixture.writes()).toEqual([patch, redeploy]);
    expect(bodiesOf(fixture, "PATCH")).toEqual([{ registry_credential_id: value }]);
    expect(next.state["registryCredentialId"]).toBe(value ?? undefined);
    await fixture.expectAtGoal(next, news);
  });

  it("is sent again after a lost answer if no record reports it", async () => {
    const wire = rewritingText((body) => body.replace(/,"registry_credential_id":"\w+"/, ""));
    const { fixture, made } = await openSettled(first, { wire });
    fixture.simulator.fault({ kind: "drop", method: "PATCH" });
    await fixture.reach(made, second, [patch, patch, redeploy]);
    expect(credentialOf(fixture, made.id)).toBe("cred_2");
  });

  it.each<[string, string, string[]]>([
    ["is drift if a record reports another one", "plain", ["registryCredentialId"]],
    ["is never drift if no record reports it", "client", []],
  ])("%s", async (_title, dialect, paths) => {
    let reported = '"cred_1"';
    const wire = rewritingText((body) => body.replace('"cred_1"', reported));
    const { fixture, made } = await openSettled(first, { dialect, wire });
    reported = '"cred_9"';
    expect(fixture.toDo(await fixture.refresh(made), first)).toEqual(paths);
  });
});
