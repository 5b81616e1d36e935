import { serveEndpoints } from "../../simulator/endpoints";
import { read } from "../support/repository";
import { closeFixtures, type Fixture, living, openFixture } from "./harness";

afterAll(closeFixtures);

const page = read("docs/getting-started.md");

/** The fences after a heading, by their language. */
function stepOf(heading: string): { commands: string[]; output: string[]; program: string } {
  const [section = ""] = page.slice(page.indexOf(`## ${heading}`) + 3).split(/^## /m);
  const [commands, output, program] = ["sh", "console", "ts"].map(
    (fence) => new RegExp(`^\`\`\`${fence}\\n([\\s\\S]*?)^\`\`\`$`, "m").exec(section)?.[1] ?? "",
  );
  const linesOf = (text = "") => text.trim().split("\n");
  return { commands: linesOf(commands), output: linesOf(output), program: program ?? "" };
}

/** Without what differs from run to run: ids, hashes, times, and how far the replicas are. */
function steady(line: string): string {
  return line
    .replace(/\bfirst-[0-9a-f]{7}(-[0-9a-f]+)?/g, "first-<hash>")
    .replace(/\bcl_[0-9a-f]+/g, "cl_<id>")
    .replace(/127\.0\.0\.1:\d+/g, "127.0.0.1:<port>")
    .replace(/\(\d+s\)|\b\d+s\b/g, "<time>")
    .replace(/[01]\/2 replicas/, "some replicas")
    .replace("first healthy <time>, ", "")
    .replace(/\s+/g, " ")
    .trim();
}

/** The answer to the call of the endpoint, on the page and of the simulator's command; `…` on the page stands for anything. */
async function expectAnswer({ workspace }: Fixture): Promise<void> {
  const [, shown = ""] = /^\$ curl[\s\S]*?\n(\{[\s\S]*?)^```$/m.exec(page) ?? [];
  const parts = steady(shown.replaceAll("\n", ""))
    .split("…")
    .map((part) => part.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&"));
  const endpoint = (await workspace.succeed("stack", "output", "firstEndpoint")).trim();
  const answer = await fetch(`${endpoint}/v1/chat/completions`, { method: "POST", body: "{}" });
  expect(steady(await answer.text())).toMatch(new RegExp(`^${parts.join(".*")}$`));
}

test("the steps of docs/getting-started.md print what the page shows", async () => {
  const endpoints = await serveEndpoints(() => simulator.clusters());
  const fixture = await openFixture("", { provisioningMs: 3_000, endpoint: endpoints.url });
  const { workspace, simulator } = fixture;
  // As in a terminal of a user; in a CI, progress shows each minute only.
  workspace.env["CI"] = "";
  workspace.withoutTypes();
  workspace.typeScript(stepOf("3. Write").program);
  const steps = ["4. Preview", "5. Create", "6. Change", "7. Delete"].map(stepOf);
  for (const { commands, output } of steps) {
    let printed = "";
    for (const command of commands) {
      const [, ...args] = command.split(" ");
      // The answer to the question whether to go on.
      const yes = /^(up|destroy)$/.test(args[0] ?? "") ? ["--yes"] : [];
      printed += await workspace.succeed(...args, ...yes);
    }
    if (commands.includes("pulumi up")) await expectAnswer(fixture);
    const lines = printed.split("\n").map(steady);
    const missing = output.map(steady).filter((line) => !lines.some((other) => other.includes(line)));
    expect({ missing, of: missing.length > 0 ? lines : [] }).toEqual({ missing: [], of: [] });
  }
  endpoints.close();
  expect(steps.map(({ commands }) => commands.length)).toEqual([1, 1, 2, 1]);
  expect(living(simulator)).toEqual([]);
});
