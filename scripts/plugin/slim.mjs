// @ts-check
import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";

/** @param {string} name */
const beside = (name) => fileURLToPath(new URL(name, import.meta.url));

/** Smaller replacements for modules: the plugin never uses half of the code that its libraries load. */
const replacements = [
  { path: /^undici$/, by: beside("undici.cjs") },
  // Parses service definitions in text form; the plugin has them as code.
  { path: /^@grpc\/proto-loader$/, by: beside("nothing.cjs") },
  // Form bodies, and HTTP/2.
  { path: /^\.\.\/web\/fetch\/body\.js$|^\.\/client-h2\.js$/, by: beside("nothing.cjs") },
  // Channels to many servers.
  { path: /^\.\/load-balancer-(outlier-detection|weighted-round-robin)$/, by: beside("nothing.cjs") },
];

/** @type {import("esbuild").Plugin} */
export const slim = {
  name: "slim",
  setup(build) {
    for (const { path, by } of replacements) build.onResolve({ filter: path }, () => ({ path: by }));
    // undici has two builds of the same parser; the one without SIMD runs on every processor and is fast enough.
    build.onResolve({ filter: /llhttp_simd-wasm/ }, ({ importer, resolveDir }) =>
      build.resolve("../llhttp/llhttp-wasm.js", { kind: "require-call", importer, resolveDir }),
    );
    // A switch of the library itself: a third of a message's code is for printing the message.
    build.onLoad({ filter: /_pb\.js$/ }, async ({ path }) => ({
      contents: (await readFile(path, "utf8")).replaceAll("jspb.Message.GENERATE_TO_OBJECT", "false"),
    }));
  },
};
