// Lets a plain Node run the TypeScript of this repository: `node -r ./test/bench/loadTypeScript.cjs file.ts`. `npm run check`
// checks the types; this loader only removes them, with esbuild, because a benchmark starts dozens of processes.
const { readFileSync } = require("node:fs");
const { transformSync } = require("esbuild");

require.extensions[".ts"] = (module, fileName) => {
  const source = readFileSync(fileName, "utf8");
  const { code } = transformSync(source, { loader: "ts", format: "cjs", target: "node20", sourcefile: fileName });
  module._compile(code, fileName);
};
