import { existsSync, readFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";

/** Stands for the place from which the engine downloads the plugin: serves the files of a folder. */
export class Downloads {
  /** The names of all files that were downloaded. */
  readonly names: string[] = [];
  readonly #server;

  constructor(folder: string) {
    this.#server = createServer(({ url = "" }, response) => {
      const file = join(folder, url);
      if (!existsSync(file)) return response.writeHead(404).end();
      this.names.push(url.slice(1));
      // In one piece, because the engine asks for its length.
      return response.end(readFileSync(file));
    });
  }

  /** Its address. */
  async start(): Promise<string> {
    await new Promise<void>((done) => this.#server.listen(0, "127.0.0.1", done));
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  stop(): void {
    this.#server.close();
  }
}
