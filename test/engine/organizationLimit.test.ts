import { type Bench, closeBenches, living, openBench } from "./harness";
import { Workspace } from "./workspace";

const cluster = (packageName: string, replicas: number) => `
const { Cluster } = require("${packageName}");
new Cluster("web", { name: "web", gpuType: "h100", container: "acme/model:1", replicas: ${replicas} });
`;

/** The stack of another team, under the same key. */
let theirs: Bench;
let ours: Workspace;

beforeAll(async () => {
  theirs = await openBench(`new gpu.Cluster("chat", { gpuType: "h100", container: "acme/chat:1", replicas: 2 });`);
  await theirs.workspace.succeed("up", "--yes", "--skip-preview");
  ours = new Workspace({ env: theirs.workspace.env, program: "" });
  await ours.init({ "gpucluster:maxHourlyCostOfOrganization": "10" });
  theirs.writes();
});
afterAll(async () => {
  ours.remove();
  await closeBenches();
});

describe.each(["pulumi-gpucluster", "pulumi-gpucluster/native"])("a limit of the organization, with %s", (adapter) => {
  it("fails the preview, which names what another stack spends", async () => {
    const [chat] = living(theirs.simulator);
    ours.program(cluster(adapter, 2));
    const { code, output } = await ours.preview();
    expect(code).not.toBe(0);
    expect(output.replace(/\s+/g, " ")).toContain(
      "gpucluster:maxHourlyCostOfOrganization is 10.00, but the clusters that the API key sees would cost 11.96 USD per " +
        `hour: 5.98 in this run: web 5.98 (2 x h100 at 2.99 USD); 5.98 elsewhere: ${chat?.name} ${chat?.id} 5.98 ` +
        "(2 x h100 at 2.99 USD)",
    );
    expect(theirs.writes()).toEqual([]);
  });

  it("takes no more requests than a preview without it", async () => {
    const { requests } = theirs.simulator;
    const previewed = async (...args: string[]) => {
      const before = requests.length;
      expect((await ours.preview(...args)).code).toBe(0);
      return requests.slice(before).map(({ method, path }) => `${method} ${path}`);
    };
    ours.program(cluster(adapter, 1));
    const limited = await previewed();
    await ours.succeed("config", "rm", "gpucluster:maxHourlyCostOfOrganization");
    const unlimited = await previewed();
    await ours.succeed("config", "set", "gpucluster:maxHourlyCostOfOrganization", "10");
    expect(limited).toEqual(unlimited);
  });
});
