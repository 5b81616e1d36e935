/** What one contender needed in a run; a figure without a meaning there is absent. */
export interface Figures {
  /** Absent if a cluster did not become ready. */
  readonly seconds?: number;
  readonly requests?: number;
  /** Requests that the service refused with 429. */
  readonly refused?: number;
  /** Clusters that were not created, read or deleted. */
  readonly failed?: number;
}

/** A limit that this package has to keep. */
export interface Target {
  readonly what: string;
  /** Not a number if there is no figure: a fleet that did not become ready has no time. */
  readonly is: number;
  readonly max: number;
  readonly digits: number;
}

/** One run of the benchmark: a line of its table. */
export interface Row {
  readonly run: string;
  /** Where the run stands in the plots. */
  readonly fleet?: { readonly clusters: number; readonly provisioningS: number };
  readonly ours: Figures;
  readonly naive?: Figures;
  readonly bound?: Figures;
  /** A figure without a target. */
  readonly note?: string;
  readonly targets: readonly Target[];
}

/** The mean of each figure. There is none if one run has none. */
export function meanOf(runs: readonly Figures[]): Figures {
  const mean = (name: keyof Figures) => {
    const sum = runs.reduce((total, run) => total + (run[name] ?? Number.NaN), 0);
    return Number.isNaN(sum) ? {} : { [name]: sum / runs.length };
  };
  return { ...mean("seconds"), ...mean("requests"), ...mean("refused"), ...mean("failed") };
}

export function atMost(what: string, is: number | undefined, max: number, digits = 0): Target {
  return { what, is: is ?? Number.NaN, max, digits };
}

/** What every run has to keep: no cluster fails, and no request is refused. */
export function cleanTargets({ failed, refused }: Figures): Target[] {
  return [atMost("failed", failed, 0), atMost("429s", refused, 0)];
}

export function isMissed({ is, max }: Target): boolean {
  return !(is <= max);
}

/** `1.04 of the bound (at most 1.07)`. */
export function targetText({ what, is, max, digits }: Target): string {
  return `${Number.isNaN(is) ? "no figure" : is.toFixed(digits)} ${what} (at most ${max.toFixed(digits)})`;
}

/** A line for each missed target: `create 100, 30 s: 1.40 of the bound (at most 1.07)`. */
export function missesOf(rows: readonly Row[]): string[] {
  return rows.flatMap(({ run, targets }) => targets.filter(isMissed).map((target) => `${run}: ${targetText(target)}`));
}
