import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const root = join(__dirname, "../..");

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "prose-"));
});
afterEach(() => rmSync(folder, { recursive: true }));

/** The findings in a document, each as line and start of the message. */
function findingsIn(text: string, name = "page.md"): string[] {
  const file = join(folder, name);
  writeFileSync(file, text);
  const { stderr, status } = spawnSync(process.execPath, [join(root, "scripts/prose.mjs"), file], { encoding: "utf8" });
  const findings = [...stderr.matchAll(/\.md:(\d+):(\d+): (.+?): /gs)].map(
    ([, line, column, what]) => `${line}:${column} ${what}`,
  );
  expect(status).toBe(findings.length === 0 ? 0 : 1);
  return findings;
}

const sentence = (words: number) => `A${" word and".repeat(words).split(" ").slice(0, words).join(" ")}.`;

/** Findings, each with a text that has it. */
const broken: readonly (readonly [string, string])[] = [
  ['1:5 "simply"', "You simply run it."],
  ['1:7 "very"', "It is very fast."],
  ['1:1 "Please"', "Please run it."],
  ['1:12 "e.g."', "Set a key, e.g. this one."],
  ['1:4 "doesn\'t"', "It doesn't wait."],
  ['1:13 "behavior"', "The default behavior."],
  ['1:4 "organisation"', "An organisation."],
  ['1:3 "rollout"', "A rollout waits."],
  ['1:17 "Github"', "A repository on Github."],
  ['1:2 "Click here"', "[Click here](page.md)."],
  ['1:14 "the\nthe"', "It waits for the\nthe cluster."],
  ["1:1 a sentence of 36 words", sentence(36)],
  ["4:159 a sentence of 40 words", `# Title\n\n- One.\n- ${sentence(35)} ${sentence(40)}`],
  ['3:13 "very"', `| a | b |\n|---|---|\n| c | It is very fast. |`],
];

test.each(broken)("finds %s", (finding, text) => {
  expect(findingsIn(text)).toEqual([finding]);
});

test.each([
  ["a good sentence", `${sentence(35)} ${sentence(35)}`],
  ["code", "Run `git log -- just/behavior`.\n\n```sh\nplease, simply\n```"],
  ["the target of a link", "[The service](https://github.com/very/very-Github.md)."],
  ["front matter, and shortcodes", '---\ntitle: Very easy\n---\n\n{{% choosable language "typescript" %}}\n'],
])("%s breaks none", (_, text) => {
  expect(findingsIn(text)).toEqual([]);
});

test("of a changelog, only the newest version counts", () => {
  const text = "# Changelog\n\n## 0.2.0\n\nVery new.\n\n## 0.1.0\n\nVery old.\n";
  expect(findingsIn(text, "CHANGELOG.md")).toEqual(['5:1 "Very"']);
});
