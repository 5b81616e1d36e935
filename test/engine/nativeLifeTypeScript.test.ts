import { testLives } from "./nativeLife";

// `npm run check` and nativeProgram.test.ts look at types.
testLives("TypeScript", ({ workspace }) => workspace.withoutTypes());
