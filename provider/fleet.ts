import { roundCost } from "./cluster/money";
import { isRecord } from "./core";

/** The decisions about a fleet of clusters, for the components of both adapters: what its members are, and in which waves. */

/** A fleet as a program describes it: either `count` and `cluster`, or `clusters`. */
export interface FleetForm<Args> {
  readonly count?: number | undefined;
  readonly cluster?: Args | undefined;
  readonly clusters?: Readonly<Record<string, Args>> | undefined;
  readonly waves?: Waves | undefined;
  readonly await?: string | undefined;
}

const largestCount = 500;

/** What is wrong with the form of a fleet; `undefined` if nothing is. Checked at run time: few languages have a compiler for it. */
export function problemOfFleet({
  count,
  cluster,
  clusters,
  waves,
  await: mode,
}: FleetForm<unknown>): string | undefined {
  const problem = problemOfWaves(waves);
  if (problem !== undefined) return problem;
  if (![undefined, "each", "together"].includes(mode)) return '`await` must be "each" or "together"';
  const isCounted = count !== undefined || cluster !== undefined;
  if (isCounted === (clusters !== undefined)) {
    const found = isCounted ? "both are" : "neither is";
    return `give either \`count\` and \`cluster\`, or \`clusters\`; ${found} there`;
  }
  if (clusters !== undefined) return problemOfObjects({ clusters, ...prefixed(clusters) });
  if (cluster === undefined) return "`cluster` is required beside `count`: it says what each of them is";
  if (Number.isInteger(count) && Number(count) >= 0 && Number(count) <= largestCount) {
    return problemOfObjects({ cluster });
  }
  const got = typeof count === "number" ? `, got ${count}` : ", known when the program runs";
  return `\`count\` must be a whole number from 0 to ${largestCount}${got}`;
}

function problemOfObjects(values: Readonly<Record<string, unknown>>): string | undefined {
  const [name] = Object.keys(values).filter((key) => !isRecord(values[key]));
  return name && `\`${name}\` must be an object, known when the program runs; its fields may be known later`;
}

function prefixed(clusters: object): Record<string, unknown> {
  return Object.fromEntries(Object.entries(clusters).map(([key, value]) => [`clusters.${key}`, value]));
}

/**
 * The clusters of a fleet with their keys, in the order that decides the waves. Keys that are whole numbers come first, by their
 * value: an object of JavaScript keeps no other order of them. The others follow as the program has them. Pure. Its form has no
 * problem.
 * @param isOrdered False if the engine has passed the keys on, which keeps no order: then the others follow by the alphabet.
 */
export function membersOf<Args>(
  { count, cluster, clusters = {} }: FleetForm<Args>,
  isOrdered = true,
): [string, Args][] {
  if (cluster === undefined) {
    return Object.entries(clusters).sort(([one], [other]) => compareKeys(one, other, isOrdered));
  }
  return Array.from({ length: count ?? 0 }, (_, index) => [String(index), cluster]);
}

const wholeNumber = /^(0|[1-9]\d*)$/;

function compareKeys(one: string, other: string, isOrdered: boolean): number {
  const [isNumber, isOtherNumber] = [wholeNumber.test(one), wholeNumber.test(other)];
  if (isNumber !== isOtherNumber) return isNumber ? -1 : 1;
  if (!isNumber && isOrdered) return 0;
  // A longer number is larger.
  return (isNumber ? one.length - other.length : 0) || (one < other ? -1 : 1);
}

/** The cost of all clusters. An unknown part makes the sum unknown: a sum of the rest would be too low. */
export function sumOfCosts(costs: readonly (number | undefined)[]): number | undefined {
  return costs.reduce<number | undefined>(
    (sum, cost) => (sum === undefined || cost === undefined ? undefined : roundCost(sum + cost)),
    0,
  );
}

/** How far a change goes, wave by wave: a number of clusters, or a share of all of them such as `"25%"`, rounded up. */
export type Waves = readonly (number | string)[];

const share = /^([1-9]\d?|100)%$/;

/** What is wrong with the waves of a program; `undefined` if nothing is. */
export function problemOfWaves(waves: unknown): string | undefined {
  if (waves === undefined) return undefined;
  if (!Array.isArray(waves)) return "`waves` must be a list, known when the program runs";
  const at = waves.findIndex((entry) => !isCount(entry) && !isShare(entry));
  if (at >= 0) return `\`waves[${at}]\` must be a whole number from 1, or a share from "1%" to "100%"`;
  // A count and a share can be compared only for one size of the fleet, which may change.
  const falls = [waves.filter(isCount), waves.filter(isShare).map((entry) => Number.parseInt(entry, 10))]
    .flatMap((sizes) => sizes.map((size, index) => size <= (sizes[index - 1] ?? 0)))
    .includes(true);
  return falls ? "`waves` must grow: each entry counts the clusters of the waves before it too" : undefined;
}

/**
 * The members in their waves, in the same order. Pure. An entry that adds no member to those before it makes no wave. Members
 * beyond the last entry are one more wave: a fleet that grows never loses any.
 */
export function wavesOf<Member>(members: readonly Member[], waves: Waves = []): Member[][] {
  const ends = [...waves.map((entry) => endOf(entry, members.length)), members.length];
  return ends.map((end, index) => members.slice(Math.max(0, ...ends.slice(0, index)), end)).filter(isFilled);
}

function endOf(entry: number | string, size: number): number {
  return typeof entry === "number" ? entry : Math.ceil((size * Number.parseInt(entry, 10)) / 100);
}

function isFilled(wave: readonly unknown[]): boolean {
  return wave.length > 0;
}

function isCount(entry: unknown): entry is number {
  return Number.isInteger(entry) && Number(entry) >= 1;
}

function isShare(entry: unknown): entry is string {
  return typeof entry === "string" && share.test(entry);
}
