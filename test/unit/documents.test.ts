import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";

const root = resolve(__dirname, "../..");
const pages = readdirSync(root, { encoding: "utf8" })
  .concat(filesIn("docs"), filesIn("examples"))
  .filter((file) => file.endsWith(".md"));

function filesIn(folder: string): string[] {
  const files = readdirSync(join(root, folder), { recursive: true, encoding: "utf8" });
  return files.filter((file) => !file.includes("node_modules")).map((file) => join(folder, file));
}

const read = (file: string) => readFileSync(join(root, file), "utf8");

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
  const links = [...text.replace(/^ *```[\s\S]*?^ *```$/gm, "").matchAll(/\]\(([^)\s]+)\)/g)].map(
    ([, link = ""]) => link,
  );
  return links.filter((link) => {
    if (/^https?:/.test(link)) return false;
    const [path = "", anchor] = link.split("#");
    const target = path === "" ? file : relative(root, resolve(root, dirname(file), path));
    if (!existsSync(join(root, target))) return true;
    return anchor !== undefined && !anchorsOf(read(target)).includes(anchor);
  });
}

test.each(pages)("every link of %s leads to a file, and to a heading of it", (file) => {
  expect(deadLinks(file, read(file))).toEqual([]);
});

test("a link to nowhere is found", () => {
  expect(deadLinks("README.md", "[a](docs/none.md) [b](README.md#none) [c](README.md#install)")).toEqual([
    "docs/none.md",
    "README.md#none",
  ]);
});

test("the README has at most 6 kB, and names every page of the documents", () => {
  const readme = read("README.md");
  expect(readme.length).toBeLessThan(6_144);
  const named = (file: string) => readme.includes(`(${file})`) || readme.includes(`(${dirname(file)}/)`);
  const left = pages.filter((file) => file.startsWith("docs") && !/_index|upgrading/.test(file) && !named(file));
  expect(left).toEqual([]);
});

describe("the page about messages", () => {
  const sources = filesIn("provider")
    .filter((file) => file.endsWith(".ts"))
    .map((file) => read(file).replace(/["`] \+\n\s*[`"]/g, ""))
    .join("\n");
  const headings = [...read("docs/troubleshooting.md").matchAll(/^### (.+)$/gm)].map(([, heading = ""]) => heading);

  it.each(headings)("has the heading %s, which is printed", (heading) => {
    const parts = heading.split("…").map((part) => part.trim());
    const missing = parts.filter((part) => !sources.includes(part) && !sources.includes(part.replaceAll("`", "\\`")));
    expect(missing).toEqual([]);
  });

  it("has at least twenty of them", () => expect(headings.length).toBeGreaterThan(19));
});
