// @ts-check
import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";

/** @param {string} name */
const beside = (name) => fileURLToPath(new URL(name, import.meta.url));

/** What is bundled in place of another module: half of what libraries load is for things that the plugin never does. */
const replacements = [
  { path: /^undici$/, by: beside("undici.cjs") },
  // For definitions of services in text, which come as code here.
  { path: /^@grpc\/proto-loader$/, by: beside("nothing.cjs") },
  // For bodies that are forms, and for HTTP/2.
  { path: /^\.\.\/web\/fetch\/body\.js$|^\.\/client-h2\.js$/, by: beside("nothing.cjs") },
  // For channels to many servers.
  { path: /^\.\/load-balancer-(outlier-detection|weighted-round-robin)$/, by: beside("nothing.cjs") },
];

/** @type {import("esbuild").Plugin} */
export const slim = {
  name: "slim",
  setup(build) {
    for (const { path, by } of replacements) build.onResolve({ filter: path }, () => ({ path: by }));
    // The same parser in two compilations: the one that every processor runs is fast enough.
    build.onResolve({ filter: /llhttp_simd-wasm/ }, ({ importer, resolveDir }) =>
      build.resolve("../llhttp/llhttp-wasm.js", { kind: "require-call", importer, resolveDir }),
    );
    // The library's own switch: a third of the code of a message is for printing it.
    build.onLoad({ filter: /_pb\.js$/ }, async ({ path }) => ({
      contents: (await readFile(path, "utf8")).replaceAll("jspb.Message.GENERATE_TO_OBJECT", "false"),
    }));
  },
};
