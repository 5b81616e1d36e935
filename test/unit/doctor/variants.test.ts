import { dialects, type Fault } from "../../../simulator";
import { read } from "../../support/repository";
import { canaries, environmentOf, examined, findingOf, openService, run } from "./harness";

const variants = Object.keys(dialects).map((dialect) => {
  const names = dialect === "client" ? "client" : "specification";
  const health = dialect === "client" ? /, from the record of the cluster/ : /, from \/status$/;
  return { dialect, names, health };
});

describe("the doctor", () => {
  it.each(variants)(
    "$dialect: understands the variant by few reads, and shows no secret",
    async ({ dialect, names, health }) => {
      const simulator = await openService({ dialect }, 3);
      const { code, report, all } = await examined(simulator);
      expect(simulator.requests.map(({ method }) => method)).toEqual(simulator.requests.map(() => "GET"));
      expect(report.requests).toBeLessThanOrEqual(14);
      expect(simulator.requests).toHaveLength(report.requests * 2);
      expect({ code, canManage: report.canManage }).toEqual({ code: 0, canManage: true });
      expect(report.facts).toMatchObject({
        Clusters: expect.stringMatching(/^3/),
        "Request names": `${names}, as the answers show`,
        Health: expect.stringMatching(health),
        "Rate limit": expect.stringMatching(/^100 in a window, \d+ left/),
      });
      expect(report.gpuTypes?.length).toBeGreaterThan(2);
      for (const canary of Object.values(canaries)) expect(all).not.toContain(canary);
    },
  );

  it("reads no more pages of a long list than it needs", async () => {
    const { report } = await examined(await openService({ dialect: { paging: "cursor" } }, 20));
    expect(report.facts["Clusters"]).toBe("8, perhaps more");
    expect(report.requests).toBeLessThanOrEqual(14);
  });

  it("shows names of clusters on request, and no value of env", async () => {
    const { report, all } = await examined(await openService({}, 2), "--names");
    expect(report.facts["  names"]).toMatch(/canary-cluster1?, canary-cluster1?$/);
    expect(all).not.toContain(canaries.env);
  });
});

describe("the report about the client's names", () => {
  it("has every input in place if the descriptor names an update", async () => {
    const body = JSON.stringify({ name: "a service", endpoints: { clusters: { update: "PUT /v1/clusters/:id" } } });
    const descriptor: Fault = { kind: "body", path: "/", body, times: 9 };
    const { report } = await examined(await openService({ dialect: "client", faults: [descriptor] }));
    expect(report.facts["In place"]).toMatch(/^every input, as/);
  });

  it("is printed as docs/services.md shows it", async () => {
    const page = read("docs/services.md");
    const [, example] = /^\$ npx pulumi-gpucluster doctor\n([\s\S]*?)^```$/m.exec(page) ?? [];
    const simulator = await openService({ dialect: "client" });
    const { out } = await run([], environmentOf(simulator));
    const stable = (text: string) =>
      text.replace(/ends in \d+ s/, "ends in 60 s").replace(/clusters\/\w{3}…/g, "clusters/1e3…");
    const printed = stable(out).replace(simulator.url, "https://api.example.com");
    // The page leaves out what repeats itself.
    const parts = stable(example ?? "").split(/^ +…\n/m);
    expect(parts).toHaveLength(4);
    const pattern = parts.map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, "\\$&")).join("[\\s\\S]+");
    expect(printed).toMatch(new RegExp(`^${pattern}$`));
  });
});

describe("the report of an empty list", () => {
  it("has the names that the GPU models show", async () => {
    const { report } = await examined(await openService({ dialect: "client" }, 0));
    expect(report.facts).toMatchObject({
      "Request names": "client, as the answers show",
      Health: "not known: no cluster to read",
    });
    expect(findingOf(report, "/v1/clusters/:id")).toEqual({ endpoint: "GET /v1/clusters/:id", state: "not read" });
  });

  const byType = JSON.stringify({ h100: { name: "H100", memory_gb: 80 }, l4: { name: "L4", memory_gb: 24 } });
  const unclear: Fault[] = [{ kind: "body", path: "/v1/gpus", body: byType, times: 9 }];

  it("says that no answer shows the request names, and advises a preview, which needs no names", async () => {
    const { report } = await examined(await openService({ dialect: { listShape: "data" }, faults: unclear }, 0));
    expect(report.facts["Request names"]).toBe(
      "specification, as long as no answer shows others: there is no cluster yet",
    );
    expect(report.advice).toEqual(["Run `pulumi preview`: it sends reads only."]);
    expect(findingOf(report, "/v1/gpus")?.shape).toMatch(/^\{…: \{name: string, /);
  });
});

describe("the report of clusters that do not show which names the service has", () => {
  it("advises to set the request names", async () => {
    const bare = JSON.stringify({ data: [{ id: "cl_1", name: "web", status: "running" }] });
    const list: Fault = { kind: "body", path: "/v1/clusters", body: bare, times: 9 };
    const byType = JSON.stringify({ h100: { name: "H100", memory_gb: 80 } });
    const gpus: Fault = { kind: "body", path: "/v1/gpus", body: byType, times: 9 };
    const { report } = await examined(await openService({ dialect: { listShape: "data" }, faults: [list, gpus] }, 0));
    expect(report.facts["Request names"]).toMatch(/because no answer shows which$/);
    expect(report.advice[0]).toContain("Set gpucluster:requestNames to `specification` or `client`");
  });
});
