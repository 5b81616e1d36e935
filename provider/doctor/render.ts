import { listItem, table, wrap } from "../base/columns";
import { listOf } from "../base/text";
import type { EndpointFinding, Report } from "./report";

/** A report as text of at most 80 columns. Pure. */

const width = 80;
const labelWidth = 15;
const unknown = "not known";

/** @param config Which config was read, in one sentence. */
export function render(report: Report, config: string): string {
  const { address, sources, verdict, requests, version, clusters, endpoints, gpuTypes, advice } = report;
  const [first, ...others] = advice;
  // Without any answer, there is no basis for a guess.
  const isKnown = endpoints.some(({ state }) => state === "answers");
  const count = clusters && (clusters.complete ? String(clusters.count) : `${clusters.count}, perhaps more`);
  const lines = [
    ...field("Config", config),
    ...field("Address", `${address} (${sources.baseUrl})`),
    ...field("Key", sources.apiKey),
    ...field("Verdict", verdict),
    ...["", "Endpoints", ...endpoints.flatMap(endpointLines), ""],
    ...field("Clusters", count ?? unknown),
    ...(clusters?.names?.length ? field("  names", clusters.names.join(", ")) : []),
    ...field("Request names", isKnown ? namesText(report.requestNames) : unknown),
    ...field("Health", healthTexts[report.replicaHealth.source]),
    ...field("In place", isKnown ? inPlaceText(report.fixed) : unknown),
    ...field("Rate limit", rateText(report.rateLimit)),
    ...field("Clock", clockText(report.clockDifferenceSeconds)),
    ...(gpuTypes ? gpuLines(gpuTypes) : field("GPU types", unknown)),
    ...["", `pulumi-gpucluster ${version}; requests: ${requests}, all of them reads`],
    ...(others.length > 0 ? ["", "What would help too", ...others.flatMap((text) => listItem(text, width))] : []),
    ...["", ...field("Next", first)],
  ];
  return `${lines.join("\n")}\n`;
}

function field(label: string, text: string): string[] {
  return wrap(text, width - labelWidth).map((line, index) => (index === 0 ? label : "").padEnd(labelWidth) + line);
}

function endpointLines({ endpoint, state, detail, form }: EndpointFinding): string[] {
  const head = `  ${endpoint}: ${[state, detail].filter(Boolean).join(", ")}`;
  const [first = "", ...more] = wrap(head.trim(), width - 2);
  const forms = form === undefined ? [] : wrap(form, width - 6);
  return [`  ${first}`, ...more.map((line) => `    ${line}`), ...forms.map((line) => `      ${line}`)];
}

const certainties = {
  set: "as gpucluster:requestNames says",
  shown: "as the answers show",
  likely: "as the form of the empty list of clusters suggests",
  open: "because no answer shows which",
} as const;

function namesText({ names, certainty }: Report["requestNames"]): string {
  return `${names}, ${certainties[certainty]}`;
}

const healthTexts: Readonly<Record<Report["replicaHealth"]["source"], string>> = {
  status: "of each replica, from /status",
  record: "of each replica, from the record of the cluster, for there is no /status",
  none: "none: no answer that the provider can use shows replicas",
  unknown: "not known: no cluster to read",
};

function inPlaceText(fixed: Report["fixed"]): string {
  return fixed.length === 0
    ? "every change, as far as reads show"
    : `every change but of ${listOf(fixed)}, which shows as a replacement in a preview`;
}

function rateText({ limit, isShown, left, resetInSeconds, isUsedUp }: Report["rateLimit"]): string {
  if (!isShown && !isUsedUp) return `no answer shows it; ${limit} in a minute are assumed`;
  const end = resetInSeconds === undefined ? [] : [`the window ends in ${resetInSeconds} s`];
  const said = [`${limit} in a window`, ...(left === undefined ? [] : [`${left} left`]), ...end].join(", ");
  return isUsedUp ? `used up: ${said}` : said;
}

function clockText(seconds: number | undefined): string {
  if (seconds === undefined) return "not known: no answer has a date";
  // The `Date` header has whole seconds: a smaller difference means nothing.
  if (Math.abs(seconds) < 2) return "the service's and ours agree";
  return `the service's is ${Math.abs(seconds)} s ${seconds > 0 ? "ahead of" : "behind"} ours`;
}

/** The widest that each column may be: a UUID, a name, a price with its currency, a number. */
const mostWidths = [36, 20, 10, 6];

function gpuLines({ certain, types }: NonNullable<Report["gpuTypes"]>): string[] {
  const meaning = certain
    ? "certain: a gpuType that is not listed fails a preview"
    : "not certain: a gpuType that is not listed is a warning";
  const rows = types.map(({ type, name = "", pricePerHour, currency, available, availableCount }) => [
    ...[type, name, pricePerHour === undefined ? "" : [pricePerHour, currency].filter(Boolean).join(" ")],
    String(availableCount ?? { true: "yes", false: "none", undefined: "" }[String(available)]),
  ]);
  const lines = table([["identifier", "name", "per hour", "stock"], ...rows], mostWidths);
  return ["", `GPU types (the list is ${meaning})`, ...lines.map((line) => `  ${line}`)];
}
