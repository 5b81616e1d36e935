import { spawnSync } from "node:child_process";
import { join } from "node:path";

const root = join(__dirname, "../..");

/** What the files that name facts of a release say. */
interface Written {
  readonly manifest: Record<string, unknown>;
  readonly schema: Record<string, unknown>;
  /** docs/_index.md, and docs/installation-configuration.md. */
  readonly pages: readonly string[];
}

/** The files as `npm run facts` writes them for an owner; an empty one stands for none. */
export function writtenFor(owner: string): Written {
  const code = `import { readFileSync } from "node:fs";
    import { withFacts } from "./scripts/facts.mjs";
    import { factsOf, release } from "./scripts/release/facts.mjs";
    import { packageSchema } from "./scripts/schema/package.mjs";
    const facts = factsOf({ ...release, owner: process.env.OWNER });
    const text = (name) => withFacts(name, readFileSync(name, "utf8"), facts);
    const pages = ["docs/_index.md", "docs/installation-configuration.md"].map(text);
    const manifest = JSON.parse(text("package.json"));
    console.log(JSON.stringify({ manifest, schema: await packageSchema(facts), pages }));`;
  const env = { ...process.env, OWNER: owner };
  const args = ["--input-type=module", "-e", code];
  const { stdout, stderr } = spawnSync(process.execPath, args, { cwd: root, env, encoding: "utf8" });
  if (stdout === "") throw new Error(stderr);
  return JSON.parse(stdout);
}
