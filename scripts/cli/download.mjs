// @ts-check
import { mkdirSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { runTool } from "../lib/run.mjs";
import { VERSION } from "./find.mjs";
import { installThrough } from "./staging.mjs";

/** The downloader has no such time limit: it waits for minutes if its host does not answer. */
const STALL_MS = 60_000;
const TOTAL_MS = 20 * 60_000;

/** The clock in curl's progress line, which continues to run while nothing arrives. */
const CLOCK = /[-\d]+:[-\d]{2}:[-\d]{2}/g;

/**
 * Installs the CLI with Pulumi's own downloader, the npm package `pulumi`.
 *
 * @param {{ stallMs?: number }} [options]
 */
export function download({ stallMs = STALL_MS } = {}) {
  return installThrough(async (folder) => {
    const temporary = join(folder, "tmp");
    mkdirSync(temporary);
    const stall = watchForStall(folder, stallMs);
    // The downloader takes its target from the home folder only, and downloads to the temporary folder.
    const env = {
      PULUMI_HOME: folder,
      PULUMI_VERSION: VERSION,
      PULUMI_SKIP_UPDATE_CHECK: "true",
      TMPDIR: temporary,
      TEMP: temporary,
      TMP: temporary,
    };
    const signal = AbortSignal.any([stall.signal, AbortSignal.timeout(TOTAL_MS)]);
    const { code, output } = await runTool("pulumi", "pulumi", ["version"], { env, signal, onOutput: stall.onOutput });
    stall.stop();
    if (code === 0) return { root: join(folder, "versions", VERSION) };
    const stopped = stall.signal.aborted ? `\nstopped: nothing arrived for ${stallMs / 1000} s` : "";
    return { reason: lastLines(output) + stopped };
  });
}

/**
 * A signal that aborts when neither files nor output have changed for `stallMs`.
 *
 * @param {string} folder
 * @param {number} stallMs
 */
function watchForStall(folder, stallMs) {
  const controller = new AbortController();
  let aliveAt = performance.now();
  let lastText = "";
  let lastSize = 0;
  const timer = setInterval(() => {
    const size = sizeOf(folder);
    if (size !== lastSize) aliveAt = performance.now();
    lastSize = size;
    if (performance.now() - aliveAt > stallMs) controller.abort();
  }, 1000);
  return {
    signal: controller.signal,
    stop: () => clearInterval(timer),
    onOutput: (/** @type {string} */ text) => {
      const timeless = text.replace(CLOCK, "");
      if (timeless !== lastText) aliveAt = performance.now();
      lastText = timeless;
    },
  };
}

/** @param {string} folder */
function sizeOf(folder) {
  try {
    const paths = /** @type {string[]} */ (readdirSync(folder, { recursive: true }));
    const sizes = paths.map((path) => statSync(join(folder, path), { throwIfNoEntry: false })?.size ?? 0);
    return sizes.reduce((sum, size) => sum + size, 0);
  } catch {
    // A file was removed while its folder was read, which is a change.
    return -1;
  }
}

/**
 * The last lines of the output, without the progress lines that a terminal would overwrite.
 *
 * @param {string} output
 */
function lastLines(output) {
  const lines = output.split("\n").map((line) => line.slice(line.lastIndexOf("\r") + 1).trimEnd());
  return lines
    .filter((line) => line !== "")
    .slice(-5)
    .join("\n");
}
