import { execFile } from "node:child_process";

/** Runs a command that has to succeed. */
export function run([command = "", ...args]: readonly string[], cwd: string): Promise<string> {
  const options = { cwd, shell: process.platform === "win32", maxBuffer: 2 ** 26 };
  return new Promise((done, fail) =>
    execFile(command, args, options, (error, stdout, stderr) =>
      error ? fail(new Error(`${[command, ...args].join(" ")} failed:\n${stdout}${stderr}`)) : done(stdout),
    ),
  );
}
