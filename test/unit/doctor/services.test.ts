import { readFileSync } from "node:fs";
import { join } from "node:path";
import { environmentOf, openService, run } from "./harness";

test("docs/services.md shows what the command prints", async () => {
  const page = readFileSync(join(__dirname, "../../../docs/services.md"), "utf8");
  const [, shown] = /^\$ npx pulumi-gpucluster doctor\n([\s\S]*?)^```$/m.exec(page) ?? [];
  const simulator = await openService({ dialect: "client" });
  const { out } = await run([], environmentOf(simulator));
  const same = (text: string) =>
    text.replace(/ends in \d+ s/, "ends in 60 s").replace(/clusters\/\w{3}…/g, "clusters/1e3…");
  const printed = same(out).replace(simulator.url, "https://api.example.com");
  // The page leaves out what repeats itself.
  const parts = same(shown ?? "").split(/^ +…\n/m);
  expect(parts).toHaveLength(4);
  const pattern = parts.map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, "\\$&")).join("[\\s\\S]+");
  expect(printed).toMatch(new RegExp(`^${pattern}$`));
});
