import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { table } from "../../provider/base/columns";

/** Every code fence of every document is run by a test, or compared with what is true, or has a reason why not. */
const root = join(__dirname, "../..");
const read = (file: string) => readFileSync(join(root, file), "utf8");

interface Fence {
  readonly page: string;
  readonly language: string;
  readonly code: string;
}

function filesIn(folder: string, ending: string): string[] {
  return readdirSync(join(root, folder), { recursive: true, encoding: "utf8" })
    .filter((file) => file.endsWith(ending) && !file.includes("node_modules"))
    .map((file) => join(folder, file));
}

const pages = readdirSync(root)
  .filter((file) => file.endsWith(".md"))
  .concat(filesIn("docs", ".md"), filesIn("examples", ".md"));
const fences: readonly Fence[] = pages.flatMap((page) =>
  [...read(page).matchAll(/^ *```([^\n]*)\n([\s\S]*?)^ *```$/gm)].map(([, language = "", code = ""]) => ({
    page,
    language,
    code,
  })),
);

const manifest = JSON.parse(read("package.json"));
const schema = JSON.parse(read("provider/schema/schema.json"));
const sources = filesIn("provider", ".ts")
  .map(read)
  .join("\n")
  .replace(/["`] \+\n\s*[`"]/g, "");
const own = manifest.name;

/** What a shell command of a document may be, and what is wrong with it otherwise. */
const commands: readonly (readonly [RegExp, (words: string[], page: string) => boolean])[] = [
  [/^npm (start|test)\b/, ([, script = ""]) => script in manifest.scripts],
  [/^npm run \S+/, ([, , script = ""]) => script in manifest.scripts],
  [/^npm install\b/, ([, , ...packages]) => packages.every((name) => [own, "@pulumi/pulumi"].includes(name))],
  [/^npx \S+/, ([, name = ""]) => name in manifest.bin],
  [/^export GPUCLUSTER_\w+=/, ([, setting = ""]) => sources.includes(setting.replace(/=.*/, ""))],
  [/^export PULUMI_CONFIG_PASSPHRASE=/, () => true],
  [/^pulumi config set gpucluster:/, ([, , , name = ""]) => name.slice(11) in schema.config.variables],
  [
    /^pulumi (preview|up|destroy|login|new|import|config set (?!gpucluster:)|stack init|plugin install|package add)\b/,
    () => true,
  ],
  [/^sh /, ([, script = ""], page) => existsSync(join(root, dirname(page), script))],
  [/^(mkdir|cd) /, () => true],
  [/^GPUCLUSTER_\w+=\S+ pulumi up$/, ([setting = ""]) => sources.includes(setting.replace(/=.*/, ""))],
  [/^kubectl -n \S+ create secret generic /, ([, , , , , , name = ""], page) => isNamedIn(name, dirname(page))],
  [/^kubectl create namespace /, ([, , , name = ""], page) => isNamedIn(name, dirname(page), "namespace")],
];

/** Whether a manifest beside a page names a secret or a namespace. */
function isNamedIn(name: string, folder: string, field = "name"): boolean {
  return filesIn(folder, ".yaml").some((file) => new RegExp(`\\b${field}: ${name}\\b`).test(read(file)));
}

