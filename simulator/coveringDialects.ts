/** One value per option, as its number in the option's list. */
export type Row = readonly number[];

/** More candidates save hardly any rows, and delay every program that imports the simulator. */
const candidatesPerRow = 4;

/** Any other seed works as well. */
const seed = 28;

/**
 * Adds rows until every pair of values of every two options is in one of them. Greedy: each new row is the best of
 * a few that are put together value by value. The same arguments always lead to the same rows.
 *
 * @param sizes How many values each option has.
 * @param seeds Rows that the result must contain; they come first.
 */
export function coveringRows(sizes: Row, seeds: readonly Row[]): Row[] {
  const missing = new MissingPairs(sizes);
  const random = randomNumbers(seed);
  const rows = [...seeds];
  for (const row of seeds) missing.take(row);
  while (missing.count > 0) {
    const candidates = Array.from({ length: candidatesPerRow }, () => candidate(missing, sizes, random));
    const best = candidates.reduce((left, right) => (right.gain > left.gain ? right : left));
    missing.take(best.row);
    rows.push(best.row);
  }
  return rows;
}

/** A row, and the number of missing pairs that it contains. */
interface Candidate {
  row: Row;
  gain: number;
}

/**
 * A row that begins with the value in most missing pairs. The options with many values come next, because they need the
 * most rows; each gets the value that makes the most missing pairs with the values before it.
 */
function candidate(missing: MissingPairs, sizes: Row, random: () => number): Candidate {
  const row = sizes.map(() => 0);
  const first = missing.neediest(random);
  const order = sizes
    .map((size, option) => ({ option, rank: option === first.option ? Number.POSITIVE_INFINITY : size + random() }))
    .sort((left, right) => right.rank - left.rank);
  const settled: number[] = [];
  let gain = 0;
  for (const { option } of order) {
    const best = option === first.option ? first : missing.worthiest(option, settled, random);
    row[option] = best.value;
    gain += best.gain;
    settled.push(missing.numberOf(option, best.value));
  }
  return { row, gain };
}

/** A value of an option, and the number of missing pairs that it makes with others. */
interface Worth {
  option: number;
  value: number;
  gain: number;
}

/** The pairs that no row contains yet. Each value has one number, counted through all options. */
class MissingPairs {
  count = 0;
  readonly #offsets: number[] = [];
  readonly #values: { option: number; value: number }[] = [];
  /** By two numbers, as `left * width + right`: 1 if the pair is missing. */
  readonly #missing: Uint8Array;
  /** By number: the count of missing pairs with the value. */
  readonly #needs: number[];

  constructor(readonly sizes: Row) {
    for (const [option, size] of sizes.entries()) {
      this.#offsets.push(this.#values.length);
      for (let value = 0; value < size; value += 1) this.#values.push({ option, value });
    }
    const pairs = this.#values.flatMap((left) => this.#values.map((right) => (left.option === right.option ? 0 : 1)));
    this.#missing = Uint8Array.from(pairs);
    this.#needs = this.#values.map(({ option }) => this.#values.length - (sizes[option] ?? 0));
    this.count = this.#needs.reduce((sum, need) => sum + need, 0) / 2;
  }

  numberOf(option: number, value: number): number {
    return (this.#offsets[option] ?? 0) + value;
  }

  /** The value in most missing pairs; if several tie, a random one. */
  neediest(random: () => number): Worth {
    const ranked = this.#values.map((at, number) => ({ at, rank: (this.#needs[number] ?? 0) + random() }));
    return { ...ranked.reduce((left, right) => (right.rank > left.rank ? right : left)).at, gain: 0 };
  }

  /** The value of an option that makes the most missing pairs with the settled values; if several tie, a random one. */
  worthiest(option: number, settled: readonly number[], random: () => number): Worth {
    let best = { option, value: 0, gain: 0 };
    let bestRank = -1;
    for (let value = 0; value < (this.sizes[option] ?? 0); value += 1) {
      const gain = this.#gain(this.numberOf(option, value), settled);
      const rank = gain + random() / 2;
      if (rank <= bestRank) continue;
      best = { option, value, gain };
      bestRank = rank;
    }
    return best;
  }

  /** Removes the pairs of a row from the missing pairs. */
  take(row: Row): void {
    const numbers = row.map((value, option) => this.numberOf(option, value));
    for (const number of numbers) {
      const gain = this.#gain(number, numbers);
      this.#needs[number] = (this.#needs[number] ?? 0) - gain;
      this.count -= gain / 2;
    }
    for (const left of numbers) for (const right of numbers) this.#missing[left * this.#values.length + right] = 0;
  }

  #gain(number: number, others: readonly number[]): number {
    const line = number * this.#values.length;
    let gain = 0;
    for (const other of others) gain += this.#missing[line + other] ?? 0;
    return gain;
  }
}

/** Park and Miller's generator: the same numbers, from 0 to 1, on every machine. */
function randomNumbers(start: number): () => number {
  let state = start;
  return () => {
    state = (state * 48_271) % 2_147_483_647;
    return state / 2_147_483_647;
  };
}
