import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { type RequestEntry, requestLog } from "../../../../provider/api/http/transport";
import { ConfigError } from "../../../../provider/base/errors";
import { newFolder } from "../../../support/folders";

const entry: RequestEntry = { time: "", method: "GET", route: "/v1/clusters", attempt: 1, waitedMs: 0 };
let folder: string;
beforeEach(() => {
  folder = newFolder();
});

it("adds lines to a file that only its owner may read, from several processes", () => {
  const file = join(folder, "requests.log");
  for (const attempt of [1, 2]) requestLog({ file })({ ...entry, attempt });
  const lines = readFileSync(file, "utf8").trimEnd().split("\n");
  expect(lines.map((line) => JSON.parse(line))).toEqual([entry, { ...entry, attempt: 2 }]);
  if (process.platform !== "win32") expect(statSync(file).mode & 0o777).toBe(0o600);
});

it("says at once that a file cannot be written", () => {
  const log = () => requestLog({ file: join(folder, "none/requests.log") });
  expect(log).toThrow(ConfigError);
  expect(log).toThrow("GPUCLUSTER_LOG names a file that cannot be written (ENOENT)");
});

it("drops a line that cannot be written later, so that no operation fails", () => {
  const file = join(folder, "requests.log");
  const log = requestLog({ file });
  rmSync(file);
  mkdirSync(file);
  expect(() => log(entry)).not.toThrow();
});

it("outlives the reader of standard error", async () => {
  const script = `
    const log = require("./provider/api/http/transport.ts").requestLog("stderr");
    const write = () => log({ attempt: 1 });
    process.stdin.on("data", write).on("end", () => console.log("at its end"));
  `;
  const child = spawn(process.execPath, ["-r", "./test/bench/loadTypeScript.cjs", "-e", script]);
  const over = once(child, "close");
  const out = text(child.stdout);
  child.stdin.write("first");
  await once(child.stderr, "data");
  child.stderr.destroy();
  await once(child.stderr, "close");
  child.stdin.write("second");
  child.stdin.end();
  expect([await over, await out]).toEqual([[0, null], "at its end\n"]);
});
