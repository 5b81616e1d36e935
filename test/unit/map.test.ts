import { readdirSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";

const provider = join(__dirname, "../../provider");
const map = readFileSync(join(provider, "../ARCHITECTURE.md"), "utf8");
const files = readdirSync(provider, { recursive: true, encoding: "utf8" }).filter((file) => file.endsWith(".ts"));
const named = [...map.matchAll(/`([\w/]+\.ts)`/g)].map(([, file = ""]) => file);

// One folder is named as a whole: its files are named after what they read.
const single = files.filter((file) => !file.startsWith("api/read/"));

test.each(single)("the map names %s", (file) => {
  expect(named.map((name) => basename(name))).toContain(basename(file));
});

test("the map names no file that is not there", () => {
  for (const name of named) expect(files.map((file) => basename(file))).toContain(basename(name));
});
