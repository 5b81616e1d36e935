import { type Row, type Subject, whoOf } from "./rows";

/** The compared subjects, in the order of the bars. The colours are readable on light and on dark backgrounds. */
const bars: readonly { readonly is: Pick<Subject, "who" | "healthCheck">; readonly color: string }[] = [
  { is: { who: "bound" }, color: "#8b949e" },
  { is: { who: "ours", healthCheck: "status" }, color: "#2da44e" },
  { is: { who: "naive", healthCheck: "status" }, color: "#d29922" },
];
const panels = [30, 300];
const size = { width: 860, panel: 420, height: 320, left: 44, top: 48, bottom: 260 };
const barWidth = 20;

/** Time until all clusters are ready, by number of clusters, side by side; a cross if some never were. */
export function plotOf(rows: readonly Row[]): string {
  const ups = rows.filter(({ kind }) => kind === "up");
  const legend = bars.map(({ is, color }, index) => {
    const x = size.left + index * 260;
    return `<rect x="${x}" y="8" width="12" height="12" fill="${color}"/>${text(x + 18, 19, nameOf(is))}`;
  });
  const drawn = panels.map((seconds, index) =>
    panelOf(
      ups.filter(({ provisioningS }) => provisioningS === seconds),
      seconds,
      index * size.panel,
    ),
  );
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${size.width} ${size.height}" font-family="sans-serif" font-size="12">
<title>Time until all clusters are ready</title>
${[...legend, ...drawn].join("\n")}
</svg>
`;
}

function nameOf(is: Pick<Subject, "who" | "healthCheck">): string {
  return whoOf({ kind: "up", clusters: 0, ...is });
}

function panelOf(rows: readonly Row[], seconds: number, offset: number): string {
  const longest = Math.max(1, ...rows.map(({ figures }) => figures.seconds ?? 0));
  const sizes = [...new Set(rows.map(({ clusters }) => clusters))];
  const groups = sizes.map((clusters, index) => {
    const x = offset + size.left + index * 74;
    const label = text(x + 1.5 * barWidth, size.bottom + 18, `${clusters}`, "middle");
    const columns = bars.map(({ is, color }, bar) => {
      const row = rows.find((each) => each.clusters === clusters && isOf(each, is));
      return row ? columnOf(row, x + bar * barWidth, longest, color) : "";
    });
    return [label, ...columns].join("");
  });
  const title = text(offset + size.left, 42, `seconds until all are ready; each takes ${seconds} s to come up`);
  const axis = text(offset + size.left, size.bottom + 38, "clusters created at once");
  return [title, axis, ...groups].join("\n");
}

function isOf(row: Row, { who, healthCheck }: Pick<Subject, "who" | "healthCheck">): boolean {
  return row.who === who && (healthCheck === undefined || row.healthCheck === healthCheck);
}

function columnOf({ figures }: Row, x: number, longest: number, color: string): string {
  const { seconds } = figures;
  const middle = x + barWidth / 2;
  if (seconds === undefined) return text(middle, size.bottom - 4, `✗${figures.failed ?? ""}`, "middle");
  const height = (seconds / longest) * (size.bottom - size.top - 20);
  const y = size.bottom - height;
  const rect = `<rect x="${x + 1}" y="${y.toFixed(1)}" width="${barWidth - 2}" height="${height.toFixed(1)}" fill="${color}"/>`;
  return `${rect}<text x="${middle}" y="${(y - 3).toFixed(1)}" text-anchor="middle" font-size="9" fill="#8b949e">${seconds.toFixed(0)}</text>`;
}

function text(x: number, y: number, content: string, anchor = "start"): string {
  return `<text x="${x}" y="${y}" text-anchor="${anchor}" fill="#8b949e">${content.replaceAll("&", "&amp;").replaceAll("<", "&lt;")}</text>`;
}
