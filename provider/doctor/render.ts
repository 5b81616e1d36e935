import { listItem, table, wrap } from "../columns";
import type { EndpointFinding, EndpointState, GpuFinding, NamesFinding, Report } from "./report";

/** A report as text of at most 80 columns. Pure. */

const width = 80;
const labelWidth = 15;

/** Colours a text; leaves it as it is if there are no colours. */
export type Paint = (text: string, colour: keyof typeof colours) => string;

const colours = { green: 32, yellow: 33, red: 31, bold: 1 } as const;

export const plain: Paint = (text) => text;
export const coloured: Paint = (text, colour) => `\u001b[${colours[colour]}m${text}\u001b[0m`;

export function render(report: Report, paint: Paint = plain): string {
  const { address, canManage, verdict, requests, version } = report;
  const lines = [
    ...field("Address", address),
    ...field("Verdict", verdict).map((line) =>
      line.replace(verdict, (text) => paint(text, canManage ? "green" : "red")),
    ),
    "",
    paint("Endpoints", "bold"),
    ...endpointLines(report.endpoints, paint),
    "",
    ...factLines(report),
    ...gpuLines(report.gpuTypes, paint),
    ...adviceLines(report, paint),
    "",
    `pulumi-gpucluster ${version}; requests: ${requests}, all of them reads`,
  ];
  return `${lines.join("\n")}\n`;
}

const stateColours: Readonly<Partial<Record<EndpointState, keyof typeof colours>>> = {
  answers: "green",
  missing: "yellow",
  "not asked": "yellow",
};

function endpointLines(endpoints: readonly EndpointFinding[], paint: Paint): string[] {
  const names = endpoints.map(({ endpoint }) => endpoint.length);
  const [first, second] = [Math.max(...names) + 4, 14];
  return endpoints.flatMap(({ endpoint, state, form, spelling, detail, excerpt }) => {
    const what = wrap([form, spelling, detail].filter(Boolean).join(", "), width - first - second);
    const shown = excerpt === undefined ? [] : wrap(excerpt, width - 4).map((line) => `    ${line}`);
    const [start = "", ...more] = what;
    const name = `  ${endpoint}`.padEnd(first);
    const head = `${name}${paint(state, stateColours[state] ?? "red")}${" ".repeat(second - state.length)}${start}`;
    return [head.trimEnd(), ...more.map((line) => " ".repeat(first + second) + line), ...shown];
  });
}

function factLines(report: Report): string[] {
  const { clusters, notAllowed } = report;
  return [
    ...field("Clusters", clusters ? clusterText(clusters) : unknown),
    ...(clusters?.names?.length ? field("  names", clusters.names.join(", ")) : []),
    ...field("Request names", isUnknown(report) ? unknown : namesText(report.requestNames)),
    ...field("Health", healthTexts[report.replicaHealth.source]),
    ...field("Update", isUnknown(report) ? unknown : updateText(report.update)),
    ...field("Rate limit", rateText(report.rateLimit)),
    ...field("Clock", clockText(report.clockDifferenceSeconds)),
    ...field(
      "Not allowed",
      notAllowed.join(", ") || (isUnknown(report) ? unknown : "none of these reads; no write was tried"),
    ),
  ];
}

const unknown = "not known";

/** Whether no endpoint has answered, so that there is no basis for a guess. */
function isUnknown({ endpoints }: Report): boolean {
  return endpoints.every(({ state }) => state !== "answers");
}

function clusterText({ count, complete }: NonNullable<Report["clusters"]>): string {
  return complete ? String(count) : `${count}, perhaps more`;
}

const certainties: Readonly<Record<NamesFinding["certainty"], (finding: NamesFinding) => string>> = {
  shown: ({ evidence: [first, ...others], names }) =>
    [`as ${first?.endpoint} shows`, ...others.filter((other) => other.names !== names).map(contradiction)].join("; "),
  likely: () => "as the form of the empty list of clusters suggests",
  open: () => "because no answer shows which",
};

function contradiction({ endpoint, names }: NamesFinding["evidence"][number]): string {
  return `but ${endpoint} shows ${names}`;
}

function namesText(finding: NamesFinding): string {
  const { names, certainty } = finding;
  return `${names}, ${certainties[certainty](finding)}. The setting gpucluster:requestNames of a stack goes first; it is not read here`;
}

const healthTexts: Readonly<Record<Report["replicaHealth"]["source"], string>> = {
  status: "of each replica, from /status",
  record: "of each replica, from the record of the cluster, for there is no /status",
  none: "none: no answer that the provider can use shows replicas",
  unknown: "not known: no cluster to read",
};

function updateText({ named, isDescribed, tried }: Report["update"]): string {
  const said = named
    ? `the descriptor names ${named}`
    : isDescribed
      ? "the descriptor names none"
      : "there is no descriptor that names one";
  return (
    `${said}. Only a write can tell: the first change tries ${tried.join(", ")}. If all of them are refused, ` +
    "/scale and /redeploy remain, and any other change needs a new cluster"
  );
}

function rateText({ limit, left, resetInSeconds, isUsedUp }: Report["rateLimit"]): string {
  const parts = [
    limit === undefined ? undefined : `${limit} in a window`,
    left === undefined ? undefined : `${left} left`,
    resetInSeconds === undefined ? undefined : `the window ends in ${resetInSeconds} s`,
  ].filter(Boolean);
  const said = parts.length > 0 ? parts.join(", ") : "no header shows it; 100 in a minute are assumed";
  return isUsedUp ? `used up: ${said}` : said;
}

/** The `Date` header has whole seconds: a smaller difference means nothing. */
const leastSeconds = 2;

function clockText(seconds: number | undefined): string {
  if (seconds === undefined) return "not known: no success has a date";
  if (Math.abs(seconds) < leastSeconds) return "the service's and ours agree";
  return `the service's is ${Math.abs(seconds)} s ${seconds > 0 ? "ahead of" : "behind"} ours`;
}

function gpuLines(finding: GpuFinding | undefined, paint: Paint): string[] {
  if (!finding) return field("GPU types", unknown);
  const { certain, types } = finding;
  const meaning = certain
    ? "a gpuType that is not listed fails a preview"
    : "a gpuType that is not listed is a warning";
  const rows = types.map((gpu) => [
    gpu.type,
    gpu.name ?? "",
    [gpu.pricePerHour, gpu.pricePerHour === undefined ? undefined : gpu.currency].filter(isGiven).join(" "),
    gpu.availableCount === undefined ? stockWords(gpu.available) : String(gpu.availableCount),
  ]);
  const title = `${paint("GPU types", "bold")} (the list is ${certain ? "" : "not "}certain: ${meaning})`;
  const lines = table([["identifier", "name", "per hour", "stock"], ...rows], mostWidths);
  return ["", title, ...lines.map((line) => `  ${line}`.trimEnd())];
}

function isGiven(value: unknown): boolean {
  return value !== undefined;
}

function stockWords(available: boolean | undefined): string {
  return available === undefined ? "" : available ? "yes" : "none";
}

/** The widest that each column may be: a UUID, a name, a price with its currency. */
const mostWidths = [36, 20, 10, 6];

function adviceLines({ advice }: Report, paint: Paint): string[] {
  if (advice.length === 0) return [];
  const items = advice.flatMap((text) => listItem(text, width));
  return ["", paint("What would help", "bold"), ...items];
}

function field(label: string, text: string): string[] {
  return wrap(text, width - labelWidth).map((line, index) => (index === 0 ? label : "").padEnd(labelWidth) + line);
}
