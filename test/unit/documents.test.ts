import { spawnSync } from "node:child_process";
import { existsSync, readdirSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import { version } from "../../provider/base/version";
import { linksIn } from "../support/documents";
import { manifest, read, repository } from "../support/repository";

const pages = readdirSync(repository, { encoding: "utf8" })
  .concat(filesIn("docs"), filesIn("examples"))
  .filter((file) => file.endsWith(".md"));

function filesIn(folder: string): string[] {
  const files = readdirSync(join(repository, folder), { recursive: true, encoding: "utf8" });
  return files.filter((file) => !file.includes("node_modules")).map((file) => join(folder, file));
}

/** The anchors of a page, as GitHub makes them of its headings. */
function anchorsOf(text: string): string[] {
  const headings = [...text.replace(/^```[\s\S]*?^```$/gm, "").matchAll(/^#+ (.+)$/gm)].map(
    ([, heading = ""]) => heading,
  );
  const seen = new Map<string, number>();
  return headings.map((heading) => {
    const plain = heading.toLowerCase().replace(/[^\p{L}\p{N}\s_-]/gu, "");
    const anchor = plain.trim().replace(/ /g, "-");
    const count = seen.get(anchor) ?? 0;
    seen.set(anchor, count + 1);
    return count === 0 ? anchor : `${anchor}-${count}`;
  });
}

/** The links of a page that lead nowhere. */
function deadLinks(file: string, text: string): string[] {
  return linksIn(text).filter((link) => {
    const [path = "", anchor] = link.split("#");
    const target = path === "" ? file : relative(repository, resolve(repository, dirname(file), path));
    if (!existsSync(join(repository, target))) return true;
    return anchor !== undefined && !anchorsOf(read(target)).includes(anchor);
  });
}

test.each(pages)("%s: every link leads to a file, and to a heading of it", (file) => {
  expect(deadLinks(file, read(file))).toEqual([]);
});

/** The code of the package, with strings of several lines in one. */
const sources = [...filesIn("provider"), ...filesIn("sdk")]
  .filter((file) => file.endsWith(".ts"))
  .map((file) => read(file).replace(/["`] \+\n\s*[`"]/g, ""))
  .join("\n");

test("every heading of the page about messages is printed", () => {
  const headings = [...read("docs/troubleshooting.md").matchAll(/^### (.+)$/gm)].map(([, heading = ""]) => heading);
  expect(headings.length).toBeGreaterThan(9);
  const parts = headings.flatMap((heading) => heading.split("…").map((part) => part.trim()));
  expect(parts.filter((part) => !sources.includes(part) && !sources.includes(part.replaceAll("`", "\\`")))).toEqual([]);
});

test("every command, setting and variable in a document exists", () => {
  const { config } = JSON.parse(read("provider/schema/schema.json"));
  const checks: [RegExp, (name: string) => boolean][] = [
    [/npm run (?:-s )?([\w:]+)/g, (name) => name in manifest.scripts],
    [/npx (pulumi-\w+)/g, (name) => name in manifest.bin],
    [/pulumi config set (?:--secret )?gpucluster:(\w+)/g, (name) => name in config.variables],
    [
      /\b(GPUCLUSTER_[A-Z_]+)\b/g,
      (name) => sources.includes(name) || read("examples/operator/Dockerfile").includes(name),
    ],
  ];
  const wrong = pages.flatMap((page) =>
    checks.flatMap(([pattern, exists]) =>
      [...read(page).matchAll(pattern)].filter(([, name = ""]) => !exists(name)).map(([text]) => `${page}: ${text}`),
    ),
  );
  expect(wrong).toEqual([]);
});

/** The files that a script writes, and git holds. */
test.each(["schema", "docs"])("npm run %s: would change nothing", (name) => {
  const args = [join(repository, `scripts/${name}.mjs`), "--check"];
  const { status, stderr } = spawnSync(process.execPath, args, { cwd: repository, encoding: "utf8" });
  expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
});

test("the version in the code is the one of the package", () => {
  expect(manifest).toMatchObject({ version });
});
