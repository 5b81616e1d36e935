// Markdown from the JSON of `pulumi preview` or `pulumi refresh`: node scripts/summary.mjs TITLE FILE
import { readFileSync } from "node:fs";

/** Inputs whose values the summary shows. Never `env`: of everything else it shows the names only. */
const SHOWN = ["gpuType", "replicas", "readyReplicas", "desiredStatus", "status", "container", "name"];
/** What has a column of its own, or is no change of the cluster: it is put among the inputs once it is known. */
const UNSAID = ["hourlyCost", "endpoint", "createdAt"];
/** What the engine puts before a text about a resource, which the summary names itself. */
const PREFIX = /^(?:error|warning): (?:\S+ resource '[^']*' has a problem: )?/;
const WORDS = { create: "created", update: "changed", replace: "**replaced**", delete: "**deleted**" };

const [title, file] = process.argv.slice(2);
console.log(summaryOf(title, readFileSync(file, "utf8")));

function summaryOf(title, text) {
  const head = `## ${title} of ${codeOf(String(process.env.PULUMI_STACK))}`;
  if (text.trim() === "") return `${head}\n\nIt did not begin: the log of the job says why.`;
  const { steps = [], diagnostics } = JSON.parse(text);
  const last = [...new Map(steps.map((step) => [step.urn, step])).values()];
  const clusters = last.filter(({ urn }) => /gpucluster:(index:)?Cluster$/.test(typeOf(urn)));
  const others = last.filter(({ urn, op }) => op in WORDS && typeOf(urn) !== "pulumi:pulumi:Stack");
  const rows = clusters.map(rowOf).sort((a, b) => a.name.localeCompare(b.name));
  const errors = textsOf(diagnostics, "error");
  // After an error the rest was not looked at, and would be shown as unchanged.
  const changes = [
    tableOf(rows),
    listOf("Other resources", others.filter((step) => !clusters.includes(step)).map(otherOf)),
  ];
  return [
    head,
    ...(errors.length > 0 ? [listOf("Errors", errors)] : changes),
    listOf("Warnings", textsOf(diagnostics, "warning")),
  ]
    .filter(Boolean)
    .join("\n\n");
}

/** One cluster: what happens to it, and what it costs before and after; `undefined` is not known. */
function rowOf({ op, urn, oldState, newState, detailedDiff }) {
  const before = op === "create" ? 0 : costOf(oldState?.outputs, oldState?.inputs);
  const after = op === "delete" ? costAfterDelete(oldState) : costAfter(op, newState);
  const isOpen = [oldState, newState].some((state) => state?.outputs?.settled === false);
  const change = [
    changeOf(op, oldState),
    ...changesOf(oldState, newState, detailedDiff),
    ...(isOpen ? ["not ready"] : []),
  ];
  return { name: nameOf(urn), change: change.join(", "), before, after };
}

function changeOf(op, oldState) {
  return op === "delete" && isLeft(oldState) ? "**leaves the stack**" : (WORDS[op] ?? "unchanged");
}

function isLeft(state) {
  return state?.retainOnDelete === true;
}

function changesOf(oldState, newState, detailedDiff) {
  const paths = Object.keys(detailedDiff ?? {}).filter((path) => !UNSAID.includes(path));
  return paths.map((path) => {
    if (!SHOWN.includes(path)) return codeOf(path);
    const [before, after] = [oldState, newState].map((state) =>
      wordOf(state?.inputs?.[path] ?? state?.outputs?.[path]),
    );
    return `${path} ${before} → ${after}`;
  });
}

/** Nobody says what a cluster costs that the stack leaves behind. */
function costAfterDelete(oldState) {
  return isLeft(oldState) ? undefined : 0;
}

function costAfter(op, { inputs, outputs } = {}) {
  return op in WORDS ? costOf(inputs, outputs) : costOf(outputs, inputs);
}

/**
 * The first that says a cost. After a change that was cut off, the outputs are what is billed, and the inputs those before
 * it; before a change, the inputs are what will be.
 */
function costOf(...properties) {
  return properties.map((known) => known?.hourlyCost).find((cost) => typeof cost === "number");
}

function tableOf(rows) {
  if (rows.length === 0) return "No cluster.";
  const sums = ["before", "after"].map((key) => sumOf(rows.map((row) => row[key])));
  return [
    "| cluster | | an hour, before | after |",
    "|---|---|--:|--:|",
    ...rows.map(
      ({ name, change, before, after }) => `| ${name} | ${change} | ${moneyOf(before)} | ${moneyOf(after)} |`,
    ),
    `| **all** | | **${sums[0]}** | **${sums[1]}** |`,
  ].join("\n");
}

function sumOf(costs) {
  const known = costs.filter((cost) => cost !== undefined);
  const sum = moneyOf(known.reduce((all, cost) => all + cost, 0));
  return known.length < costs.length ? `at least ${sum}` : sum;
}

function moneyOf(cost) {
  return cost === undefined ? "not known" : cost.toFixed(2);
}

function otherOf({ op, urn }) {
  return `${WORDS[op]}: ${nameOf(urn)} (${textOf(typeOf(urn))})`;
}

function textsOf(diagnostics, severity) {
  const found = (diagnostics ?? []).filter((diagnostic) => diagnostic.severity === severity);
  const texts = found.map(({ urn, message }) => {
    const text = message.replace(PREFIX, "");
    if (!urn || typeOf(urn) === "pulumi:pulumi:Stack") return textOf(text);
    const [name, own] = [urn.split("::").slice(3).join("::"), textOf(text)];
    return `${nameOf(urn)}: ${own.startsWith(`${name}: `) ? own.slice(name.length + 2) : own}`;
  });
  return [...new Set(texts)];
}

function listOf(heading, lines) {
  return lines.length === 0 ? undefined : `### ${heading}\n\n${lines.map((line) => `- ${line}`).join("\n")}`;
}

function typeOf(urn) {
  return urn.split("::")[2]?.split("$").at(-1) ?? "";
}

function nameOf(urn) {
  return codeOf(urn.split("::").slice(3).join("::"));
}

function wordOf(value) {
  return ["string", "number"].includes(typeof value) ? codeOf(String(value)) : "…";
}

function codeOf(word) {
  return `\`${word.replace(/[`|\r\n]/g, " ")}\``;
}

/** On one line, and shown as it is: only what stands between backticks is code, in which nothing else is interpreted. */
function textOf(text) {
  const line = text.trim().replace(/\s+/g, " ");
  const shown = line.replace(/(`[^`]+`)|[\\`*_~<[\]|&$]/g, (found, code) => code ?? `\\${found}`);
  // What would begin a list, a heading or a quotation there.
  return shown.replace(/^(\d*)([-+>#=.)])/, "$1\\$2");
}
