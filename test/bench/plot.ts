import type { Figures, Row } from "./rows";

/** The bars of a group. The colours are readable on light and on dark backgrounds. */
const bars = [
  { who: "bound", title: "physical bound", color: "#8b949e" },
  { who: "ours", title: "pulumi-gpucluster", color: "#2da44e" },
  { who: "naive", title: "naive provider", color: "#d29922" },
] as const;
const size = { width: 860, panel: 420, height: 320, left: 44, top: 48, bottom: 260 };
const barWidth = 20;

/** Time until all clusters are ready, by number of clusters; a cross if some never were. */
export function plotOfTimes(rows: readonly Row[]): string {
  const title = "Time until all clusters are ready";
  return drawing(title, "seconds until all are ready", rows, ({ seconds }) => seconds);
}

/** Requests that are sent, by number of clusters. */
export function plotOfRequests(rows: readonly Row[]): string {
  return drawing("Requests until all clusters are ready", "requests", rows, ({ requests }) => requests);
}

function drawing(
  title: string,
  unit: string,
  rows: readonly Row[],
  figureOf: (figures: Figures) => number | undefined,
) {
  const legend = bars.map((bar, index) => {
    const x = size.left + index * 260;
    return `<rect x="${x}" y="8" width="12" height="12" fill="${bar.color}"/>${text(x + 18, 19, bar.title)}`;
  });
  const panels = [30, 300].map((seconds, index) => {
    const panelRows = rows.filter(({ fleet }) => fleet?.provisioningS === seconds);
    return panelOf(`${unit}; each takes ${seconds} s to come up`, panelRows, index * size.panel, figureOf);
  });
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${size.width} ${size.height}" font-family="sans-serif" font-size="12">
<title>${title}</title>
${[...legend, ...panels].join("\n")}
</svg>
`;
}

function panelOf(
  title: string,
  rows: readonly Row[],
  offset: number,
  figureOf: (figures: Figures) => number | undefined,
): string {
  const values = rows.flatMap((row) => bars.map(({ who }) => figureOf(row[who] ?? {}) ?? 0));
  const maxValue = Math.max(1, ...values);
  const groups = rows.map((row, index) => {
    const x = offset + size.left + index * 74;
    const label = text(x + (bars.length / 2) * barWidth, size.bottom + 18, `${row.fleet?.clusters}`, "middle");
    const columns = bars.map(({ who, color }, bar) => {
      const figures = row[who] ?? {};
      return columnOf(figures, (figureOf(figures) ?? 0) / maxValue, figureOf(figures), x + bar * barWidth, color);
    });
    return [label, ...columns].join("");
  });
  const heading = text(offset + size.left, 42, title);
  return [heading, text(offset + size.left, size.bottom + 38, "clusters created at once"), ...groups].join("\n");
}

function columnOf({ failed }: Figures, share: number, value: number | undefined, x: number, color: string): string {
  const middle = x + barWidth / 2;
  if (value === undefined) return text(middle, size.bottom - 4, `✗${failed ?? ""}`, "middle");
  const height = share * (size.bottom - size.top - 20);
  const y = size.bottom - height;
  const rect = `<rect x="${x + 1}" y="${y.toFixed(1)}" width="${barWidth - 2}" height="${height.toFixed(1)}" fill="${color}"/>`;
  return `${rect}<text x="${middle}" y="${(y - 3).toFixed(1)}" text-anchor="middle" font-size="9" fill="#8b949e">${value.toFixed(0)}</text>`;
}

function text(x: number, y: number, content: string, anchor = "start"): string {
  return `<text x="${x}" y="${y}" text-anchor="${anchor}" fill="#8b949e">${content}</text>`;
}
