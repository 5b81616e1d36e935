import { InterruptedError } from "../../../../provider/base/errors";
import type { InitError } from "../../../../provider/contract";
import { type Fixture, initErrorOf, interruptAfter, openFixture } from "../harness";
import { checked } from "../inputs";

it("a creation sends exactly the inputs, once, reports its id first, and ends with every output, as plain JSON", async () => {
  const fixture = await openFixture();
  const { id, state } = await fixture.make(checked);
  const [cluster] = fixture.simulator.clusters();
  expect(id).toBe(cluster?.id);
  expect(state).toStrictEqual({
    ...checked,
    status: "running",
    endpoint: cluster?.endpoint,
    createdAt: cluster?.createdAt,
    replicaStatuses: cluster?.replicaStates.map(({ id }) => ({ id, status: "healthy", healthy: true })),
    readyReplicas: 2,
    settled: true,
    unverifiedInputs: [],
    __seenBy: "seen",
    __createdAt: "2030-01-01T00:00:00.000Z",
    __observed: {},
  });
  expect(JSON.parse(JSON.stringify(state))).toStrictEqual(state);
  expect(fixture.messages.slice(0, 2)).toEqual(["status: creating", `status: created as ${id}`]);
  const sent = fixture.simulator.requests.filter(({ method }) => method === "POST");
  const { gpuType: gpu_type, ...others } = checked;
  expect(sent.map(({ body }) => body)).toEqual([{ gpu_type, ...others }]);
});

it.each<[string, string, string, string[]]>([
  ["by the name of the specification", "plain", "registry_credential_id", []],
  [
    "by the name of the official client, which no record reports",
    "client",
    "registryCredentialId",
    ["registryCredentialId"],
  ],
])(
  "the credential of a registry is sent %s, and differs in nothing afterwards",
  async (_how, dialect, name, unverified) => {
    const fixture = await openFixture({ dialect });
    const news = { ...checked, env: {}, registryCredentialId: "cred_1" };
    const made = await fixture.make(news);
    const sent = fixture.simulator.requests.filter(({ method }) => method === "POST");
    expect(sent.map(({ body }) => body)).toEqual([expect.objectContaining({ [name]: "cred_1" })]);
    expect(made.state["unverifiedInputs"]).toEqual(unverified);
    await fixture.expectAtGoal(made, news);
  },
);

/** The state has the id and the outputs of the cluster that exists. */
function expectKept(error: InitError, { simulator, countOf }: Fixture, reason: RegExp): void {
  const [cluster] = simulator.clusters();
  expect(error).toMatchObject({ id: cluster?.id, state: { ...checked, settled: false, endpoint: cluster?.endpoint } });
  expect(error.reasons[0]).toContain(`cluster "web" (${cluster?.id}) was created, but is not ready: `);
  expect(error.reasons[0]).toMatch(reason);
  expect(countOf("POST /v1/clusters")).toBe(1);
}

describe("a failure after the creation has an id", () => {
  it("keeps the cluster if the key is rejected from then on, after three polls", async () => {
    const times = 1_000;
    const fault = { kind: "status", status: 401, method: "GET", path: "/v1/clusters/**", times, after: 2 } as const;
    const fixture = await openFixture({ faults: [fault] });
    const error = await fixture.failingCreate(checked);
    expectKept(error, fixture, /HTTP 401/);
    expect(fixture.simulator.requests.filter(({ status }) => status === 401)).toHaveLength(3);
  });

  it("keeps the cluster at an interrupt, and ends at once", async () => {
    const fixture = await openFixture({ provisioningMs: 600_000 });
    const { end: error, lastedMs } = await interruptAfter(fixture, 60_000, (ctx) =>
      initErrorOf(fixture.cluster.create(fixture.ctx(ctx), checked)),
    );
    expectKept(error, fixture, /is not ready: interrupted\n/);
    expect(lastedMs).toBe(0);
    expect(error.cause).toBeInstanceOf(InterruptedError);
  });

  it("keeps the id of a cluster that disappears, after three polls without it", async () => {
    const fixture = await openFixture({ provisioningMs: 600_000 });
    const failed = initErrorOf(fixture.cluster.create(fixture.ctx(), checked));
    // Before that, reads may lag behind the creation.
    await fixture.clock.advance(120_000);
    fixture.simulator.change(fixture.simulator.clusters()[0]?.id ?? "", { status: "gone" });
    fixture.simulator.requests.length = 0;
    const error = await fixture.run(failed);
    expect(error.reasons[0]).toMatch(/it disappeared/);
    expect(fixture.countOf("GET /v1/clusters/:id")).toBe(3);
  });
});
