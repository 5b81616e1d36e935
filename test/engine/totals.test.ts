import { closeBenches, openBench } from "./harness";

afterAll(closeBenches);

const program = (name: string) => `
const own = require("${name}");
for (const name of ["a", "b"]) new own.Cluster(name, { gpuType: "l4", container: "acme/model:1" });
`;

describe("the row of the stack in the output of the real engine", () => {
  it.each(["pulumi-gpucluster", "pulumi-gpucluster/native"])("shows the total of two waits of %s", async (name) => {
    const { workspace } = await openBench(program(name), { provisioningMs: 20_000 });
    // In a CI, progress is repeated each minute only.
    workspace.env["CI"] = "";
    const { code, output } = await workspace.up();
    expect(code).toBe(0);
    const lines = output.split("\n").filter((line) => /pulumi:pulumi:Stack .* (ready|healthy)/.test(line));
    expect(lines[0]).toMatch(/0\/2 clusters ready$/);
    expect(lines.length).toBeLessThanOrEqual(3);
    expect(output).not.toContain("Diagnostics:");
  });
});
