import { readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import ts from "typescript";
import { newFolder } from "../support/folders";
import { repository } from "../support/repository";

const folder = newFolder();

const program = `import * as pulumi from "@pulumi/pulumi";
import * as gpu from "pulumi-gpucluster";
import { type Report, report } from "pulumi-gpucluster/automation";
import * as native from "pulumi-gpucluster/native";
import { type Simulator, startSimulator } from "pulumi-gpucluster/simulator";

const size = new pulumi.Config().getNumber("replicas");
const web = new gpu.Cluster("web", {
  gpuType: gpu.getGpuTypesOutput().apply(({ gpuTypes }) => gpuTypes[0]?.type ?? "h100"),
  replicas: size,
  container: pulumi.interpolate\`acme/model:\${pulumi.getStack()}\`,
  env: { MODEL: "llama", TOKEN: pulumi.secret("t") },
});
export const endpoint: pulumi.Output<string> = web.endpoint;
export const name: pulumi.Output<string> = web.name;
const status = gpu.getClusterStatusOutput({ id: web.id });
export const ready: pulumi.Output<number> = status.readyReplicas;
const found = gpu.getClusterOutput({ name: web.name });
export const image: pulumi.Output<string | undefined> = found.apply(({ container }) => container);
export const cheap = gpu.getGpuPricing().then(({ prices }) => prices.find((price) => (price.pricePerHour ?? 9) < 1));
export const whole = gpu.getGpuTypes().then(({ gpuTypes }) => gpuTypes.filter((all) => all.availableCount === 0));
export const names = gpu.getCluster({ id: "cl_1" }).then((one) => [one.createdAt, one.envNames]);
export const first: pulumi.Output<boolean> = web.replicaStatuses.apply((all) => all.every(({ healthy }) => healthy));
export const reported: Promise<Report> = report({ stacks: [{ stackName: "dev", workDir: "infra" }] });
const probe: gpu.ReadinessProbe & native.ReadinessProbe = { path: "/health", method: "GET" satisfies gpu.ProbeMethod };
export const words: [gpu.DesiredStatus, gpu.OnFailedUpdate, native.PreviewChecks] = ["stopped", "rollBack", "warn"];
export const probed: gpu.ClusterArgs = { gpuType: "l4", container: "acme/model:1", readinessProbe: probe };
export const args: gpu.ClusterArgs & native.ClusterArgs = { gpuType: "l4", container: "acme/model:1" };
const far = new native.Provider("far", { apiKey: pulumi.secret("k"), previewChecks: "strict" });
export const same: native.Cluster = new native.Cluster("far", args, { provider: far, import: "cl_1" });
export const sameEndpoint: pulumi.Output<string> = native.Cluster.get("theirs", same.id, { env: { MODEL: "llama" } }, { provider: far }).endpoint;
export const known: gpu.ClusterState & native.ClusterState = { container: web.container, endpoint };
export const sameFunctions: Pick<typeof gpu, Exclude<keyof typeof gpu, "Cluster">> = native;
export const farImage = native.getClusterOutput({ name: same.name }, { provider: far, dependsOn: [same] }).container;
// @ts-expect-error the same arguments
new native.Cluster("wrong", { gpuType: "l4" });
export const simulator: Promise<Simulator> = startSimulator({ provisioningMs: 500 });
`;

/** The examples of the doc comments, which an editor shows: a program of one function each. */
const examples = readdirSync(join(repository, "sdk"), { recursive: true, encoding: "utf8" })
  .filter((file) => file.endsWith(".ts"))
  .flatMap((file) => {
    const text = readFileSync(join(repository, "sdk", file), "utf8");
    const blocks = [...text.matchAll(/^ *\* ```ts\n([\s\S]*?)^ *\* ```$/gm)].map(([, block = ""]) => block);
    const gpu = file.startsWith("native") ? "native" : "gpu";
    return blocks.map((block, index) => {
      const code = block
        .replace(/^ *\* ?/gm, "")
        .replace(/^export /gm, "")
        .replace(/\bgpu\./g, `${gpu}.`);
      return { name: `${file} ${index}`, code };
    });
  });
const exampleProgram = `import * as pulumi from "@pulumi/pulumi";
import * as gpu from "pulumi-gpucluster";
import { report } from "pulumi-gpucluster/automation";
import * as native from "pulumi-gpucluster/native";
export const used = [pulumi, gpu, native, report];
declare const web: gpu.Cluster;
declare const config: pulumi.Config;
${examples.map(({ name, code }, index) => `// ${name}\nexport async function example${index}() {\n${code}}\n`).join("")}`;

const files = { index: join(folder, "index.ts"), examples: join(folder, "examples.ts") };
let service: ts.LanguageService;

beforeAll(() => {
  symlinkSync(join(repository, "node_modules"), join(folder, "node_modules"));
  writeFileSync(files.index, program);
  writeFileSync(files.examples, exampleProgram);
  service = ts.createLanguageService({
    // What `pulumi new typescript` writes: no skipLibCheck, no esModuleInterop.
    getCompilationSettings: () => ({
      strict: true,
      target: ts.ScriptTarget.ES2020,
      module: ts.ModuleKind.CommonJS,
      moduleResolution: ts.ModuleResolutionKind.Node10,
      noFallthroughCasesInSwitch: true,
      noImplicitReturns: true,
      forceConsistentCasingInFileNames: true,
    }),
    getScriptFileNames: () => Object.values(files),
    getScriptVersion: () => "1",
    getScriptSnapshot: (name) => {
      const text = ts.sys.readFile(name);
      return text === undefined ? undefined : ts.ScriptSnapshot.fromString(text);
    },
    getCurrentDirectory: () => folder,
    getDefaultLibFileName: ts.getDefaultLibFilePath,
    fileExists: ts.sys.fileExists,
    readFile: ts.sys.readFile,
    readDirectory: ts.sys.readDirectory,
    directoryExists: ts.sys.directoryExists,
    getDirectories: ts.sys.getDirectories,
    realpath: ts.sys.realpath,
  });
});

describe("the published types", () => {
  it("compile in a project as `pulumi new` makes it, with the examples of the doc comments, every declaration checked", () => {
    expect(examples.length).toBeGreaterThanOrEqual(14);
    const whole = service.getProgram();
    const problems = whole ? ts.getPreEmitDiagnostics(whole) : [];
    expect(problems.map(({ file, messageText }) => [file?.fileName, messageText])).toEqual([]);
    expect(whole?.getSourceFiles().length).toBeGreaterThan(100);
  });

  it("show the documentation of a field where a program writes it, and of an output where it reads it", () => {
    const hover = (text: string) => {
      const info = service.getQuickInfoAtPosition(files.index, program.indexOf(text));
      return ts.displayPartsToString(info?.documentation);
    };
    expect(hover("replicas: size")).toContain("Number of replicas, 1 to 10 000; default 1.");
    expect(hover("endpoint;")).toContain("URL at which the cluster is served.");
    expect(hover("id: web.id")).toContain("The service's id");
    expect(hover("pricePerHour ??")).toContain("Price of one GPU for one hour");
    expect(hover("previewChecks:")).toContain("What makes a preview fail");
    expect(hover("getGpuTypes().then")).toContain("The GPU types that the service lists");
    expect(hover("getClusterOutput({ name: same.name }")).toContain("as an output");
    expect(hover('get("theirs"')).toContain("Reads an existing cluster without managing it");
  });
});
