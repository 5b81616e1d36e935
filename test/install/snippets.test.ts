import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { blocksOf, pages, programOf } from "../support/documents";
import { newFolder } from "../support/folders";
import { install } from "./managers";
import { run } from "./run";
import { binaryOf, node20, node24, type Runtime } from "./runtimes";
import { Tarball } from "./tarball";
import { newestSdk, oldestSdk } from "./versions";

const tarball = new Tarball();
const folder = newFolder();
afterAll(() => tarball.remove());

/** With an empty cache, npm downloads what the documents need. */
const limitMs = 300_000;

/** The modules that a page shows, in a folder of their own, where one imports the other by its name. */
const nameOf = (code: string) => (code.includes('"node:test"') ? "index.test" : "index");

/** Writes the snippets of each page as the files of a project: the parts of a program together, each module as it is. */
function writeSnippets(project: string, sdk: string): number {
  let count = 0;
  const write = (file: string, text: string) => {
    mkdirSync(dirname(join(project, file)), { recursive: true });
    writeFileSync(join(project, file), text);
  };
  for (const [page, text] of pages) {
    const parts = blocksOf("ts", text).filter((code) => sdk !== oldestSdk || !newer.test(code));
    const modules = blocksOf("typescript", text);
    const { imports, body } = programOf(parts);
    write(`${page}/program.ts`, `${imports}\nexport async function program() {\n${body}\n}\n`);
    for (const code of modules) write(`${page}/modules/${nameOf(code)}.ts`, code);
    if (modules.length > 0) write(`${page}/modules/package.json`, '{ "type": "module" }');
    count += parts.length + modules.length;
  }
  return count;
}

/** Options that the documents show, with the version of the SDK that brought them. */
const newer = /\benvVarMappings\b/;

it.each<[string, Runtime]>([
  [oldestSdk, node20],
  [newestSdk, node24],
])(
  "every snippet of the documents compiles in a strict project with the SDK %s, and the test with mocks passes on %s",
  async (sdk, runtime) => {
    const project = join(folder, sdk);
    expect(writeSnippets(project, sdk)).toBeGreaterThan(40);
    const node = binaryOf(runtime);
    const own = { "@pulumi/pulumi": sdk, "pulumi-gpucluster": `file:${await tarball.path()}` };
    const dependencies = { ...own, ...(node && { [node.name]: node.version }) };
    const devDependencies = { "@types/node": "^20", typescript: "^5.0.0" };
    const manifest = { private: true, dependencies, devDependencies };
    writeFileSync(join(project, "package.json"), JSON.stringify(manifest));
    const compilerOptions = { strict: true, target: "es2022", module: "node16", types: ["node"] };
    writeFileSync(join(project, "tsconfig.json"), JSON.stringify({ compilerOptions }));
    await install("npm", project);
    await run([process.execPath, "node_modules/typescript/bin/tsc", "--pretty", "false"], project);
    const program = node ? join(project, "node_modules", node.name, node.file) : process.execPath;
    const output = await run([program, "--test", "index.test.js"], join(project, "docs/guides/testing.md/modules"));
    expect(output).toMatch(/^. pass 1$/m);
  },
  limitMs,
);
