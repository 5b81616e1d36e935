import { money } from "../../provider/cluster/money";
import { cleanText, resourceNameOf } from "../../provider/text";
import type { Report, ReportedCluster, StackCluster } from "./report";

/** A report as text of at most 80 columns, or as Markdown. Pure. */

const width = 80;
const head = ["cluster", "managed by", "state", "per hour", "age"];
/** The widest that each column of the table may be; together with the gaps, 80. */
const mostWidths = [27, 22, 11, 8, 4];

const missingTitle = "In a state, but not in the list of clusters";
const uncheckedTitle = "In a state, but not checked: the key of the cluster's organization is not known here";
const incomplete = "The list of clusters is not complete: there may be more clusters.";
const note =
  "A cluster of a stack that is not named in this report also shows as managed by nobody. Nothing was changed.";

export function asText(report: Report): string {
  const { clusters, unmanaged, missing, unchecked, complete } = report;
  const sections = [
    clusters.length > 0 ? table([head, ...clusters.map(cellsOf)]) : ["There are no clusters."],
    wrap(totalText(report)),
    unmanaged.length > 0 ? ["Managed by nobody:", ...unmanaged.flatMap((cluster) => item(orphanText(cluster)))] : [],
    listed(missingTitle, missing),
    listed(uncheckedTitle, unchecked),
    complete ? [] : wrap(incomplete),
    wrap(note),
  ];
  return `${sections
    .filter((lines) => lines.length > 0)
    .map((lines) => lines.join("\n"))
    .join("\n\n")}\n`;
}

export function asMarkdown(report: Report): string {
  const { clusters, missing, unchecked, complete } = report;
  const rows = clusters.map((cluster) => {
    const [name = "", manager = "", state = "", cost = "", age = ""] = wholeCellsOf(cluster);
    const by = cluster.managedBy.length > 0 ? code(manager) : "**nobody**";
    return `| ${code(name)} | ${code(cluster.id)} | ${by} | ${state && code(state)} | ${cost} | ${age} |`;
  });
  const columns = "| cluster | id | managed by | state | per hour | age |\n|---|---|---|---|--:|--:|";
  const items = (entries: readonly StackCluster[]) => entries.map((entry) => `- ${code(entryText(entry))}`).join("\n");
  const sections = [
    "## GPU clusters",
    rows.length > 0 ? [columns, ...rows].join("\n") : "There are no clusters.",
    totalText(report),
    missing.length > 0 ? `### ${missingTitle}\n\n${items(missing)}` : "",
    unchecked.length > 0 ? `### ${uncheckedTitle}\n\n${items(unchecked)}` : "",
    complete ? "" : incomplete,
    note,
  ];
  return `${sections.filter(Boolean).join("\n\n")}\n`;
}

function wholeCellsOf({
  name,
  id,
  managedBy,
  status = "",
  hourlyCost,
  ageSeconds,
  currency,
}: ReportedCluster): string[] {
  const managers = managedBy.map(({ stack, urn }) => `${stack} ${resourceNameOf(urn)}`);
  const cost = hourlyCost === undefined ? "unknown" : money(hourlyCost, currency);
  return [name ?? id, managers.join(", ") || "nobody", status, cost, ageText(ageSeconds)].map((text) =>
    cleanText(text),
  );
}

function cellsOf(cluster: ReportedCluster): string[] {
  return wholeCellsOf({ ...cluster, currency: undefined });
}

function totalText({ clusters, unmanaged, hourlyCost, unmanagedHourlyCost }: Report): string {
  const [all, nobodys] = [sumText(clusters, hourlyCost), sumText(unmanaged, unmanagedHourlyCost)];
  return `Clusters: ${clusters.length}, ${all} per hour. Managed by nobody: ${unmanaged.length}, ${nobodys} per hour.`;
}

function sumText(clusters: readonly ReportedCluster[], sum: number): string {
  const currencies = new Set(clusters.flatMap(({ currency }) => currency ?? []));
  const isWhole = clusters.every((cluster) => cluster.hourlyCost !== undefined);
  const [currency] = currencies.size === 1 ? currencies : [];
  return `${isWhole ? "" : "at least "}${money(sum, currency)}`;
}

function orphanText({ id, name, gpuType = "unknown GPU type", replicas, service }: ReportedCluster): string {
  const size = replicas === undefined ? gpuType : `${replicas} x ${gpuType}`;
  return cleanText(`${id}${name === undefined ? "" : ` "${name}"`}, ${size}, ${service}`);
}

function entryText({ stack, urn, id }: StackCluster): string {
  return cleanText(`${stack} ${resourceNameOf(urn)}, ${id}`);
}

function listed(title: string, entries: readonly StackCluster[]): string[] {
  return entries.length > 0 ? [...wrap(`${title}:`), ...entries.flatMap((entry) => item(entryText(entry)))] : [];
}

const units = [
  { letter: "d", seconds: 86_400 },
  { letter: "h", seconds: 3_600 },
  { letter: "m", seconds: 60 },
] as const;

/** In the largest unit that fits at least once: `3d`, `5h`, `0m`. */
function ageText(ageSeconds: number | undefined): string {
  if (ageSeconds === undefined) return "";
  const { letter, seconds } = units.find((unit) => ageSeconds >= unit.seconds) ?? units[2];
  return `${Math.floor(ageSeconds / seconds)}${letter}`;
}

function table(rows: readonly (readonly string[])[]): string[] {
  const widths = mostWidths.map((most, at) => Math.min(most, Math.max(...rows.map((row) => (row[at] ?? "").length))));
  return rows.map((row) =>
    widths
      .map((own, at) => shorten(row[at] ?? "", own).padEnd(own))
      .join("  ")
      .trimEnd(),
  );
}

function shorten(text: string, most: number): string {
  return text.length > most ? `${text.slice(0, most - 1).toWellFormed()}…` : text;
}

function item(text: string): string[] {
  return wrap(text, width - 4).map((line, at) => `${at === 0 ? "  - " : "    "}${line}`);
}

/** Breaks a text at blanks; a longer word is cut. */
function wrap(text: string, most = width): string[] {
  return [...text.matchAll(new RegExp(`(?:\\S{${most}}|.{1,${most}}(?= |$))`, "gu"))].map(([line]) => line.trim());
}

/** Inline code for a cell: no character of the text ends the code or the cell. */
function code(text: string): string {
  return `\`${text.replace(/`/g, "'").replace(/\|/g, "\\|")}\``;
}
