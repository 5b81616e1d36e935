/** Runs lives, makes the smallest life of each kind of violation, and prints lives. */

import { judge, type Violation } from "./laws";
import { axes, type Life, type Lived, lifeOf, lineOf, live } from "./lives";
import type { Sent } from "./service";

export interface Group extends Violation {
  count: number;
  /** The smallest life that still has the violation. */
  line: string;
}

async function violationsOf(life: Life): Promise<Violation[]> {
  try {
    return judge(await live(life));
  } catch (error) {
    return [{ law: "L6", text: `an unexpected end: ${error instanceof Error ? error.message : error}` }];
  }
}

const keyOf = ({ law, text }: Violation) => `${law} ${text}`;

/** Judges lives. Violations that have one smallest life are one group. */
export async function judgeLives(lives: readonly Life[], maxShrunk = 60): Promise<Group[]> {
  const groups = new Map<string, { count: number; life: Life; violation: Violation }>();
  for (const life of lives)
    for (const violation of await violationsOf(life)) {
      const { dialect, change, fault } = life;
      const [method] = dialect.split("-");
      const key = `${keyOf(violation)} ${method} ${fault === "none" ? "" : fault.split(":").at(-1)} ${/env/i.test(change)}`;
      const known = groups.get(key);
      if (known) known.count += 1;
      else groups.set(key, { count: 1, life, violation });
    }
  const smallest = new Map<string, Group>();
  const largest = [...groups.values()].sort((a, b) => b.count - a.count);
  for (const [index, { count, life, violation }] of largest.entries()) {
    const line = lineOf(index < maxShrunk ? await shrink(life, violation) : life);
    const key = index < maxShrunk ? `${violation.law} ${line}` : `${violation.law} others`;
    const known = smallest.get(key);
    if (known) known.count += count;
    else smallest.set(key, { ...violation, count, line });
  }
  return [...smallest.values()].sort((a, b) => (a.law === b.law ? b.count - a.count : a.law < b.law ? -1 : 1));
}

/** Makes each axis as simple as the violation permits. */
async function shrink(life: Life, violation: Violation): Promise<Life> {
  let current = life;
  for (const name of Object.keys(axes) as (keyof Life)[])
    for (const value of simplerValues(name, current[name])) {
      const simpler = { ...current, [name]: value } as Life;
      const left = await violationsOf(simpler);
      if (!left.some((each) => keyOf(each) === keyOf(violation))) continue;
      current = simpler;
      break;
    }
  return current;
}

function simplerValues(name: keyof Life, value: string): readonly string[] {
  const values: readonly string[] = axes[name];
  if (name === "fault") return values.slice(0, values.indexOf(value)).slice(0, 1);
  if (name !== "dialect") return values.slice(0, values.indexOf(value)).slice(0, 6);
  // The dialects with some parts of this one, and all others as in the simplest, fewest parts first.
  const [simplest = ""] = values;
  const parts = value.split("-");
  const othersIn = (dialect: string) => dialect.split("-").filter((part, index) => part !== simplest.split("-")[index]);
  const isPart = (dialect: string) => dialect !== value && othersIn(dialect).every((part) => parts.includes(part));
  return values.filter(isPart).sort((a, b) => othersIn(a).length - othersIn(b).length);
}

export function summaryOf(groups: readonly Group[]): string {
  return groups.map(({ law, text, count, line }) => `${law} x${count}: ${text}\n   LIFE='${line}'`).join("\n");
}

/** A life that is run alone, as text. */
export async function story(line: string): Promise<string> {
  const life = lifeOf(line);
  const lived = await live(life);
  return [...storyOf(lived), "", ...judge(lived).map(({ law, text }) => `${law}: ${text}`)].join("\n");
}

function* storyOf({ first, theirs, steps, last }: Lived): Iterable<string> {
  yield `first: ${JSON.stringify(first.stored)} runs ${JSON.stringify(first.running[0])}`;
  yield `another user: ${JSON.stringify(theirs)}`;
  for (const step of steps) {
    const { title, outcome, preview, diff, previewMessages, messages, error, sent, rollouts, after, state, isStruck } =
      step;
    yield `== ${title}: ${outcome}${isStruck ? " (fault)" : ""}`;
    yield `   preview ${JSON.stringify(preview)}`;
    for (const text of previewMessages) yield `   preview ${text}`;
    if (JSON.stringify(diff) !== JSON.stringify(preview)) yield `   diff ${JSON.stringify(diff)}`;
    for (const { line, status, atMs } of withoutRepeats(sent))
      yield `   ${new Date(atMs).toISOString().slice(11, 19)} ${status} ${line}`;
    for (const text of messages) yield `   ${text}`;
    if (error) yield `   error: ${error.replaceAll("\n", "\n          ")}`;
    yield `   rollouts ${rollouts.join(", ") || "none"}; stored ${JSON.stringify(after.stored)}`;
    yield `   runs ${after.running.length} x ${JSON.stringify(after.running[0])}, ${after.isHealthy ? "healthy" : "not healthy"}`;
    const hidden = Object.entries(state).filter(([name]) =>
      /^(__(observed|unfinished|fixed|secrets)|settled|env|replicas|container)$/.test(name),
    );
    yield `   state ${JSON.stringify(Object.fromEntries(hidden))}`;
  }
  yield `last refresh shows ${JSON.stringify(last.diff)}`;
}

/** Without the reads that repeat the one before. */
function withoutRepeats(sent: readonly Sent[]): Sent[] {
  const isRepeat = ({ line, status, isWrite }: Sent, before: Sent | undefined) =>
    !isWrite && line === before?.line && status === before.status;
  return sent.filter((each, index) => !isRepeat(each, sent[index - 1]));
}
