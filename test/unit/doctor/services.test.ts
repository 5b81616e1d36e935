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
  expect(same(out).replace(simulator.url, "https://api.example.com")).toBe(same(shown ?? ""));
});
