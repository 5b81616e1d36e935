import { type Figure, figureFormats, figureNames } from "./figures";
import { type Row, titleOf, whoOf } from "./rows";
import type { Miss } from "./targets";

/** Rows as a Markdown table that is also fit for a terminal, with `!` behind each figure that misses its target. */
export function tableOf(rows: readonly Row[], misses: readonly Miss[]): string {
  const columns = figureNames.filter((figure) => rows.some(({ figures }) => figures[figure] !== undefined));
  const head = ["run", "by", ...columns.map((figure) => figureFormats[figure].title)];
  const lines = rows.map((row) => [titleOf(row), whoOf(row), ...columns.map((figure) => cellOf(row, figure, misses))]);
  const widths = head.map((_, column) => Math.max(...[head, ...lines].map((line) => line[column]?.length ?? 0)));
  const rule = widths.map((width, column) => (column < 2 ? "-".repeat(width) : `${"-".repeat(width - 1)}:`));
  return [head, rule, ...lines].map((line) => `| ${padded(line, widths).join(" | ")} |`).join("\n");
}

function padded(line: readonly string[], widths: readonly number[]): string[] {
  return widths.map((width, column) => {
    const cell = line[column] ?? "";
    return column < 2 ? cell.padEnd(width) : cell.padStart(width);
  });
}

function cellOf(row: Row, figure: Figure, misses: readonly Miss[]): string {
  const value = row.figures[figure];
  const isMissed = misses.some((miss) => miss.row === row && miss.figure === figure);
  const text = value === undefined ? "" : value.toFixed(figureFormats[figure].digits);
  return isMissed ? `${text || "none"} !` : text;
}
