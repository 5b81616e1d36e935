// @ts-check

/**
 * A page with another text between the marks of a part that a command writes.
 *
 * @param {string} page
 * @param {{ name: string, command: string, text: string }} part
 */
export function withPart(page, { name, command, text }) {
  const begin = `<!-- ${name}: written by \`npm run ${command}\` -->`;
  const end = `<!-- /${name} -->`;
  const [before, rest] = page.split(begin);
  const after = rest?.split(end)[1];
  if (before === undefined || after === undefined) throw new Error(`The page has no lines "${begin}" and "${end}".`);
  return `${before}${begin}\n${text}\n${end}${after}`;
}
