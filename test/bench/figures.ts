/** The measured figures and their formats, in the order of the columns. */
export const figureFormats = {
  seconds: { title: "time s", digits: 1 },
  ratio: { title: "ratio to bound", digits: 2 },
  /** The time of a preview over the one of as many resources that do nothing, in the same run. */
  overEmpty: { title: "over empty", digits: 2 },
  /** A run on the fast clock against the same run on the real clock: the longer time over the shorter one. */
  drift: { title: "scaled against real", digits: 2 },
  lag: { title: "mean lag s", digits: 2 },
  requests: { title: "requests", digits: 0 },
  refused: { title: "429s", digits: 0 },
  refusedPercent: { title: "429s in %", digits: 1 },
  failed: { title: "failed", digits: 0 },
  bytes: { title: "bytes", digits: 0 },
  milliseconds: { title: "ms", digits: 0 },
  megabytes: { title: "MB", digits: 1 },
} as const;

export type Figure = keyof typeof figureFormats;

/** The figures of one row; a figure without a meaning for the row is absent. */
export type Figures = Partial<Readonly<Record<Figure, number>>>;

export const figureNames = Object.keys(figureFormats).filter(isFigure);

export function isFigure(name: string): name is Figure {
  return Object.hasOwn(figureFormats, name);
}

const timed: readonly Figure[] = ["seconds", "ratio", "drift"];

/** Several equal runs as one: the shortest times, because load on the machine only adds to them. */
export function bestOf(runs: readonly Figures[]): Figures {
  return merged(runs, (times) => Math.min(...times));
}

/** Several equal runs as one: the mean times, because the end of a window within its second is random. */
export function meanOf(runs: readonly Figures[]): Figures {
  return merged(runs, mean);
}

/** The mean lag, because the time from the event to the next poll is random; the largest of all other figures. */
function merged(runs: readonly Figures[], timeOf: (times: readonly number[]) => number): Figures {
  const oneOf = (figure: Figure) => (figure === "lag" ? mean : timed.includes(figure) ? timeOf : mostOf);
  const entries = figureNames.flatMap((figure) => {
    const values = runs.flatMap((figures) => figures[figure] ?? []);
    return values.length > 0 ? [[figure, oneOf(figure)(values)] as const] : [];
  });
  return Object.fromEntries(entries);
}

function mostOf(values: readonly number[]): number {
  return Math.max(...values);
}

export function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}
