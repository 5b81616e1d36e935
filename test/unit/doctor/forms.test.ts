import { dialects, type Fault } from "../../../simulator";
import { canaries, examined, findingOf, openService } from "./harness";

const everyForm = Object.keys(dialects);

/** A service whose descriptor names these endpoints. */
const descriptorOf = (endpoints: object): Fault => {
  return { kind: "body", path: "/", body: JSON.stringify({ name: "a service", endpoints }), times: 9 };
};

describe.each(everyForm)("a service of the form %s", (dialect) => {
  it("is understood by few reads, and nothing that is secret is shown", async () => {
    const simulator = await openService({ dialect }, 3);
    const { code, report, all } = await examined(simulator);
    expect(simulator.requests.map(({ method }) => method)).toEqual(simulator.requests.map(() => "GET"));
    expect(report.requests).toBeLessThanOrEqual(14);
    expect(simulator.requests).toHaveLength(report.requests * 2);
    expect({ code, canManage: report.canManage }).toEqual({ code: 0, canManage: true });
    expect(report.clusters).toEqual({ count: 3, complete: expect.any(Boolean) });
    expect(report.requestNames).toMatchObject({
      names: dialect === "client" ? "client" : "specification",
      certainty: "shown",
    });
    expect(report.replicaHealth.source).toBe(dialect === "client" ? "record" : "status");
    expect(report.gpuTypes?.types.length).toBeGreaterThan(2);
    expect(report.rateLimit).toMatchObject({ limit: 100, left: expect.any(Number), isUsedUp: false });
    for (const canary of Object.values(canaries)) expect(all).not.toContain(canary);
  });
});

describe("the form of the official client", () => {
  it("is shown with the form of each answer, and the missing endpoints", async () => {
    const { report, text } = await examined(await openService({ dialect: "client" }));
    const form = expect.stringMatching(/^\{data: \[\{id: text, name: text, .*gpuModelId: text/);
    expect(findingOf(report, "/v1/clusters")).toEqual({ endpoint: "GET /v1/clusters", state: "answers", form });
    expect(findingOf(report, "/v1/gpus")).toMatchObject({ state: "missing", detail: "HTTP 404, not_found" });
    expect(report.requestNames).toEqual({ names: "client", certainty: "shown" });
    expect(report.gpuTypes?.types).toContainEqual(
      expect.objectContaining({ name: "RTX 4090", type: expect.stringMatching(/^[0-9a-f-]{36}$/), pricePerHour: 0.49 }),
    );
    expect(text).toMatch(/^ {2}[0-9a-f-]{36} {2}RTX 4090 +0\.49$/m);
    expect(text).toMatch(/^Health +of each replica, from the record/m);
  });

  it("shows the names by the GPU models if there is no cluster", async () => {
    const { report } = await examined(await openService({ dialect: "client" }, 0));
    expect(report.requestNames).toEqual({ names: "client", certainty: "shown" });
    expect(report.replicaHealth.source).toBe("unknown");
    expect(findingOf(report, "/v1/clusters/:id")).toEqual({ endpoint: "GET /v1/clusters/:id", state: "not asked" });
  });
});

describe("the form of the specification", () => {
  it("is open if there is no cluster", async () => {
    const byType = JSON.stringify({ h100: { name: "H100", memory_gb: 80 }, l4: { name: "L4", memory_gb: 24 } });
    const faults: Fault[] = [{ kind: "body", path: "/v1/gpus", body: byType, times: 9 }];
    const { report, text } = await examined(await openService({ dialect: { listShape: "data" }, faults }, 0));
    expect(report.requestNames.certainty).toBe("open");
    expect(text).toContain("Set gpucluster:requestNames to `specification` or `client`");
    expect(findingOf(report, "/v1/gpus")?.form).toMatch(/^\{…: \{name: text, /);
  });

  it("changes in place what a preview would: the client's form only if the descriptor names an update", async () => {
    const { report, text } = await examined(await openService({ dialect: "client" }));
    expect(report.fixed).toEqual(["env", "registryCredentialId", "extraFields"]);
    expect(text).toMatch(
      /^In place +every change but of env, registryCredentialId and extraFields,\n +which shows as a replacement in a preview$/m,
    );
    const named = await examined(
      await openService({
        dialect: "client",
        faults: [descriptorOf({ clusters: { update: "PUT /v1/clusters/:id" } })],
      }),
    );
    expect(named.report.fixed).toEqual([]);
  });
});

test("lists of many pages are read no further than needed", async () => {
  const { report, text } = await examined(await openService({ dialect: { paging: "cursor" } }, 20));
  expect(report.clusters).toEqual({ count: 8, complete: false });
  expect(text).toMatch(/^Clusters +8, perhaps more$/m);
  expect(report.requests).toBeLessThanOrEqual(14);
});

test("names of clusters are shown on request, and values of env are not", async () => {
  const { report, all } = await examined(await openService({}, 2), "--names");
  expect(report.clusters?.names).toEqual(expect.arrayContaining(["canary-cluster", "canary-cluster1"]));
  expect(all).not.toContain(canaries.env);
});
