// Lets a plain Node run the TypeScript of this repository: `node -r ./test/bench/loadTypeScript.cjs file.ts`. `npm run check`
// checks the types; this loader only removes them, so that a run begins within a second.
const { readFileSync } = require("node:fs");
const typescript = require("typescript");

const compilerOptions = {
  target: typescript.ScriptTarget.ES2022,
  module: typescript.ModuleKind.CommonJS,
  esModuleInterop: true,
};

require.extensions[".ts"] = (module, fileName) => {
  const { outputText } = typescript.transpileModule(readFileSync(fileName, "utf8"), { compilerOptions, fileName });
  module._compile(outputText, fileName);
};
