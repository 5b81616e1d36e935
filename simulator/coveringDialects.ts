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

// Found by simulated annealing; a greedy search alone needs a third more dialects. The table needs no updates: for a new or
// changed option, coveringRows adds the missing pairs as further dialects.
/** Mixes that, with plain and terse, contain every pair: for each option, the value of the first, second, ... mix. */
export const tunedMixes: Readonly<Record<string, string>> = {
  listShape: "1210112020210202",
  listForm: "1111100010011001",
  paged: "0110001001101011",
  paging: "1221201200122101",
  pageNumbers: "1011101011010011",
  recordShape: "1211020202120211",
  recordNames: "1010100111110001",
  stampShape: "0212222100101211",
  containerEcho: "1020010221210221",
  envEcho: "2101112202122000",
  envHidden: "1110011110100100",
  envForm: "0001111110100001",
  injectedEnv: "1010100011101101",
  updateMethod: "2010211121010222",
  updateRefusal: "0022122121001112",
  refusalAllow: "1010101110111010",
  updateSemantics: "2210221200110211",
  updateFields: "0011101110011101",
  updateRollsOut: "0011110100011101",
  envRequired: "1100100100000111",
  uniqueNames: "1001011010101110",
  runningWhen: "2101122121002012",
  statusShape: "0001100011101100",
  replicasForm: "0001100001011100",
  statusWords: "1201112200122021",
  replicaHealth: "2222211012011010",
  replicaFlag: "1010011101100001",
  replicasListed: "1100101101110111",
  startedBy: "1120221012220110",
  stoppedWord: "2200112221120011",
  stoppedUpdate: "1012210221021021",
  stoppedReplicas: "1101100101010101",
  gpuListShape: "2200120011122210",
  gpuStockListed: "1110100110000110",
  priceForm: "1201020221101221",
  pricePlace: "1021221221201100",
  stockForm: "0122002112111200",
  stockFlag: "0010100010111111",
  stockPlace: "0100111010011101",
  deleteAnswer: "2012101220221100",
  deleteAgain: "1222021221101010",
  tombstone: "0001011001111110",
  actionAnswer: "0122020021122211",
  busyWhen: "0011011001011111",
  errorCodes: "1001001010011011",
  errorShape: "0111111100110001",
  rateLimitStatus: "1110011100001111",
  rateLimitForm: "1101001010010011",
  rateResetUnit: "1022112200021121",
  descriptorPath: "2122000121011221",
};
