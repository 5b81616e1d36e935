import { closeBenches, living, openBench } from "./harness";

afterAll(closeBenches);

describe("a fleet", () => {
  it("is created as in the example, loses only the removed clusters, and is destroyed as a whole", async () => {
    const { workspace, simulator, writes } = await openBench("");
    workspace.programFile("examples/fleet/index.ts");
    const names = () =>
      living(simulator)
        .map(({ name }) => name.replace(/-[0-9a-f]{7}$/, ""))
        .sort();
    await workspace.succeed("config", "set", "workers", "3");
    expect((await workspace.up("--parallel", "128")).code).toBe(0);
    expect(names()).toEqual(["customer-acme", "customer-globex", "worker-0", "worker-1", "worker-2"]);
    const { customerEndpoints, hourlyCost } = JSON.parse(await workspace.succeed("stack", "output", "--json"));
    expect(customerEndpoints).toEqual({
      acme: expect.stringMatching(/^https:/),
      globex: expect.stringMatching(/^https:/),
    });
    expect(hourlyCost).toMatch(/^1\.32 \+ \d+\.\d\d$/);
    writes();

    await workspace.succeed("config", "set", "workers", "2");
    expect((await workspace.up("--parallel", "128")).code).toBe(0);
    expect(writes()).toEqual(["DELETE /v1/clusters/:id"]);
    expect(names()).toEqual(["customer-acme", "customer-globex", "worker-0", "worker-1"]);
    expect((await workspace.destroy()).code).toBe(0);
    expect(names()).toEqual([]);
  });
});
