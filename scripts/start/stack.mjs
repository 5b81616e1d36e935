// @ts-check
import { spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { pathToFileURL } from "node:url";
import { ROOT } from "../lib/root.mjs";

/** The user pressed Ctrl-C, and Pulumi has ended its operation. */
export class Interrupted extends Error {}

/**
 * @typedef {object} Stack
 * @property {(...args: string[]) => Promise<void>} pulumi Runs a Pulumi command on the stack; its output goes to the terminal.
 * @property {() => string} farewell A text about what still exists, and how to continue.
 * @property {() => Promise<void>} init Creates the stack if it does not exist.
 * @property {() => void} close
 */

/**
 * Prepares a stack of the root project. A throwaway stack is in a temporary folder. Any other stack stays in `.gpucluster/`,
 * because a lost state means a lost cluster that still costs money.
 *
 * @param {string} cliRoot
 * @param {Record<string, string>} serviceEnv
 * @param {{ isReal: boolean, isThrowaway: boolean }} options
 * @returns {Stack}
 */
export function openStack(cliRoot, serviceEnv, { isReal, isThrowaway }) {
  const folder = isThrowaway ? mkdtempSync(join(tmpdir(), "gpucluster-")) : join(ROOT, ".gpucluster");
  // A stack on the simulator belongs to one simulator process; the real stack must be found again by its name.
  const name = `demo-${isReal ? "real" : randomBytes(2).toString("hex")}`;
  const env = { ...serviceEnv, ...backendEnv(folder, isReal) };
  const interrupts = countInterrupts();
  const pulumi = async (/** @type {string[]} */ ...args) => {
    const code = await runPulumi(cliRoot, args, { ...env, PULUMI_STACK: name });
    if (interrupts.seen()) throw new Interrupted();
    if (code !== 0) throw new Error(`pulumi ${args.join(" ")} ended with exit code ${code}.`);
  };
  return {
    pulumi,
    init: () => pulumi("stack", "select", "--create", name),
    farewell: () => (isThrowaway ? "Nothing is left running." : goOn(env, join(cliRoot, "bin/pulumi"), name)),
    close: () => {
      interrupts.stop();
      if (!isThrowaway) return;
      rmSync(folder, { recursive: true, force: true });
      rmSync(join(ROOT, `Pulumi.${name}.yaml`), { force: true });
    },
  };
}

/**
 * Lines to paste into a shell.
 *
 * @param {Record<string, string>} env
 * @param {string} cli
 * @param {string} name
 */
function goOn(env, cli, name) {
  const lines = Object.entries(env).map(([variable, value]) => `  export ${variable}='${value}'`);
  return [
    "The stack is still there. To go on in this folder:",
    ...lines,
    `  ${cli} up --stack ${name}`,
    `  ${cli} destroy --stack ${name}`,
  ].join("\n");
}

/**
 * A stack on the simulator never uses the user's own backend; a real stack does, if there is one.
 *
 * @param {string} folder
 * @param {boolean} isReal
 * @returns {Record<string, string>}
 */
function backendEnv(folder, isReal) {
  if (isReal && process.env["PULUMI_BACKEND_URL"]) return {};
  const state = join(folder, "state");
  const passphraseFile = join(folder, "passphrase");
  mkdirSync(state, { recursive: true });
  if (!existsSync(passphraseFile)) writeFileSync(passphraseFile, randomBytes(16).toString("hex"), { mode: 0o600 });
  return { PULUMI_BACKEND_URL: pathToFileURL(state).href, PULUMI_CONFIG_PASSPHRASE_FILE: passphraseFile };
}

/**
 * @param {string} cliRoot
 * @param {string[]} args
 * @param {Record<string, string>} env
 */
async function runPulumi(cliRoot, args, env) {
  const bin = join(cliRoot, "bin");
  const child = spawn(join(bin, "pulumi"), args, {
    cwd: ROOT,
    stdio: "inherit",
    env: {
      ...process.env,
      ...env,
      // The passphrase file decides: a passphrase for the user's other stacks must not override it.
      ...(env["PULUMI_CONFIG_PASSPHRASE_FILE"] ? { PULUMI_CONFIG_PASSPHRASE: undefined } : {}),
      PATH: `${bin}${delimiter}${process.env["PATH"] ?? ""}`,
      PULUMI_SKIP_UPDATE_CHECK: "true",
    },
  });
  const forward = (/** @type {NodeJS.Signals} */ signal) => child.kill(signal);
  process.on("SIGTERM", forward);
  const [code] = await once(child, "close");
  process.off("SIGTERM", forward);
  return code ?? 1;
}

/** In a terminal, Ctrl-C also reaches Pulumi, which ends by itself. This process only has to survive it and clean up. */
function countInterrupts() {
  let count = 0;
  const note = () => {
    count += 1;
  };
  process.on("SIGINT", note).on("SIGTERM", note);
  return { seen: () => count > 0, stop: () => void process.off("SIGINT", note).off("SIGTERM", note) };
}
