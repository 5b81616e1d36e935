import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import type { AddressInfo } from "node:net";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { until } from "../engine/harness";

/** A real Redis on the loopback interface, with a folder of its own. */
export class Redis {
  readonly #folder = mkdtempSync(join(tmpdir(), "gpucluster-redis-"));
  #server: ChildProcess | undefined;
  url = "";

  async start(): Promise<this> {
    provideServer();
    const port = await freePort();
    const options = {
      bind: "127.0.0.1",
      port,
      dir: this.#folder,
      save: "",
      appendonly: "no",
      "maxmemory-policy": "noeviction",
    };
    const args = Object.entries(options).flatMap(([name, value]) => [`--${name}`, String(value)]);
    const server = spawn("redis-server", args, { stdio: ["ignore", "pipe", "inherit"] });
    this.#server = server;
    let output = "";
    server.stdout.setEncoding("utf8").on("data", (text: string) => {
      output += text;
    });
    await until("Redis accepts connections", () => output.includes("Ready to accept connections"));
    this.url = `redis://127.0.0.1:${port}`;
    return this;
  }

  async stop(): Promise<void> {
    const server = this.#server;
    if (server?.exitCode === null) {
      const ended = new Promise((done) => server.once("exit", done));
      server.kill();
      await ended;
    }
    rmSync(this.#folder, { recursive: true, force: true });
  }
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  const { port } = server.address() as AddressInfo;
  await new Promise((done) => server.close(done));
  return port;
}

/** Installs redis-server from the system's packages if it is missing. */
function provideServer(): void {
  if (hasServer()) return;
  const asRoot = process.getuid?.() === 0 ? [] : ["sudo", "-n"];
  const install = ["apt-get", "install", "-y", "--no-install-recommends", "redis-server"];
  const outputs = [["apt-get", "update"], install].map((words) => {
    const [command = "", ...args] = [...asRoot, ...words];
    const env = { ...process.env, DEBIAN_FRONTEND: "noninteractive" };
    const { stdout, stderr, error } = spawnSync(command, args, { encoding: "utf8", env });
    return [stdout, stderr, error?.message].join("");
  });
  if (hasServer()) return;
  throw new Error(`This test needs redis-server on the PATH, and apt-get could not install it:\n${outputs.join("\n")}`);
}

function hasServer(): boolean {
  return spawnSync("redis-server", ["--version"]).status === 0;
}
