// @ts-check
// What has to agree before a release: package.json, its lock, CHANGELOG.md and the tag of the commit.

/**
 * Everything that does not agree with the version of package.json, as sentences.
 *
 * @param {{ version: string, locked: string, changelog: string, tags: string[] }} release `tags`: those of the commit that
 * begin with "v" and a digit.
 * @returns {string[]}
 */
export function disagreements({ version, locked, changelog, tags }) {
  const [, heading = "no heading"] = /^## (.*)$/m.exec(changelog) ?? [];
  const isReleased = tags.length > 0;
  const headings = isReleased ? [version] : [version, `${version} (unreleased)`];
  const rules = [
    [locked === version, `package-lock.json has version ${locked}: run "npm install --package-lock-only".`],
    [headings.includes(heading), `The newest heading of CHANGELOG.md is "${heading}", not "${headings[0]}".`],
    ...tags.map((tag) => [tag === `v${version}`, `The commit has the tag ${tag}, not v${version}.`]),
  ];
  return rules.flatMap(([agrees, sentence]) => (agrees ? [] : [String(sentence)]));
}
