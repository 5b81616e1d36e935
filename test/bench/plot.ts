import { type Row, type Subject, whoOf } from "./rows";

/** The compared subjects, in the order of the bars. The colours are readable on light and on dark backgrounds. */
const bars: readonly { readonly who: Subject["who"]; readonly color: string }[] = [
  { who: "bound", color: "#8b949e" },
  { who: "ours", color: "#2da44e" },
  { who: "naive", color: "#d29922" },
];
const size = { width: 860, panel: 420, height: 320, left: 44, top: 48, bottom: 260 };
const barWidth = 20;

/** One of the two charts of a plot: a group of bars for each number on its axis. */
interface Panel {
  readonly title: string;
  readonly axis: string;
  readonly rows: readonly Row[];
  readonly groupOf: (row: Row) => number;
  readonly figureOf: (row: Row) => number | undefined;
}

/** Time until all clusters are ready, by number of clusters; a cross if some never were. */
export function plotOf(rows: readonly Row[]): string {
  const panel = (seconds: number): Panel => ({
    title: `seconds until all are ready; each takes ${seconds} s to come up`,
    axis: "clusters created at once",
    rows: rows.filter(({ kind, provisioningS }) => kind === "up" && provisioningS === seconds),
    groupOf: ({ clusters }) => clusters,
    figureOf: ({ figures }) => figures.seconds,
  });
  return drawing("Time until all clusters are ready", [panel(30), panel(300)]);
}

/** Refusals and the end of the last process, by number of processes on one key. */
export function plotOfProcesses(rows: readonly Row[]): string {
  const shared = {
    axis: "processes on one key that begin together",
    rows: rows.filter(({ kind, note }) => kind === "processes" && note === undefined),
    groupOf: ({ processes = 1 }: Row) => processes,
  };
  return drawing("Refusals and last end by number of processes", [
    { ...shared, title: "requests that are refused, in percent", figureOf: ({ figures }) => figures.refusedPercent },
    { ...shared, title: "seconds until all are ready", figureOf: ({ figures }) => figures.seconds },
  ]);
}

function drawing(title: string, panels: readonly Panel[]): string {
  const shown = bars.filter(({ who }) => panels.some(({ rows }) => rows.some((row) => row.who === who)));
  const legend = shown.map(({ who, color }, index) => {
    const x = size.left + index * 260;
    return `<rect x="${x}" y="8" width="12" height="12" fill="${color}"/>${text(x + 18, 19, whoOf({ who }))}`;
  });
  const drawn = panels.map((panel, index) => panelOf(panel, index * size.panel, shown));
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${size.width} ${size.height}" font-family="sans-serif" font-size="12">
<title>${title}</title>
${[...legend, ...drawn].join("\n")}
</svg>
`;
}

function panelOf({ title, axis, rows, groupOf, figureOf }: Panel, offset: number, shown: typeof bars): string {
  const longest = Math.max(1, ...rows.map((row) => figureOf(row) ?? 0));
  const groups = [...new Set(rows.map(groupOf))].map((group, index) => {
    const x = offset + size.left + index * 74;
    const label = text(x + (shown.length / 2) * barWidth, size.bottom + 18, `${group}`, "middle");
    const columns = shown.map(({ who, color }, bar) => {
      const row = rows.find((each) => groupOf(each) === group && each.who === who);
      return row ? columnOf(row, figureOf(row), { x: x + bar * barWidth, longest, color }) : "";
    });
    return [label, ...columns].join("");
  });
  const heading = text(offset + size.left, 42, title);
  return [heading, text(offset + size.left, size.bottom + 38, axis), ...groups].join("\n");
}

function columnOf(
  { figures }: Row,
  value: number | undefined,
  { x, longest, color }: { x: number; longest: number; color: string },
): string {
  const middle = x + barWidth / 2;
  if (value === undefined) return text(middle, size.bottom - 4, `✗${figures.failed ?? ""}`, "middle");
  const height = (value / longest) * (size.bottom - size.top - 20);
  const y = size.bottom - height;
  const rect = `<rect x="${x + 1}" y="${y.toFixed(1)}" width="${barWidth - 2}" height="${height.toFixed(1)}" fill="${color}"/>`;
  return `${rect}<text x="${middle}" y="${(y - 3).toFixed(1)}" text-anchor="middle" font-size="9" fill="#8b949e">${value.toFixed(0)}</text>`;
}

function text(x: number, y: number, content: string, anchor = "start"): string {
  return `<text x="${x}" y="${y}" text-anchor="${anchor}" fill="#8b949e">${content.replaceAll("&", "&amp;").replaceAll("<", "&lt;")}</text>`;
}
