// @ts-check
// The rules of the prose check, for textlint: one for words, one for sentences. Code and links are no prose.

/** @typedef {{ type: string, range: readonly [number, number], children?: readonly Node[] }} Node */
/** @typedef {import("@textlint/types").TextlintRuleModule} Rule */
/** @typedef {import("@textlint/types").TextlintRuleContext} Context */

/**
 * What a text must not contain, what to write instead, and why.
 *
 * @type {readonly { words: RegExp, better: string, why: string }[]}
 */
export const words = [
  {
    words: /\b(simply|just|easily|easy|obviously|clearly|of course|basically|actually)\b/gi,
    better: "leave it out",
    why: "it tells a reader who is stuck that the fault is theirs",
  },
  {
    words: /\b(very|really|quite|rather(?! than)|fairly|extremely|a bit|kind of|sort of)\b/gi,
    better: "leave it out, or give a number",
    why: "it measures nothing",
  },
  {
    words: /\b(please|note that|in order to|it should be noted|as you can see)\b/gi,
    better: "leave it out; `to` for `in order to`",
    why: "an instruction is shorter without it",
  },
  {
    words: /\b(e\.g\.|i\.e\.|etc\.?|via|resp\.)/gi,
    better: "for example, that is, and so on, through",
    why: "not every reader knows abbreviations and Latin",
  },
  {
    words: /\b\w+n['’]t\b|\b(it|that|there|what|let)['’]s\b/gi,
    better: "the long form",
    why: "a `not` that stands alone is not overlooked",
  },
  {
    words: /\b([Bb]ehavior|[Cc]olor|[Ll]icense|[Cc]enter|[Ff]avor|[Hh]onor|[Ll]abeled|[Gg]ray)(s|ed|ing)?\b/g,
    better: "behaviour, colour, licence, centre, favour, honour, labelled, grey",
    why: "one word has one spelling, so that a search finds it",
  },
  {
    words: /\b(organis|recognis|initialis|serialis|normalis|minimis|customis|summaris|cancelled)\w*/gi,
    better: "organize, recognize, canceled, as Pulumi has them",
    why: "one word has one spelling, so that a search finds it",
  },
  {
    words: /\b(rollout|back-off|time-out|life cycle|work-flow|read-me|plug-in|name-space|web site|command-line)s?\b/gi,
    better: "roll-out, backoff, timeout, lifecycle, workflow, plugin, website, command line",
    why: "one word has one spelling, so that a search finds it",
  },
  {
    words:
      /\b(Github|Gitlab|Typescript|Javascript|NodeJS|Node\.JS|nodejs|Pypi|PyPi|Npm|Yaml|Json|Nuget|Openapi|pulumi CLI|Api|Gpu|Url|Cpu)s?\b/g,
    better: "GitHub, TypeScript, Node.js, PyPI, npm, YAML, JSON, NuGet, Pulumi CLI, API, GPU, URL",
    why: "a name is written as its owner writes it",
  },
  {
    words: /\b(click here|this link|see here|read here)\b/gi,
    better: "the title of the page",
    why: "a link has to say where it leads, also to a screen reader",
  },
  { words: /\b(\w+)\s+\1\b/gi, better: "the word once", why: "a repeated word is a slip" },
];

/** A reader keeps about this many words in mind until the full stop. */
export const longest = 35;

/** Stands for code in a sentence. */
const code = "¤";

/**
 * The prose of a paragraph. Each character keeps its place, so that a finding has its column: markup becomes spaces.
 *
 * @param {Context} context
 * @param {Node} node
 */
function proseOf(context, node) {
  const source = context.getSource(/** @type {never} */ (node));
  const text = Array.from({ length: source.length }, () => " ");
  /** @param {Node} part */
  const collect = (part) => {
    const [from, to] = [part.range[0] - node.range[0], part.range[1] - node.range[0]];
    for (let at = from; at < to; at++) {
      if (part.type === "Str") text[at] = source[at] ?? " ";
      if (part.type === "Code") text[at] = code;
    }
    part.children?.forEach(collect);
  };
  collect(node);
  // The shortcodes of the registry's pages.
  return text.join("").replace(/\{\{.*?\}\}/g, (shortcode) => " ".repeat(shortcode.length));
}

/**
 * The sentences of a prose, each with its place.
 *
 * @param {string} prose
 */
export function sentencesOf(prose) {
  return [...prose.matchAll(/\S.*?(?:[.!?:]["')]*(?=\s+["'(]*[\p{Lu}¤])|$)/gsu)].map(({ 0: text, index }) => ({
    index,
    count: text.split(/\s+/).filter((word) => /[\p{L}\p{N}¤]/u.test(word)).length,
  }));
}

/**
 * A rule that looks at the prose of each paragraph, heading and cell.
 *
 * @param {(prose: string) => { index: number, message: string }[]} find
 * @returns {Rule}
 */
function ruleOf(find) {
  return (context) => {
    const { RuleError, report, locator } = context;
    /** @param {Node} node */
    const check = (node) => {
      for (const { index, message } of find(proseOf(context, node)))
        report(/** @type {never} */ (node), new RuleError(message, { padding: locator.at(index) }));
    };
    return { Paragraph: check, Header: check, TableCell: check };
  };
}

/** @type {Readonly<Record<string, Rule>>} */
export const rules = {
  words: ruleOf((prose) =>
    words.flatMap(({ words, better, why }) =>
      [...prose.matchAll(words)].map(({ 0: word, index }) => ({ index, message: `"${word}": ${better} (${why})` })),
    ),
  ),
  sentences: ruleOf((prose) =>
    sentencesOf(prose)
      .filter(({ count }) => count > longest)
      .map(({ index, count }) => ({ index, message: `a sentence of ${count} words: at most ${longest}` })),
  ),
};
