import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

const root = join(__dirname, "../..");
const files = ["provider", "sdk", "simulator"].flatMap((folder) =>
  readdirSync(join(root, folder), { recursive: true, encoding: "utf8" })
    .filter((file) => file.endsWith(".ts"))
    .map((file) => join(folder, file)),
);

/** The bounds that Biome has no rule for. */
test("no file has more than 400 lines, and no class more than 250", () => {
  const tooLong = files.filter((file) => {
    const text = readFileSync(join(root, file), "utf8");
    const classes = text.match(/^(export )?(abstract )?class [\s\S]*?^\}$/gm) ?? [];
    const lines = (part: string) => part.trimEnd().split("\n").length;
    return lines(text) > 400 || classes.some((each) => lines(each) > 250);
  });
  expect(files.length).toBeGreaterThan(100);
  expect(tooLong).toEqual([]);
});
