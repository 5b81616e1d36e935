import { startSimulator } from "../../simulator";
import { cancelCreation } from "../support/dynamicProcess";
import { Project, type Row } from "./project";
import { bun, node20, node24 } from "./runtimes";
import { Tarball } from "./tarball";
import { currentSdk, major, newestSdk, oldestSdk } from "./versions";

/** Each value at least once, in as few rows as that takes: a row costs an installation and four starts of the CLI. */
const rows: Row[] = [
  { manager: "npm", source: "tarball", program: "CommonJS", sdk: oldestSdk, runtime: node20 },
  { manager: "pnpm", source: "tarball", program: "ESM", sdk: currentSdk, runtime: node20 },
  { manager: "yarn", source: "tarball", program: "TypeScript", sdk: currentSdk, runtime: node20 },
  { manager: "npm", source: "workspace", program: "TypeScript", typescript: "6.0.3", sdk: newestSdk, runtime: node24 },
  {
    manager: "npm",
    source: "tarball",
    program: "TypeScriptModule",
    typescript: "7.0.2",
    sdk: newestSdk,
    runtime: node24,
  },
  { manager: "npm", source: "tarball", program: "TypeScriptModule", typescript: "5.9.3", sdk: newestSdk, runtime: bun },
  { manager: "npm", source: "tarball", program: "Bundle", sdk: currentSdk, runtime: node20 },
];

/** Generous: the rows run at the same time, and with an empty cache each downloads what it installs. */
const limitMs = 600_000;

const tarball = new Tarball();
afterAll(() => tarball.remove());

describe("an empty project that installs the package", () => {
  it.concurrent.each(rows)(
    "goes up, previews no change, is destroyed and can be interrupted: $manager, $source, $program, SDK $sdk, $runtime",
    async (row) => {
      const simulator = await startSimulator({ provisioningMs: 300, deletionMs: 100 });
      const project = new Project(row, { GPUCLUSTER_BASE_URL: simulator.url, GPUCLUSTER_API_KEY: simulator.apiKey });
      try {
        await project.install(tarball);
        await project.init();
        const { code, output } = await project.up();
        expect(output).toContain(`endpoint : "${simulator.clusters()[0]?.endpoint}"`);
        expect(output).toContain("isHealthy: true");
        expect(output).toContain(`node     : "${major(row.runtime.replace(/^\w+ /, ""))}.`);
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
