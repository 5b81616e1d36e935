import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { startSimulator } from "../../simulator";
import { cancelCreation } from "../support/dynamicProcess";
import { major, Project, type Row } from "./project";
import { Tarball } from "./tarball";

const manifest = JSON.parse(readFileSync(resolve(__dirname, "../../package.json"), "utf8"));
const oldest = manifest.peerDependencies["@pulumi/pulumi"].replace("^", "");
/** The last version for Node 20. */
const current = manifest.devDependencies["@pulumi/pulumi"];
const newest = "3.270.0";

const node20 = "20.20.2";
const node24 = "24.21.0";

/** Each value at least once, in as few rows as that takes: a row costs an installation and four starts of the CLI. */
const rows: Row[] = [
  { manager: "npm", source: "tarball", program: "CommonJS", sdk: oldest, node: node20 },
  { manager: "pnpm", source: "tarball", program: "ESM", sdk: current, node: node20 },
  { manager: "yarn", source: "tarball", program: "TypeScript", sdk: current, node: node20 },
  { manager: "npm", source: "workspace", program: "TypeScript", sdk: newest, node: node24 },
];

/** Generous: the rows run at the same time, and with an empty cache each downloads what it installs. */
const limitMs = 600_000;

const tarball = new Tarball();
afterAll(() => tarball.remove());

describe("an empty project that installs the package", () => {
  it.concurrent.each(rows)(
    "goes up, previews no change, is destroyed and can be interrupted: $manager, $source, $program, SDK $sdk, Node $node",
    async (row) => {
      const simulator = await startSimulator({ provisioningMs: 300, deletionMs: 100 });
      const project = new Project(row, { GPUCLUSTER_BASE_URL: simulator.url, GPUCLUSTER_API_KEY: simulator.apiKey });
      try {
        await project.install(tarball);
        await project.init();
        const { code, output } = await project.up();
        expect(output).toContain(`endpoint : "${simulator.clusters()[0]?.endpoint}"`);
        expect(output).toContain("isHealthy: true");
        expect(output).toContain(`node     : "${major(row.node)}.`);
        expect(code).toBe(0);
        expect(await project.preview("--expect-no-changes")).toMatchObject({ code: 0 });
        expect(await project.destroy()).toMatchObject({ code: 0 });
        expect(simulator.clusters().map(({ status }) => status)).toEqual(["gone"]);
        // An interrupt reaches the provider by a way that no SDK documents.
        const { id, error, clusters } = await cancelCreation(project.folder, 3_600_000, { node: project.node });
        expect(error).toMatch(/^cluster "web" \(cl_\w+\) .*: interrupted\n/);
        expect(clusters).toEqual([id]);
      } finally {
        project.remove();
        await simulator.close();
      }
    },
    limitMs,
  );
});