/** The commands of a fence that are not known, or that name something that does not exist. */
function wrongCommands({ code, page }: Fence): string[] {
  const lines = code.split("\n").map((line) => line.replace(/(^|\s)#.*$/, "").trim());
  return lines
    .flatMap((line) => line.split(" && "))
    .filter(Boolean)
    .filter((line) => !commands.some(([form, isRight]) => form.test(line) && isRight(line.split(/\s+/), page)));
}

/** Lines that are not in the golden file of the real preview. Columns may be narrower. */
function notIn(golden: string): (fence: Fence) => string[] {
  const plain = (line: string) => line.trim().replace(/\s+/g, " ").replace(" : ", ": ");
  const lines = read(`test/engine/golden/${golden}.txt`).split("\n").map(plain);
  return ({ code }) =>
    code
      .trim()
      .split("\n")
      .map(plain)
      .filter((line) => !line.startsWith("$ ") && !lines.includes(line));
}

/** The fixed parts of a message that the document, or the provider, does not have. */
function withoutParts(...parts: string[]): (fence: Fence) => string[] {
  return ({ code }) => parts.filter((part) => !code.includes(part) || !sources.replaceAll("\\`", "`").includes(part));
}

/** The table of a report, if it is not what the command makes of these cells. */
function wrongTable({ code }: Fence): string[] {
  const rows = code.trimEnd().split("\n");
  const made = table(
    rows.map((row) => row.split(/ {2,}/)),
    [27, 22, 11, 8, 4],
  );
  return rows.filter((row, index) => row !== made[index]);
}

/** The names of a line of the request log that are not those of its type. */
function wrongNames({ code }: Fence): string[] {
  const entry = read("provider/base/requestLog.ts");
  return Object.keys(JSON.parse(code)).filter((name) => !new RegExp(`readonly ${name}\\??:`).test(entry));
}

/** A test that runs the example, by its file; a check here, which returns what is wrong; or a reason. */
type Proof = { readonly test: string } | { readonly check: (fence: Fence) => string[] } | { readonly reason: string };

/** For each fence the first row that fits: page, language, code. */
const proofs: readonly (readonly [RegExp, string, RegExp, Proof])[] = [
  [/^(README|docs)/, "ts", /./, { test: "test/engine/documents.test.ts" }],
  [/^docs/, "typescript", /./, { test: "test/engine/documents.test.ts" }],
  [/languages/, "python", /./, { test: "test/engine/nativePython.test.ts" }],
  [/_index/, "python", /./, { test: "test/engine/sdks.test.ts" }],
  [/_index/, "go", /./, { test: "test/engine/sdks.test.ts" }],
  [/_index/, "csharp", /./, { test: "test/engine/sdks.test.ts" }],
  [/_index|languages/, "yaml", /^resources:/, { test: "test/engine/nativeYaml.test.ts" }],
  [/languages/, "sh", /pulumi do/, { test: "test/engine/do.test.ts" }],
  [/languages/, "yaml", /^plugins:/, { test: "test/engine/documents.test.ts" }],
  [/getting-started/, "console", /^export/, { reason: "an address and a key, which are others in each run" }],
  [/getting-started/, "console", /./, { test: "test/engine/gettingStarted.test.ts" }],
  [/services/, "console", /doctor/, { test: "test/unit/doctor/services.test.ts" }],
  [/report/, "console", /^cluster/, { check: wrongTable }],
  [/README/, "console", /pulumi preview --diff/, { check: notIn("create") }],
  [/README/, "console", /pulumi up/, { check: withoutParts("replicas healthy") }],
  [/previews-and-costs/, "", /./, { check: notIn("replace") }],
  [
    /delivery/,
    "",
    /Rolled back/,
    {
      check: withoutParts(
        "did not get healthy with ",
        "Rolled back: ",
        "Change `container` or `env`, or `redeployTriggers` to try the same again",
      ),
    },
  ],
  [/delivery/, "", /adopts/, { check: withoutParts(", which an interrupted run has created") }],
  [/observability/, "json", /./, { check: wrongNames }],
  [/ARCHITECTURE/, "mermaid", /./, { test: "test/unit/layers.test.ts" }],
  [/./, "sh", /./, { check: wrongCommands }],
];

const proofOf = ({ page, language, code }: Fence) =>
  proofs.find(([path, name, text]) => path.test(page) && name === language && text.test(code));

const titled = fences.map((fence, index) => [`${fence.page} ${index}: ${fence.language}`, fence] as const);

test.each(titled)("%s is proved", (_title, fence) => {
  const [, , , proof] = proofOf(fence) ?? [];
  expect(proof).toBeDefined();
  // The test names the page, or reads all pages.
  const sources = [fence.page, 'join(root, "docs")'];
  if (proof && "test" in proof) expect(sources.some((source) => read(proof.test).includes(source))).toBe(true);
  if (proof && "check" in proof) expect(proof.check(fence)).toEqual([]);
});

test("no row is for nothing", () => {
  const used = new Set(fences.map(proofOf));
  expect(proofs.filter((row) => !used.has(row))).toEqual([]);
});

test("a wrong command is found", () => {
  const code =
    "npm run none\npulumi config set gpucluster:none 1\nsh none.sh\nnpx none # comment\nrm -rf / && npm test\n";
  expect(wrongCommands({ page: "README.md", language: "sh", code })).toEqual([
    "npm run none",
    "pulumi config set gpucluster:none 1",
    "sh none.sh",
    "npx none",
    "rm -rf /",
  ]);
});

test("an output that is not the real one is found", () => {
  const fence = (code: string) => ({ page: "README.md", language: "console", code });
  expect(notIn("create")(fence("$ pulumi preview\n  hourlyCost: 5.98\n  replicas: 3\n"))).toEqual(["replicas: 3"]);
  expect(withoutParts("printed by nobody")(fence("printed by nobody"))).toEqual(["printed by nobody"]);
  expect(wrongTable(fence("cluster  age\nweb      2h\nlong-name  2h\n"))).toEqual(["cluster  age", "web      2h"]);
});
