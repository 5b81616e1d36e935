// @ts-check
// What has to agree before a release: package.json, its lock, CHANGELOG.md and the tag of the commit; and what is missing.

/** What a release without a repository lacks. */
export const NO_REPOSITORY =
  "package.json has no repository, so nothing names the address of the plugin: add it, and run `npm run docs`.";

/**
 * Everything that does not agree with the version of package.json, as sentences.
 *
 * @param {{ version: string, locked: string, repository?: unknown, changelog: string, tags: string[] }} release `tags`: those
 * of the commit that begin with "v" and a digit.
 * @returns {string[]}
 */
export function disagreements({ version, locked, repository, changelog, tags }) {
  const [, heading = "no heading"] = /^## (.*)$/m.exec(changelog) ?? [];
  const isReleased = tags.length > 0;
  const headings = isReleased ? [version] : [version, `${version} (unreleased)`];
  const rules = [
    [locked === version, `package-lock.json has version ${locked}: run "npm install --package-lock-only".`],
    [headings.includes(heading), `The newest heading of CHANGELOG.md is "${heading}", not "${headings[0]}".`],
    [repository !== undefined || !isReleased, NO_REPOSITORY],
    ...tags.map((tag) => [tag === `v${version}`, `The commit has the tag ${tag}, not v${version}.`]),
  ];
  return rules.flatMap(([agrees, sentence]) => (agrees ? [] : [String(sentence)]));
}
