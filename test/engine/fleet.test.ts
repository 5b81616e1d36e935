import { closeFixtures, type Fixture, idsOf, living, openFixture } from "./harness";

afterAll(closeFixtures);

describe("the clusters of the example, behind a canary", () => {
  let fixture: Fixture;
  beforeAll(async () => {
    fixture = await openFixture("", {
      faults: [{ kind: "fail", message: "CUDA out of memory", container: "acme/bad:1", times: 99 }],
    });
    fixture.workspace.programFile("examples/fleet/index.ts");
  });
  const nameOf = (name: string) => name.replace(/-[0-9a-f]{7}$/, "");
  const release = async (container: string) => {
    await fixture.workspace.succeed("config", "set", "container", container);
    fixture.simulator.requests.splice(0);
  };
  /** The clusters that were changed since the release, each once, in the order of their first requests. */
  const writtenTo = () => {
    const paths = fixture.simulator.requests.filter(({ method }) => method !== "GET").map(({ path }) => path);
    const ids = paths.map((path) => /cl_[^/]+/.exec(path)?.[0] ?? "");
    return [...new Set(ids.map((id) => nameOf(String(fixture.simulator.cluster(id)?.name))))];
  };
  /** The clusters by their containers, in the service. */
  const running = () =>
    Object.fromEntries(living(fixture.simulator).map(({ name, container }) => [nameOf(name), container]));

  it("are created after it, each with an endpoint", async () => {
    expect((await fixture.workspace.up("--parallel", "128")).code).toBe(0);
    const [first, ...others] = fixture.simulator.clusters().map(({ name }) => nameOf(name));
    expect(first).toBe("canary");
    expect(others.sort()).toEqual(["acme", "globex", "initech"]);
    const { endpoints } = JSON.parse(await fixture.workspace.succeed("stack", "output", "--json"));
    expect(Object.keys(endpoints).sort()).toEqual(["acme", "canary", "globex", "initech"]);
    for (const endpoint of Object.values(endpoints)) expect(endpoint).toMatch(/^https:/);
  });

  it("are not touched if it fails with a bad image, even with --continue-on-error", async () => {
    const before = idsOf(living(fixture.simulator));
    await release("acme/bad:1");
    const { code, output } = await fixture.workspace.up("--parallel", "128", "--continue-on-error");
    expect(code).not.toBe(0);
    expect(output).toContain("CUDA out of memory");
    expect(writtenTo()).toEqual(["canary"]);
    const good = "ghcr.io/ggml-org/llama.cpp:server-cuda-b11206";
    expect(running()).toEqual({ canary: "acme/bad:1", acme: good, globex: good, initech: good });
    expect(idsOf(living(fixture.simulator))).toEqual(before);
  });

  it("get the repaired image after it", async () => {
    await release("acme/good:2");
    expect((await fixture.workspace.up("--parallel", "128")).code).toBe(0);
    const [first, ...others] = writtenTo();
    expect(first).toBe("canary");
    expect(others.sort()).toEqual(["acme", "globex", "initech"]);
    expect(new Set(Object.values(running()))).toEqual(new Set(["acme/good:2"]));
  });

  it("are destroyed before it", async () => {
    fixture.simulator.requests.splice(0);
    expect((await fixture.workspace.destroy()).code).toBe(0);
    const deleted = writtenTo();
    expect(deleted.slice(0, 3).sort()).toEqual(["acme", "globex", "initech"]);
    expect(deleted[3]).toBe("canary");
    expect(living(fixture.simulator)).toEqual([]);
  });
});
