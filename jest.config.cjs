/** Each kind of tests: its folder, and its time limit (the file says why). */
const projects = {
  unit: "test/support/timeLimit.ts",
  contract: "test/support/timeLimit.ts",
  laws: "test/support/timeLimit.ts",
  package: "test/engine/timeLimit.ts",
  install: "test/engine/timeLimit.ts",
  release: "test/engine/timeLimit.ts",
  scale: "test/engine/timeLimit.ts",
  engine: "test/engine/timeLimit.ts",
};

/** Types are checked by tsc alone. */
const swc = {
  jsc: { target: "es2022", parser: { syntax: "typescript" } },
  module: { type: "commonjs" },
  sourceMaps: "inline",
};

module.exports = {
  maxWorkers: "100%",
  projects: Object.entries(projects).map(([displayName, timeLimit]) => ({
    displayName,
    // Their package.json files have one name, which `pulumi new` fills in.
    modulePathIgnorePatterns: ["<rootDir>/templates"],
    testMatch: [`<rootDir>/test/${displayName}/**/*.test.ts`],
    testEnvironment: "node",
    setupFilesAfterEnv: [`<rootDir>/${timeLimit}`, "<rootDir>/test/support/seed.ts"],
    transform: { "^.+\\.ts$": ["@swc/jest", swc] },
  })),
};
